import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseLocation } from '../src/base/store/open.ts';
import { openMetadataDb } from '../src/metadata/open.ts';
import { openStorage, type Storage } from '../src/operate/storage/storage.ts';
import { SampleMetadata } from '../test/support/sample-metadata.ts';
import { sampleTokens } from './entities.ts';
import { temporaryDirectory } from './temporary.ts';

/** The chain id of simulated chains and of the sample chain. */
const CHAIN_ID = 0x80000000;
const CHAIN_ARGS = ['--chain-id', String(CHAIN_ID)];

/** Sizes of the stored data, in bytes. */
export interface StoredBytes {
  readonly index: number;
  readonly journal: number;
}

/** Where a benchmark keeps its index: a new directory, or a new schema of a database. `remove` leaves nothing. */
export interface Place {
  readonly engine: 'sqlite' | 'postgres';
  /** The options of `stacks-index` for this place and its chain. */
  readonly args: readonly string[];
  readonly open: () => Promise<Storage>;
  readonly bytes: () => Promise<StoredBytes>;
  /** Gives the SIP-009 tokens of the index metadata, as if it had been fetched. */
  readonly fillMetadata: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** An empty place. @param database a postgres:// URL; without it, SQLite in a directory for temporary files */
export async function freshPlace(database: string | undefined): Promise<Place> {
  // An exit removes directories and ends servers, but a signal would leave them, so it becomes an exit. Neither removes a schema.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return database === undefined ? freshDirectory() : freshSchema(database);
}

function freshDirectory(): Place {
  const { path, remove } = temporaryDirectory();
  return { ...directoryPlace(path), remove: async () => remove() };
}

/** An existing index, which is not removed. @param data its directory */
export function directoryPlace(data: string): Place {
  return {
    ...placeOf({ data, database: undefined }),
    engine: 'sqlite',
    args: ['--data', data, ...CHAIN_ARGS],
    bytes: async () => {
      const files = readdirSync(data).map(file => ({ file, size: statSync(join(data, file)).size }));
      const of = (prefix: string) =>
        files.reduce((sum, { file, size }) => (isDatabase(file, prefix) ? sum + size : sum), 0);
      return { index: of('index'), journal: of('journal') };
    },
    remove: async () => undefined,
  };
}

/** `index.21.sqlite` and its `-wal` are of `index`. */
const isDatabase = (file: string, prefix: string): boolean =>
  file.startsWith(`${prefix}.`) && /\.sqlite(-\w+)?$/.test(file);

async function freshSchema(url: string): Promise<Place> {
  const schema = `bench_${process.pid}_${Date.now().toString(36)}`;
  await administer(url, `CREATE SCHEMA "${schema}"`);
  return {
    ...schemaPlace(inSchema(url, schema)),
    remove: async () => {
      const schemas = await administer<{ name: string }>(
        url,
        'SELECT nspname AS name FROM pg_namespace WHERE nspname = $1 OR nspname LIKE $2',
        [schema, `${schema}\\_%`],
      );
      for (const { name } of schemas) await administer(url, `DROP SCHEMA "${name}" CASCADE`);
    },
  };
}

/** An existing index, which is not removed. @param database postgres:// URL with its schema */
function schemaPlace(database: string): Place {
  return {
    ...placeOf({ data: tmpdir(), database }),
    engine: 'postgres',
    args: ['--database', database, ...CHAIN_ARGS],
    bytes: async () => {
      const rows = await administer<{ name: string; bytes: string }>(
        database,
        `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes
           FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname LIKE $1 AND c.relkind = 'r' AND c.relname NOT LIKE 'metadata%'`,
        [`${schemaOf(database)}%`],
      );
      const of = (isMeant: (name: string) => boolean) =>
        rows.reduce((sum, { name, bytes }) => (isMeant(name) ? sum + Number(bytes) : sum), 0);
      return { index: of(name => name !== 'journal'), journal: of(name => name === 'journal') };
    },
    remove: async () => undefined,
  };
}

/** An existing index, which is not removed. @param where its directory, or a postgres:// URL with its schema */
export const placeThere = (where: string): Place =>
  /^postgres/.test(where) ? schemaPlace(where) : directoryPlace(where);

function placeOf(location: { readonly data: string; readonly database: string | undefined }) {
  const open = () => openStorage({ ...location, chainId: CHAIN_ID });
  return {
    open,
    fillMetadata: async () => {
      const storage = await open();
      const tokens = await storage.indexDb.read(queries => sampleTokens(queries, 'sip-009'));
      await storage.close();
      const metadata = await openMetadataDb(location);
      const sample = new SampleMetadata(metadata);
      for (const { contract_id, token } of tokens) {
        await sample.token(contract_id, token, { uri: `ipfs://tokens/${token}.json` });
        await sample.document(contract_id, token, { name: `Token ${token}` }, { localeName: 'en' });
      }
      await metadata.close();
    },
  };
}

/** The same database, with the tables in this schema. */
export function inSchema(url: string, schema: string): string {
  const located = new URL(url);
  located.searchParams.set('schema', schema);
  return located.href;
}

/** The schema that a URL names. */
export const schemaOf = (url: string): string => new URL(url).searchParams.get('schema') ?? '';

async function administer<R extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const location = parseLocation({ database: url });
  const client = new pg.Client({ connectionString: location.kind === 'postgres' ? location.url : url });
  await client.connect();
  try {
    return (await client.query<R>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
