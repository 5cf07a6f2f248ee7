import { fromHex } from '../../base/lib/hex.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { poxContract } from '../pox/prints.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { applyStakingEvent } from './apply.ts';
import { RatesByCycle, rowsWithSettlements } from './cycle-rewards.ts';
import { DistributionsOfTx, rowsWithLocks } from './cycle-totals.ts';
import { stakingEvent } from './facts.ts';
import type { Rows } from './stakers.ts';
import { STAKING_TABLES } from './tables.ts';

/** Bonds, stakes, rewards and signer keys of PoX 5. Runs after the transactions projection. */
export const stakingProjection: Projection = {
  name: 'staking',
  stateTables: STAKING_TABLES,
  keptTables: [],
  lists: [],

  prepare(block: BlockFacts, workspace: Workspace) {
    const events = block.txs.flatMap((tx, i) =>
      tx.events.flatMap(log => {
        if (log.kind !== 'log' || log.topic !== 'print' || poxContract(log.contractId) !== 'pox-5') return [];
        const event = stakingEvent(fromHex(log.value) ?? new Uint8Array());
        return event ? [{ event, i, txId: tx.txId, eventIndex: log.index }] : [];
      }),
    );
    if (events.length === 0) return undefined;
    // What a print changes depends on what those before it have changed: each loads its rows when it is its turn. Few blocks have any.
    return async (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      const rows = rowsOf(workspace);
      const distributions = new DistributionsOfTx();
      const rates = new RatesByCycle();
      for (const { event, i, ...place } of events) {
        const tx = first + i;
        await applyStakingEvent(rowsWithSettlements(rowsWithLocks(rows, tx)), event, { tx, ...place });
        await distributions.note(rows, event, tx);
        await rates.note(rows, event, tx);
      }
    };
  },
};

const rowsOf = (workspace: Workspace): Rows => ({
  async get(table, key) {
    await workspace.load(table, [key]);
    return workspace.get(table, key);
  },
  async put(table, row) {
    await workspace.load(table, [row]);
    workspace.put(table, row);
  },
  async remove(table, key) {
    await workspace.load(table, [key]);
    workspace.remove(table, key);
  },
});
