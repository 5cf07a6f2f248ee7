import { fromHex } from '../../base/lib/hex.ts';
import type { BlockFacts, TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { poxContract, StakingPrint } from '../pox/prints.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { applyStakingEvent } from './apply.ts';
import { bondEventOf, calculationOf } from './bond-events.ts';
import { RatesByCycle, rowsWithSettlements } from './cycle-rewards.ts';
import { DistributionsOfTx, rowsWithLocks } from './cycle-totals.ts';
import { stakingEventOf } from './facts.ts';
import type { Rows } from './stakers.ts';
import { EVENTS_OF_BOND, STAKING_TABLES, STAKING_VERSIONS } from './tables.ts';

/** Bonds, stakes, rewards and signer keys of PoX 5. Runs after the transactions projection. */
export const stakingProjection: Projection = {
  name: 'staking',
  stateTables: STAKING_TABLES,
  keptTables: [],
  lists: [EVENTS_OF_BOND, ...STAKING_VERSIONS],

  prepare(block: BlockFacts, workspace: Workspace) {
    const prints = block.txs.flatMap((tx, i) =>
      printsOf(tx).map(({ print, index }) => ({ print, index, i, txId: tx.txId })),
    );
    if (prints.length === 0) return undefined;
    const listed = block.txs.map(eventsOfBonds);
    workspace.loadLists(EVENTS_OF_BOND, new Set(listed.flatMap(events => events.map(({ bond }) => bond))));
    // The effect of a print depends on earlier prints, so each loads its rows in its turn. Few blocks have any.
    return async (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      const rows = rowsOf(workspace);
      const distributions = new DistributionsOfTx();
      const rates = new RatesByCycle();
      for (const { print, i, txId, index: eventIndex } of prints) {
        const [event, tx] = [stakingEventOf(print), first + i];
        if (!event) continue;
        await applyStakingEvent(rowsWithSettlements(rowsWithLocks(rows, tx)), event, { tx, txId, eventIndex });
        await distributions.note(rows, event, tx);
        await rates.note(rows, event, tx);
      }
      for (const [i, events] of listed.entries())
        for (const { bond, ...entry } of events) workspace.append(EVENTS_OF_BOND, bond, { tx: first + i, ...entry });
    };
  },
};

/** The prints of a transaction about PoX 5, with their places among its events. */
const printsOf = ({ events }: Pick<TransactionFacts, 'events'>) =>
  events.flatMap(log => {
    if (log.kind !== 'log' || log.topic !== 'print' || poxContract(log.contractId) !== 'pox-5') return [];
    const print = StakingPrint.read(fromHex(log.value) ?? new Uint8Array());
    return print ? [{ print, index: log.index }] : [];
  });

/** The entries of a transaction for the lists of events by bond, in their order. */
export function eventsOfBonds(tx: Pick<TransactionFacts, 'events'>) {
  const prints = printsOf(tx);
  const calculations = prints.flatMap(({ print, index }) => (calculationOf(print) ? index : []));
  return prints.flatMap(({ print, index: event_index }) => {
    const found = bondEventOf(print);
    if (!found) return [];
    const isDistribution = found.event.name === 'bond-distribution';
    const nearest = calculations.findLast(index => index < event_index) ?? calculations[0] ?? null;
    return [{ bond: String(found.bond), event_index, calculation: isDistribution ? nearest : null }];
  });
}

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
