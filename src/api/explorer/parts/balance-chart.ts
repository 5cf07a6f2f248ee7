import type * as Api from '../../routes/records.ts';
import { stx } from '../format/amounts.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';

const [WIDTH, HEIGHT] = [600, 120];
/** The number of points that a picture of this width can show. */
export const CHART_POINTS = 120;

/**
 * The STX of an account over all of its history as steps, from its first transaction to its last, with the highest and the lowest of them. The history
 * below has the numbers.
 */
export function balanceChart({ balance, results }: Api.StxHistory): Html | undefined {
  const points = results.map(({ block, bitcoin_block, balance }) => ({
    at: block.time || bitcoin_block.time,
    balance: BigInt(balance),
  }));
  const [first] = points;
  if (first === undefined || new Set(points.map(point => point.balance)).size < 3) return undefined;
  const end = points.at(-1)?.at ?? first.at;
  // Changes after the last transaction: rewards of mining.
  const all = [...points, { at: end, balance: BigInt(balance) }];
  const inOrder = all.map(point => point.balance).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least = 0n, most = 0n] = [inOrder[0], inOrder.at(-1)];
  const range = most === least ? 1n : most - least;
  const span = Math.max(1, end - first.at);
  const x = (at: number): string => (((at - first.at) / span) * WIDTH).toFixed(1);
  // Drawn in thousandths of the range: a picture needs no more.
  const y = (amount: bigint): string =>
    (HEIGHT - 4 - (Number(((amount - least) * 1000n) / range) / 1000) * (HEIGHT - 8)).toFixed(1);
  const steps = all.map((point, i) => (i === 0 ? `M0 ${y(point.balance)}` : `H${x(point.at)}V${y(point.balance)}`));
  return html`<figure class="balance"><figcaption>Between ${stx(least)} and ${stx(most)}</figcaption>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="The STX balance over time, from the first transaction to the last"><path class="area" d="${steps.join('')}V${HEIGHT}H0Z"/><path d="${steps.join('')}" fill="none" vector-effect="non-scaling-stroke"/></svg>
<p class="ends"><span>${time(first.at)}</span> <span>${time(end)}</span></p></figure>`;
}
