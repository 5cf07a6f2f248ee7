/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources in these tests have templates */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import { METADATA_TABLES } from '../../src/metadata/tables.ts';
import { FLOORS } from './floors.ts';
import { importsUpwards } from './graph.ts';
import { literalsOf } from './literals.ts';
import { tableItems } from './sql-items.ts';
import { graphOfTables, readTables, type SqlTables } from './sql-tables.ts';

const src = join(import.meta.dirname, '../../src');
const files = globSync('**/*.ts', { cwd: src }).filter(file => !file.endsWith('.test.ts'));
const tables = readTables(new Map(files.map(file => [file, readFileSync(join(src, file), 'utf8')])));

test('the declaration of every table is found, and more statements than tables', () => {
  assert.ok(tables.uses.length > tables.declared.size);
  const names = [...INDEX_SCHEMA.tables, ...METADATA_TABLES].map(({ name }) => name);
  assert.deepEqual(
    names.filter(name => !tables.declared.has(name)),
    [],
  );
});

test('every table that a statement names is found', () => {
  assert.deepEqual(tables.unresolved, []);
});

test('no statement names a table of a higher floor, nor of another room of the same one', () => {
  assert.deepEqual(importsUpwards(graphOfTables(tables), FLOORS), []);
});

/** A house of two floors, with a table in each of three rooms. */
const read = (statement: string, file = 'ground/a.ts'): SqlTables =>
  readTables(
    new Map([
      ['ground/tables.ts', `export const STONES = table({ name: 'stones', columns: {}, key: [] });`],
      ['left/tables.ts', `export const DOORS = table({\n  name: 'doors',\n  columns: {}, key: [] });`],
      [
        'right/tables.ts',
        `import { DOORS } from '../left/tables.ts';
        export const WINDOWS = table({ name: 'windows', columns: {}, key: [] });
        export const ALL_DOORS = listKind({ code: 1, entries: DOORS, named: false });
        export const BOTH = 'stones s JOIN windows w ON w.stone = s.id';`,
      ],
      [file, statement],
    ]),
  );
const namedBy = (statement: string): string[] => {
  const { uses, unresolved } = read(statement, 'top/a.ts');
  assert.deepEqual(unresolved, []);
  return uses.filter(({ file }) => file === 'top/a.ts').map(({ table }) => table);
};
const unresolvedIn = (statement: string) => read(statement).unresolved;

test('a statement that names a table of a higher floor, or beside it, is found', () => {
  const floors = [['ground'], ['left', 'right']];
  const wrong = (file: string, statement: string) => importsUpwards(graphOfTables(read(statement, file)), floors);
  const upward = ['ground/a.ts -> left/tables.ts'];
  assert.deepEqual(wrong('ground/a.ts', "db.get('SELECT 1 FROM doors')"), upward);
  assert.deepEqual(wrong('ground/a.ts', 'db.get(`SELECT (SELECT max(id) FROM doors) FROM stones`)'), upward);
  assert.deepEqual(wrong('ground/a.ts', "const part = 'stones s LEFT JOIN doors d ON d.id = s.id'"), upward);
  assert.deepEqual(wrong('left/a.ts', "db.run('UPDATE windows SET id = 1')"), ['left/a.ts -> right/tables.ts']);
  assert.deepEqual(wrong('left/a.ts', "db.get('SELECT 1 FROM doors, stones')"), []);
});

test('tables are found after each of the words, in lists, joins and inner statements', () => {
  assert.deepEqual(namedBy("'INSERT INTO stones (id) VALUES (1) ON CONFLICT DO UPDATE SET id = 1'"), ['stones']);
  assert.deepEqual(namedBy("'DELETE FROM stones USING doors d WHERE d.id IN (1, 2)'"), ['stones', 'doors']);
  assert.deepEqual(namedBy("'SELECT a, b FROM stones AS s, doors, (SELECT 1 FROM windows) w WHERE a IN (b, c)'"), [
    'stones',
    'doors',
    'windows',
  ]);
  assert.deepEqual(namedBy("'SELECT 1 FROM (stones s JOIN doors d ON d.id = s.id) CROSS JOIN LATERAL windows'"), [
    'stones',
    'doors',
    'windows',
  ]);
  assert.deepEqual(namedBy("'stones JOIN doors USING (id)'"), ['stones', 'doors']);
});

test('a table is found by its constant, by a list of it, and by texts that it is put together of', () => {
  const imported = "import { ALL_DOORS, BOTH, WINDOWS as PANES } from '../right/tables.ts';\n";
  assert.deepEqual(namedBy(`${imported}\`SELECT 1 FROM \${PANES.name} JOIN \${quoteName(ALL_DOORS.entries.name)}\``), [
    'windows',
    'doors',
  ]);
  assert.deepEqual(namedBy(`${imported}\`SELECT 1 FROM \${BOTH} WHERE id = \${id}\``), ['stones', 'windows']);
  assert.deepEqual(namedBy("const from = all ? 'stones' : 'doors d';\n`SELECT 1 FROM ${from}`"), ['stones', 'doors']);
  assert.deepEqual(namedBy(`${imported}\`SELECT 1 FROM \${slice(PANES, 'asc')} e\``), ['windows']);
  assert.deepEqual(namedBy('const copy = (table: Table) => `SELECT * FROM ${table.name}`'), []);
});

test('what a statement makes itself, functions, tables of the database and other uses of the words are no tables', () => {
  assert.deepEqual(
    namedBy("'WITH RECURSIVE doors(id) AS (SELECT 1 FROM stones), more AS (SELECT 2) SELECT 1 FROM doors JOIN more'"),
    ['stones'],
  );
  assert.deepEqual(
    namedBy("'SELECT 1 FROM json_each(?) JOIN pg_class ON true, unnest(?) WHERE a IS DISTINCT FROM b'"),
    [],
  );
  assert.deepEqual(namedBy("'SELECT extract(epoch FROM moment) FROM stones FOR UPDATE'"), ['stones']);
  assert.deepEqual(
    namedBy('// SELECT 1 FROM nothing\n/* FROM nothing */ const a = /`FROM nothing/; const b = "FROM stones"'),
    ['stones'],
  );
  assert.deepEqual(namedBy("'SELECT 1 -- FROM nothing\n FROM stones'"), ['stones']);
});

test('what cannot be resolved is named, with its file and line', () => {
  assert.deepEqual(unresolvedIn("\n\n'SELECT 1 FROM gates'"), ['ground/a.ts:3: gates']);
  assert.deepEqual(unresolvedIn('`SELECT 1\n  FROM stones\n  JOIN ${other} o`'), ['ground/a.ts:3: other']);
  assert.deepEqual(unresolvedIn('`DELETE FROM ${prefix}_stones`'), ['ground/a.ts:1: prefix and more']);
  assert.deepEqual(unresolvedIn("'INSERT INTO ' + table"), ['ground/a.ts:1: the end of the text']);
  assert.deepEqual(unresolvedIn("const from = all ? 'stones' : 'gates';\n`SELECT 1 FROM ${from}`"), [
    'ground/a.ts:2: from',
  ]);
  assert.deepEqual(unresolvedIn('`SELECT 1 FROM ${GATES.name}`'), ['ground/a.ts:1: GATES.name']);
  assert.deepEqual(unresolvedIn('`SELECT 1 FROM ${nameOf(table)}`'), ['ground/a.ts:1: nameOf(table)']);
});

test('literals are found in interpolations too, where they are', () => {
  const source = "const a = `x ${b ? `y ${'z'}` : {}} w`; // 'no'\nf(a / 2, 'it\\'s', /'/);";
  const found = literalsOf(source);
  assert.deepEqual(
    found.map(({ start, text }) => source.slice(start, start + text.length)),
    ["x ${b ? `y ${'z'}` : {}} w", "y ${'z'}", 'z', "it\\'s"],
  );
  assert.deepEqual([...(found[0]?.holes ?? [])], [[2, "b ? `y ${'z'}` : {}"]]);
  assert.deepEqual(tableItems({ start: 0, text: 'no statement', holes: new Map() }), []);
});
