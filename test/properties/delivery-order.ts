import assert from 'node:assert/strict';
import { type BuiltChain, buildChain, type Sent } from '../chains/build.ts';
import { type CanonicalChain, canonicalChain } from '../chains/canonical.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { canonicalPaths } from '../chains/requests/canonical-paths.ts';
import { assertSameTables, canonicalTables } from '../support/chain-assertions.ts';
import fc from '../support/fast-check.ts';
import type { TestIndex } from '../support/test-index.ts';

const cases = fc.record({
  // A streamed microblock gives its transactions their numbers if it comes before its block: there the order matters.
  plan: chainPlans({ microblocks: 'accepted', mempool: false, maxSteps: 30 }),
  places: fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 }),
});

/**
 * Blocks and zone files at any place; burn blocks between them in their own order, as only their order tells of a fork.
 * Of equally high blocks the first wins, so what must be canonical is worked out for this very order.
 *
 * Compared are the lists and state tables, and responses that depend on the canonical chain only. `known_blocks`, orphans,
 * what is kept for searches, and the mempool (into which blocks that are taken back return) tell of what was seen.
 */
export const deliveryOrder = defineProperty({
  file: 'delivery-order',
  rule: 'in whatever order blocks and zone files come between burn blocks, lists, state tables, the state hash and responses are those of an index that saw the canonical chain alone',
  cases,
  hold: async (bench, { plan, places }) => {
    const chain = buildChain(plan);
    const sent = shuffled(chain.sent, places);
    const expected = canonicalChain(sent);
    const paths = canonicalPaths(chain);

    const reference = await bench.indexOf(inOrder(expected, chain).map(({ delivery }) => delivery));
    const [tables, responses] = [await canonicalTables(reference), await responsesTo(reference, paths)];

    const shuffledIndex = await bench.openIndex();
    const state = await shuffledIndex.deliver(
      sent.map(({ delivery }) => delivery),
      plan.batch,
    );
    assert.equal(state.tip?.indexBlockHash, expected.blocks.at(-1)?.indexHash);
    assertSameTables(await canonicalTables(shuffledIndex.index), tables);
    assert.deepEqual(await responsesTo(shuffledIndex.index, paths), responses);
    assert.equal(await shuffledIndex.index.stateHash(), await reference.stateHash());
  },
});

function shuffled(sent: readonly Sent[], places: readonly number[]): Sent[] {
  const at = sent.map((_, i) => places[i % places.length] ?? 0);
  const burnPlaces = at.filter((_, i) => sent[i]?.kind === 'burn').sort((a, b) => a - b);
  const placed = sent.map((event, i) => ({
    event,
    at: event.kind === 'burn' ? (burnPlaces.shift() ?? 0) : (at[i] ?? 0),
  }));
  return placed.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

/** As a node without forks sends it; zone files as they are, as they may come at any time. */
const inOrder = ({ boot, blocks, burns }: CanonicalChain, { sent }: BuiltChain) => [
  ...(boot ? [boot] : []),
  ...burns,
  ...blocks,
  ...sent.filter(({ kind }) => kind === 'attachment'),
];

async function responsesTo(index: TestIndex, paths: readonly string[]): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  for (const path of paths) responses[path] = (await index.get(path)).body;
  return responses;
}
