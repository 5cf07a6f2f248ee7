import type * as Api from '../../routes/records.ts';
import { btc, counted, stx } from '../format/amounts.ts';
import { fullId, pathTo, principalLink, query, shortHash, shortPrincipal } from '../format/links.ts';
import { aboutBitcoinBlocks } from '../format/times.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { cursorPager, dataTable, facts, heading, section } from '../parts/lists.ts';
import { bar } from '../parts/picture.ts';
import { bondChip, heightText, takenPercent } from '../parts/stacking.ts';

/** Pages of PoX 5: bonds, and managers of signers. */

const ROWS = 50;

/** A bond: its terms, its time, and its participants. */
export const bondPage: PageRenderer = async (api, { params, query: asked }) => {
  const path = `/extended/v3/staking/bonds/${pathTo(params.bond ?? '')}`;
  const [bond, members, status] = await Promise.all([
    api.get<Api.BondRecord>(path),
    api.get<Api.PageByCursor<Api.Registration>>(`${path}/registrations${query({ limit: ROWS, cursor: asked.cursor })}`),
    api.get<Api.Status>('/extended'),
  ]);
  const { parameters, registrations, schedule, balances } = bond;
  const now = status.chain_tip?.burn_block_height ?? 0;
  const percent = takenPercent(bond);
  const body = html`${heading('Bond', html`${bond.index} ${bondChip(bond)}`)}
<p class="lead" data-part="lead"><b class="big">${btc(balances.locked.btc)}</b> of ${btc(parameters.btc_capacity)} and ${stx(balances.locked.stx)} are locked by ${counted(registrations.registered_count, 'account')}. ${whenText(bond, now)}</p>
<p>${bar(percent)}</p>
<div class="columns-2">${section(
    'Terms',
    facts([
      ['Target rate', `${parameters.target_rate_bps / 100} % a year`],
      ['STX for Bitcoin', html`at least ${parameters.minimum_stx_ratio / 100} % of its worth in STX`],
      ['May take part', counted(registrations.allowed_count, 'account')],
      ['Paid out', btc(balances.rewards.btc.claimed)],
    ]),
  )}
${section(
  'Time',
  facts([
    [
      'Begins',
      html`at Bitcoin block ${heightText(schedule.activation.bitcoin_height, now)}, cycle ${schedule.activation.pox_cycle}`,
    ],
    [
      'Ends',
      html`at Bitcoin block ${heightText(schedule.unlock.bitcoin_height, now)}, cycle ${schedule.unlock.pox_cycle}`,
    ],
  ]),
)}</div>
<div data-part="members">${section(
    'Who takes part',
    dataTable<Api.Registration>(
      'Who takes part in the bond',
      [
        { head: 'Staker', cell: ({ staker }) => principalLink(staker) },
        { head: 'Locked', numeric: true, cell: ({ balances }) => btc(balances.btc) },
        { head: 'As', cell: ({ type }) => (type === 'l1' ? 'Bitcoin' : 'sBTC') },
        { head: 'With', numeric: true, cell: ({ balances }) => stx(balances.stx) },
        { head: 'Signer', cell: ({ signer }) => managerLink(signer) },
      ],
      members.results,
      'Nobody yet.',
    ),
  )}</div>
${cursorPager(members, pathTo('stacking', 'bond', bond.index))}`;
  return { title: `Bond ${bond.index}`, body, live: ['block', 'burn-block'] };
};

function whenText({ status, schedule: { activation, unlock } }: Api.BondRecord, now: number): string {
  const left = (height: number): string => aboutBitcoinBlocks(Math.max(0, height - now));
  switch (status) {
    case 'upcoming':
      return `It begins in ${left(activation.bitcoin_height)}.`;
    case 'active':
      return `It ends in ${left(unlock.bitcoin_height)}.`;
    case 'unlocked':
      return 'It has ended.';
    default:
      return status satisfies never;
  }
}

/** The page of a manager of signers. */
export const managerLink = (manager: string) =>
  html`<a class="id" href="${pathTo('stacking', 'manager', manager)}" title="${manager}" data-id="${manager}">${shortPrincipal(manager)}</a>`;

/** A manager: the contract that signs for its stakers. */
export const managerPage: PageRenderer = async (api, { params, query: asked }) => {
  const path = `/extended/v3/staking/signers/${pathTo(params.principal ?? '')}`;
  const [manager, stakers] = await Promise.all([
    api.get<Api.Manager>(path),
    api.get<Api.PageByCursor<Api.SignerStaker>>(`${path}/stakers${query({ limit: ROWS, cursor: asked.cursor })}`),
  ]);
  const body = html`${heading('Signer manager', html`<bdi>${shortPrincipal(manager.signer)}</bdi>`, fullId(manager.signer))}
<p class="lead" data-part="lead">${counted(stakers.total, 'account stakes', 'accounts stake')} with it. The key that it registered last is <code title="${manager.signer_key}">${shortHash(manager.signer_key)}</code>. It is the contract ${principalLink(manager.signer)}.</p>
<div data-part="stakers">${section(
    'Who stakes with it',
    dataTable<Api.SignerStaker>(
      'Stakers',
      [
        { head: 'Staker', cell: ({ staker }) => principalLink(staker) },
        { head: 'What', cell: ({ types }) => types.map(type => (type === 'stx' ? 'STX alone' : 'a bond')).join(', ') },
      ],
      stakers.results,
      'Nobody.',
    ),
  )}</div>
${cursorPager(stakers, pathTo('stacking', 'manager', manager.signer))}`;
  return { title: `Signer manager ${shortPrincipal(manager.signer)}`, body, live: ['block'] };
};
