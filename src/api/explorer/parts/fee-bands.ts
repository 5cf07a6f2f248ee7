import type * as Api from '../../routes/records.ts';
import { counted, decimalText, grouped } from '../format/amounts.ts';
import { blockLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { bar } from './fullness.ts';

/** Pending transactions by fee beside those of the newest blocks: shows which fees are enough now. */
export function feeBands({ bands, mined_in: { from_height: from, to_height: to } }: Api.MempoolBands): Html {
  const all = bands.map(band => ({ band, waiting: sumOf(band.waiting), mined: sumOf(band.mined) }));
  const waiting = all.reduce((sum, band) => sum + band.waiting, 0);
  const shown = all.slice(all.findIndex(isUsed), all.findLastIndex(isUsed) + 1);
  return html`<div class="bands"><p>${
    waiting === 0 ? 'Nobody is waiting.' : html`<a href="mempool"><b>${grouped(waiting)}</b> waiting</a>`
  }</p>
${shown.length > 0 && bandTable(shown)}
${waiting > 0 && html`<p class="dim">${typesText(bands)}</p>`}
${from !== null && to !== null && html`<p class="dim">Mined: in blocks ${blockLink(from)} to ${blockLink(to)}.</p>`}</div>`;
}

interface Counted {
  readonly band: Api.FeesOfBand;
  readonly waiting: number;
  readonly mined: number;
}

const isUsed = ({ waiting, mined }: Counted): boolean => waiting > 0 || mined > 0;

const sumOf = (counts: Readonly<Record<string, { readonly count: number }>>): number =>
  Object.values(counts).reduce((sum, { count }) => sum + count, 0);

function bandTable(bands: readonly Counted[]): Html {
  const most = Math.max(...bands.map(({ waiting }) => waiting), 1);
  return html`<table><caption>By fee, the highest first</caption>
<thead><tr><th scope="col">Fee, STX</th><th scope="col" colspan="2">waiting</th><th scope="col" class="number">mined</th></tr></thead>
<tbody>${bands.map(
    ({ band, waiting, mined }) =>
      html`<tr><th scope="row">${feeText(band)}</th><td class="number">${grouped(waiting)}</td><td>${bar((100 * waiting) / most)}</td><td class="number">${grouped(mined)}</td></tr>
`,
  )}</tbody></table>`;
}

const STX_DECIMALS = 6;

const feeText = ({ from_fee, below_fee }: Api.FeesOfBand): string =>
  from_fee === '0' && below_fee !== null
    ? `below ${decimalText(below_fee, STX_DECIMALS)}`
    : `from ${decimalText(from_fee, STX_DECIMALS)}`;

/** The number of pending transactions of each type. */
function typesText(bands: readonly Api.FeesOfBand[]): string {
  const count = (type: string): number => bands.reduce((sum, { waiting }) => sum + (waiting[type]?.count ?? 0), 0);
  return WORDS.flatMap(([type, word]) => (count(type) > 0 ? [counted(count(type), word)] : [])).join(', ');
}

const WORDS = [
  ['token_transfer', 'transfer'],
  ['contract_call', 'call'],
  ['smart_contract', 'deployment'],
  ['poison_microblock', 'report'],
] as const;
