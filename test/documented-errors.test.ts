/** docs/errors.md has a row for every error code of the source, and none that the source does not have. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_REGISTRY } from '../src/api/http/errors.ts';

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
  const bodies = inSource('src/ingest/node/events/error.ts', /^ {2}(\w+): '/gm, 5);
  assert.deepEqual(codesOf('The event port', 1).sort(), [...new Set([...server, ...bodies])].sort());
});

test('every code of a database error has a row, and no other has', () => {
  const codes = inSource('src/base/store/errors.ts', /^ {2}\| '(\w+)'/gm, 19);
  assert.deepEqual(codesOf('The database', 0).sort(), codes);
});
