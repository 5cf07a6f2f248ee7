import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FLOORS, picture } from './floors.ts';
import { circleOf, importsUpwards, readImports, roomOf } from './graph.ts';

const root = join(import.meta.dirname, '../..');
const src = join(root, 'src');
const files = globSync('**/*.ts', { cwd: src }).filter(file => !file.endsWith('.test.ts'));
const graph = readImports(src, files);

test('every file of src is in a room, and every room has files', () => {
  const rooms = new Set(files.map(file => roomOf(file, FLOORS)));
  assert.deepEqual(
    files.filter(file => roomOf(file, FLOORS) === undefined),
    [],
  );
  assert.deepEqual(
    FLOORS.flat().filter(room => !rooms.has(room)),
    [],
  );
});

test('every relative import is found, and leads to a file', () => {
  const imports = [...graph.values()].flat();
  assert.ok(imports.length > files.length, 'more imports than files');
  assert.deepEqual(
    imports.filter(file => !existsSync(join(src, file))),
    [],
  );
});

test('no import leads to a higher floor, nor to another room of the same one', () => {
  assert.deepEqual(importsUpwards(graph, FLOORS), []);
});

test('no files import each other in a circle', () => {
  assert.equal(circleOf(graph), undefined);
});

test('what writes the index loads nothing of the API', () => {
  const loaded = filesLoadedBy('operate/storage/worker.ts');
  assert.ok(loaded.length > 100, 'the projections and what they need');
  assert.deepEqual(
    loaded.filter(file => /\/src\/api\/|\/node_modules\/(ajv|fastify)\//.test(file)),
    [],
  );
});

test('a replay into a directory loads neither the driver of PostgreSQL nor an HTTP client, which take a tenth of its start', () => {
  const loaded = filesLoadedBy('cli/commands/replay.ts');
  assert.ok(loaded.length > 200, 'the indexer and what it needs');
  assert.deepEqual(
    loaded.filter(url => /\/node_modules\/pg\/|^node:https?$/.test(url)),
    [],
  );
});

test('of TypeBox the program loads nothing, as it takes only types from there', () => {
  const importing = files.filter(file =>
    /^(import|export) (?!type ).* from 'typebox/m.test(readFileSync(join(src, file), 'utf8')),
  );
  assert.deepEqual(importing, []);
});

test('of node:http files of src import only types, as base/lib/node-http.ts has its members without the fetch client of Node.js', () => {
  const importing = files.filter(file =>
    /^(import|export) (?!type )[^;]* from 'node:http'/m.test(readFileSync(join(src, file), 'utf8')),
  );
  assert.deepEqual(importing, []);
});

/** The files that Node.js loads for one of src. */
function filesLoadedBy(file: string): string[] {
  const program = `
    const { registerHooks } = require('node:module');
    const load = (url, context, next) => (console.log(url), next(url, context));
    registerHooks({ load });
    import(${JSON.stringify(join(src, file))}).finally(() => process.exit());`;
  return execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' }).split('\n');
}

test('what leads up, sideways or in a circle is named', () => {
  const floors = [['ground'], ['left', 'right']];
  const house = new Map([
    ['ground/a.ts', ['ground/b.ts', 'left/c.ts']],
    ['ground/b.ts', []],
    ['left/c.ts', ['ground/a.ts', 'right/d.ts']],
    ['right/d.ts', ['ground/b.ts']],
  ]);
  assert.deepEqual(importsUpwards(house, floors), ['ground/a.ts -> left/c.ts', 'left/c.ts -> right/d.ts']);
  assert.deepEqual(circleOf(house), ['ground/a.ts', 'left/c.ts']);
  assert.equal(
    circleOf(
      new Map([
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', []],
      ]),
    ),
    undefined,
  );
});

test('docs/architecture.md shows these floors', () => {
  assert.ok(readFileSync(join(root, 'docs/architecture.md'), 'utf8').includes(`\n\`\`\`\n${picture()}\n\`\`\`\n`));
});
