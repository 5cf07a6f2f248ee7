import type * as Api from '../../routes/records.ts';
import { btc, counted } from '../format/amounts.ts';
import { burnLink, fullId, pathTo, query, shortHash } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, heading, section, summary } from '../parts/lists.ts';

const ROWS = 30;

/** The payments to a Bitcoin address for stacking. */
export const bitcoinAddressPage: PageRenderer = async (api, { params, query: asked }) => {
  const address = params.address ?? '';
  const page = /^\d{1,5}$/.test(asked.page ?? '') ? Math.max(1, Number(asked.page)) : 1;
  const id = pathTo(address);
  const [total, slots, rewards] = await Promise.all([
    api.get<Api.RewardTotal>(`/extended/v1/burnchain/rewards/${id}/total`),
    api.get<Api.OffsetPage<Api.RewardSlot>>(`/extended/v1/burnchain/reward_slot_holders/${id}${query({ limit: 1 })}`),
    api.get<{ readonly results: readonly Api.Reward[] }>(
      `/extended/v1/burnchain/rewards/${id}${query({ limit: ROWS, offset: (page - 1) * ROWS })}`,
    ),
  ]);
  const link = (to: number) => `${pathTo('bitcoin', address)}${query({ page: to === 1 ? undefined : to })}`;
  const body = html`${heading('Bitcoin address', shortHash(address), fullId(address))}
${summary([
  ['Rewards of stacking', html`<b>${btc(total.reward_amount)}</b>`],
  ['Reward slots', counted(slots.total, 'slot')],
])}
<p>Only rewards of stacking are shown: this index has no other Bitcoin transactions.</p>
<div data-part="list">${section(
    'Rewards, the newest first',
    dataTable<Api.Reward>(
      'Rewards, the newest first',
      [
        { head: 'Bitcoin block', cell: ({ burn_block_height }) => burnLink(burn_block_height) },
        { head: 'Amount', numeric: true, cell: ({ reward_amount }) => btc(reward_amount) },
      ],
      rewards.results,
      'None.',
    ),
  )}</div>
<nav class="pager" aria-label="Pages">${page > 1 && html`<a href="${link(page - 1)}" rel="prev">Previous</a>`} <span>Page ${page}</span> ${rewards.results.length >= ROWS && html`<a href="${link(page + 1)}" rel="next">Next</a>`}</nav>`;
  return { title: `${shortHash(address)} · Bitcoin address`, body, live: page === 1 ? ['burn-block'] : [] };
};
