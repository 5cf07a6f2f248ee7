/** Amounts over time as a picture of steps, with the numbers behind it. */
import { type Html, html } from '../html.ts';

/** An amount from a place on: a time in Unix seconds, or a height. */
interface ChartPoint {
  readonly at: number;
  readonly amount: bigint;
}

interface Chart {
  /** Prefix of its ids: a word that no other chart of the page has. */
  readonly name: string;
  readonly title: string;
  /** In the order of their places. */
  readonly points: readonly ChartPoint[];
  /** An amount as text alone, for the description of the picture. */
  readonly text: (amount: bigint) => string;
  readonly amount: (amount: bigint) => Html;
  readonly place: (at: number) => Html;
  /** The heads of the table. */
  readonly heads: readonly [place: string, amount: string];
}

const [WIDTH, HEIGHT] = [600, 120];

/** A step chart from the first point to the last, between the lowest and the highest amount. Undefined for amounts that hardly differ. */
export function stepChart({ name, title, points, text, amount, place, heads }: Chart): Html | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || new Set(points.map(point => point.amount)).size < 3) return undefined;
  const inOrder = points.map(point => point.amount).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least = 0n, most = 0n] = [inOrder[0], inOrder.at(-1)];
  const range = most === least ? 1n : most - least;
  const span = Math.max(1, last.at - first.at);
  const x = (at: number): string => (((at - first.at) / span) * WIDTH).toFixed(1);
  // Thousandths of the range are precise enough for a picture.
  const y = (value: bigint): string =>
    (HEIGHT - 4 - (Number(((value - least) * 1000n) / range) / 1000) * (HEIGHT - 8)).toFixed(1);
  const steps = points.map((point, i) => (i === 0 ? `M0 ${y(point.amount)}` : `H${x(point.at)}V${y(point.amount)}`));
  const summary = `${points.length} points: from ${text(first.amount)} to ${text(last.amount)}, the lowest ${text(least)}, the highest ${text(most)}.`;
  return html`<figure class="over-time"><figcaption>Between ${amount(least)} and ${amount(most)}</figcaption>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${name}-title" aria-describedby="${name}-desc"><title id="${name}-title">${title}</title><desc id="${name}-desc">${summary} The table below the picture has them.</desc><path class="area" d="${steps.join('')}V${HEIGHT}H0Z"/><path d="${steps.join('')}" fill="none" vector-effect="non-scaling-stroke"/></svg>
<p class="ends"><span>${place(first.at)}</span> <span>${place(last.at)}</span></p>
<details><summary>As a table</summary><table class="list"><caption>${title}</caption><thead><tr><th scope="col">${heads[0]}</th><th scope="col" class="number">${heads[1]}</th></tr></thead>
<tbody>${points.map(point => html`<tr><td data-head="${heads[0]}">${place(point.at)}</td><td data-head="${heads[1]}" class="number">${amount(point.amount)}</td></tr>`)}</tbody></table></details></figure>`;
}
