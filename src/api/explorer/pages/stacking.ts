import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { btc, counted, grouped, stx } from '../format/amounts.ts';
import { blockLink, fullId, pathTo, principalLink, query, shortHash } from '../format/links.ts';
import { aboutBitcoinBlocks } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, heading, type PageRange, pageRangeOf, pager, section } from '../parts/lists.ts';
import { bar } from '../parts/picture.ts';
import {
  bondTable,
  bondTimeline,
  cycleProgress,
  cycleSummary,
  heightsIn,
  progress,
  signedCycles,
} from '../parts/stacking.ts';
import { managerLink } from './staking.ts';

/** Reward cycles, the newest first. */
export const stackingPage: PageRenderer = async (api, { query: asked }) => {
  const place = pageRangeOf(asked.page, 20);
  const [cycle, cycles, newest, status, staked, bonds] = await Promise.all([
    api.find<Api.StakingCycle>('/extended/v3/staking/cycles/current'),
    api.get<Api.OffsetPage<Api.PoxCycle>>(`/extended/v2/pox/cycles${query({ ...place })}`),
    place.offset > 0 ? api.get<Api.OffsetPage<Api.PoxCycle>>('/extended/v2/pox/cycles?limit=3') : undefined,
    api.get<Api.Status>('/extended'),
    api.get<Api.StakingOverview>('/extended/v3/staking'),
    api.get<Api.PageByCursor<Api.BondRecord>>(`/extended/v3/staking/bonds${query({ limit: 20, cursor: asked.bonds })}`),
  ]);
  const now = status.chain_tip?.burn_block_height ?? 0;
  const most = cycles.results.reduce(
    (high, { total_stacked_amount: each }) => (BigInt(each) > high ? BigInt(each) : high),
    1n,
  );
  const body = html`${heading('Stacks', 'Stacking')}
<div data-part="lead">${cycleSummary(cycle, (newest ?? cycles).results, now)}
${section('The cycle now', cycle ? cycleProgress(cycle, (newest ?? cycles).results, now) : html`<p class="none">No reward set is known yet.</p>`)}</div>
${(bonds.total > 0 || staked.locked.stx.total_amount !== '0') && html`<div data-part="bonds">${section('Bonds', stakedText(staked, bonds.results, now))}</div>`}
<div data-part="list">${section(
    'Cycles',
    dataTable<Api.PoxCycle>(
      'Reward cycles, the newest first',
      [
        {
          head: 'Cycle',
          cell: ({ cycle_number }) => html`<a href="${pathTo('stacking', cycle_number)}">${cycle_number}</a>`,
        },
        { head: 'Stacked', numeric: true, cell: ({ total_stacked_amount }) => stx(total_stacked_amount) },
        {
          head: 'Share of largest',
          cell: ({ total_stacked_amount }) => bar(Number((BigInt(total_stacked_amount) * 1000n) / most) / 10),
        },
        { head: 'Signers', numeric: true, cell: ({ total_signers }) => total_signers },
        { head: 'Known since block', numeric: true, cell: ({ block_height }) => blockLink(block_height) },
      ],
      cycles.results,
      'No reward set is known yet.',
    ),
  )}</div>
${pager(place, cycles.total, 'stacking')}`;
  return { title: 'Stacking', body, live: ['burn-block'] };
};

/** The locked amounts of PoX 5, and its bonds. */
const stakedText = (
  { locked: { stx: locked, btc: bitcoin } }: Api.StakingOverview,
  bonds: readonly Api.BondRecord[],
  now: number,
) =>
  html`<p><b>${stx(locked.total_amount)}</b> are staked: ${stx(locked.individual_staked_amount)} alone, and ${stx(locked.bond_staked_amount)} in bonds with <b>${btc(bitcoin.bond_staked_amount)}</b>.</p>
${bondTimeline(bonds, now)}${bondTable(bonds, now)}`;

/** The signers of a cycle; blocks need 70 % of their weight. */
export const cyclePage: PageRenderer = async (api, { params, query: asked }) => {
  const id = pathTo(params.cycle ?? '');
  const place = pageRangeOf(asked.page, 50);
  const [cycle, set, status] = await Promise.all([
    api.get<Api.StakingCycle>(`/extended/v3/staking/cycles/${id}`),
    api.find<Api.PoxCycle>(`/extended/v2/pox/cycles/${id}`),
    api.get<Api.Status>('/extended'),
  ]);
  const { number } = cycle;
  const body = html`${heading('Reward cycle', number)}
<p class="lead">${set ? setText(set) : 'The signers of this cycle are not known to this index: no block with its reward set is in it.'}</p>
${placeInTime(cycle, status.chain_tip?.burn_block_height ?? 0)}
${set && (await signersOf(api, number, place))}`;
  return { title: `Reward cycle ${number}`, body };
};

const setText = ({ total_stacked_amount: stacked, total_signers: count, total_weight: weight }: Api.PoxCycle): Html =>
  html`<b>${stx(stacked)}</b> stacked, ${counted(count, 'signer')} with a weight of ${weight} together. A block needs the signatures of 70 %.`;

async function signersOf(api: ApiClient, number: number, place: PageRange): Promise<Html> {
  const [managed, signers] = await Promise.all([
    api.get<Api.PageByCursor<Api.CycleSigner>>(`/extended/v3/staking/cycles/${number}/signers?limit=250`),
    api.get<Api.OffsetPage<Api.PoxSigner>>(`/extended/v2/pox/cycles/${number}/signers${query({ ...place })}`),
  ]);
  const managersOf = new Map(managed.results.map(({ signing_key, signer_managers }) => [signing_key, signer_managers]));
  const isManaged = managed.results.some(({ signer_managers }) => signer_managers.length > 0);
  return html`${place.offset === 0 && weights(signers.results)}
${dataTable<Api.PoxSigner>(
  'Signers, the heaviest first',
  [
    {
      head: 'Signer',
      cell: ({ signing_key }) =>
        html`<a class="id" href="${pathTo('stacking', number, signing_key)}" title="${signing_key}" data-id="${signing_key}">${shortHash(signing_key)}</a>`,
    },
    { head: 'Address', cell: ({ signer_address }) => principalLink(signer_address) },
    { head: 'Weight', numeric: true, cell: ({ weight, weight_percent }) => `${weight} (${percent(weight_percent)} %)` },
    { head: 'Stacked', numeric: true, cell: ({ stacked_amount }) => stx(stacked_amount) },
    ...(isManaged
      ? [{ head: 'Managers', cell: ({ signing_key }: Api.PoxSigner) => managersText(managersOf.get(signing_key)) }]
      : [
          { head: 'Solo', numeric: true, cell: (signer: Api.PoxSigner) => signer.solo_stacker_count },
          { head: 'Pooled', numeric: true, cell: (signer: Api.PoxSigner) => signer.pooled_stacker_count },
        ]),
  ],
  signers.results,
  'None.',
)}
${pager(place, signers.total, pathTo('stacking', number))}`;
}

/** The time of a past or future cycle, or the progress of the current one. */
function placeInTime(cycle: Api.StakingCycle, now: number): Html | undefined {
  const heights = heightsIn(cycle);
  if (!heights) return undefined;
  if (cycle.status === 'reward_phase' || cycle.status === 'prepare_phase') return progress(heights, now);
  const { start_height: start, end_height: end } = heights;
  const words = html`Bitcoin blocks ${grouped(start)} to ${grouped(end)}`;
  return now < start
    ? html`<p class="dim">${words}: it begins in ${counted(start - now, 'block')}, ${aboutBitcoinBlocks(start - now)}.</p>`
    : html`<p class="dim">${words}. It has ended.</p>`;
}

/** The contracts for which a signer signs, and pending changes. */
const managersText = (managers: Api.CycleSigner['signer_managers'] = []) =>
  managers.map(
    ({ signer_manager, grant_active, pending_key_update: pending }) =>
      html`<div>${managerLink(signer_manager)}${!grant_active && html` <small class="warn">its key is no longer granted</small>`}${pending && html` <small>another key from cycle ${pending.effective_cycle}</small>`}</div>`,
  );

const percent = (share: number): string => share.toFixed(1).replace(/\.0$/, '');

/** The weights as one bar, with a line at the weight that a block needs. */
function weights(signers: readonly Api.PoxSigner[]): Html {
  let from = 0;
  const parts = signers.map(({ weight_percent: width }, i) => {
    const x = from;
    from += width;
    return html`<rect x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="10" class="part p${i % 4}"/>`;
  });
  return html`<svg class="weights" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="The weights of the signers, with a line at the 70 % that a block needs">${parts}<line x1="70" x2="70" y2="10" vector-effect="non-scaling-stroke"/></svg>`;
}

/** A signer in a cycle, with its stackers. */
export const signerPage: PageRenderer = async (api, { params, query: asked }) => {
  const path = pathTo(params.cycle ?? '', 'signers', params.key ?? '');
  const place = pageRangeOf(asked.page, 50);
  const [signer, signed, stackers] = await Promise.all([
    api.get<Api.PoxSigner>(`/extended/v2/pox/cycles/${path}`),
    api.get<Api.PageByCursor<Api.SignedCycle>>(
      `/extended/v3/staking/signers/${encodeURIComponent(params.key ?? '')}/cycles?limit=60`,
    ),
    api.get<Api.OffsetPage<Api.Stacker>>(`/extended/v2/pox/cycles/${path}/stackers${query({ ...place })}`),
  ]);
  const body = html`${heading('Signer', shortHash(signer.signing_key), fullId(signer.signing_key))}
<p class="lead">In <a href="${pathTo('stacking', params.cycle ?? '')}">cycle ${params.cycle}</a>: ${stx(signer.stacked_amount)} stacked, a weight of ${signer.weight} (${percent(signer.weight_percent)} %). Its address is ${principalLink(signer.signer_address)}.</p>
${section(
  'Stackers',
  dataTable<Api.Stacker>(
    'Stackers',
    [
      { head: 'Stacker', cell: ({ stacker_address }) => principalLink(stacker_address) },
      { head: 'Stacked', numeric: true, cell: ({ stacked_amount }) => stx(stacked_amount) },
      { head: 'How', cell: ({ stacker_type }) => stacker_type },
    ],
    stackers.results,
    'None.',
  ),
)}
${pager(place, stackers.total, pathTo('stacking', params.cycle ?? '', params.key ?? ''))}
${section('Its cycles', signedCycles(signed.results, signer.signing_key))}`;
  return { title: `Signer ${shortHash(signer.signing_key)}`, body };
};
