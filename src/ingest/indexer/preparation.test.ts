import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { KINDS, SCORES, STATE, scratch, TABLES } from '../../../test/support/workspace-tables.ts';
import type { Database, DatabaseTransaction } from '../../base/store/database.ts';
import { readBlock } from '../chain/block-facts.ts';
import { networkOf } from '../chain/network.ts';
import { parseEvent } from '../node/events/parse.ts';
import { Preparation } from './preparation.ts';
import type { Projection } from './projection.ts';
import { Workspace } from './workspace.ts';

const network = networkOf(0x80000000);

function blocks(count: number) {
  return new ChainBuilder().chain(count).map(({ delivery }) => {
    const event = parseEvent(delivery.path, delivery.body);
    assert.ok(event.ok && event.value.path === '/new_block');
    return readBlock(event.value.block, network).facts;
  });
}

/** Counts the transactions of every block: under its height, and of all under 0. */
const counting: Projection = {
  name: 'counting',
  stateTables: [SCORES],
  keptTables: [],
  lists: [],
  prepare(block, workspace) {
    workspace.load(SCORES, [{ who: 0 }, { who: block.height }]);
    return () => {
      const all = (workspace.get(SCORES, { who: 0 })?.score ?? 0) + block.txs.length;
      workspace.put(SCORES, { who: 0, score: all });
      workspace.put(SCORES, { who: block.height, score: block.txs.length });
    };
  },
};

/** Applies blocks that were prepared together, and counts the queries of the database. */
async function applied(database: Database, cacheLimit: number, betweenBlocks: (workspace: Workspace) => Promise<void>) {
  let asked = 0;
  let rows: readonly unknown[] = [];
  await scratch(database, async tx => {
    const workspace = new Workspace(STATE, KINDS, cacheLimit);
    const counted: DatabaseTransaction = {
      ...tx,
      find: (table, keys) => {
        asked++;
        return tx.find(table, keys);
      },
    };
    workspace.attach(counted);
    const preparation = new Preparation([counting], workspace, network);
    const chain = blocks(4);
    await preparation.ahead(chain);
    for (const block of chain) {
      for (const write of await preparation.writesOf(block)) await write({ kind: 'block', block, arrival: 0 });
      await betweenBlocks(workspace);
    }
    await workspace.flush();
    rows = await tx.all('SELECT who, score FROM scores ORDER BY who');
  });
  return { asked, rows };
}

onEveryEngine((engine, openFresh) => {
  test(`blocks prepared together ask the database once, and each sees what the one before it wrote (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    const { asked, rows } = await applied(database, 1e9, async () => {});
    const counts = blocks(4).map(({ height, txs }) => ({ who: height, score: txs.length }));
    const all = counts.reduce((sum, { score }) => sum + score, 0);
    assert.ok(all > 0);
    assert.deepEqual(rows, [{ who: 0, score: all }, ...counts]);
    assert.equal(asked, 1);
  });

  test(`when rows have left the memory, a block is prepared again (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    const { rows } = await applied(database, 1e9, async () => {});
    const flushing = await applied(database, 0, workspace => workspace.flush());
    assert.deepEqual(flushing.rows, rows);
    assert.equal(flushing.asked, 4);
  });
});
