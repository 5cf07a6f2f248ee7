import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { ALL_STX_SUPPLIES, SUPPLIES } from './tables.ts';

const STX = 'STX';

/** The supply of STX (getStxSupplyV1 and its older forms). */
export const supplyProjection: Projection = {
  name: 'supply',
  stateTables: [SUPPLIES],
  keptTables: [],
  lists: [ALL_STX_SUPPLIES],

  prepare(block: BlockFacts, workspace: Workspace) {
    const change = changeOf(block);
    if (change === 0n) return undefined;
    workspace.load(SUPPLIES, [{ asset: STX }]);
    workspace.loadLists(ALL_STX_SUPPLIES, ['']);
    return () => {
      const before = workspace.get(SUPPLIES, { asset: STX })?.total ?? '0';
      const total = String(BigInt(before) + change);
      workspace.put(SUPPLIES, { asset: STX, total });
      workspace.append(ALL_STX_SUPPLIES, '', { height: block.height, total });
    };
  },
};

/** Micro-STX that a block mints, minus those that it burns (docs/spec/supply.md#what-counts). */
function changeOf({ txs, minerRewards }: BlockFacts): bigint {
  let change = 0n;
  for (const { events } of txs)
    for (const event of events) {
      if (event.kind !== 'stx') continue;
      if (event.action === 'mint') change += BigInt(event.amount);
      if (event.action === 'burn') change -= BigInt(event.amount);
    }
  for (const { coinbase_amount } of minerRewards) change += BigInt(coinbase_amount);
  return change;
}
