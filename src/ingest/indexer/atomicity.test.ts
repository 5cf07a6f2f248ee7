import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { atLength } from '../../../test/support/scale.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Database, DatabaseTransaction } from '../../base/store/database.ts';
import { FatalDatabaseError, RetryableDatabaseError } from '../../base/store/errors.ts';
import { openDatabase } from '../../base/store/open.ts';
import type { Delivery } from '../journal/entries.ts';

/** A database that fails a chosen statement of a writing transaction, counted from the call that arms it. */
class FailingDatabase implements Database {
  readonly engine: Database['engine'];
  readonly #db: Database;
  #failAt = Number.POSITIVE_INFINITY;
  statements = 0;

  constructor(db: Database) {
    this.#db = db;
    this.engine = db.engine;
  }

  failAt(statement: number): void {
    this.statements = 0;
    this.#failAt = statement;
  }

  create: Database['create'] = tables => this.#db.create(tables);
  read: Database['read'] = work => this.#db.read(work);
  reclaim: Database['reclaim'] = table => this.#db.reclaim(table);
  close: Database['close'] = () => this.#db.close();
  write: Database['write'] = work => this.#db.write(tx => work(this.#failing(tx)));

  #failing(tx: DatabaseTransaction): DatabaseTransaction {
    const counted = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        if (++this.statements === this.#failAt) throw new FatalDatabaseError('CORRUPT', 'the disk is gone');
        return call(...args);
      };
    };
    return {
      all: counted(tx.all.bind(tx)) as DatabaseTransaction['all'],
      get: counted(tx.get.bind(tx)) as DatabaseTransaction['get'],
      run: counted(tx.run.bind(tx)),
      insertMany: counted(tx.insertMany.bind(tx)),
      upsertMany: counted(tx.upsertMany.bind(tx)),
      find: counted(tx.find.bind(tx)),
      deleteMany: counted(tx.deleteMany.bind(tx)),
    };
  }
}

const deliveriesOf = (blocks: readonly BuiltBlock[]): Delivery[] => blocks.map(({ delivery }) => delivery);

/** What an index has already, and a batch with everything that can happen to it. */
function eventfulRun(): { before: Delivery[]; batch: Delivery[] } {
  const chain = new ChainBuilder('atomicity');
  const boot = chain.bootBlock();
  const root = chain.block({ parent: boot });
  const second = chain.block({ parent: root, txs: [chain.coinbase(), chain.deploy('tower', 'ring')] });
  const microblocks = chain.microblocks(second, [[chain.transfer()], [chain.call('tower', 'ring')]]);
  const third = chain.block({ parent: second, microblocks });
  const rivals = chain.chain(3, root);
  const [missing, ...waiting] = chain.chain(4, third);
  assert.ok(missing);
  const lostBurn = chain.burnBlock({ parent: root.burn });
  const burns = [root, second, third, missing].map(({ burn }) => burn.delivery);
  return {
    before: [root.delivery, second.delivery, chain.stream(second, microblocks)],
    batch: [
      ...[...burns.slice(0, 2), boot.delivery, third.delivery, ...deliveriesOf(rivals), ...deliveriesOf(waiting)],
      ...[
        ...burns.slice(2, 3),
        missing.delivery,
        lostBurn.delivery,
        chain.burnBlock({ parent: missing.burn }).delivery,
      ],
    ],
  };
}

onEveryEngine((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);
  const { before, batch } = eventfulRun();

  /** The index before the batch, and the batch in its journal. */
  async function openBeforeBatch(db: Database): Promise<TestIndex> {
    const index = await openTestIndex(db);
    await index.deliver(...before);
    await index.journal.append(batch);
    return index;
  }

  test(`a failure at any statement leaves the index exactly as it was, and the next attempt succeeds (${engine})`, async () => {
    const counting = new FailingDatabase(await emptyDatabase());
    await openBeforeBatch(counting);
    // With nothing in memory, as after each failure: else the last statements would never be reached.
    const reference = await openTestIndex(counting);
    counting.failAt(Number.POSITIVE_INFINITY);
    await reference.indexer.catchUp();
    const { statements } = counting;
    const expected = await reference.dump();
    assert.ok(statements > 50, `only ${statements} statements`);

    const failing = new FailingDatabase(await emptyDatabase());
    await openBeforeBatch(failing);
    const index = await openTestIndex(failing);
    const unchanged = await index.dump();
    const step = statements / (engine === 'sqlite' ? 24 : 4);
    for (let nth = 1; nth <= statements; nth += step) {
      const at = nth + step > statements ? statements : Math.floor(nth);
      failing.failAt(at);
      await assert.rejects(index.indexer.catchUp(), /the disk is gone/);
      assertSameTables(await index.dump(), unchanged, `after a failure at statement ${at} of ${statements}`);
    }
    failing.failAt(Number.POSITIVE_INFINITY);
    await index.indexer.catchUp();
    assertSameTables(await index.dump(), expected);
  });

  test(`however the journal is cut into transactions, every table is the same (${engine})`, {
    skip: engine === 'postgres' && atLength,
  }, async () => {
    const whole = await openTestIndex(await emptyDatabase());
    await whole.journal.append([...before, ...batch]);
    await whole.indexer.catchUp();
    const expected = await whole.dump();
    for (const size of engine === 'sqlite' ? [1, 4] : [4]) {
      const index = await openTestIndex(await emptyDatabase());
      await index.journal.append([...before, ...batch]);
      const entries = await index.journal.readAfter(0, 1000);
      for (let start = 0; start < entries.length; start += size)
        await index.indexer.apply(entries.slice(start, start + size));
      assertSameTables(await index.dump(), expected, `in transactions of ${size}`);
    }
  });

  test(`an index that is opened anew goes on where it stopped (${engine})`, {
    skip: engine === 'postgres' && atLength,
  }, async () => {
    const reference = await openBeforeBatch(await emptyDatabase());
    await reference.deliver();
    const expected = await reference.dump();

    const db = await emptyDatabase();
    for (const delivery of [...before, ...batch]) {
      const index = await openTestIndex(db);
      await index.deliver(delivery);
    }
    assertSameTables(await (await openTestIndex(db)).dump(), expected);
  });

  test(`a process that ended between the journal and the index catches up when it starts (${engine})`, {
    skip: engine === 'postgres' && atLength,
  }, async () => {
    const db = await emptyDatabase();
    const index = await openBeforeBatch(db);
    const { position } = await index.state();
    assert.equal(position, before.length);
    const status = await index.get('/extended');
    assert.equal(status.body.lag, batch.length);
    const reopened = await openTestIndex(db);
    assert.equal((await reopened.indexer.catchUp()).position, before.length + batch.length);
  });

  test(`an entry that does not follow the position is refused, and changes nothing (${engine})`, async () => {
    const index = await openBeforeBatch(await emptyDatabase());
    const unchanged = await index.dump();
    const entries = await index.journal.readAfter(0, 1000);
    await assert.rejects(index.indexer.apply(entries), /does not follow/, 'what is applied already');
    await assert.rejects(index.indexer.apply(entries.slice(before.length + 1)), /does not follow/, 'one left out');
    const next = entries.slice(before.length, before.length + 2);
    await assert.rejects(index.indexer.apply([...next, ...next]), /does not follow/, 'good ones first');
    assertSameTables(await index.dump(), unchanged);
    await index.indexer.apply(next);
    assert.equal((await index.state()).position, before.length + 2);
  });

  test(`two indexers of one index apply every entry once; the one that comes too late may try again (${engine})`, {
    skip: engine === 'sqlite' && 'the lock of the directory keeps a second one away',
  }, async t => {
    const reference = await openBeforeBatch(await emptyDatabase());
    const expected = await reference.indexer.catchUp().then(() => reference.dump());

    const { database, location } = await openFresh(t);
    const index = await openBeforeBatch(database);
    const second = openDatabase(location);
    t.after(() => second.close());
    const rival = await openTestIndex(second);
    const entries = await index.journal.readAfter(before.length, 1000);
    const outcomes = await Promise.allSettled([index.indexer.apply(entries), rival.indexer.apply(entries)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const failure = outcomes.find(outcome => outcome.status === 'rejected');
    assert.ok(failure?.reason instanceof RetryableDatabaseError, String(failure?.reason));
    assert.equal(failure.reason.code, 'CONFLICT');
    assertSameTables(await index.dump(), expected);
    for (const each of [index, rival])
      assert.equal((await each.indexer.catchUp()).position, before.length + batch.length);
  });

  test(`an entry that cannot be read is set aside (${engine})`, async () => {
    const index = await openTestIndex(await emptyDatabase());
    const bad = { path: '/new_block', receivedAt: 0, body: Buffer.from('{"block_height": -1}') };
    const state = await index.deliver(bad, ...before);
    assert.equal(state.position, before.length + 1);
    assert.equal(state.tip?.height, 2);
    assert.equal((await index.get('/extended')).body.set_aside.newest.position, 1);
  });
});
