/**
 * Writes the table of docs/api.md: every route with its file, and what its example requests read on the sample chain.
 * `npm run docs:api`
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type OpenApiDocument, type Operation, operationsOf } from '../src/api/http/openapi/document.ts';
import type { Database, Queries, SqlValue } from '../src/base/store/database.ts';
import type { ListKind } from '../src/ingest/indexer/tables.ts';
import { openFreshOf } from '../test/support/engines.ts';
import { type ExampleRequest, exampleRequests, problemOfExample } from '../test/support/example-requests.ts';
import { replayed } from '../test/support/replayed.ts';
import { SampleMetadata } from '../test/support/sample-metadata.ts';
import { openTestIndex } from '../test/support/test-index.ts';

const root = join(import.meta.dirname, '..');
const PAGE = join(root, 'docs/api.md');
const BEGIN = '<!-- npm run docs:api writes from here -->';
const END = '<!-- to here -->';

export interface ApiPage {
  /** The page as it is. */
  readonly current: string;
  /** The page as it is to be. */
  readonly expected: string;
  /** What is wrong with the responses to the examples. */
  readonly wrong: readonly string[];
}

export async function apiPage(): Promise<ApiPage> {
  const current = readFileSync(PAGE, 'utf8');
  const [before] = current.split(BEGIN);
  const [, after] = current.split(END);
  const { table, wrong } = await apiTable();
  return { current, expected: `${before}${BEGIN}\n\n${table}\n${END}${after}`, wrong };
}

async function apiTable(): Promise<{ readonly table: string; readonly wrong: readonly string[] }> {
  const fresh = await replayed(openFreshOf.sqlite, join(root, 'examples/sample-chain.tsv.gz'))();
  try {
    const reads = new Reads(fresh.database, await namesOfLists());
    const index = await openTestIndex(reads.database);
    await new SampleMetadata(fresh.database).fill();
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const requests = exampleRequests(document);
    const files = filesOfRoutes();
    const rows: string[] = [];
    const wrong: string[] = [];
    const ask = async (request: ExampleRequest) => {
      const problem = problemOfExample(request, await index.ask(request));
      if (problem !== undefined) wrong.push(problem);
    };
    const operations = operationsOf(document).sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
    for (const { path, method, operation } of operations) {
      const { operationId } = operation;
      const own = requests.filter(request => request.operationId === operationId);
      const isPlain = (request: ExampleRequest) =>
        Object.keys(request.query).every(name => isRequired(operation, name));
      reads.clear();
      for (const request of own.filter(isPlain)) await ask(request);
      const [tables, lists] = [new Set(reads.tables), new Set(reads.lists)];
      for (const request of own.filter(request => !isPlain(request))) await ask(request);
      const file = fileOf(files, operationId);
      const route = method === 'get' ? `\`${path}\`` : `${method.toUpperCase()} \`${path}\``;
      const name = operation['x-internal'] ? `${operationId} (internal)` : operationId;
      const read = [code(reads.tables, tables), code(reads.lists, lists)];
      rows.push(row(route, name, `[${file}](../src/api/routes/${file})`, ...read));
    }
    const head = [row('path', 'name', 'file', 'tables', 'lists'), row('---', '---', '---', '---', '---')];
    return { table: [...head, ...rows, ''].join('\n'), wrong };
  } finally {
    await fresh.cleanup();
  }
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
/** @param always those that a request without optional parameters reads, too */
const code = (names: ReadonlySet<string>, always: ReadonlySet<string>): string =>
  [...names]
    .sort()
    .map(name => (always.has(name) ? `\`${name}\`` : `(\`${name}\`)`))
    .join(', ');

const isRequired = ({ parameters = [] }: Operation, name: string): boolean =>
  parameters.some(parameter => parameter.in === 'query' && parameter.name === name && parameter.required === true);

/** The files of src/api/routes that declare an operation, by its name. */
function filesOfRoutes(): ReadonlyMap<string, readonly string[]> {
  const folder = join(root, 'src/api/routes');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(entry => join(entry.parentPath, entry.name));
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const [, isNamedTwice, name = ''] of readFileSync(file, 'utf8').matchAll(/operationId: (name\()?'(\w+)'/g)) {
      // `name` gives the route of version 1 another name than that without a version.
      for (const operationId of isNamedTwice ? [name, `${name}V1`] : [name])
        found.set(operationId, [...(found.get(operationId) ?? []), relative(folder, file)]);
    }
  return found;
}

/** @throws Error unless one file declares the operation */
function fileOf(files: ReturnType<typeof filesOfRoutes>, operationId: string): string {
  const found = files.get(operationId) ?? [];
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} files declare ${operationId}`);
  return found[0];
}

/** The name of the constant for each kind of list. */
async function namesOfLists(): Promise<ReadonlyMap<number, string>> {
  const folder = join(root, 'src/index');
  const files = globSync(join(folder, '*/tables.ts'));
  const modules: Record<string, unknown>[] = await Promise.all(files.map(file => import(file)));
  return new Map(modules.flatMap(module => Object.entries(module)).flatMap(([name, value]) => kindOf(name, value)));
}

function kindOf(name: string, value: unknown): [number, string][] {
  const kind = value as Partial<ListKind> | undefined;
  return typeof kind?.code === 'number' && kind.entries !== undefined ? [[kind.code, name]] : [];
}

/** What is read from a database: tables, and lists by the kinds that are looked up in the directory of lists. */
class Reads {
  readonly tables = new Set<string>();
  readonly lists = new Set<string>();
  readonly database: Database;
  readonly #known = new Set<string>();

  constructor(db: Database, kinds: ReadonlyMap<number, string>) {
    const note = (sql: string, params: readonly SqlValue[] = []) => {
      for (const [, name = ''] of sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)) {
        if (name === 'lists') for (const param of kindsAmong(sql, params)) this.#noteList(kinds.get(param));
        else if (this.#known.has(name)) this.tables.add(name);
      }
    };
    this.database = {
      engine: db.engine,
      create: tables => {
        for (const { name } of tables) this.#known.add(name);
        return db.create(tables);
      },
      write: work => db.write(work),
      reclaim: table => db.reclaim(table),
      close: () => db.close(),
      read: work => db.read(queries => work(noting(queries, note))),
    };
  }

  clear(): void {
    this.tables.clear();
    this.lists.clear();
  }

  #noteList(name: string | undefined): void {
    if (name !== undefined) this.lists.add(name);
  }
}

/** The kinds of lists that a statement names or has as parameters; all its numbers where it compares kinds in another way. */
function kindsAmong(sql: string, params: readonly SqlValue[]): readonly number[] {
  const before = sql.split('?');
  const compared = params.filter((_, i) => /\bkind = $/.test(before[i] ?? ''));
  const named = [...sql.matchAll(/\bkind = (\d+)/g)].map(([, code]) => Number(code));
  const found = compared.length + named.length > 0 ? compared : params;
  return [...named, ...found.filter(param => typeof param === 'number')];
}

const noting = (queries: Queries, note: (sql: string, params?: readonly SqlValue[]) => void): Queries => ({
  all: (sql, params) => {
    note(sql, params);
    return queries.all(sql, params);
  },
  get: (sql, params) => {
    note(sql, params);
    return queries.get(sql, params);
  },
});

// Not awaited: a test loads this file with `require`, which takes no module that waits.
if (import.meta.main) void apiPage().then(({ expected }) => writeFileSync(PAGE, expected));
