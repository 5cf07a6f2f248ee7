import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder, repeated } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Delivery } from '../journal/entries.ts';

/** All messages of a node in one run: its blocks, and the burn blocks in the order in which it announces them. */
interface World {
  readonly boot: BuiltBlock | undefined;
  readonly blocks: readonly BuiltBlock[];
  readonly announcements: readonly BuiltBurnBlock[];
  /** What must be canonical in the end, worked out without the index. */
  readonly canonicalBurns: readonly BuiltBurnBlock[];
  readonly canonical: readonly BuiltBlock[];
}

interface BlockSpec {
  readonly parent: number;
  readonly burn: number;
  readonly microblock: boolean;
}

const blockSpec: fc.Arbitrary<BlockSpec> = fc.record({ parent: fc.nat(8), burn: fc.nat(20), microblock: fc.boolean() });
const worldSpec = fc.record({
  blocks: fc.array(blockSpec, { minLength: 2, maxLength: 8 }),
  withBoot: fc.boolean(),
  /** How long the first burn branch is, and where the second leaves it. */
  burnLength: fc.integer({ min: 1, max: 3 }),
  burnFork: fc.option(fc.nat(2), { nil: undefined }),
});
type WorldSpec = typeof worldSpec extends fc.Arbitrary<infer T> ? T : never;

/** Undefined where two blocks would be equally good: then the order of arrival decides, as it should. */
function build({ blocks: specs, withBoot, burnLength, burnFork }: WorldSpec): World | undefined {
  const chain = new ChainBuilder('order');
  const trunk: BuiltBurnBlock[] = [];
  for (let i = 0; i <= burnLength; i++)
    trunk.push(chain.burnBlock({ ...(i > 0 && { parent: at(trunk, i - 1) }), slots: ['s'] }));
  const forkAt = burnFork === undefined ? burnLength : burnFork % (burnLength + 1);
  const rival = forkAt < burnLength ? [chain.burnBlock({ parent: at(trunk, forkAt) })] : [];
  const canonicalBurns = [...trunk.slice(0, forkAt + 1), ...rival];
  const lostBurns = new Set(trunk.slice(forkAt + 1));
  const burns = [...trunk, ...rival, chain.burnBlock({ height: 500 })];

  // Rivals of one height have a transaction in common.
  const common = Array.from({ length: 9 }, () => chain.transfer());
  const boot = withBoot ? chain.bootBlock() : undefined;
  const blocks: BuiltBlock[] = [];
  for (const { parent: choice, burn, microblock } of specs) {
    const parent = blocks[(choice % (blocks.length + 1)) - 1];
    const txs = [chain.coinbase(), at(common, parent?.height ?? 0), chain.transfer()];
    const accepted = parent && microblock ? { microblocks: chain.microblocks(parent, [[chain.transfer()]]) } : {};
    blocks.push(chain.block({ ...(parent && { parent }), burn: at(burns, burn % burns.length), txs, ...accepted }));
  }
  const paths = blocks
    .map(block => pathTo(block, blocks))
    .filter(path => path.every(({ burn }) => !lostBurns.has(burn)));
  const height = Math.max(...paths.map(path => path.length));
  const [canonical, ...ties] = paths.filter(path => path.length === height);
  if (!canonical || ties.length > 0) return undefined;
  return { boot, blocks, announcements: [...trunk, ...rival], canonicalBurns, canonical };
}

const pathTo = (block: BuiltBlock, all: readonly BuiltBlock[]): BuiltBlock[] => {
  const parent = all.find(({ indexHash }) => indexHash === block.parentIndexHash);
  return parent ? [...pathTo(parent, all), block] : [block];
};

function at<T>(items: readonly T[], i: number): T {
  const item = items[i];
  assert.ok(item !== undefined);
  return item;
}

const deliveriesOf = (items: readonly { readonly delivery: Delivery }[]): Delivery[] =>
  items.map(({ delivery }) => delivery);

/** Blocks in any order; between them the burn blocks, which keep theirs. Each is put at a place, ties in the given order. */
function shuffled(world: World, places: readonly number[]): Delivery[] {
  const blocks = deliveriesOf([...world.blocks, ...(world.boot ? [world.boot] : [])]);
  const burns = deliveriesOf(world.announcements);
  const burnPlaces = places.slice(-burns.length).sort((a, b) => a - b);
  const placed = [
    ...blocks.map((delivery, i) => ({ delivery, place: at(places, i) })),
    ...burns.map((delivery, i) => ({ delivery, place: at(burnPlaces, i) })),
  ];
  return placed.sort((a, b) => a.place - b.place).map(({ delivery }) => delivery);
}

const places = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 20, maxLength: 20 });

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  /** An index that got these in batches of this size, each applied in one transaction. */
  async function indexOf(deliveries: readonly Delivery[], batch = deliveries.length): Promise<TestIndex> {
    const index = await openTestIndex(await emptyDatabase());
    for (let start = 0; start < deliveries.length; start += batch) {
      await index.journal.append(deliveries.slice(start, start + batch));
      await index.deliver();
    }
    return index;
  }

  test(`in whatever order blocks come, the index is the one that saw the canonical chain alone, in order (${engine})`, async () => {
    let built = 0;
    const property = fc.asyncProperty(worldSpec, places, fc.integer({ min: 1, max: 9 }), async (spec, order, batch) => {
      const world = build(spec);
      fc.pre(world !== undefined);
      built++;
      const { boot, canonical, canonicalBurns } = world;
      const inOrder = deliveriesOf([...canonicalBurns, ...(boot ? [boot] : []), ...canonical]);
      const expected = await canonicalTables(await indexOf(inOrder));
      const index = await indexOf(shuffled(world, order), batch);
      assert.equal((await index.state()).tip?.indexBlockHash, canonical.at(-1)?.indexHash);
      assertSameTables(await canonicalTables(index), expected);
    });
    await fc.assert(property, { numRuns: engine === 'sqlite' ? 25 : 5 });
    assert.ok(built > 0);
  });

  test(`the responses are the same in whatever order blocks come, orphans included (${engine})`, async () => {
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const root = chain.block({ parent: boot });
    const microblocks = chain.microblocks(root, [[chain.transfer()], [chain.transfer()]]);
    const lost = chain.chain(2, root);
    const next = chain.block({ parent: root, microblocks, txs: [chain.coinbase(), chain.deploy('tower', 'ring')] });
    const top = chain.block({ parent: next, txs: [chain.coinbase(), chain.call('tower', 'ring')] });
    const tip = chain.block({ parent: top });
    const inOrder = deliveriesOf([boot, root, ...lost, next, top, tip]);
    const paths = [
      ...['/extended', '/extended/v2/blocks', '/extended/v1/tx', '/extended/v1/tx?unanchored=true&order=asc'],
      ...[1, 2, 3, 4].map(height => `/extended/v2/blocks/${height}/transactions`),
      ...[root, ...lost, next, top, tip].map(({ burn }) => `/extended/v1/block/by_burn_block_hash/${burn.hash}`),
      `/extended/v2/burn-blocks/${tip.burn.hash}`,
    ];
    const responsesAfter = async (deliveries: readonly Delivery[], batch?: number) => {
      const index = await indexOf(deliveries, batch);
      const all: unknown[] = [];
      for (const path of paths) all.push({ path, response: (await index.get(path)).body });
      return all;
    };
    const expected = await responsesAfter(inOrder);
    assert.deepEqual(await responsesAfter(inOrder.toReversed(), 1), expected, 'the other way round');
    assert.deepEqual(
      await responsesAfter(
        [4, 6, 2, 0, 5, 1, 3].map(i => at(inOrder, i)),
        2,
      ),
      expected,
      'mixed',
    );
  });

  test(`everything delivered twice makes the same index as once, in every table (${engine})`, async () => {
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const root = chain.block({ parent: boot });
    const microblocks = chain.microblocks(root, [[chain.transfer()], [chain.transfer()]]);
    const lost = chain.chain(3, root);
    const next = chain.block({ parent: root, microblocks });
    const won = [next, ...chain.chain(3, next)];
    const rival = chain.burnBlock({ parent: root.burn });
    const tip = at(won, 3);
    const standing = chain.stream(tip, chain.microblocks(tip, [[chain.transfer()], [chain.transfer()]]));
    const burns = deliveriesOf([root.burn, ...won.map(({ burn }) => burn), rival]);
    const waiting = at(chain.chain(2, tip), 1);
    const deliveries = [
      ...[boot.delivery, root.delivery, chain.stream(root, microblocks)],
      ...[...burns, ...deliveriesOf([...lost, ...won]), chain.burnBlock({ parent: tip.burn }).delivery],
      ...[standing, waiting.delivery],
    ];
    const once = await indexOf(deliveries);
    const { meta: _meta, ...expected } = await once.dump();

    await once.deliver(...deliveries.map(repeated));
    const { meta: _after, ...twice } = await once.dump();
    assertSameTables(twice, expected, 'the whole again');

    const tables = await canonicalTables(once);
    const each = await indexOf(
      deliveries.flatMap(delivery => [delivery, repeated(delivery)]),
      1,
    );
    assertSameTables(await canonicalTables(each), tables, 'each twice in a row');

    const before = await once.journal.length();
    await each.deliver(...deliveries);
    assert.equal(await each.journal.length(), before, 'the very same bytes do not even enter the journal');
  });
});
