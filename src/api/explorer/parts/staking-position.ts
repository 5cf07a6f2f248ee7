import type * as Api from '../../routes/records.ts';
import { btc, counted, stx } from '../format/amounts.ts';
import { type Html, html } from '../html.ts';

/** The stakes of an account in PoX 5 and their earnings; undefined for an account that never staked. */
export function stakingPosition({ stx: alone, bonds }: Api.StakingSummary): Html | undefined {
  const sum = (of: 'accrued' | 'claimable'): bigint => BigInt(alone.rewards.btc[of]) + BigInt(bonds.rewards.btc[of]);
  const stakes = [
    BigInt(alone.locked) > 0n && html`${stx(alone.locked)} alone`,
    bonds.count > 0 && html`${btc(bonds.locked.btc)} with ${stx(bonds.locked.stx)} in ${counted(bonds.count, 'bond')}`,
  ].filter(part => part !== false);
  if (stakes.length === 0 && sum('accrued') === 0n) return undefined;
  return html`<p>${stakes.length === 0 ? 'It stakes nothing now' : html`It stakes ${stakes.map((part, i) => [i > 0 && ', and ', part])}`}. Its rewards: ${btc(sum('accrued'))}, of which ${btc(sum('claimable'))} can be claimed.</p>`;
}
