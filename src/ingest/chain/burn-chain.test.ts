import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { type BurnGraph, type BurnPlan, type KnownBurnBlock, planBurnBlock } from './burn-chain.ts';

const NOTHING: BurnPlan = { undo: [], apply: [] };

/** Burn blocks in memory, and those that are canonical, the lowest first. */
class BurnBlocks implements BurnGraph {
  readonly #known = new Map<string, KnownBurnBlock>();
  canonical: KnownBurnBlock[] = [];
  readonly maxDepth: number;

  constructor(maxDepth = 100) {
    this.maxDepth = maxDepth;
  }

  async block(hash: string): Promise<KnownBurnBlock | undefined> {
    return this.#known.get(hash);
  }

  async isCanonical(hash: string): Promise<boolean> {
    return this.canonical.some(block => block.hash === hash);
  }

  async canonicalFrom(height: number): Promise<KnownBurnBlock[]> {
    return this.canonical.filter(block => block.height >= height).reverse();
  }

  async firstHeight(): Promise<number | undefined> {
    return this.canonical[0]?.height;
  }

  /** Plans and carries out, as the indexer does: blocks are only ever taken from the top and put on top. */
  async announce(block: KnownBurnBlock): Promise<BurnPlan> {
    const arrival = await planBurnBlock(this, block, this.maxDepth);
    if (arrival.kind === 'impossible') return NOTHING;
    this.#known.set(block.hash, block);
    if (arrival.kind === 'wait') return NOTHING;
    const { plan } = arrival;
    for (const undone of plan.undo) assert.equal(this.canonical.pop(), undone, 'undo takes from the top');
    for (const next of plan.apply) {
      assert.ok(next.height > (this.canonical.at(-1)?.height ?? -1), 'heights rise');
      this.canonical.push(next);
    }
    return plan;
  }

  known(): Iterable<string> {
    return this.#known.keys();
  }

  hashes(): string[] {
    return this.canonical.map(({ hash }) => hash);
  }
}

const burnBlock = (id: string, parent: KnownBurnBlock | null, height: number, linked = true): KnownBurnBlock => ({
  hash: id,
  height,
  parentHash: linked && parent ? parent.hash : null,
  consensusHash: null,
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

test('in whatever order they come: the newest is canonical unless it is below all others, and no canonical block stands on a known one that is not', async () => {
  const shuffled = trees.chain(tree => fc.shuffledSubarray(tree, { minLength: tree.length }));
  await fc.assert(
    fc.asyncProperty(shuffled, async order => {
      const graph = new BurnBlocks();
      for (const [i, block] of order.entries()) {
        const { canonical } = graph;
        const isBelowAll = canonical.every(({ height }) => height > block.height);
        const before = graph.hashes();
        const isMissed = canonical.some(({ parentHash }) => parentHash === block.hash);
        await graph.announce(block);
        if (i > 0 && isBelowAll && !isMissed) assert.deepEqual(graph.hashes(), before);
        else assert.ok(graph.hashes().includes(block.hash));
        const seen = new Set(graph.known());
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
      await graph.announce(burnBlock('first', null, 0));
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

test('several missing blocks that come late, in any order, take nothing back', async () => {
  const chain = [burnBlock('b0', null, 0)];
  for (let i = 1; i < 8; i++) chain.push(burnBlock(`b${i}`, chain[i - 1] ?? null, i));
  const missing = fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(missing, async late => {
      const graph = new BurnBlocks();
      for (const [i, block] of chain.entries()) if (!late.includes(i)) await graph.announce(block);
      for (const [n, i] of late.entries()) {
        await graph.announce(chain[i] as KnownBurnBlock);
        const still = late.slice(n + 1);
        assert.deepEqual(
          graph.hashes(),
          chain.flatMap(({ hash }, i) => (still.includes(i) ? [] : [hash])),
        );
      }
    }),
    { numRuns: 100 },
  );
});

test('a fork that begins below a gap displaces what is above the gap once it is there', async () => {
  const graph = new BurnBlocks();
  const root = burnBlock('root', null, 1);
  const old = { ...burnBlock('old', null, 4), parentHash: 'never announced' };
  const fork = [burnBlock('f2', root, 2)];
  for (const height of [3, 4]) fork.push(burnBlock(`f${height}`, fork.at(-1) ?? root, height));
  for (const block of [root, old, ...fork]) await graph.announce(block);
  assert.deepEqual(graph.hashes(), ['root', 'f2', 'f3', 'f4']);
});

test('blocks that name each other as parents do not lead the rule in circles', async () => {
  const graph = new BurnBlocks();
  const root = burnBlock('root', null, 1);
  const a = { ...burnBlock('a', null, 2), parentHash: 'b' };
  const b = { ...burnBlock('b', null, 3), parentHash: 'a' };
  for (const block of [root, a, b, burnBlock('c', root, 2)]) await graph.announce(block);
  const plan = await graph.announce({ ...burnBlock('d', null, 4), parentHash: 'b' });
  assert.equal(plan.apply.at(-1)?.hash, 'd');
});

const heights = (count: number, from: number): number[] => Array.from({ length: count }, (_, i) => from + i);

async function chainOf(count: number, maxDepth: number): Promise<{ graph: BurnBlocks; made: KnownBurnBlock[] }> {
  const graph = new BurnBlocks(maxDepth);
  const made: KnownBurnBlock[] = [];
  for (const height of heights(count, 100)) {
    const block = burnBlock(`a${height}`, made.at(-1) ?? null, height);
    await graph.announce(block);
    made.push(block);
  }
  return { graph, made };
}

test('a burn block that cannot be where it says takes nothing back', async () => {
  const { graph, made } = await chainOf(30, 5);
  const before = graph.hashes();
  const impossible = [
    burnBlock('zero', null, 0),
    burnBlock('below the first', null, 99),
    burnBlock('deep, without a parent', null, 110),
    { ...burnBlock('deep, of an unknown parent', null, 110), parentHash: 'nobody' },
    { ...burnBlock('on a parent of another height', null, 129), parentHash: made[3]?.hash ?? '' },
  ];
  for (const block of impossible) {
    assert.equal((await planBurnBlock(graph, block, 5)).kind, 'impossible', block.hash);
    await graph.announce(block);
  }
  assert.deepEqual(graph.hashes(), before);
});

test('a branch that takes back more than the depth is applied when it is longer than what it takes back, and not before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), async (depth, takenBack) => {
      const { graph, made } = await chainOf(20, depth);
      const kept = made.slice(0, made.length - takenBack).map(({ hash }) => hash);
      let top = made[made.length - takenBack - 1] as KnownBurnBlock;
      const branch: string[] = [];
      const needed = takenBack <= depth ? 1 : takenBack + 1;
      for (let length = 1; length <= needed; length++) {
        top = burnBlock(`b${length}`, top, top.height + 1);
        branch.push(top.hash);
        await graph.announce(top);
        const expected = length < needed ? made.map(({ hash }) => hash) : [...kept, ...branch];
        assert.deepEqual(graph.hashes(), expected, `${length} blocks in place of ${takenBack}`);
      }
    }),
  );
});

test('a burn block that the canonical chain was missing is taken in, also below the first one known', async () => {
  const graph = new BurnBlocks();
  const first = burnBlock('first', null, 100);
  const second = burnBlock('second', first, 101);
  await graph.announce(second);
  await graph.announce(first);
  assert.deepEqual(graph.hashes(), ['first', 'second']);
});
