import type { RowOf } from '../../base/store/table.ts';
import type { WrittenRow } from '../../ingest/indexer/workspace.ts';
import type { CalculatedTotals, StakingEvent } from './facts.ts';
import type { Rows } from './stakers.ts';
import { BOND_LOCK_CHANGES, BOND_LOCKS, BOND_POSITIONS, CYCLE_BOND_LOCKS, CYCLE_TOTALS } from './tables.ts';

/* Locks and payments of a cycle (docs/spec/staking.md#cycles). */

type Totals = WrittenRow<typeof CYCLE_TOTALS>;

/** Adds another calculation of a cycle: its satoshis are added, and its amount of STX replaces the last one. */
export const addCalculation = (
  rows: Rows,
  cycle: number,
  { ustx, accrued, bonds, stxOnly, reserve }: CalculatedTotals,
): Promise<void> =>
  changeTotals(rows, cycle, before => ({
    ...before,
    calculations: before.calculations + 1,
    ustx: String(ustx),
    accrued: sum(before.accrued, accrued),
    bonds: sum(before.bonds, bonds),
    stx_only: sum(before.stx_only, stxOnly),
    reserve: sum(before.reserve, reserve),
  }));

export const addCycleClaim = (
  rows: Rows,
  { cycle, sats }: { readonly cycle: number; readonly sats: bigint },
): Promise<void> => changeTotals(rows, cycle, before => ({ ...before, claimed: sum(before.claimed, sats) }));

async function changeTotals(rows: Rows, cycle: number, change: (before: Totals) => Totals): Promise<void> {
  const before = (await rows.get(CYCLE_TOTALS, { cycle })) ?? {
    cycle,
    calculations: 0,
    ustx: '0',
    accrued: '0',
    bonds: '0',
    stx_only: '0',
    reserve: '0',
    claimed: '0',
  };
  await rows.put(CYCLE_TOTALS, change(before));
}

const sum = (amount: string, more: bigint): string => String(BigInt(amount) + more);

/** The same rows, in which a change of a position's satoshis also changes the locks of its bond. @param tx position of the transaction in txs */
export const rowsWithLocks = (rows: Rows, tx: number): Rows => ({
  ...rows,
  async put(table, row) {
    if (table.name !== BOND_POSITIONS.name) return rows.put(table, row);
    const after = row as RowOf<typeof BOND_POSITIONS>;
    const before = await rows.get(BOND_POSITIONS, after);
    await rows.put(table, row);
    const { bond_index } = after;
    const locks = (await rows.get(BOND_LOCKS, { bond_index })) ?? { bond_index, native: '0', sbtc: '0' };
    const more = (kind: 'native' | 'sbtc') => satsOf(after, kind) - (before ? satsOf(before, kind) : 0n);
    if (more('native') === 0n && more('sbtc') === 0n) return;
    const changed = { bond_index, native: sum(locks.native, more('native')), sbtc: sum(locks.sbtc, more('sbtc')) };
    await rows.put(BOND_LOCKS, changed);
    await rows.put(BOND_LOCK_CHANGES, { ...changed, tx });
  },
});

/** The satoshis of a position, which are either outputs of Bitcoin or sBTC. */
const satsOf = (
  { l1_outputs, sats }: Pick<RowOf<typeof BOND_POSITIONS>, 'l1_outputs' | 'sats'>,
  kind: 'native' | 'sbtc',
): bigint => ((l1_outputs === null) === (kind === 'sbtc') ? BigInt(sats) : 0n);

/** The distributions of a transaction belong to the cycle of its first calculation, before or after them. */
export class DistributionsOfTx {
  #tx: number | undefined;
  #cycle: number | undefined;
  #waiting: number[] = [];

  /** Writes the locks of the bonds of a distribution. Events come in the order of the chain. @param tx position in txs */
  async note(rows: Rows, event: StakingEvent, tx: number): Promise<void> {
    if (tx !== this.#tx) [this.#tx, this.#cycle, this.#waiting] = [tx, undefined, []];
    if (event.kind === 'bond rate') this.#waiting.push(event.bond);
    if (event.kind === 'cycle rate') this.#cycle ??= event.cycle;
    if (this.#cycle === undefined) return;
    for (const bond_index of this.#waiting.splice(0)) {
      const locks = await rows.get(BOND_LOCKS, { bond_index });
      if (locks) await rows.put(CYCLE_BOND_LOCKS, { ...locks, cycle: this.#cycle });
    }
  }
}
