import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BlockGraph, chooseTip, type KnownBlock, outranks, planMove } from './fork-choice.ts';

/** Blocks in memory. A block refers to its parent by position; one that is out of range was never delivered. */
class Blocks implements BlockGraph {
  readonly all: readonly KnownBlock[];
  viableBurnBlocks: ReadonlySet<string>;
  canonical: ReadonlySet<string> = new Set();
  /** A walk that goes in circles must fail, not hang. */
  #lookups = 0;

  constructor(all: readonly KnownBlock[], viableBurnBlocks: ReadonlySet<string>) {
    this.all = all;
    this.viableBurnBlocks = viableBurnBlocks;
  }

  async block(hash: string): Promise<KnownBlock | undefined> {
    assert.ok(this.#lookups++ < 10_000, 'the walk never ends');
    return this.all.find(({ indexBlockHash }) => indexBlockHash === hash);
  }

  async *connectedFromTheTop(): AsyncIterable<KnownBlock> {
    yield* this.connected().sort((a, b) => b.height - a.height || a.arrival - b.arrival);
  }

  async burnBlockIsViable(hash: string): Promise<boolean> {
    return this.viableBurnBlocks.has(hash);
  }

  async isCanonical({ indexBlockHash }: KnownBlock): Promise<boolean> {
    return this.canonical.has(indexBlockHash);
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

  /** The rule, word for word: the highest of the viable connected blocks, the first seen on a tie. */
  best(): KnownBlock | undefined {
    const viable = this.connected().filter(block =>
      this.path(block)?.every(({ burnBlockHash }) => this.viableBurnBlocks.has(burnBlockHash)),
    );
    const highest = Math.max(...viable.map(({ height }) => height));
    return viable.filter(({ height }) => height === highest).sort((a, b) => a.arrival - b.arrival)[0];
  }
}

const known = (id: number, parent: number, height: number, burn: number, arrival = id): KnownBlock => ({
  indexBlockHash: `block ${id}`,
  parentIndexBlockHash: `block ${parent}`,
  blockHash: `header ${id}`,
  height,
  burnBlockHash: `burn ${burn}`,
  burnBlockHeight: burn,
  arrival,
  journalSeq: arrival,
});

const BURN_BLOCKS = 5;
const burnBlocks = fc
  .subarray([...Array(BURN_BLOCKS).keys()], { minLength: 2 })
  .map(numbers => new Set(numbers.map(n => `burn ${n}`)));

/** Any forest: each block stands on an earlier one, on none (height 1), or on one that is missing; any order of arrival. */
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

test('the tip is the highest block whose burn blocks are all viable, the first seen on a tie', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, burnBlocks, async (all, viable) => {
      const graph = new Blocks(all, viable);
      assert.deepEqual(await chooseTip(graph, 0), graph.best());
    }),
    { numRuns: 300 },
  );
});

test('what is known to be sound of the canonical chain need not be checked again: the tip is the same', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, burnBlocks, burnBlocks, async (all, before, after) => {
      const graph = new Blocks(all, before);
      const tip = graph.best();
      const chain = (tip && graph.path(tip)) ?? [];
      graph.canonical = new Set(chain.map(({ indexBlockHash }) => indexBlockHash));
      graph.viableBurnBlocks = after;
      const unsound = chain.findIndex(({ burnBlockHash }) => !after.has(burnBlockHash));
      const soundHeight = unsound === -1 ? chain.length : unsound;
      assert.deepEqual(await chooseTip(graph, soundHeight), graph.best());
    }),
    { numRuns: 300 },
  );
});

test('no block at all, or none on the burn chain: there is no tip', async () => {
  assert.equal(await chooseTip(new Blocks([], new Set()), 0), undefined);
  assert.equal(await chooseTip(new Blocks([known(0, 9, 1, 0), known(1, 0, 2, 0)], new Set(['burn 1'])), 0), undefined);
});

test('what a block of height 1 says it stands on is not looked at', async () => {
  const onItself = known(0, 0, 1, 0);
  const graph = new Blocks([onItself, known(1, 0, 2, 0)], new Set(['burn 0']));
  assert.equal((await chooseTip(graph, 0))?.indexBlockHash, 'block 1');
  const onItsChild = new Blocks([known(0, 1, 1, 0), known(1, 0, 2, 1)], new Set(['burn 0']));
  assert.equal((await chooseTip(onItsChild, 0))?.indexBlockHash, 'block 0');
});

test('a move takes back exactly what the new chain lacks and applies exactly what it adds', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, fc.nat(20), fc.nat(20), async (all, fromChoice, toChoice) => {
      const graph = new Blocks(all, new Set());
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
