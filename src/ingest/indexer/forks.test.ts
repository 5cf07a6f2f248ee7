import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import {
  assertResponses,
  assertSameTables,
  type CanonicalTables,
  canonicalTables,
} from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder, repeated } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';

const deliveriesOf = (blocks: readonly BuiltBlock[]) => blocks.map(block => block.delivery);

/** Blocks that do more than move money: a deployment, then calls of it and of a contract that no one knows. */
function richChain(chain: ChainBuilder, length: number, parent: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let top = parent; blocks.length < length; blocks.push(top)) {
    const calls = [chain.call('tower', 'ring'), chain.call('well', 'draw'), chain.transfer({ fee: 999 })];
    const deploy = [chain.deploy('tower', 'ring'), chain.transfer()];
    top = chain.block({ parent: top, txs: [chain.coinbase(), ...(top === parent ? deploy : calls)] });
  }
  return blocks;
}

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);
  const openEmpty = async (): Promise<TestIndex> => openTestIndex(await emptyDatabase());

  /** Many blocks in one transaction of the index. */
  async function deliverAtOnce(index: TestIndex, blocks: readonly BuiltBlock[]): Promise<void> {
    await index.journal.append(deliveriesOf(blocks));
    await index.deliver();
  }

  /** What an index holds that saw nothing but this chain. */
  async function tablesOf(blocks: readonly BuiltBlock[]): Promise<CanonicalTables> {
    const index = await openEmpty();
    await deliverAtOnce(index, blocks);
    return canonicalTables(index);
  }

  test(`a branch that loses is gone without a trace, and back as it was when it wins again, 1 to 6 blocks deep (${engine})`, async () => {
    const chain = new ChainBuilder('forks');
    const index = await openEmpty();
    const root = chain.block();
    let trunk = [root, chain.block({ parent: root })];
    await deliverAtOnce(index, trunk);
    for (let depth = 1; depth <= 6; depth++) {
      const fork = trunk.at(-1) ?? root;
      const a = richChain(chain, depth, fork);
      await deliverAtOnce(index, a);
      const before = await canonicalTables(index);

      const b = richChain(chain, depth + 1, fork);
      await deliverAtOnce(index, b.slice(0, depth));
      assertSameTables(await canonicalTables(index), before, 'after as many blocks: the first seen stays');
      await deliverAtOnce(index, b.slice(depth));
      await assertResponses(index, { blocks: [...trunk, ...b] });

      const more = chain.chain(2, a.at(-1));
      await deliverAtOnce(index, more.slice(0, 1));
      assert.equal((await index.state()).tip?.indexBlockHash, b.at(-1)?.indexHash, 'as high as the tip is not enough');
      await deliverAtOnce(index, more.slice(1));
      trunk = [...trunk, ...a, ...more];
      await assertResponses(index, { blocks: trunk });
    }
    const actual = await canonicalTables(index);
    assertSameTables(actual, await tablesOf(trunk), 'after all forks');
  });

  test(`the state after a fork is the one of an index that never saw the losing branch (${engine})`, async () => {
    const chain = new ChainBuilder();
    const root = chain.block();
    const lost = richChain(chain, 3, root);
    // The same transactions are in both branches, as they are after a real fork.
    const shared = chain.block({ parent: root, txs: lost.flatMap(({ txs }) => txs.slice(1)) });
    const won = [root, shared, ...chain.chain(3, shared)];
    const expected = await tablesOf(won);
    const index = await openEmpty();
    for (const block of [root, ...lost, ...won.slice(1)]) await index.deliver(block.delivery);
    assertSameTables(await canonicalTables(index), expected);
  });

  test(`an orphaned block is still found by its burn block, not canonical, with its transactions (${engine})`, async () => {
    const chain = new ChainBuilder();
    const index = await openEmpty();
    const [root] = chain.chain(1);
    const [lost] = chain.chain(1, root);
    const won = chain.chain(2, root);
    assert.ok(root && lost);
    const ask = async () => (await index.get(`/extended/v1/block/by_burn_block_hash/${lost.burn.hash}`)).body;
    await index.deliver(root.delivery, lost.delivery);
    const canonical = await ask();
    assert.equal(canonical.canonical, true);
    assert.deepEqual(canonical.txs.toSorted(), lost.txs.map(({ txId }) => txId).sort());
    await index.deliver(...deliveriesOf(won));
    const orphaned = await ask();
    assert.deepEqual(
      [orphaned.hash, orphaned.canonical, orphaned.txs.toSorted()],
      [lost.hash, false, canonical.txs.toSorted()],
    );
    await index.deliver(...deliveriesOf(chain.chain(2, lost)));
    assert.deepEqual({ ...(await ask()), microblocks_streamed: [] }, canonical, 'and as before when it wins again');
  });

  test(`of two blocks of height 1 the first seen stays, until a child decides (${engine})`, async () => {
    const chain = new ChainBuilder();
    const index = await openEmpty();
    const [first, second] = [chain.block(), chain.block()];
    await index.deliver(first.delivery, second.delivery);
    await assertResponses(index, { blocks: [first] });
    const child = chain.block({ parent: second });
    await index.deliver(child.delivery);
    await assertResponses(index, { blocks: [second, child] });
  });

  test(`a block whose parent is missing waits, is named as a gap, and is applied when the parent comes (${engine})`, async () => {
    const chain = new ChainBuilder();
    const index = await openEmpty();
    const [one, two, three, four, five, six, seven] = chain.chain(7);
    assert.ok(one && two && three && four && five && six && seven);
    const sibling = chain.block({ parent: three });
    const gaps = async () => (await index.get('/extended')).body.gaps;

    await index.deliver(one.delivery, three.delivery, sibling.delivery, four.delivery, five.delivery, seven.delivery);
    await assertResponses(index, { blocks: [one] });
    const below = { height: 3, missing_parent: two.indexHash };
    const above = { height: 7, missing_parent: six.indexHash };
    assert.deepEqual(await gaps(), [below, above]);

    await index.deliver(two.delivery);
    await assertResponses(index, { blocks: [one, two, three, four, five] });
    assert.deepEqual(await gaps(), [above]);

    await index.deliver(six.delivery);
    await assertResponses(index, { blocks: [one, two, three, four, five, six, seven] });
    assert.deepEqual(await gaps(), []);

    const actual = await canonicalTables(index);
    assertSameTables(actual, await tablesOf([one, two, three, four, five, six, seven]));
  });

  test(`the log warns once of each missing block, and not of every block that waits above it (${engine})`, async () => {
    const warned: unknown[] = [];
    const logger = pino({ level: 'warn' }, { write: line => void warned.push(JSON.parse(line).missingParent) });
    const index = await openTestIndex(await emptyDatabase(), { logger });
    const [one, two, three, four, five, six, seven] = new ChainBuilder('warned').chain(7);
    assert.ok(one && two && three && four && five && six && seven);
    await index.deliver(one.delivery, three.delivery, four.delivery, five.delivery, seven.delivery);
    assert.deepEqual(warned, [two.indexHash, six.indexHash]);
  });

  test(`a gap that closes under a losing branch can make it win (${engine})`, async () => {
    const chain = new ChainBuilder();
    const index = await openEmpty();
    const [root, ...a] = chain.chain(3);
    assert.ok(root);
    const [missing, ...b] = chain.chain(4, root);
    assert.ok(missing);
    await index.deliver(...deliveriesOf([root, ...a, ...b.toReversed()]));
    await assertResponses(index, { blocks: [root, ...a] });
    await index.deliver(missing.delivery);
    await assertResponses(index, { blocks: [root, missing, ...b] });
  });

  test(`the boot block is part of block 1, whichever comes first and however late (${engine})`, async () => {
    const chain = new ChainBuilder();
    const boot = chain.bootBlock([chain.deploy('pox', 'stack', 0), chain.transfer({ from: 0 })]);
    const first = chain.block({ parent: boot });
    const [lost] = chain.chain(1, first);
    const blocks = [first, ...chain.chain(4, first)];
    assert.ok(lost);
    const orders = {
      'before block 1': [boot, ...blocks],
      'after block 1': [first, boot, ...blocks.slice(1)],
      'after a fork': [first, lost, ...blocks.slice(1), boot],
    };
    const tables = [];
    for (const [when, order] of Object.entries(orders)) {
      const index = await openEmpty();
      for (const block of order) await index.deliver(block.delivery);
      const { body } = await index.get('/extended/v2/blocks/1/transactions');
      assert.equal(body.total, first.txs.length + boot.txs.length, `${when}: the total is the length of the list`);
      const all = (await index.get('/extended/v1/tx?limit=50')).body;
      assert.equal(all.total, all.results.length, `${when}: the total is the length of the list`);
      assert.deepEqual(
        body.results.map((tx: { tx_id: string; block_height: number }) => [tx.tx_id, tx.block_height]),
        [first.txs[0], boot.txs[0], first.txs[1], boot.txs[1]].map(tx => [tx?.txId, 1]),
        when,
      );
      const missing = await index.get('/extended/v2/blocks/0');
      assert.equal(missing.status, 404, 'it is no block of its own');
      tables.push(await canonicalTables(index));

      // Nodes post it again when they start, mostly empty.
      await index.deliver(repeated(boot.delivery), chain.bootBlock([]).delivery);
      assertSameTables(await canonicalTables(index), tables.at(-1) ?? {}, `${when}, repeated`);
    }
    const [expected, ...others] = tables;
    assert.ok(expected);
    for (const actual of others) assertSameTables(actual, expected);
  });

  test(`a boot block on which block 1 does not stand changes nothing (${engine})`, async () => {
    const chain = new ChainBuilder();
    const index = await openEmpty();
    const foreign = chain.block({ fields: { block_height: 0, index_block_hash: chain.hash() } });
    const blocks = chain.chain(2);
    await index.deliver(...deliveriesOf(blocks), foreign.delivery);
    await assertResponses(index, { blocks });
  });
});
