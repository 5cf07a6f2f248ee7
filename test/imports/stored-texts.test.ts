/** A stored text has one door: outside of it, no file of the index, of the API's records or of the checks parses JSON. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const src = join(import.meta.dirname, '../../src');

const ROOMS = ['index', 'api/records', 'api/routes', 'api/live', 'api/paging', 'operate/verify'];

/** Besides files named `stored.ts` of the index: the other files that parse, each with the reason. */
const DOORS: ReadonlyMap<string, string> = new Map([
  ['index/contracts/functions.ts', 'keeps parsed interfaces of called contracts for the projection'],
  ['index/contracts/trait.ts', 'parses traits that clients send'],
  ['index/transactions/events.ts', 'the door of stored events, beside the function that packs them'],
  ['index/transactions/packed-record.ts', 'the packing behind the door of transactions'],
  ['api/records/transactions/record-v1.ts', 'reads its own text of version 1, to leave out arguments'],
  ['api/live/json-rpc.ts', 'parses frames of clients, and payloads of the live log'],
  ['api/live/socket-io.ts', 'parses payloads of the live log for a library that sends objects'],
  ['api/routes/extended/v1/faucets.ts', 'parses bodies of requests'],
  ['operate/verify/checks/lists.ts', 'parses values of its own spilling map'],
  ['operate/verify/checks/contracts.ts', 'parses values of its own spilling map'],
  ['operate/verify/checks/microblocks.ts', 'parses values of its own spilling map'],
  ['operate/verify/made-rows.ts', 'parses values of its own spilling map'],
]);

const isDoor = (file: string): boolean => /^index\/\w+(-\w+)*\/stored\.ts$/.test(file) || DOORS.has(file);

/** Code that reads a stored text by itself: a parse, or the packing of transactions. */
const READS = /\bJSON\.parse\(|\bunpackRecord\b/;

const readersAmong = (files: ReadonlyMap<string, string>): string[] =>
  [...files].filter(([, text]) => READS.test(text)).map(([file]) => file);

const texts = new Map(
  ROOMS.flatMap(room => globSync(`${room}/**/*.ts`, { cwd: src }))
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => [file, readFileSync(join(src, file), 'utf8')]),
);

test('stored texts are parsed by their doors alone', () => {
  assert.deepEqual(
    readersAmong(texts).filter(file => !isDoor(file)),
    [],
  );
});

test('every exception parses', () => {
  const readers = new Set(readersAmong(texts));
  assert.deepEqual(
    [...DOORS.keys()].filter(file => !readers.has(file)),
    [],
  );
});

test('a parse beside the doors is found, whatever it is cast to', () => {
  const files = new Map([
    ['api/records/a.ts', 'const { tx_id } = JSON.parse(record) as { tx_id: string };'],
    ['api/records/b.ts', 'const text = unpackRecord(row.record);'],
    ['api/records/c.ts', 'const text = JSON.stringify(row);'],
    ['index/names/stored.ts', 'export const read = (text: string): unknown => JSON.parse(text);'],
  ]);
  const found = readersAmong(files).filter(file => !isDoor(file));
  assert.deepEqual(found, ['api/records/a.ts', 'api/records/b.ts']);
});
