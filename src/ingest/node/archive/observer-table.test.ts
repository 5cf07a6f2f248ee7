import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Queries } from '../../../base/store/database.ts';
import { readObserverTable } from './observer-table.ts';

/** A server that answers every page with the same rows. */
const answering = (ids: readonly number[]): Database => {
  const rows = ids.map(id => ({ id, received_at: 1, path: '/new_block', body: new Uint8Array() }));
  const queries = { all: async () => rows, get: async () => ({ id: 9 }) } as unknown as Queries;
  return { read: <T>(work: (queries: Queries) => Promise<T>) => work(queries) } as unknown as Database;
};

const readAll = async (database: Database): Promise<number[]> => {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  const seen: number[] = [];
  const rows = readObserverTable(database, { progress, signal: new AbortController().signal, onFailure: () => {} });
  for await (const { line } of rows) seen.push(line);
  return seen;
};

for (const [what, ids] of [
  ['the same row again and again', [1]],
  ['rows in another order', [2, 1]],
  ['one row twice', [1, 1]],
  ['more rows than a page has', Array.from({ length: 51 }, (_, i) => i + 1)],
] as const)
  test(`a server that sends ${what} is not read for ever`, async () => {
    await assert.rejects(readAll(answering(ids)), { name: 'RowsOutOfOrder' });
  });
