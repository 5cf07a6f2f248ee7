import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertResponses, assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder, repeated } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Delivery } from '../journal/entries.ts';

/** As a node delivers them: each burn block, then the Stacks block it elected. */
const announced = (blocks: readonly BuiltBlock[]): Delivery[] =>
  blocks.flatMap(block => [block.burn.delivery, block.delivery]);

/** Burn blocks on top of each other, without Stacks blocks. */
function burnChain(chain: ChainBuilder, parent: BuiltBurnBlock, length: number): BuiltBurnBlock[] {
  const made: BuiltBurnBlock[] = [];
  for (let top = parent; made.length < length; made.push(top)) top = chain.burnBlock({ parent: top, slots: ['slot'] });
  return made;
}

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);
  const openEmpty = async (): Promise<TestIndex> => openTestIndex(await emptyDatabase());

  async function canonicalBurnBlocks(index: TestIndex): Promise<string[]> {
    const rows = (await index.dump()).burn_blocks ?? [];
    return rows
      .filter(row => row.canonical === 1)
      .sort((a, b) => Number(a.height) - Number(b.height))
      .map(row => `0x${Buffer.from(row.hash as Uint8Array).toString('hex')}`);
  }

  test(`a Bitcoin fork moves the tip to a lower height, and back when the first branch wins again (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(6);
    const third = blocks[2];
    const top = blocks[5];
    assert.ok(third && top);
    const index = await openEmpty();
    await index.deliver(...announced(blocks));
    await assertResponses(index, { blocks });

    const [rival] = burnChain(chain, third.burn, 1);
    assert.ok(rival);
    await index.deliver(rival.delivery);
    await assertResponses(index, { blocks: blocks.slice(0, 3) });
    const forked = chain.block({ parent: third, burn: rival });
    await index.deliver(forked.delivery);
    await assertResponses(index, { blocks: [...blocks.slice(0, 3), forked] });

    const [next] = burnChain(chain, top.burn, 1);
    assert.ok(next);
    await index.deliver(next.delivery);
    await assertResponses(index, { blocks });
    assert.deepEqual(await canonicalBurnBlocks(index), [...blocks.map(({ burn }) => burn.hash), next.hash]);
  });

  test(`after Bitcoin forks there and back, the index is one that never saw them (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(6);
    const [third, top] = [blocks[2], blocks[5]];
    assert.ok(third && top);
    const lost = burnChain(chain, third.burn, 2);
    const lostBlocks = lost.map(burn => chain.block({ parent: third, burn }));
    const back = burnChain(chain, top.burn, 1);
    const reference = await openEmpty();
    await reference.deliver(...announced(blocks), ...back.map(burn => burn.delivery));
    const expected = await canonicalTables(reference);

    const index = await openEmpty();
    await index.deliver(...announced(blocks));
    for (const { delivery } of [...lost, ...lostBlocks, ...back]) await index.deliver(delivery);
    assertSameTables(await canonicalTables(index), expected);
  });

  test(`blocks of a burn branch that lost do not come back by their height, however high (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(2);
    const root = blocks[1];
    assert.ok(root);
    const lost = chain.chain(4, root);
    const index = await openEmpty();
    await index.deliver(...announced(blocks), ...announced(lost.slice(0, 2)));
    const [rival] = burnChain(chain, root.burn, 1);
    assert.ok(rival);
    await index.deliver(rival.delivery);
    // Blocks on top of the lost ones come late; their own burn blocks were never announced.
    await index.deliver(...lost.slice(2).map(block => block.delivery));
    await assertResponses(index, { blocks });
    const winner = chain.block({ parent: root, burn: rival });
    await index.deliver(winner.delivery);
    await assertResponses(index, { blocks: [...blocks, winner] });
  });

  test(`a block that comes after its burn block has lost is kept, and counts when that wins again (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(2);
    const root = blocks[1];
    assert.ok(root);
    const [lost] = burnChain(chain, root.burn, 1);
    const [rival] = burnChain(chain, root.burn, 1);
    assert.ok(lost && rival);
    const late = chain.block({ parent: root, burn: lost });
    const index = await openEmpty();
    await index.deliver(...announced(blocks), lost.delivery, rival.delivery, late.delivery);
    await assertResponses(index, { blocks });
    await index.deliver(...burnChain(chain, lost, 1).map(burn => burn.delivery));
    await assertResponses(index, { blocks: [...blocks, late] });
  });

  test(`blocks of a tenure fall and rise together with their one burn block (${engine})`, async () => {
    const chain = new ChainBuilder();
    const root = chain.block();
    const burn = chain.burnBlock({ parent: root.burn });
    const tenure: BuiltBlock[] = [];
    for (let parent = root; tenure.length < 5; tenure.push(parent)) parent = chain.block({ parent, burn });
    const index = await openEmpty();
    await index.deliver(root.burn.delivery, root.delivery, burn.delivery, ...tenure.map(block => block.delivery));
    await index.deliver(...burnChain(chain, root.burn, 1).map(({ delivery }) => delivery));
    await assertResponses(index, { blocks: [root] });
    await index.deliver(...burnChain(chain, burn, 1).map(({ delivery }) => delivery));
    await assertResponses(index, { blocks: [root, ...tenure] });
  });

  test(`a burn block that is known changes nothing when it is announced again, canonical or not (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(3);
    const root = blocks[0];
    assert.ok(root);
    const [rival] = burnChain(chain, root.burn, 1);
    assert.ok(rival);
    const index = await openEmpty();
    await index.deliver(...announced(blocks), rival.delivery);
    const { meta: _meta, ...before } = await index.dump();
    for (const { burn } of blocks) await index.deliver(repeated(burn.delivery));
    await index.deliver(repeated(rival.delivery));
    const { meta: _later, ...after } = await index.dump();
    assertSameTables(after, before);
  });

  test(`a Stacks fork moves no burn block (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(2);
    const longer = chain.chain(3);
    const index = await openEmpty();
    await index.deliver(...announced(blocks));
    const before = await canonicalBurnBlocks(index);
    await index.deliver(...longer.map(block => block.delivery));
    await assertResponses(index, { blocks: longer });
    assert.deepEqual(await canonicalBurnBlocks(index), before);
  });

  test(`without parents in the announcements, a burn block displaces all from its height upwards (${engine})`, async () => {
    const chain = new ChainBuilder();
    const burns = [100, 101, 102, 103].map(height => chain.burnBlock({ height, linked: false }));
    const blocks: BuiltBlock[] = [];
    for (const burn of burns) {
      const parent = blocks.at(-1);
      blocks.push(chain.block({ ...(parent && { parent }), burn }));
    }
    const index = await openEmpty();
    await index.deliver(...announced(blocks));
    await index.deliver(chain.burnBlock({ height: 102, linked: false }).delivery);
    await assertResponses(index, { blocks: blocks.slice(0, 2) });
  });

  test(`a burn fork in the middle of a batch sees the blocks of the same batch (${engine})`, async () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(5);
    const second = blocks[1];
    assert.ok(second);
    const [rival] = burnChain(chain, second.burn, 1);
    assert.ok(rival);
    const forked = [chain.block({ parent: second, burn: rival })];
    const index = await openEmpty();
    await index.journal.append([...announced(blocks), rival.delivery, ...forked.map(block => block.delivery)]);
    await index.deliver();
    await assertResponses(index, { blocks: [...blocks.slice(0, 2), ...forked] });
  });
});
