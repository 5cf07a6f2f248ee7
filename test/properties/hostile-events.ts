import assert from 'node:assert/strict';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import { type IndexSchema, indexSchema } from '../../src/ingest/indexer/schema.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltChain, buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { canonicalPaths } from '../chains/requests/canonical-paths.ts';
import { assertSameTables, canonicalTables } from '../support/chain-assertions.ts';
import { type BuiltBlock, type BuiltBurnBlock, delivery, ZERO_HASH } from '../support/chain-builder.ts';
import fc from '../support/fast-check.ts';
import type { TestIndex } from '../support/test-index.ts';

const hostileEvents = fc.record({
  kind: fc.constantFrom(
    'height',
    'twin',
    'own parent',
    'unreadable',
    'defect',
    'child of defect',
    'defective news',
    'burn block',
    'defective burn block',
  ),
  /** Of the honest event before which it comes. */
  at: fc.nat(100),
  /** Of the honest block that it speaks of, delivered or not. */
  about: fc.nat(99),
  /** What is added to a height that would be right. */
  off: fc.constantFrom(-1000, -3, -1, 1, 2, 1000),
});
type Hostile = typeof hostileEvents extends fc.Arbitrary<infer T> ? T : never;

const cases = fc.record({
  plan: chainPlans(),
  hostile: fc.array(hostileEvents, { minLength: 1, maxLength: 12 }),
  /** At each event, whether the process starts anew before it. */
  restarts: fc.array(fc.constantFrom(false, false, false, true), { minLength: 20, maxLength: 20 }),
});

/**
 * Blocks that cannot be where they say, of either chain, bodies that cannot be read, and events on which the program has a defect: it throws. All
 * of them come at any place among honest events, before or after what they speak of. What the canonical chain decides must be as if
 * they had never come; and an index that is built of the same journal at once must be the same, row by row.
 */
export const hostile = defineProperty({
  file: 'hostile-events',
  rule: 'events that cannot be applied stop nothing, and honest ones are all there',
  cases,
  hold: async (bench, { plan, hostile: planned, restarts }) => {
    const chain = buildChain(plan);
    const honest = chain.sent.map(sent => sent.delivery);
    const all = mixed(chain, planned);
    const paths = canonicalPaths(chain);

    const reference = await bench.indexOf(honest);
    const [tables, responses] = [await canonicalTables(reference), await responsesTo(reference, paths)];

    const live = await bench.openIndex(WITH_DEFECTS);
    for (let i = 0; i < all.length; i += plan.batch) {
      if (restarts[i % restarts.length]) await live.restart();
      await live.deliver(all.slice(i, i + plan.batch), plan.batch);
    }
    assertSameTables(await canonicalTables(live.index), tables);
    assert.deepEqual(await responsesTo(live.index, paths), responses);
    const { body } = await live.index.get('/extended');
    assert.equal(body.lag, 0);
    const rows = await live.index.dump();
    assert.equal(body.set_aside.count, rows.set_aside?.length);

    assertSameTables(await (await bench.indexOf(all, WITH_DEFECTS)).dump(), rows, 'built anew');
  },
});

/** Blocks with such a hash, and news of such a transaction, make the program throw. */
const DEFECTIVE = '0xbad0';

/** The usual schema, with a defect at each place where a projection may have one. */
const WITH_DEFECTS: IndexSchema = indexSchema({
  ...INDEX_SCHEMA,
  projections: [
    ...INDEX_SCHEMA.projections,
    {
      name: 'defects',
      stateTables: [],
      keptTables: [],
      lists: [],
      prepare: block => {
        if (block.blockHash.startsWith(`${DEFECTIVE}01`)) throw new Error('a defect of prepare');
        return () => {
          if (block.blockHash.startsWith(DEFECTIVE)) throw new RangeError('a defect of the program');
        };
      },
      hooks: () => ({
        transactionsAnnounced: rawTxs => {
          if (rawTxs.some(raw => raw.startsWith(DEFECTIVE))) throw new TypeError('a defect of a hook');
        },
      }),
    },
  ],
  burnProjections: [
    ...INDEX_SCHEMA.burnProjections,
    {
      name: 'burn defects',
      stateTables: [],
      lists: [],
      apply: async ({ burn_block_hash: hash }) => {
        if (hash.startsWith(DEFECTIVE)) throw new Error('a defect on a burn block');
      },
    },
  ],
});

function mixed(chain: BuiltChain, planned: readonly Hostile[]): Delivery[] {
  const all = chain.sent.map(sent => sent.delivery);
  // Of the first burn block nobody can tell whether it is genuine.
  const first = chain.sent.findIndex(({ kind }) => kind === 'burn') + 1;
  const places = planned.map((hostile, i) => ({
    at: Math.max(hostile.at % (all.length + 1), hostile.kind.endsWith('burn block') ? first : 0),
    made: made(chain, hostile, i),
  }));
  // From the end, so that the places before it stay what they are.
  for (const { at, made: event } of places.toSorted((a, b) => b.at - a.at)) all.splice(at, 0, event);
  return all;
}

function made(chain: BuiltChain, { kind, about, off }: Hostile, n: number): Delivery {
  const hash = (prefix: string) => `${prefix}${String(n).padStart(66 - prefix.length, '0')}`;
  const block = chain.blocks[about % (chain.blocks.length || 1)];
  const fresh = { block_hash: hash('0xb1'), index_block_hash: hash('0x1d'), transactions: [], events: [] };
  const onBlock = { ...block?.body, ...fresh, parent_index_block_hash: block?.indexHash ?? hash('0xff') };
  const height = block?.height ?? 0;
  switch (kind) {
    case 'height':
      // A first block that nothing honest contradicts may be genuine: only its parent can refute it, by having another height.
      return delivery('/new_block', {
        ...onBlock,
        block_height: Math.max(height + 1 + off, block && isConnected(chain, block) ? 0 : 3),
      });
    case 'twin':
      return delivery('/new_block', { ...block?.body, block_height: height + Math.abs(off) + 1 });
    case 'own parent':
      return delivery('/new_block', {
        ...onBlock,
        parent_index_block_hash: fresh.index_block_hash,
        block_height: height,
      });
    case 'unreadable':
      return { ...delivery('/new_block', {}), body: Buffer.from(`{"block_height": ${n}`) };
    case 'defect':
      return delivery('/new_block', {
        ...onBlock,
        block_height: height + 1,
        block_hash: hash(`${DEFECTIVE}0${n % 2}`),
      });
    case 'child of defect':
      // Of the one before it, if that is a block.
      return delivery('/new_block', {
        ...onBlock,
        block_height: height + 2,
        parent_index_block_hash: `0x1d${String(n - 1).padStart(62, '0')}`,
      });
    case 'burn block':
      // Below the first one, or on one of another height.
      return burnBlock(hash('0xbb'), about, n % 2 ? {} : { burn_block_height: 102 + about, ...on(chain.burns[0]) });
    case 'defective burn block': {
      const parent = chain.burns[about % chain.burns.length];
      return burnBlock(hash(DEFECTIVE), (parent?.height ?? 0) + 1, on(parent));
    }
    case 'defective news':
      return delivery('/new_mempool_tx', [hash(DEFECTIVE)]);
    default:
      return kind satisfies never;
  }
}

/** Whether the block is delivered, and all its ancestors down to the first one. */
function isConnected(chain: BuiltChain, block: BuiltBlock): boolean {
  const sent = new Map(chain.sent.flatMap(sent => (sent.kind === 'block' ? [[sent.block.indexHash, sent.block]] : [])));
  let below = sent.get(block.indexHash);
  while (below && below.height > 1) below = sent.get(below.parentIndexHash);
  return below !== undefined;
}

const on = (parent: BuiltBurnBlock | undefined) => ({ parent_burn_block_hash: parent?.hash ?? ZERO_HASH });

const burnBlock = (hash: string, height: number, fields: object): Delivery =>
  delivery('/new_burn_block', {
    burn_block_hash: hash,
    burn_block_height: height,
    burn_amount: 0,
    reward_recipients: [],
    reward_slot_holders: [],
    ...fields,
  });

async function responsesTo(index: TestIndex, paths: readonly string[]): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  for (const path of paths) responses[path] = (await index.get(path)).body;
  return responses;
}
