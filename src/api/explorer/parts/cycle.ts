import type * as Api from '../../routes/records.ts';
import { counted, grouped, stx } from '../format/amounts.ts';
import { burnLink, pathTo } from '../format/links.ts';
import { aboutBitcoinBlocks } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { dataTable } from './table.ts';

/**
 * The running cycle and its progress, if the lengths of cycles are known; else the newest cycle whose signers are on
 * the chain. @param newest the highest cycle with signers, which may be the next one @param cycles the newest ones with
 * signers
 */
export function cycleBar(newest: Api.StakingCycle | undefined, cycles: readonly Api.PoxCycle[]): Html {
  if (!newest) return html`<p class="none">No reward set is known yet.</p>`;
  const running = runningCycle(newest);
  const number = running?.number ?? newest.cycle_number;
  const set = cycles.find(({ cycle_number }) => cycle_number === number);
  const next = cycles.find(({ cycle_number }) => cycle_number === number + 1);
  return html`<p>Cycle <a href="${pathTo('stacking', number)}">${number}</a>${set && html`: <b>${stx(set.total_stacked_amount)}</b> stacked, ${counted(set.total_signers, 'signer')}`}.</p>
${running && progress(running.heights, newest.bitcoin_height)}
${
  next
    ? html`<p class="dim">The next cycle will have <b>${stx(next.total_stacked_amount)}</b> and ${counted(next.total_signers, 'signer')}.</p>`
    : change(set, cycles)
}
${!running && newest.bitcoin_height > 0 && html`<p class="dim">Bitcoin is at block ${burnLink(newest.bitcoin_height)}.</p>`}`;
}

/**
 * The reward set of the next cycle is known before that cycle begins. If the newest known cycle has ended, the heights
 * of the running one follow from it.
 */
function runningCycle({ heights, cycle_number, bitcoin_height: now }: Api.StakingCycle) {
  if (heights === null) return undefined;
  const length = heights.end_height + 1 - heights.start_height;
  const ahead = Math.floor((now - heights.start_height) / length);
  const shift = ahead * length;
  return {
    number: cycle_number + ahead,
    heights: {
      start_height: heights.start_height + shift,
      prepare_height: heights.prepare_height + shift,
      end_height: heights.end_height + shift,
    },
  };
}

function change(set: Api.PoxCycle | undefined, cycles: readonly Api.PoxCycle[]): Html | undefined {
  const before = cycles.find(({ cycle_number }) => cycle_number + 1 === set?.cycle_number);
  if (!set || !before) return undefined;
  const more = BigInt(set.total_stacked_amount) - BigInt(before.total_stacked_amount);
  return html`<p class="dim">${more < 0n ? 'Less' : 'More'} than the cycle before by ${stx(more < 0n ? -more : more)}.</p>`;
}

/** The progress of a cycle, as a bar with its prepare phase marked, and in words. @param now height of Bitcoin */
export function progress(
  { start_height: start, prepare_height: prepare, end_height: end }: Api.HeightsOfCycle,
  now: number,
) {
  const length = end + 1 - start;
  const share = (height: number): string => ((100 * (height - start)) / length).toFixed(2);
  const left = end + 1 - now;
  const duration = aboutBitcoinBlocks(left);
  const phase =
    now < prepare
      ? html`its prepare phase begins at ${grouped(prepare)}`
      : html`<b>its prepare phase</b>, in which the signers of the next cycle are found`;
  return html`<svg class="bar cycle" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rail" width="100" height="8"/><rect class="prepare" x="${share(prepare)}" width="${(100 - Number(share(prepare))).toFixed(2)}" height="8"/><rect width="${share(now + 1)}" height="8"/></svg>
<p class="dim">Bitcoin block ${burnLink(now)} of ${grouped(start)} to ${grouped(end)}: ${counted(left, 'block')} left, ${duration}; ${phase}.</p>`;
}

/** The cycles of a signer as columns, the oldest first, each as high as its share of the weight; and the same as a table. */
export function signedCycles(cycles: readonly Api.SignedCycle[], key: string): Html {
  const inOrder = cycles.toReversed();
  const most = Math.max(...inOrder.map(({ weight }) => weight.percent), 1);
  const width = 100 / Math.max(inOrder.length, 12);
  return html`<svg class="signed" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">${inOrder.map(
    ({ weight }, i) => {
      const height = (20 * weight.percent) / most;
      return html`<rect x="${(i * width).toFixed(2)}" y="${(20 - height).toFixed(2)}" width="${(width * 0.8).toFixed(2)}" height="${height.toFixed(2)}"/>`;
    },
  )}</svg>
<p class="dim">Its share of the weight, cycle by cycle, the oldest first.</p>
${dataTable<Api.SignedCycle>(
  'Cycles of this signer, the newest first',
  [
    {
      head: 'Cycle',
      cell: ({ cycle_number }) => html`<a href="${pathTo('stacking', cycle_number, key)}">${cycle_number}</a>`,
    },
    { head: 'Weight', numeric: true, cell: ({ weight }) => `${weight.amount} (${weight.percent.toFixed(1)} %)` },
    { head: 'Stacked', numeric: true, cell: ({ staked_stx }) => stx(staked_stx.amount) },
    ...(cycles.some(({ heights }) => heights)
      ? [
          {
            head: 'Begins at Bitcoin block',
            numeric: true,
            cell: ({ heights }: Api.SignedCycle) => heights && grouped(heights.start_height),
          },
        ]
      : []),
  ],
  cycles,
  'None.',
)}`;
}
