import type * as Api from '../../routes/records.ts';
import { btc, grouped, stx } from '../format/amounts.ts';
import { burnLink, pathTo } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { bar } from './fullness.ts';
import { dataTable } from './table.ts';

const STATES = { upcoming: 'wait', active: 'ok', unlocked: 'gone' } as const;

/** The state of a bond: a glyph, a word and a colour. */
export const bondChip = ({ status }: Api.BondRecord): Html =>
  html`<span class="chip ${STATES[status]}"><span aria-hidden="true">${{ upcoming: '◐', active: '●', unlocked: '○' }[status]}</span> ${status}</span>`;

/** The used share of its capacity in percent, for display only. */
export function takenPercent({ parameters, balances }: Api.BondRecord): number {
  const capacity = BigInt(parameters.btc_capacity);
  return capacity > 0n ? Number((BigInt(balances.locked.btc) * 1000n) / capacity) / 10 : 0;
}

/** A Bitcoin height; a link once that block exists. */
export const heightText = (height: number, now: number): Html =>
  height <= now ? burnLink(height) : html`${grouped(height)}`;

/** Bonds with the part of their capacity that is taken. */
export const bondTable = (bonds: readonly Api.BondRecord[], now: number): Html =>
  dataTable<Api.BondRecord>(
    'Bonds',
    [
      { head: 'Bond', cell: ({ index }) => html`<a href="${pathTo('stacking', 'bond', index)}">${index}</a>` },
      { head: 'State', cell: bondChip },
      { head: 'Locked', numeric: true, cell: ({ balances }) => btc(balances.locked.btc) },
      { head: 'Of', numeric: true, cell: ({ parameters }) => btc(parameters.btc_capacity) },
      { head: 'Taken', cell: bond => bar(takenPercent(bond)) },
      { head: 'With', numeric: true, cell: ({ balances }) => stx(balances.locked.stx) },
      {
        head: 'From Bitcoin block',
        numeric: true,
        cell: ({ schedule }) => heightText(schedule.activation.bitcoin_height, now),
      },
      { head: 'Until', numeric: true, cell: ({ schedule }) => heightText(schedule.unlock.bitcoin_height, now) },
    ],
    bonds,
    'None.',
  );

const [WIDTH, ROW] = [600, 14];

/** Bonds as bars over Bitcoin heights, with a line at the height of now; the table has the numbers. */
export function bondTimeline(bonds: readonly Api.BondRecord[], now: number): Html | undefined {
  if (bonds.length === 0) return undefined;
  const inOrder = bonds.toSorted((a, b) => a.index - b.index);
  const heights = inOrder.flatMap(({ schedule: { activation, unlock } }) => [
    activation.bitcoin_height,
    unlock.bitcoin_height,
  ]);
  const from = Math.min(now, ...heights);
  const span = Math.max(now, ...heights) - from || 1;
  const x = (height: number): string => (((height - from) / span) * WIDTH).toFixed(1);
  const bars = inOrder.map(({ status, schedule: { activation, unlock } }, i) => {
    const width = ((unlock.bitcoin_height - activation.bitcoin_height) / span) * WIDTH;
    return html`<rect class="${status}" x="${x(activation.bitcoin_height)}" y="${i * ROW + 2}" width="${Math.max(width, 2).toFixed(1)}" height="${ROW - 4}"/>`;
  });
  const height = inOrder.length * ROW;
  return html`<svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" role="img" aria-label="The bonds of this page over the heights of Bitcoin, with a line at now">${bars}<line x1="${x(now)}" x2="${x(now)}" y2="${height}" vector-effect="non-scaling-stroke"/></svg>`;
}
