import type { RowOf } from '../../base/store/table.ts';
import type { BOND_POSITIONS } from './tables.ts';

/** Rates are of one satoshi or micro-STX, times this. */
const SCALE = 10n ** 18n;

/** Satoshis that shares earn at a rate, without the fraction, as the contract reckons. */
export const earnedBy = (shares: bigint, rate: bigint): bigint => (shares * rate) / SCALE;

type Position = RowOf<typeof BOND_POSITIONS>;

/** All that a position has earned when its bond is at this rate (docs/spec/staking.md#rewards). */
export const accruedBy = (
  { accrued, sats, settled_rate }: Pick<Position, 'accrued' | 'sats' | 'settled_rate'>,
  rate: bigint,
): bigint => BigInt(accrued) + earnedBy(BigInt(sats), rate - BigInt(settled_rate));

/** The position with what it has earned so far put down: what changes its satoshis changes nothing of that. */
export const settled = (position: Position, rate: bigint): Position => ({
  ...position,
  accrued: String(accruedBy(position, rate)),
  settled_rate: String(rate),
});
