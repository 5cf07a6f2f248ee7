import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertResponses } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../base/store/database.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { readDropped } from '../../ingest/journal/journal-format.ts';
import { startBackgroundIndexer } from './background.ts';
import { dropPayloads, dropRecent } from './journal-drop.ts';
import { whileReindexing } from './locks.ts';
import { openStorage } from './storage.ts';

const announced = (blocks: readonly BuiltBlock[]): Delivery[] =>
  blocks.flatMap(block => [block.burn.delivery, block.delivery]);

const signal = new AbortController().signal;
const drop = (
  db: Database,
  options: { below?: number; burnForkDepth?: number; maxPacks?: number; onlyNew?: boolean },
) => dropPayloads({ journalDb: db, indexDb: db, below: 1_000, burnForkDepth: 2, signal, ...options });

/** Positions whose payload is stored, alone or in a pack, or dropped. */
async function positionsOf(db: Database, kind: 'kept' | 'dropped'): Promise<number[]> {
  const rows = await db.read(queries =>
    queries.all<{ seq: number; payload: Uint8Array }>('SELECT seq, payload FROM journal ORDER BY seq'),
  );
  const found: number[] = [];
  let isDropped = false;
  for (const { seq, payload } of rows) {
    if (payload.length > 0) isDropped = payload[0] === 2;
    if (isDropped === (kind === 'dropped')) found.push(seq);
  }
  return found;
}

/** A database one of whose writes fails. @param isDone whether it is committed */
const failingAt = (database: Database, at: number, isDone: boolean): Database => {
  let writes = 0;
  const write: Database['write'] = async work => {
    const fails = ++writes === at;
    if (fails && !isDone) throw new Error('a write failed');
    const result = await database.write(work);
    if (fails) throw new Error('a write failed');
    return result;
  };
  return new Proxy(database, {
    get: (target, name) => {
      const member = name === 'write' ? write : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
};

onEveryEngine((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`payloads stay that the index may read: near the tip, of block 0, of what waits and what is set aside (${engine})`, async () => {
    const db = await emptyDatabase();
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const blocks = chain.chain(9);
    const [second, third] = [blocks[1], blocks[2]];
    assert.ok(second && third);
    const [, waiting] = chain.chain(2, third);
    const forged = chain.block({ parent: third, fields: { block_height: 1 } });
    assert.ok(waiting);
    await index.deliver(boot.delivery, ...announced(blocks.slice(0, 3)), waiting.delivery, forged.delivery);
    await index.deliver(...announced(blocks.slice(3)));
    assert.deepEqual((await positionsOf(db, 'kept')).length, await index.journal.length());

    // Block 4 is the lowest one whose payload is to stay.
    const below = await drop(db, { below: 4 });
    assert.deepEqual(await positionsOf(db, 'dropped'), [2, 3, 4, 5, 6, 7, 10]);
    assert.deepEqual([below.entries, below.end, below.isDone], [7, 11, true]);
    // A fork takes back two burn blocks at most: those of blocks 8 and 9.
    const rest = await drop(db, {});
    const kept = await positionsOf(db, 'kept');
    assert.deepEqual(kept.slice(0, 3), [1, 8, 9]);
    assert.ok(kept.includes(18) && kept.includes(19) && kept.includes(21) && !kept.includes(11), String(kept));
    assert.equal(rest.entries, 21 - 7 - kept.length);
    assert.equal((await drop(db, {})).entries, 0);
    // Digests stay, so nothing is stored twice.
    assert.deepEqual(await index.journal.append(announced(blocks)), []);
  });
});

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`only whole packs are dropped, and a drop in parts drops the same (${engine})`, async () => {
    const db = await emptyDatabase();
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const blocks = chain.chain(12);
    await index.journal.append(announced(blocks.slice(0, 4)));
    const [, , , fourth] = blocks;
    assert.ok(fourth);
    // Its pack has an entry that waits.
    await index.journal.append([
      ...announced(blocks.slice(4, 6)),
      chain.chain(2, fourth)[1]?.delivery ?? fourth.delivery,
    ]);
    await index.deliver(...announced(blocks.slice(6)));
    let parts = 0;
    for (let isDone = false; !isDone; parts++) ({ isDone } = await drop(db, { maxPacks: 1, onlyNew: true }));
    assert.ok(parts > 1);
    const dropped = await positionsOf(db, 'dropped');
    assert.deepEqual(dropped.slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 14]);
    assert.equal((await drop(db, {})).entries, 0);
  });

  test(`a drop that fails at any of its writes, before or after its commit, is continued by the next one (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(36);
    const fill = async () => {
      const db = await emptyDatabase();
      const index = await openTestIndex(db);
      // Each in a pack of its own: more packs than one transaction drops.
      for (const delivery of announced(blocks)) await index.journal.accept(delivery);
      await index.indexer.catchUp();
      return db;
    };
    const whole = await fill();
    const { entries } = await drop(whole, {});
    const kept = await positionsOf(whole, 'kept');
    for (const isDone of [false, true])
      for (const at of [1, 2]) {
        const db = await fill();
        const failing = failingAt(db, at, isDone);
        const first = dropPayloads({ journalDb: failing, indexDb: db, below: 1_000, burnForkDepth: 2, signal });
        await assert.rejects(first, { message: 'a write failed' });
        await drop(db, {});
        assert.deepEqual(await positionsOf(db, 'kept'), kept);
        assert.equal((await readDropped(db)).dropped, entries);
      }
  });

  test(`a fork that needs a dropped payload stops the indexer and changes nothing; one within the depth is followed (${engine})`, async () => {
    const db = await emptyDatabase();
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const blocks = chain.chain(9);
    await index.deliver(...announced(blocks));
    await drop(db, {});
    const [third, eighth] = [blocks[2], blocks[7]];
    assert.ok(third && eighth);
    const shallow = chain.burnBlock({ parent: eighth.burn, slots: ['slot'] });
    await index.deliver(shallow.delivery);
    await assertResponses(index, { blocks: blocks.slice(0, 8) });
    const before = await index.dump();
    const deep = chain.burnBlock({ parent: third.burn, slots: ['slot'] });
    await assert.rejects(index.deliver(deep.delivery), { code: 'PAYLOAD_DROPPED', hint: /reindex --archive/ });
    assert.deepEqual(await index.dump(), before);
  });

  test(`the indexer of --journal recent drops what the tip has left behind, and stops while a reindex runs (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const chain = new ChainBuilder();
    const blocks = chain.chain(12);
    // Each in a pack of its own.
    for (const delivery of announced(blocks.slice(0, 8))) await deliverTo(place, [delivery]);
    const storage = await openStorage(place);
    t.after(() => storage.close());
    const options = { burnForkDepth: 2, signal };
    await whileReindexing(storage, async () => assert.equal(await dropRecent(storage, options), true));
    assert.equal((await readDropped(storage.journalDb)).dropped, 0);
    const failures: unknown[] = [];
    const thread = startBackgroundIndexer({
      location: place,
      ...{ chainId: place.chainId, burnForkDepth: 2, journal: 'recent', logLevel: 'silent' },
      onState: () => {},
      onFailure: error => failures.push(error),
    });
    try {
      const isDropped = async () => failures.length > 0 || (await readDropped(storage.journalDb)).dropped > 0;
      await until(isDropped, 'nothing is dropped');
      assert.deepEqual(failures, []);
      await new Journal(storage.journalDb).append(announced(blocks.slice(8)));
      thread.poke();
      const length = await new Journal(storage.journalDb).length();
      await until(async () => (await storage.indexDb.read(readState)).position === length, 'it does not go on');
    } finally {
      await thread.stop();
    }
    assert.deepEqual(failures, []);
  });
});
