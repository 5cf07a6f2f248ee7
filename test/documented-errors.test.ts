/** docs/errors.md has a row for every error code of the source, and none that the source does not have; so it has for their kinds. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_REGISTRY } from '../src/api/http/errors.ts';
import { ERROR_KINDS } from '../src/base/lib/app-error.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const sections = new Map(
  read('docs/errors.md')
    .split(/^## /m)
    .map(section => [section.slice(0, section.indexOf('\n')), section] as const),
);

/** The rows of a section, each as its cells. */
const rowsOf = (section: string): string[][] =>
  Array.from((sections.get(section) ?? '').matchAll(/^\|(.*)\|$/gm), ([, row = '']) =>
    row.split('|').map(cell => cell.trim()),
  ).filter(([first = '']) => !/^(-|status|code|exit)/.test(first));

/** All codes in the cells of one column. */
const codesOf = (section: string, column: number): string[] =>
  rowsOf(section).flatMap(cells => Array.from((cells[column] ?? '').matchAll(/`(\w+)`/g), ([, code = '']) => code));

/** Texts in quotes that a pattern finds in a file of the source. @param least fewer mean that the pattern has gone blind */
function inSource(path: string, pattern: RegExp, least: number): string[] {
  const found = [...new Set(Array.from(read(path).matchAll(pattern), ([, code = '']) => code))];
  assert.ok(found.length >= least, `${path} has only ${found.length} of ${least} codes`);
  return found.sort();
}

test('every status and code of the API has a row, and no other has', () => {
  const documented = rowsOf('The API').map(([status = '', code = '']) => `${status} ${code.replaceAll('`', '')}`);
  const known = ERROR_REGISTRY.map(({ status, code = '' }) => `${status} ${code}`);
  assert.deepEqual(documented.sort(), known.sort());
});

test('every error of token metadata has a row', () => {
  const file = 'src/api/records/token-metadata/find-token.ts';
  const titles = inSource(file, /(?:titled\(\d+, |title: )'([^']+)'/g, 5);
  for (const title of titles)
    assert.ok(sections.get('Token metadata')?.includes(`\`${title}\``), `${title} has no row`);
});

test('every code of the event port has a row, and no other has', () => {
  const server = inSource('src/ingest/node/event-server.ts', /errorBody\(\d+, '(\w+)'/g, 5);
  const bodies = inSource('src/ingest/node/events/json.ts', /^ {2}(\w+): '/gm, 5);
  assert.deepEqual(codesOf('The event port', 1).sort(), [...new Set([...server, ...bodies])].sort());
});

test('every code of a database error has a row, and no other has', () => {
  const codes = inSource('src/base/store/errors.ts', /^ {2}\| '(\w+)'/gm, 19);
  assert.deepEqual(codesOf('The database', 0).sort(), codes);
});

/** A class of the source that extends another one. */
interface Subclass {
  readonly name: string;
  readonly base: string;
  /** The value of its member; undefined without one. */
  readonly kind: string | undefined;
}

function subclassesOf(text: string): Subclass[] {
  return Array.from(
    text.matchAll(/\bclass (\w+)(?:<.*?>)? extends ([\w.]+)[^{]*\{(.*?)(?:\n\}|\}\n|$)/gs),
    ([, name = '', base = '', body = '']) => ({
      name,
      base,
      kind: /^ {2}override readonly kind = '(\w+)';$/m.exec(body)?.[1],
    }),
  );
}

const subclasses = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] }).flatMap(path =>
  subclassesOf(read(path)),
);

/** Classes of errors with another base, which their file throws and recognizes itself: nothing else ever has one in its hands. */
const WITHIN_A_FILE: Readonly<Record<string, string>> = {
  HasLeft: 'ends the reading of a stream whose client has disconnected',
  Misfit: 'ends the reading of a typed argument',
  NotAtOnce: 'ends the first part of a long read',
  Overtaken: 'ends a read that waits for a statement of another one; the database does it again',
};
/** Has the kind of the error that another thread threw. */
const OF_ANY_KIND = 'ErrorOfThread';

test('every error of the source extends AppError, or never leaves its file', () => {
  const others = subclasses.filter(({ base }) => /Error$/.test(base) && base !== 'AppError').map(({ name }) => name);
  assert.deepEqual(others.sort(), ['AppError', ...Object.keys(WITHIN_A_FILE)].sort());
});

test('every kind of error has a row with its classes, and no other has', () => {
  const own = subclasses.filter(({ name, base }) => base === 'AppError' && name !== OF_ANY_KIND);
  const known = ERROR_KINDS.map(kind => ({
    kind,
    classes: own.filter(each => each.kind === kind).map(({ name }) => name),
  }));
  assert.equal(known.flatMap(({ classes }) => classes).length, own.length, 'a class has no kind, or an unknown one');
  const documented = rowsOf('Kinds')
    .slice(1)
    .map(cells => ({
      kind: (cells[0] ?? '').replaceAll('`', ''),
      classes: Array.from((cells[2] ?? '').matchAll(/`(\w+)`/g), ([, name = '']) => name),
    }));
  assert.deepEqual(
    documented,
    known.map(({ kind, classes }) => ({ kind, classes: classes.sort() })),
  );
});

test('the scan of the source sees errors of any form', () => {
  assert.deepEqual(
    subclassesOf(
      "class A extends Error {}\nexport class B<T> extends pg.DatabaseError {\n  x = 1;\n}\nclass C extends AppError {\n  override readonly kind = 'retry';\n}",
    ),
    [
      { name: 'A', base: 'Error', kind: undefined },
      { name: 'B', base: 'pg.DatabaseError', kind: undefined },
      { name: 'C', base: 'AppError', kind: 'retry' },
    ],
  );
});
