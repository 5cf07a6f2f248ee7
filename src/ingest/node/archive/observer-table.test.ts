import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { fillObserverTable } from '../../../../test/support/observer-table.ts';
import { openPlace } from '../../../../test/support/places.ts';
import type { Database, Queries } from '../../../base/store/database.ts';
import { FatalDatabaseError } from '../../../base/store/errors.ts';
import { openDatabase, parseLocation } from '../../../base/store/open.ts';
import type { Delivery } from '../../journal/entries.ts';
import { readObserverTable } from './observer-table.ts';

/** A server that results every page with the same rows. */
const answering = (ids: readonly number[]): Database => {
  const rows = ids.map(id => ({ id, received_at: 1, path: '/new_block', body: new Uint8Array() }));
  const queries = { all: async () => rows, get: async () => ({ id: 9 }) } as unknown as Queries;
  return { read: <T>(work: (queries: Queries) => Promise<T>) => work(queries) } as unknown as Database;
};

const readAll = async (database: Database): Promise<number[]> => {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  const seen: number[] = [];
  const rows = readObserverTable(database, {
    progress,
    signal: new AbortController().signal,
    onFailure: () => {},
    maxBodyBytes: 1_000,
  });
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

/** A server that sends nothing but such texts where a page does not fit. */
const withLargeRow = (size: unknown, part: unknown): Database => {
  const queries = {
    all: async () => {
      throw new FatalDatabaseError('RESULT_TOO_LARGE', 'too large');
    },
    get: async (sql: string) =>
      sql.includes('max(id)')
        ? { id: 9 }
        : sql.includes('substring')
          ? { part }
          : { id: 1, received_at: 1, path: '/', size },
  } as unknown as Queries;
  return { read: <T>(work: (queries: Queries) => Promise<T>) => work(queries) } as unknown as Database;
};

test('a size of a body that cannot be makes a bad row, and a part that is none ends the reading', async () => {
  for (const size of [-1, 1.5, 'x', 1_001])
    await assert.rejects(readAll(withLargeRow(size, null)), { name: 'RowsOutOfOrder' }); // the second time
  for (const part of [null, 'x', new Uint8Array(999), new Uint8Array(1_001)])
    await assert.rejects(readAll(withLargeRow(1_000, part)), { name: 'FatalDatabaseError', code: 'CORRUPT' });
});

onSqliteAtLeast((engine, openFresh) => {
  if (engine === 'sqlite') return; // the other software has PostgreSQL

  test('rows larger than an answer are read in parts, rows between them in pages, and one above the limit of a body is bad', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const results = { bytes: 60_000, rows: 50 };
    const sizes = [...Array(20).fill(10), 90_000, 10, 35_000, 200_000, 8_000, 8_000, 8_000, ...Array(60).fill(10)];
    const bodies = sizes.map((size, i) => JSON.stringify('x\u00e9'.repeat(size / 3).padEnd(size, `${i % 10}`)));
    const deliveries = bodies.map((body, i) => ({ path: '/new_block', receivedAt: i, body: Buffer.from(body) }));
    await fillObserverTable(url, deliveries as unknown as readonly Delivery[]);
    const database = openDatabase(parseLocation({ database: url }), { results });
    t.after(() => database.close());
    const progress = { bytesRead: 0, bytesTotal: 0 };
    const options = { progress, signal: new AbortController().signal, onFailure: () => {}, results };
    const seen: string[] = [];
    for await (const row of readObserverTable(database, { ...options, maxBodyBytes: 150_000 }))
      seen.push(row.kind === 'bad' ? row.reason : Buffer.from(row.body).toString());
    const size = Buffer.byteLength(bodies[23] ?? '');
    assert.deepEqual(seen, bodies.with(23, `body has ${size} bytes, the limit is 150000`));
  });
});
