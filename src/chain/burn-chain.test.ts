import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BurnGraph, type BurnPlan, type KnownBurnBlock, planBurnBlock } from './burn-chain.ts';

/** Burn blocks in memory, and those that are canonical, the lowest first. */
class BurnBlocks implements BurnGraph {
  readonly #known = new Map<string, KnownBurnBlock>();
  canonical: KnownBurnBlock[] = [];

  async block(hash: string): Promise<KnownBurnBlock | undefined> {
    return this.#known.get(hash);
  }

  async isCanonical(hash: string): Promise<boolean> {
    return this.canonical.some(block => block.hash === hash);
  }

  async canonicalFrom(height: number): Promise<KnownBurnBlock[]> {
    return this.canonical.filter(block => block.height >= height).reverse();
  }

  /** Plans and carries out, as the indexer does: blocks are only ever taken from the top and put on top. */
  async announce(block: KnownBurnBlock): Promise<BurnPlan> {
    const plan = await planBurnBlock(this, block);
    this.#known.set(block.hash, block);
    for (const undone of plan.undo) assert.equal(this.canonical.pop(), undone, 'undo takes from the top');
    for (const next of plan.apply) {
      assert.ok(next.height > (this.canonical.at(-1)?.height ?? -1), 'heights rise');
      this.canonical.push(next);
    }
    return plan;
  }

  hashes(): string[] {
    return this.canonical.map(({ hash }) => hash);
  }
}

const burnBlock = (id: string, parent: KnownBurnBlock | null, height: number, linked = true): KnownBurnBlock => ({
  hash: id,
  height,
  parentHash: linked && parent ? parent.hash : null,
  journalSeq: 0,
});

const pathTo = (block: KnownBurnBlock, all: readonly KnownBurnBlock[]): string[] => {
  const parent = all.find(({ hash }) => hash === block.parentHash);
  return parent ? [...pathTo(parent, all), block.hash] : [block.hash];
};

/** Any tree with one root, parents first. */
const trees = fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }).map(parents => {
  const made = [burnBlock('root', null, 0)];
  for (const [i, parent] of parents.entries()) {
    const below = made[parent % made.length] as KnownBurnBlock;
    made.push(burnBlock(`b${i}`, below, below.height + 1));
  }
  return made;
});

test('announced parents first, the canonical burn chain is the newest block and its ancestors', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async tree => {
      const graph = new BurnBlocks();
      for (const block of tree) {
        await graph.announce(block);
        assert.deepEqual(graph.hashes(), pathTo(block, tree));
      }
    }),
    { numRuns: 300 },
  );
});

test('in whatever order they come: the newest is canonical, and no canonical block stands on a known one that is not', async () => {
  const shuffled = trees.chain(tree => fc.shuffledSubarray(tree, { minLength: tree.length }));
  await fc.assert(
    fc.asyncProperty(shuffled, async order => {
      const graph = new BurnBlocks();
      for (const [i, block] of order.entries()) {
        await graph.announce(block);
        assert.ok(graph.hashes().includes(block.hash));
        const seen = new Set(order.slice(0, i + 1).map(({ hash }) => hash));
        for (const { parentHash } of graph.canonical)
          assert.ok(parentHash === null || !seen.has(parentHash) || graph.hashes().includes(parentHash));
      }
    }),
    { numRuns: 300 },
  );
});

test('without a parent, a block displaces all from its height upwards (nodes before 3.1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }), async heights => {
      const graph = new BurnBlocks();
      for (const [i, height] of heights.entries()) {
        const below = graph.canonical.filter(block => block.height < height).map(({ hash }) => hash);
        await graph.announce(burnBlock(`b${i}`, null, height));
        assert.deepEqual(graph.hashes(), [...below, `b${i}`]);
      }
    }),
  );
});

test('a block on the tip undoes nothing', async () => {
  const graph = new BurnBlocks();
  const first = burnBlock('a', null, 5);
  await graph.announce(first);
  const second = burnBlock('b', first, 6);
  assert.deepEqual(await graph.announce(second), { undo: [], apply: [second] });
});

test('a branch that lost is applied again, whole, when a new block stands on it', async () => {
  const graph = new BurnBlocks();
  const root = burnBlock('root', null, 1);
  const lost = [burnBlock('a2', root, 2)];
  lost.push(burnBlock('a3', lost[0] ?? root, 3));
  const won = burnBlock('b2', root, 2);
  for (const block of [root, ...lost, won]) await graph.announce(block);
  assert.deepEqual(graph.hashes(), ['root', 'b2']);
  await graph.announce(burnBlock('a4', lost[1] ?? root, 4));
  assert.deepEqual(graph.hashes(), ['root', 'a2', 'a3', 'a4']);
});

test('a missing block that comes late takes its place under what stands on it', async () => {
  const graph = new BurnBlocks();
  const root = burnBlock('root', null, 1);
  const late = burnBlock('late', root, 2);
  const above = burnBlock('above', late, 3);
  const top = burnBlock('top', above, 4);
  for (const block of [root, above, top, late]) await graph.announce(block);
  assert.deepEqual(graph.hashes(), ['root', 'late', 'above', 'top']);
});

test('blocks that name each other as parents do not lead the rule in circles', async () => {
  const graph = new BurnBlocks();
  const root = burnBlock('root', null, 1);
  const a = { ...burnBlock('a', null, 2), parentHash: 'b' };
  const b = { ...burnBlock('b', null, 3), parentHash: 'a' };
  for (const block of [root, a, b, burnBlock('c', root, 2)]) await graph.announce(block);
  const plan = await graph.announce({ ...burnBlock('d', null, 9), parentHash: 'b' });
  assert.equal(plan.apply.at(-1)?.hash, 'd');
});
