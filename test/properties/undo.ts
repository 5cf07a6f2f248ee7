import assert from 'node:assert/strict';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltChain, buildChain } from '../chains/build.ts';
import { canonicalChain } from '../chains/canonical.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { type Tables, undoableTables } from '../chains/tables.ts';
import { assertSameTables, canonicalTables } from '../support/chain-assertions.ts';
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder } from '../support/chain-builder.ts';
import type { TestIndex } from '../support/test-index.ts';

/**
 * Whenever the same block is the tip again, with the same microblocks on it, all that undo restores is byte for byte what
 * it was: lists, identifiers of lists, state tables, the undo log; likewise for the burn chain. Not compared: what is kept
 * by intent, the mempool (transactions of blocks taken back wait in it), and moments between which a microblock was
 * accepted first, as that decides on the numbers of its transactions (streamed-txs.ts).
 *
 * At the end of each plan Bitcoin forks away below the tip, one to three blocks deep, and comes back; then a Stacks branch
 * wins there and loses again, after which the index must be like one that never saw that branch.
 */
export const undo = defineProperty({
  file: 'undo',
  rule: 'taking blocks back leaves every table byte for byte as it was before them',
  cases: chainPlans({ maxSteps: 20 }),
  hold: async (bench, plan) => {
    const chain = buildChain(plan);
    const { visits, never, again } = forksAbove(chain);
    const { index } = await bench.openIndex();
    const moments = new Moments();
    const sent = chain.sent.map(({ delivery }) => delivery);
    bench.statistics.deliveries += sent.length + visits.length + never.length + again.length;
    for (const delivery of [...sent, ...visits]) {
      await index.deliver(delivery);
      await moments.compare(index);
    }
    await index.deliver(...never);
    await index.deliver(...again);
    const tables = await canonicalTables(index);
    const reference = await bench.indexOf([...sent, ...visits, ...again]);
    assertSameTables(tables, await canonicalTables(reference), 'after a branch that won and lost');
  },
});

interface Forks {
  /** Burn blocks that take the tip down and back. */
  readonly visits: readonly Delivery[];
  /** A branch that wins, */
  readonly never: readonly Delivery[];
  /** and the blocks that make the old one win again. */
  readonly again: readonly Delivery[];
}

function forksAbove({ sent }: BuiltChain): Forks {
  const { blocks, burns } = canonicalChain(sent);
  const parents = new Map<BuiltBurnBlock, BuiltBurnBlock | undefined>(
    sent.flatMap(event => (event.kind === 'burn' ? [[event.burn, event.parent]] : [])),
  );
  const later = new ChainBuilder('later');
  const visits: Delivery[] = [];
  let top = burns.at(-1);
  for (const depth of [1, 2, 3]) {
    const [lost, below] = [burns.at(-depth), burns.at(-1 - depth)];
    // Only where the chain of parents is whole does it come back whole.
    if (!lost || !below || !top || parents.get(lost) !== below) break;
    top = later.burnBlock({ parent: top });
    visits.push(later.burnBlock({ parent: below, slots: ['slot'] }).delivery, top.delivery);
  }
  const tip = blocks.at(-1);
  const fork = blocks.at(-3) ?? blocks[0];
  if (!tip || !fork || fork === tip) return { visits, never: [], again: [] };
  const [never, again] = [tenuresOn(later, tip.height - fork.height + 1, fork), tenuresOn(later, 2, tip)];
  return { visits, never: never.map(({ delivery }) => delivery), again: again.map(({ delivery }) => delivery) };
}

/** Blocks that each begin a tenure, elected by burn blocks that are not announced: height alone decides on them. */
function tenuresOn(chain: ChainBuilder, length: number, parent: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let top = parent; blocks.length < length; blocks.push(top)) {
    const burn = chain.burnBlock({ parent: top.burn });
    top = chain.block({ parent: top, burn, txs: [chain.tenureChange(burn.consensusHash, 0), chain.transfer()] });
  }
  return blocks;
}

/** What the tables were at each moment so far. */
class Moments {
  readonly #tables = new Map<string, Tables>();

  async compare(index: TestIndex): Promise<void> {
    const dump = await index.dump();
    // An event that cannot be applied would leave everything as it was. Blocks that have a transaction again are applied without it.
    const failed = dump.set_aside?.filter(({ reason }) => !/^applied without transactions/.test(String(reason)));
    assert.deepEqual(failed, []);
    const { tip, microblocks } = await index.state();
    const burns = dump.burn_blocks?.filter(({ canonical }) => canonical === 1).map(({ hash }) => hash);
    this.#compare(['stacks', tip?.indexBlockHash, microblocks, dump.streamed_txs], undoableTables(dump, 'stacks'));
    this.#compare(['burn', burns], undoableTables(dump, 'burn'));
  }

  #compare(moment: unknown, tables: Tables): void {
    const key = JSON.stringify(moment);
    const before = this.#tables.get(key);
    if (before) assertSameTables(tables, before, 'when the same block is the tip again');
    else this.#tables.set(key, tables);
  }
}
