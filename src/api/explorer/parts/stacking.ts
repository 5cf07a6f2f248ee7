/** Reward cycles, bonds, and the stakes of an account. */
import type * as Api from '../../routes/records.ts';
import { btc, counted, grouped, stx } from '../format/amounts.ts';
import { burnLink, pathTo } from '../format/links.ts';
import { aboutBitcoinBlocks } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { dataTable, summary } from './lists.ts';
import { bar } from './picture.ts';

/**
 * The running cycle and its progress, if the lengths of cycles are known; else the newest cycle whose signers are on
 * the chain. @param cycles the newest ones with signers @param now height of Bitcoin
 */
export function cycleBar(current: Api.StakingCycle | undefined, cycles: readonly Api.PoxCycle[], now: number): Html {
  if (!current) return html`<p class="none">No reward set is known yet.</p>`;
  const set = setOf(current, cycles);
  return html`<p>Cycle <a href="${pathTo('stacking', current.number)}">${current.number}</a>${set && html`: <b>${stx(set.total_stacked_amount)}</b> stacked, ${counted(set.total_signers, 'signer')}`}.</p>
${cycleProgress(current, cycles, now)}`;
}

/** The running cycle in key figures. @param cycles the newest ones with signers @param now height of Bitcoin */
export function cycleSummary(
  current: Api.StakingCycle | undefined,
  cycles: readonly Api.PoxCycle[],
  now: number,
): Html | undefined {
  if (!current) return undefined;
  const set = setOf(current, cycles);
  const heights = heightsIn(current);
  return summary([
    ['Cycle', html`<a href="${pathTo('stacking', current.number)}">${current.number}</a>`],
    ['Stacked', set && stx(set.total_stacked_amount)],
    ['Signers', set && grouped(set.total_signers)],
    ['Bitcoin block', now > 0 && burnLink(now)],
    [
      'Next cycle',
      heights &&
        html`in ${counted(heights.end_height + 1 - now, 'block')} <small>${aboutBitcoinBlocks(heights.end_height + 1 - now)}</small>`,
    ],
  ]);
}

const setOf = ({ number }: Api.StakingCycle, cycles: readonly Api.PoxCycle[]): Api.PoxCycle | undefined =>
  cycles.find(({ cycle_number }) => cycle_number === number);

/** Progress of the running cycle, and the next cycle. @param cycles the newest ones with signers @param now height of Bitcoin */
export function cycleProgress(current: Api.StakingCycle, cycles: readonly Api.PoxCycle[], now: number): Html {
  const { number } = current;
  const heights = heightsIn(current);
  const next = cycles.find(({ cycle_number }) => cycle_number === number + 1);
  return html`${heights && progress(heights, now)}
${
  next
    ? html`<p class="dim">The next cycle will have <b>${stx(next.total_stacked_amount)}</b> and ${counted(next.total_signers, 'signer')}.</p>`
    : html`${change(setOf(current, cycles), cycles)}${heights && html`<p class="dim">The next cycle, ${number + 1}, begins at Bitcoin block ${grouped(heights.end_height + 1)}; its signers are found in the prepare phase before it.</p>`}`
}
${!heights && now > 0 && html`<p class="dim">Bitcoin is at block ${burnLink(now)}. This server does not know the lengths of the cycles of this network (option <code>--pox-cycles</code>), so this page cannot show when the cycle ends.${!next && ` The signers of the next one, ${number + 1}, are not known yet.`}</p>`}`;
}

/** The Bitcoin heights of a cycle, if the server knows them. */
export const heightsIn = ({ schedule }: Api.StakingCycle): Api.HeightsOfCycle | undefined =>
  schedule
    ? {
        start_height: schedule.start.bitcoin_height,
        prepare_height: schedule.prepare_phase_start.bitcoin_height,
        end_height: schedule.end.bitcoin_height,
      }
    : undefined;

function change(set: Api.PoxCycle | undefined, cycles: readonly Api.PoxCycle[]): Html | undefined {
  const before = cycles.find(({ cycle_number }) => cycle_number + 1 === set?.cycle_number);
  if (!set || !before) return undefined;
  const more = BigInt(set.total_stacked_amount) - BigInt(before.total_stacked_amount);
  if (more === 0n) return html`<p class="dim">As much is stacked as in the cycle before.</p>`;
  return html`<p class="dim">${stx(more < 0n ? -more : more)} ${more < 0n ? 'less' : 'more'} are stacked than in the cycle before.</p>`;
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

/** Bonds with the used share of their capacity. */
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

/** Bonds as bars over Bitcoin heights, with a line at the current height; the table has the numbers. */
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
