import { posix } from 'node:path';
import type { ImportGraph } from './graph.ts';
import { type Literal, literalsOf } from './literals.ts';
import { type TableItem, tableItems } from './sql-items.ts';

/**
 * Which tables the statements of a source tree name. A statement is a string or template with FROM, JOIN, INTO, UPDATE or USING in capitals,
 * or a part of one. What stands after these words is one of:
 *
 * - the name of a declared table, of a table that a statement makes itself (WITH), or of one that every database has;
 * - a function, such as `json_each(...)`;
 * - `${TABLE.name}` or `${KIND.entries.name}` of a constant, `${partOf(TABLE, ...)}` or of the past rows of a table, or `${table.name}` of a value: it has its name from a
 *   declaration, which the file that knows it imports;
 * - an expression or a constant made of texts, each of which begins with a table.
 *
 * Anything else is unresolved.
 */
export interface SqlTables {
  /** The file that declares each table, by the name of the table. */
  readonly declared: ReadonlyMap<string, string>;
  readonly uses: readonly TableUse[];
  /** As `file:line: what stands there`. */
  readonly unresolved: readonly string[];
}

/** A statement in `file` names a table that `declaredIn` declares. */
export interface TableUse {
  readonly file: string;
  readonly line: number;
  readonly table: string;
  readonly declaredIn: string;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly literals: readonly Literal[];
  /** The names of tables, by the constants that the file declares. */
  readonly tables: ReadonlyMap<string, string>;
  /** The constants of their entries, by the constants of kinds of lists. */
  readonly lists: ReadonlyMap<string, string>;
  /** Where imported names come from. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** Tables that statements make by WITH. */
  readonly made: ReadonlySet<string>;
}

/** The names of tables; undefined where something cannot be resolved. */
type Found = readonly string[] | undefined;

const OF_EVERY_DATABASE = /^(?:pg_\w+|sqlite_\w+|pragma_\w+|information_schema|STDIN)$/;
const MADE = /(?:\bWITH|\bRECURSIVE|,)\s+(\w+)\s*(?:\([^()]*\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(/g;
const TABLE = /\bconst (\w+) = table\(\{\s*name: '(\w+)'/g;
const LIST_KIND = /\bconst (\w+) = listKind\(\{[^{}]*\bentries: (\w+)\b/g;
const VERSIONS = /\bconst (\w+) = rowVersionsOf\((\w+)\b/g;
const IMPORT = /^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm;

/** Reads the statements of files: their texts, by their paths. */
export function readTables(files: ReadonlyMap<string, string>): SqlTables {
  const sources = new Map([...files].map(([file, text]) => [file, readSource(file, text)]));
  const declared = new Map(
    [...sources].flatMap(([file, { tables }]) => [...tables.values()].map(name => [name, file])),
  );
  const uses: TableUse[] = [];
  const unresolved: string[] = [];
  for (const source of sources.values())
    for (const literal of source.literals)
      for (const item of tableItems(literal)) {
        const { file, text } = source;
        const line = text.slice(0, literal.start + item.at).split('\n').length;
        const found = tablesOfItem(item, literal, source);
        if (found === undefined) unresolved.push(`${file}:${line}: ${item.text}`);
        for (const table of found ?? []) uses.push({ file, line, table, declaredIn: declared.get(table) ?? '' });
      }
  return { declared, uses, unresolved };

  function tablesOfItem({ kind, text }: TableItem, literal: Literal, source: Source): Found {
    if (kind === 'other') return undefined;
    if (kind === 'expression') return tablesOfExpression(text, source);
    if (OF_EVERY_DATABASE.test(text) || tablesMadeIn(literal).includes(text)) return [];
    if (declared.has(text)) return [text];
    return source.made.has(text) ? [] : undefined;
  }

  function tablesOfExpression(expression: string, source: Source): Found {
    const value =
      /^(?:quoteName\()?([\w$.#]+)\.name\)?$/.exec(expression)?.[1] ?? /^\w+\(([A-Z]\w*)\b/.exec(expression)?.[1];
    if (value !== undefined) return tablesOfValue(value, source);
    if (/^\w+$/.test(expression)) return tablesOfVariable(expression, source);
    const texts = literalsOf(expression).filter(({ text }) => text !== '');
    return texts.length === 0 ? undefined : all(texts.map(literal => tablesOfPart(literal, source)));
  }

  /** Of `TABLE`, `KIND.entries`, or another value, which has its name from a declaration. */
  function tablesOfValue(value: string, source: Source): Found {
    const constant = /^[A-Z][A-Z0-9_]*/.exec(value)?.[0];
    if (constant === undefined) return [];
    const table = tableOfConstant(constant, source);
    return table === undefined ? undefined : [table];
  }

  function tableOfConstant(constant: string, source: Source): string | undefined {
    const imported = source.imports.get(constant);
    const other = imported && sources.get(imported.file);
    if (other) return tableOfConstant(imported.name, other);
    const entries = source.lists.get(constant);
    return entries === undefined ? source.tables.get(constant) : tableOfConstant(entries, source);
  }

  /** Of a text that follows a FROM: it begins with a table. */
  function tablesOfPart(literal: Literal, source: Source): Found {
    const items = tableItems(literal, true);
    return items.length === 0 ? undefined : all(items.map(item => tablesOfItem(item, literal, source)));
  }

  function tablesOfVariable(name: string, source: Source): Found {
    const imported = source.imports.get(name);
    const other = imported && sources.get(imported.file);
    if (other) return tablesOfVariable(imported.name, other);
    const values = [...source.text.matchAll(new RegExp(`\\bconst ${name} =([^;]*);`, 'g'))];
    return values.length === 0
      ? undefined
      : all(values.map(([, value = '']) => tablesOfExpression(value.trim(), source)));
  }
}

const all = (found: readonly Found[]): Found =>
  found.some(tables => tables === undefined) ? undefined : found.flatMap(tables => tables ?? []);

const tablesMadeIn = ({ text }: Literal): string[] => [...text.matchAll(MADE)].map(([, name = '']) => name);

function readSource(file: string, text: string): Source {
  const literals = literalsOf(text);
  const pairs = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, a = '', b = '']) => [a, b] as const);
  const imports = pairs(IMPORT).flatMap(([names, path]) =>
    names.split(',').map(entry => {
      const [name = '', local = name] = entry
        .replace(/^\s*type\s/, '')
        .trim()
        .split(' as ');
      return [local, { file: posix.join(posix.dirname(file), path), name }] as const;
    }),
  );
  const tables = new Map(pairs(TABLE));
  const past = pairs(VERSIONS).map(([kind, table]) => [kind, `past_${tables.get(table)}`] as const);
  return {
    ...{ file, text, literals, imports: new Map(imports) },
    tables: new Map([...tables, ...past]),
    lists: new Map(pairs(LIST_KIND)),
    made: new Set(literals.flatMap(tablesMadeIn)),
  };
}

/** The same as imports: what a file names is in the file that declares it. */
export function graphOfTables({ uses }: SqlTables): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const { file, declaredIn } of uses) graph.set(file, (graph.get(file) ?? new Set()).add(declaredIn));
  return new Map([...graph].map(([file, declaring]) => [file, [...declaring]]));
}
