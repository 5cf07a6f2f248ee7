import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import type { KnownBurnBlock } from './burn-chain.ts';
import {
  type BlockGraph,
  type BurnBranch,
  chooseTip,
  isRemembered,
  type KnownBlock,
  outranks,
  planMove,
  replaces,
} from './fork-choice.ts';

/** Blocks in memory. A block refers to its parent by position; one that is out of range was never delivered. */
class Blocks implements BlockGraph {
  readonly all: readonly KnownBlock[];
  /** Burn views that are known, by consensus hash. */
  views: ReadonlyMap<string, KnownBurnBlock> = new Map();
  /** A walk that goes in circles must fail, not hang. */
  #lookups = 0;

  constructor(all: readonly KnownBlock[]) {
    this.all = all;
  }

  async block(hash: string): Promise<KnownBlock | undefined> {
    assert.ok(this.#lookups++ < 10_000, 'the walk never ends');
    return this.all.find(({ indexBlockHash }) => indexBlockHash === hash);
  }

  async *connectedFromTheTop(): AsyncIterable<KnownBlock> {
    yield* this.connected().sort((a, b) => b.height - a.height || a.arrival - b.arrival);
  }

  async burnViewOf({ burnView }: KnownBlock): Promise<KnownBurnBlock | undefined> {
    return burnView === null ? undefined : this.views.get(burnView);
  }

  /** The block and its ancestors, from height 1 upwards; undefined when one is missing. */
  path(block: KnownBlock): KnownBlock[] | undefined {
    if (block.height === 1) return [block];
    const parent = this.all.find(({ indexBlockHash }) => indexBlockHash === block.parentIndexBlockHash);
    const below = parent && this.path(parent);
    return below && [...below, block];
  }

  connected(): KnownBlock[] {
    return this.all.filter(block => this.path(block) !== undefined);
  }

  /** Without burn views, word for word: the highest of the viable connected blocks, the first seen on a tie. */
  best(on: ReadonlySet<string>): KnownBlock | undefined {
    const viable = this.connected().filter(block =>
      this.path(block)?.every(({ burnBlockHash }) => on.has(burnBlockHash)),
    );
    const highest = Math.max(...viable.map(({ height }) => height));
    return viable.filter(({ height }) => height === highest).sort((a, b) => a.arrival - b.arrival)[0];
  }
}

/** A branch of these burn blocks. @param sound blocks of which is known that they are viable */
const branch = (
  burnBlocks: ReadonlySet<string>,
  remembered: readonly KnownBlock[] = [],
  sound: readonly KnownBlock[] = [],
): BurnBranch => ({
  includes: async hash => burnBlocks.has(hash),
  rememberedTips: async function* () {
    yield* remembered;
  },
  isSound: async block => sound.includes(block),
});

const known = (id: number, parent: number, height: number, burn: number, arrival = id): KnownBlock => ({
  indexBlockHash: `block ${id}`,
  parentIndexBlockHash: `block ${parent}`,
  blockHash: `header ${id}`,
  height,
  burnBlockHash: `burn ${burn}`,
  burnBlockHeight: burn,
  burnView: null,
  arrival,
  journalSeq: arrival,
});

/** As the block, with this burn block for its view. */
const viewing = (block: KnownBlock, burn: number): KnownBlock => ({ ...block, burnView: `view ${burn}` });

const BURN_BLOCKS = 5;
const burnBlock = (n: number): KnownBurnBlock => ({
  hash: `burn ${n}`,
  height: n,
  parentHash: null,
  consensusHash: `view ${n}`,
  journalSeq: n,
});
const VIEWS = new Map([...Array(BURN_BLOCKS).keys()].map(n => [`view ${n}`, burnBlock(n)]));
const ALL_BURN_BLOCKS = new Set([...VIEWS.values()].map(({ hash }) => hash));

const burnBlocks = fc
  .subarray([...Array(BURN_BLOCKS).keys()], { minLength: 2 })
  .map(numbers => new Set(numbers.map(n => `burn ${n}`)));

/** Any forest in any order of arrival: the parent of each block is an earlier block, absent (height 1), or missing. */
const blocks = fc
  .array(fc.record({ parent: fc.nat(30), burn: fc.nat(BURN_BLOCKS - 1) }), { minLength: 1, maxLength: 14 })
  .chain(specs =>
    fc.shuffledSubarray([...specs.keys()], { minLength: specs.length }).map(arrivals => {
      const made: KnownBlock[] = [];
      for (const [id, { parent, burn }] of specs.entries()) {
        const missing = parent === 30;
        const below = missing ? undefined : made[(parent % (id + 1)) - 1];
        made.push(
          known(id, below ? made.indexOf(below) : 999, missing ? 4 : (below?.height ?? 0) + 1, burn, arrivals[id]),
        );
      }
      return made;
    }),
  );

test('without burn views the tip is the highest block whose elections are all viable, the first seen on a tie', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, burnBlocks, async (all, viable) => {
      const graph = new Blocks(all);
      assert.deepEqual(await chooseTip(graph, branch(viable)), graph.best(viable));
    }),
    { numRuns: 300 },
  );
});

test('a burn view that was not announced is as none: the same tip', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, burnBlocks, async (all, viable) => {
      const graph = new Blocks(all.map(block => viewing(block, 0)));
      const tip = await chooseTip(graph, branch(viable));
      assert.equal(tip?.indexBlockHash, new Blocks(all).best(viable)?.indexBlockHash);
    }),
    { numRuns: 100 },
  );
});

test('what is known to be sound of the canonical chain need not be checked again: the tip is the same', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, burnBlocks, burnBlocks, async (all, before, after) => {
      const graph = new Blocks(all);
      const tip = graph.best(before);
      const chain = (tip && graph.path(tip)) ?? [];
      const unsound = chain.findIndex(({ burnBlockHash }) => !after.has(burnBlockHash));
      const sound = chain.slice(0, unsound === -1 ? chain.length : unsound);
      assert.deepEqual(await chooseTip(graph, branch(after, [], sound)), graph.best(after));
    }),
    { numRuns: 300 },
  );
});

test('what the highest burn block remembers is the tip, however high blocks of lower burn views are', async () => {
  const root = viewing(known(0, 9, 1, 0), 0);
  const [low, high] = [viewing(known(1, 0, 2, 1), 1), viewing(known(2, 0, 2, 0), 0)];
  const higher = viewing(known(3, 2, 3, 0), 0);
  const graph = new Blocks([root, low, high, higher]);
  graph.views = VIEWS;
  assert.equal(await chooseTip(graph, branch(ALL_BURN_BLOCKS, [low, higher])), low);
});

test('a remembered tip is none where its election, its burn view or one of an ancestor is not on the branch', async () => {
  const root = viewing(known(0, 9, 1, 0), 0);
  const tips = [viewing(known(1, 0, 2, 4), 1), viewing(known(2, 0, 2, 1), 4), viewing(known(4, 3, 3, 1), 1)];
  const orphan = viewing(known(3, 0, 2, 1), 4);
  const graph = new Blocks([root, ...tips, orphan]);
  graph.views = VIEWS;
  const withoutLast = new Set([...ALL_BURN_BLOCKS].filter(hash => hash !== 'burn 4'));
  for (const tip of tips) {
    assert.equal(await chooseTip(graph, branch(withoutLast, [tip, root])), root);
    assert.equal(await chooseTip(graph, branch(ALL_BURN_BLOCKS, [tip, root])), tip);
    assert.equal(await isRemembered(graph, branch(withoutLast), tip), false);
    assert.equal(await isRemembered(graph, branch(ALL_BURN_BLOCKS), tip), true);
  }
});

test('a block whose burn view is unknown is the tip where it is higher than the remembered one, or as high and seen first', async () => {
  for (const [height, arrival, wins] of [
    [2, 5, false],
    [2, 0, true],
    [3, 5, true],
    [1, 0, false],
  ] as const) {
    const remembered = viewing(known(1, 9, 2, 0, 1), 0);
    const other = known(2, height === 1 ? 9 : 3, height, 1, arrival);
    const between = known(3, 9, height - 1, 1, 7);
    const graph = new Blocks([remembered, other, ...(height > 1 ? [between] : []), known(9, 9, 1, 0, 9)]);
    graph.views = VIEWS;
    assert.equal(await chooseTip(graph, branch(ALL_BURN_BLOCKS, [remembered])), wins ? other : remembered);
  }
});

test('no block at all, or none on the burn chain: there is no tip', async () => {
  assert.equal(await chooseTip(new Blocks([]), branch(new Set())), undefined);
  const offChain = new Blocks([known(0, 9, 1, 0), known(1, 0, 2, 0)]);
  assert.equal(await chooseTip(offChain, branch(new Set(['burn 1']))), undefined);
});

test('what a block of height 1 says it stands on is not looked at', async () => {
  const onItself = known(0, 0, 1, 0);
  const viable = branch(new Set(['burn 0']));
  assert.equal((await chooseTip(new Blocks([onItself, known(1, 0, 2, 0)]), viable))?.indexBlockHash, 'block 1');
  const onItsChild = new Blocks([known(0, 1, 1, 0), known(1, 0, 2, 1)]);
  assert.equal((await chooseTip(onItsChild, viable))?.indexBlockHash, 'block 0');
});

test('a move takes back exactly what the new chain lacks and applies exactly what it adds', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, fc.nat(20), fc.nat(20), async (all, fromChoice, toChoice) => {
      const graph = new Blocks(all);
      const choices = [undefined, ...graph.connected()];
      const from = choices[fromChoice % choices.length];
      const to = choices[toChoice % choices.length];
      const oldPath = (from && graph.path(from)) ?? [];
      const newPath = (to && graph.path(to)) ?? [];
      const shared = oldPath.filter((block, i) => newPath[i] === block).length;

      const { undo, apply } = await planMove(graph, from, to);
      assert.deepEqual(undo, oldPath.slice(shared).reverse());
      assert.deepEqual(apply, newPath.slice(shared));
    }),
    { numRuns: 300 },
  );
});

test('the higher block outranks the lower, and of two as high the first seen', () => {
  fc.assert(
    fc.property(fc.nat(3), fc.nat(3), fc.boolean(), (heightA, heightB, aFirst) => {
      const a = known(0, 9, heightA, 0, aFirst ? 0 : 1);
      const b = known(1, 9, heightB, 0, aFirst ? 1 : 0);
      const aWins = heightA === heightB ? aFirst : heightA > heightB;
      assert.deepEqual([outranks(a, b), outranks(b, a)], [aWins, !aWins]);
    }),
  );
  assert.ok(outranks(known(0, 9, 1, 0), undefined), 'any block outranks none');
});

test('a block replaces a tip that is lower, or as high and elected before; never one of its own tenure', () => {
  const tip = known(0, 9, 5, 3);
  assert.ok(replaces(known(1, 9, 1, 0), undefined), 'any block replaces none');
  assert.ok(replaces(known(1, 9, 6, 0), tip));
  assert.ok(replaces(known(1, 9, 5, 4), tip));
  assert.ok(!replaces(known(1, 9, 5, 3), tip));
  assert.ok(!replaces(known(1, 9, 5, 2), tip));
  assert.ok(!replaces(known(1, 9, 4, 4), tip));
});
