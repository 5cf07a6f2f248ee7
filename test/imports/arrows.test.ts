import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { arrowsBetween, circlesInFolders, countArrows, entryOf, joinGraphs } from './arrows.ts';
import { FLOORS } from './floors.ts';
import { readImports, roomOf } from './graph.ts';
import { graphOfTables, readTables } from './sql-tables.ts';

/** Budgets: a room that needs one more of another is a decision, not an accident. Raise them with a reason, lower them with every saving. */
const MOST_BETWEEN_ROOMS = 465;

const MOST_IN_SRC = 25;

const src = join(import.meta.dirname, '../../src');
const files = globSync('**/*.ts', { cwd: src }).filter(file => !file.endsWith('.test.ts'));
const tables = readTables(new Map(files.map(file => [file, readFileSync(join(src, file), 'utf8')])));
const graph = joinGraphs(readImports(src, files), graphOfTables(tables));

test('arrows between the rooms, imports and tables together, are within their budget', () => {
  assert.ok(countArrows(arrowsBetween(graph, file => roomOf(file, FLOORS))) <= MOST_BETWEEN_ROOMS);
});

test('src has seven rooms, and few arrows between them', () => {
  const arrows = arrowsBetween(graph, entryOf(''));
  assert.deepEqual([...arrows.keys()].sort(), ['api', 'base', 'cli', 'index', 'ingest', 'metadata', 'operate']);
  assert.ok(countArrows(arrows) <= MOST_IN_SRC);
});

test('what is right below a folder has an order: no arrow between these files and folders leads up', () => {
  assert.deepEqual(circlesInFolders(graph), []);
});

test('arrows are counted once, and a circle of a folder and a file beside it is found', () => {
  const house = new Map([
    ['room/a.ts', ['room/inner/b.ts', 'other/d.ts']],
    ['room/inner/b.ts', ['other/d.ts']],
    ['room/inner/c.ts', ['room/a.ts']],
    ['other/d.ts', []],
  ]);
  assert.equal(countArrows(arrowsBetween(house, entryOf(''))), 1);
  assert.deepEqual(circlesInFolders(house), [['room/a.ts', 'room/inner']]);
  assert.deepEqual(circlesInFolders(joinGraphs(house, new Map([['other/d.ts', ['room/a.ts']]]))), [
    ['room', 'other'],
    ['room/a.ts', 'room/inner'],
  ]);
});
