import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import type { Database, Queries } from '../../base/store/database.ts';
import { ApiError } from './errors.ts';
import { LongReads, type RowBudget } from './long-reads.ts';

const LIMIT = 20_000;

/** A database that counts its concurrent reads. */
function countingDatabase() {
  let readers = 0;
  const seen = { most: 0, reads: 0 };
  const read = async <T>(work: (queries: Queries) => Promise<T>): Promise<T> => {
    seen.reads++;
    seen.most = Math.max(seen.most, ++readers);
    try {
      return await work({ all: async () => [], get: async () => undefined });
    } finally {
      readers--;
    }
  };
  return { db: { read } as Database, seen };
}

const client = (destroyed = false) => ({ raw: { socket: { destroyed } } }) as FastifyRequest;

/** Reads this number of rows. @returns the sizes of its parts */
async function look(budget: RowBudget, rows: number, atPart: () => void = () => {}): Promise<number[]> {
  const parts: number[] = [];
  for (let left = rows; left > 0; left -= parts.at(-1) ?? 0) {
    parts.push(await budget.take(left));
    atPart();
  }
  return parts;
}

const open = (limits = {}) => {
  const { db, seen } = countingDatabase();
  return { reads: new LongReads(db, { maxRowsSearched: LIMIT, maxWait: 60_000, ...limits }), seen };
};

const refusal = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('a short search is one read, in the turn in which it begins', async () => {
  const { reads, seen } = open();
  let turns = 0;
  setImmediate(() => turns++);
  assert.deepEqual(await reads.read(client(), (_, budget) => look(budget, 800)), [800]);
  assert.deepEqual([seen.reads, turns], [1, 0]);
});

test('everybody else is heard between two parts of a long search', async () => {
  const { reads } = open();
  let heard = 0;
  let going = true;
  const listen = () => {
    heard++;
    if (going) setImmediate(listen);
  };
  setImmediate(listen);
  const parts = await reads.read(client(), (_, budget) => look(budget, LIMIT));
  going = false;
  assert.equal(
    parts.reduce((a, b) => a + b, 0),
    LIMIT,
  );
  assert.ok(Math.max(...parts) <= 1000);
  assert.ok(heard >= parts.length, `${heard} turns of others, ${parts.length} parts`);
});

test('a search of more rows than one request may look at is refused, at once where it is known before', async () => {
  const { reads } = open();
  const tooLong = refusal('SEARCH_TOO_LONG');
  await assert.rejects(
    reads.read(client(), (_, budget) => look(budget, LIMIT + 1)),
    tooLong,
  );
  let looked = false;
  const required = reads.read(client(), async (_, budget) => {
    budget.require(LIMIT + 1);
    looked = true;
  });
  await assert.rejects(required, tooLong);
  assert.equal(looked, false);
});

test('long searches are worked on one at a time, and hold one connection', async () => {
  const { reads, seen } = open();
  let working = 0;
  const search = () =>
    reads.read(client(), async (_, budget) => {
      budget.require(5000);
      assert.equal(++working, 1);
      await look(budget, 5000);
      working--;
    });
  await Promise.all(Array.from({ length: 20 }, search));
  assert.equal(seen.reads, 40);
});

test('a search that waited too long for its turn is refused, and so is one whose client is gone', async () => {
  const { reads } = open({ maxWait: -1 });
  const overloaded = refusal('OVERLOADED');
  await assert.rejects(
    reads.read(client(), (_, budget) => look(budget, 5000)),
    overloaded,
  );
  const parts: number[] = [];
  const gone = open().reads.read(client(true), (_, budget) => look(budget, 5000, () => parts.push(1)));
  await assert.rejects(gone, overloaded);
  assert.equal(parts.length, 1, 'what it looked at before it was known to be long');
});

test('after a search that failed the next one has its turn', async () => {
  const { reads } = open();
  const failing = reads.read(client(), async (_, budget) => {
    await look(budget, 5000);
    throw new Error('broken');
  });
  await assert.rejects(failing, /broken/);
  assert.ok((await reads.read(client(), (_, budget) => look(budget, 5000))).length > 1);
});
