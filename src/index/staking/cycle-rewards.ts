import type { RowOf } from '../../base/store/table.ts';
import type { StakingEvent } from './facts.ts';
import type { Rows } from './stakers.ts';
import {
  BOND_CYCLE_RATES,
  BOND_POSITIONS,
  BOND_SETTLEMENTS,
  CYCLE_CALCULATIONS,
  NEWEST_BOND_CYCLES,
  STAKER_CLAIMS,
  STAKING_BONDS,
} from './tables.ts';

/*
 * Earnings and claims of a staker in each cycle (docs/spec/staking.md#rewards-by-cycle). For example a bond with these events:
 *
 *   registration of 1000 satoshis   settlement before the first cycle: accrued 0, rate 0
 *   distribution of cycle 7         rate of cycle 7: 2
 *   withdrawal of 400               settlement in cycle 7: accrued 2000, rate 2, 600 satoshis
 *   distribution of cycle 8         rate of cycle 8: 3
 *
 * Until the end of cycle 7 the staker has earned 2000, until the end of cycle 8 2000 + 600 × (3 - 2): so 600 in cycle 8.
 */

/** The cycle of settlements before the first distribution of their bond, and the bond of claims of STX that are staked alone. */
const BEFORE_ANY_CYCLE = -1;
export const ALONE = -1;

/** The same rows, which also keep the last settlement of a changed position in each cycle. */
export const rowsWithSettlements = (rows: Rows): Rows => ({
  ...rows,
  async put(table, row) {
    await rows.put(table, row);
    if (table.name !== BOND_POSITIONS.name) return;
    const { bond_index, staker, settled_rate, accrued, sats } = row as RowOf<typeof BOND_POSITIONS>;
    const newest = await rows.get(NEWEST_BOND_CYCLES, { bond_index });
    const cycle = newest?.cycle ?? BEFORE_ANY_CYCLE;
    await rows.put(BOND_SETTLEMENTS, { bond_index, staker, cycle, settled_rate, accrued, sats });
  },
});

/** The rates of bonds by cycle: the distributions of a transaction belong to the cycle of its first calculation, before or after them. */
export class RatesByCycle {
  #tx: number | undefined;
  #cycle: number | undefined;
  #waiting: number[] = [];

  /** Writes the changes of an applied event. Events come in the order of the chain. @param tx position in txs */
  async note(rows: Rows, event: StakingEvent, tx: number): Promise<void> {
    if (tx !== this.#tx) [this.#tx, this.#cycle, this.#waiting] = [tx, undefined, []];
    if (event.kind === 'claim') await addClaim(rows, event, tx);
    if (event.kind === 'bond rate') this.#waiting.push(event.bond);
    if (event.kind === 'cycle rate') {
      this.#cycle ??= event.cycle;
      await rows.put(CYCLE_CALCULATIONS, { cycle: event.cycle, tx });
    }
    if (this.#cycle === undefined) return;
    for (const bond of this.#waiting.splice(0)) await setRate(rows, bond, this.#cycle);
  }
}

/** Writes the current rate of a bond as that of the cycle. The contract distributes in the order of cycles; a late distribution counts for a later cycle. */
async function setRate(rows: Rows, bond_index: number, cycle: number): Promise<void> {
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  const newest = await rows.get(NEWEST_BOND_CYCLES, { bond_index });
  if (!bond || cycle < (newest?.cycle ?? 0)) return;
  await rows.put(NEWEST_BOND_CYCLES, { bond_index, cycle });
  await rows.put(BOND_CYCLE_RATES, { bond_index, cycle, rate: bond.rate });
}

async function addClaim(
  rows: Rows,
  { staker, bond, cycle, sats }: Extract<StakingEvent, { kind: 'claim' }>,
  tx: number,
): Promise<void> {
  if (cycle === null) return;
  const key = { staker, cycle, bond_index: bond ?? ALONE };
  if (bond !== null && !(await rows.get(BOND_POSITIONS, { bond_index: bond, staker }))) return;
  const before = await rows.get(STAKER_CLAIMS, key);
  await rows.put(STAKER_CLAIMS, { ...key, sats: String(BigInt(before?.sats ?? 0) + sats), tx });
}
