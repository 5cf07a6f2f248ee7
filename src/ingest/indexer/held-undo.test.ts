import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Database } from '../../base/store/database.ts';
import type { Delivery } from '../journal/entries.ts';

/** Blocks that each have a burn block of their own, which is announced before them. */
function tenures(chain: ChainBuilder, length: number, parent?: BuiltBlock): { tip: BuiltBlock; sent: Delivery[] } {
  const sent: Delivery[] = [];
  let tip = parent;
  for (let i = 0; i < length; i++) {
    const burn = chain.burnBlock(tip && { parent: tip.burn });
    tip = chain.block({ ...(tip && { parent: tip }), burn });
    sent.push(burn.delivery, tip.delivery);
  }
  assert.ok(tip);
  return { tip, sent };
}

const UNDO_GONE = { code: 'UNDO_GONE' };

onEveryEngine((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  const inBulk = async ({ journal, indexer }: TestIndex, sent: readonly Delivery[]) =>
    indexer.applyParts([await journal.append(sent)], true);

  /** Depths of the units that have a record. */
  async function depthsOf(database: Database, chain: string): Promise<number[]> {
    const sql = 'SELECT depth FROM undo_log WHERE chain = ? ORDER BY depth';
    return (await database.read(queries => queries.all<{ depth: number }>(sql, [chain]))).map(({ depth }) => depth);
  }

  test(`of blocks written in bulk those have an undo record that have fewer than six burn blocks above them (${engine})`, async () => {
    const chain = new ChainBuilder('bulk');
    const database = await emptyDatabase();
    const index = await openTestIndex(database);
    const first = tenures(chain, 10);
    await inBulk(index, first.sent);
    for (const name of ['stacks', 'burn']) assert.deepEqual(await depthsOf(database, name), [4, 5, 6, 7, 8, 9], name);
    await inBulk(index, tenures(chain, 8, first.tip).sent);
    for (const name of ['stacks', 'burn'])
      assert.deepEqual(await depthsOf(database, name), [12, 13, 14, 15, 16, 17], name);
  });

  test(`a fork of blocks written in bulk leaves what it would have left of others, in the same transaction and later (${engine})`, async () => {
    const chain = new ChainBuilder('forked');
    const trunk = tenures(chain, 6);
    const lost = tenures(chain, 6, trunk.tip);
    const won = tenures(chain, 7, trunk.tip);
    const all = [...trunk.sent, ...lost.sent, ...won.sent];
    const expected = await openTestIndex(await emptyDatabase());
    await expected.deliver(...all);
    const tables = await canonicalTables(expected);
    for (const parts of [[all], [[...trunk.sent, ...lost.sent], won.sent]]) {
      const index = await openTestIndex(await emptyDatabase());
      for (const part of parts) await inBulk(index, part);
      assertSameTables(await canonicalTables(index), tables, `in ${parts.length} transactions`);
    }
  });

  test(`a fork that takes final blocks back changes nothing; the index built anew with records takes it (${engine})`, async () => {
    const chain = new ChainBuilder('deep');
    const trunk = tenures(chain, 3);
    const lost = tenures(chain, 9, trunk.tip);
    const won = tenures(chain, 10, trunk.tip);
    const expected = await openTestIndex(await emptyDatabase());
    await expected.deliver(...trunk.sent, ...lost.sent, ...won.sent);
    const tables = await canonicalTables(expected);

    const index = await openTestIndex(await emptyDatabase());
    await inBulk(index, [...trunk.sent, ...lost.sent]);
    const before = await canonicalTables(index);
    await assert.rejects(inBulk(index, won.sent), UNDO_GONE);
    await assert.rejects(index.indexer.catchUp(), UNDO_GONE);
    assertSameTables(await canonicalTables(index), before);
    await index.indexer.startOver();
    assertSameTables(await canonicalTables(index), tables);
  });

  test(`while a block waits for its parent, every block gets an undo record (${engine})`, async () => {
    const chain = new ChainBuilder('waits');
    const database = await emptyDatabase();
    const index = await openTestIndex(database);
    const trunk = tenures(chain, 3);
    const late = chain.block({ parent: chain.block({ parent: trunk.tip }) });
    await inBulk(index, [...trunk.sent, late.delivery]);
    await inBulk(index, tenures(chain, 10, trunk.tip).sent);
    assert.equal((await depthsOf(database, 'stacks')).length, 13);
  });
});
