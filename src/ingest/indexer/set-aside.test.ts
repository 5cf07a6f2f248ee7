import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { BuiltHistory } from '../../../test/support/built-history.ts';
import { eventsOf, HIDDEN, LATE_SIBLING, REORG_AND_BACK, TWO_TENURES } from '../../../test/support/burn-view-cases.ts';
import { assertResponses, assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import type { BlockFacts } from '../chain/block-facts.ts';
import { type IndexSchema, indexSchema } from './schema.ts';
import { summaryOfSetAside } from './set-aside.ts';

/** A program that throws this on blocks of such a height. */
const failingAt = (height: number, error: Error): IndexSchema => failingWhere(block => block.height === height, error);

/** A program that throws this on one block. */
const failingOn = (id: string, error: Error): IndexSchema =>
  failingWhere(({ indexBlockHash }) => indexBlockHash === id, error);

const failingWhere = (isFaulty: (block: BlockFacts) => boolean, error: Error): IndexSchema =>
  indexSchema({
    ...INDEX_SCHEMA,
    projections: [
      ...INDEX_SCHEMA.projections,
      {
        name: 'defect',
        stateTables: [],
        keptTables: [],
        lists: [],
        prepare: block => () => {
          if (isFaulty(block)) throw error;
        },
      },
    ],
  });

const silent = pino({ level: 'silent' });
const defect = new Error('a defect\0 of the program');

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`a block of height 1 on the tip is set aside, and the chain goes on (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(5);
    const [first, tip] = [blocks.slice(0, 4), blocks[3]];
    assert.ok(tip);
    const forged = chain.block({ parent: tip, fields: { block_height: 1 } });
    const index = await openTestIndex(await emptyDatabase());
    await index.deliver(...first.map(block => block.delivery), forged.delivery);
    await assertResponses(index, { blocks: first });
    await index.deliver(...blocks.slice(4).map(block => block.delivery));
    await assertResponses(index, { blocks });
    const { body } = await index.get('/extended');
    assert.equal(body.set_aside.count, 1);
    assert.equal(body.set_aside.newest.position, 5);
    assert.equal(body.set_aside.newest.reason, 'a block of height 1 cannot stand on one of height 4');
  });

  test(`what a mended program tries again is as if it had never failed (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(6);
    const deliveries = blocks.map(block => block.delivery);
    const reference = await openTestIndex(await emptyDatabase());
    await reference.deliver(...deliveries);
    const expected = await canonicalTables(reference);

    const db = await emptyDatabase();
    const failing = await openTestIndex(db, { logger: silent, schema: failingAt(3, defect) });
    await failing.deliver(...deliveries);
    await assertResponses(failing, { blocks: blocks.slice(0, 2) });
    const { body } = await failing.get('/extended');
    assert.equal(body.set_aside.newest.reason, 'a defect of the program');
    assert.deepEqual(body.gaps, [{ height: 4, missing_parent: blocks[2]?.indexHash }]);
    assert.equal(await failing.indexer.retrySetAside(), 0, 'it fails again');
    assert.equal((await failing.get('/extended')).body.set_aside.count, 1);

    const mended = await openTestIndex(db);
    const { revision } = await mended.state();
    assert.equal(await mended.indexer.retrySetAside(), 1);
    assert.equal((await mended.state()).revision, revision + 1, 'clients learn that blocks below the tip have changed');
    await mended.deliver();
    await assertResponses(mended, { blocks });
    assertSameTables(await canonicalTables(mended), expected);
    assert.deepEqual((await mended.get('/extended')).body.set_aside, { count: 0, newest: null });
  });

  test(`whichever block of a Bitcoin reorg is applied again, the tip is that of an index that had it in its turn (${engine})`, async () => {
    for (const told of [TWO_TENURES, ...(engine === 'sqlite' ? [HIDDEN, REORG_AND_BACK, LATE_SIBLING] : [])]) {
      const history = new BuiltHistory(eventsOf(told));
      const deliveries = history.deliveries(history.events);
      for (const { name } of history.events.filter(({ kind }) => kind === 'block')) {
        const db = await emptyDatabase();
        const failing = await openTestIndex(db, { logger: silent, schema: failingOn(history.idOf(name), defect) });
        await failing.deliver(...deliveries);
        const mended = await openTestIndex(db);
        await mended.indexer.retrySetAside();
        const state = await mended.deliver();
        assert.equal(history.nameOf(state), told.at(-1)?.[1], `without ${name}`);
        assert.equal((await db.read(summaryOfSetAside)).count, 0);
      }
    }
  });

  test(`a block that fails when the one below it comes is set aside, not that one (${engine})`, async () => {
    const chain = new ChainBuilder();
    const [root, second, third] = chain.chain(3);
    assert.ok(root && second && third);
    const index = await openTestIndex(await emptyDatabase(), { logger: silent, schema: failingAt(3, defect) });
    await index.deliver(root.delivery, third.delivery, second.delivery);
    await assertResponses(index, { blocks: [root, second] });
    assert.equal((await index.get('/extended')).body.set_aside.newest.position, 2);
  });

  test(`a value that the database refuses is set aside; a database that fails is not (${engine})`, async () => {
    const [root, second] = new ChainBuilder().chain(2);
    assert.ok(root && second);
    for (const [code, isEntry] of [
      ['INVALID_VALUE', true],
      ['CONSTRAINT', true],
      ['CORRUPT', false],
      ['ACCESS', false],
    ] as const) {
      const error = new FatalDatabaseError(code, 'no');
      const index = await openTestIndex(await emptyDatabase(), { logger: silent, schema: failingAt(2, error) });
      const delivered = index.deliver(root.delivery, second.delivery);
      if (isEntry) await delivered;
      else await assert.rejects(delivered, error);
      const rows = (await index.dump()).set_aside;
      assert.equal(rows?.length, isEntry ? 1 : 0, code);
    }
  });
});
