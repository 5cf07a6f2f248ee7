import { counted, stx } from '../format/amounts.ts';
import { blockLink, fullId, pathTo, principalLink, query, shortHash } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import { cycleBar } from '../parts/cycle.ts';
import { bar } from '../parts/fullness.ts';
import { pager, placeOf } from '../parts/pager.ts';
import { heading, section, table } from '../parts/table.ts';
import type * as Api from '../records.ts';

interface Stacker {
  readonly stacker_address: string;
  readonly stacked_amount: string;
  readonly stacker_type: string;
}

/** Reward cycles, the newest first. */
export const stackingPage: Page = async (api, { query: asked }) => {
  const place = placeOf(asked.page, 20);
  const [cycles, status] = await Promise.all([
    api.get<Api.Page<Api.PoxCycle>>(`/extended/v2/pox/cycles${query({ limit: place.limit, offset: place.offset })}`),
    api.get<Api.Status>('/extended'),
  ]);
  const most = cycles.results.reduce(
    (high, { total_stacked_amount: each }) => (BigInt(each) > high ? BigInt(each) : high),
    1n,
  );
  const body = html`${heading('Stacks', 'Stacking')}
<div class="lead" data-part="lead">${cycleBar(place.offset === 0 ? cycles.results : [], status.chain_tip?.burn_block_height)}</div>
<div data-part="list">${table<Api.PoxCycle>(
    'Reward cycles, the newest first',
    [
      {
        head: 'Cycle',
        cell: ({ cycle_number }) => html`<a href="${pathTo('stacking', cycle_number)}">${cycle_number}</a>`,
      },
      { head: 'Stacked', numeric: true, cell: ({ total_stacked_amount }) => stx(total_stacked_amount) },
      {
        head: 'Beside the others',
        cell: ({ total_stacked_amount }) => bar(Number((BigInt(total_stacked_amount) * 1000n) / most) / 10),
      },
      { head: 'Signers', numeric: true, cell: ({ total_signers }) => total_signers },
      { head: 'Known since block', numeric: true, cell: ({ block_height }) => blockLink(block_height) },
    ],
    cycles.results,
    'No reward set is known yet.',
  )}</div>
${pager(place, cycles.total, 'stacking')}`;
  return { title: 'Stacking', body, live: ['burn-block'] };
};

/** The signers of a cycle; blocks need 70 % of their weight. */
export const cyclePage: Page = async (api, { params, query: asked }) => {
  const id = pathTo(params.cycle ?? '');
  const place = placeOf(asked.page, 50);
  const [cycle, signers] = await Promise.all([
    api.get<Api.PoxCycle>(`/extended/v2/pox/cycles/${id}`),
    api.get<Api.Page<Api.PoxSigner>>(
      `/extended/v2/pox/cycles/${id}/signers${query({ limit: place.limit, offset: place.offset })}`,
    ),
  ]);
  const body = html`${heading('Reward cycle', cycle.cycle_number)}
<p class="lead"><b>${stx(cycle.total_stacked_amount)}</b> stacked, ${counted(cycle.total_signers, 'signer')} with a weight of ${cycle.total_weight} together. A block needs the signatures of 70 %.</p>
${place.offset === 0 && weights(signers.results)}
${table<Api.PoxSigner>(
  'Signers, the heaviest first',
  [
    {
      head: 'Signer',
      cell: ({ signing_key }) =>
        html`<a class="id" href="${pathTo('stacking', cycle.cycle_number, signing_key)}" title="${signing_key}" data-id="${signing_key}">${shortHash(signing_key)}</a>`,
    },
    { head: 'Address', cell: ({ signer_address }) => principalLink(signer_address) },
    { head: 'Weight', numeric: true, cell: ({ weight, weight_percent }) => `${weight} (${percent(weight_percent)} %)` },
    { head: 'Stacked', numeric: true, cell: ({ stacked_amount }) => stx(stacked_amount) },
    { head: 'Solo', numeric: true, cell: ({ solo_stacker_count }) => solo_stacker_count },
    { head: 'Pooled', numeric: true, cell: ({ pooled_stacker_count }) => pooled_stacker_count },
  ],
  signers.results,
  'None.',
)}
${pager(place, signers.total, pathTo('stacking', cycle.cycle_number))}`;
  return { title: `Reward cycle ${cycle.cycle_number}`, body };
};

const percent = (share: number): string => share.toFixed(1).replace(/\.0$/, '');

/** The weights as one bar, with the line that a block needs. */
function weights(signers: readonly Api.PoxSigner[]): Html {
  let from = 0;
  const parts = signers.map(({ weight_percent: width }, i) => {
    const x = from;
    from += width;
    return html`<rect x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="10" class="part p${i % 4}"/>`;
  });
  return html`<svg class="weights" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="The weights of the signers, with a line at the 70 % that a block needs">${parts}<line x1="70" x2="70" y2="10" vector-effect="non-scaling-stroke"/></svg>`;
}

/** A signer in a cycle, and who stacks with it. */
export const signerPage: Page = async (api, { params, query: asked }) => {
  const path = pathTo(params.cycle ?? '', 'signers', params.key ?? '');
  const place = placeOf(asked.page, 50);
  const [signer, stackers] = await Promise.all([
    api.get<Api.PoxSigner>(`/extended/v2/pox/cycles/${path}`),
    api.get<Api.Page<Stacker>>(
      `/extended/v2/pox/cycles/${path}/stackers${query({ limit: place.limit, offset: place.offset })}`,
    ),
  ]);
  const body = html`${heading('Signer', shortHash(signer.signing_key), fullId(signer.signing_key))}
<p class="lead">In <a href="${pathTo('stacking', params.cycle ?? '')}">cycle ${params.cycle}</a>: ${stx(signer.stacked_amount)} stacked, a weight of ${signer.weight} (${percent(signer.weight_percent)} %). Its address is ${principalLink(signer.signer_address)}.</p>
${section(
  'Who stacks with it',
  table<Stacker>(
    'Stackers',
    [
      { head: 'Stacker', cell: ({ stacker_address }) => principalLink(stacker_address) },
      { head: 'Stacked', numeric: true, cell: ({ stacked_amount }) => stx(stacked_amount) },
      { head: 'How', cell: ({ stacker_type }) => stacker_type },
    ],
    stackers.results,
    'Nobody.',
  ),
)}
${pager(place, stackers.total, pathTo('stacking', params.cycle ?? '', params.key ?? ''))}`;
  return { title: `Signer ${shortHash(signer.signing_key)}`, body };
};
