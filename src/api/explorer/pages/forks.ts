import type * as Api from '../../routes/records.ts';
import { counted } from '../format/amounts.ts';
import { blockHashLink, blockLink, burnLink, forkLink, forkPath, fullId, query } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { cursorPager, dataTable, heading, section } from '../parts/lists.ts';
import { fates } from '../parts/transactions.ts';

/** Orphaned branches, the highest first. */
export const forksPage: PageRenderer = async (api, { query: asked }) => {
  const page = await api.get<Api.PageByCursor<Api.Fork>>(
    `/extended/v3/forks${query({ limit: 25, cursor: asked.cursor })}`,
  );
  const body = html`${heading('Stacks', 'Forks')}
<p class="lead">Where two blocks claim one place, the chain goes on with one of them. These are the others: orphaned blocks, which nodes have seen and which are not part of the chain.</p>
<div data-part="list">${dataTable<Api.Fork>(
    'Forks, the highest first',
    [
      { head: 'Fork', cell: fork => forkLink(fork.id, heightsOf(fork)) },
      { head: 'Time', cell: fork => time(fork.time) },
      { head: 'Blocks', numeric: true, cell: fork => fork.block_count },
      { head: 'Transactions', numeric: true, cell: fork => fork.transaction_count },
      { head: 'Stands on', numeric: true, cell: fork => fork.fork_point && blockLink(fork.fork_point.height) },
      { head: 'In its place', cell: fork => fork.replaced_by && blockHashLink(fork.replaced_by.hash) },
    ],
    page.results,
    'No fork is known: every block that came is part of the chain.',
  )}${cursorPager(page, 'forks')}</div>`;
  return { title: 'Forks', body, live: asked.cursor === undefined ? ['block'] : [] };
};

const heightsOf = ({ first_height: first, last_height: last }: Api.Fork): string =>
  first === last
    ? `Height ${first.toLocaleString('en')}`
    : `Heights ${first.toLocaleString('en')} to ${last.toLocaleString('en')}`;

/** An orphaned branch: its blocks, the canonical ones in their place, and the current state of their transactions. */
export const forkPage: PageRenderer = async (api, { params }) => {
  const fork = await api.get<Api.WholeFork>(`/extended/v3/forks/${encodeURIComponent(params.block ?? '')}`);
  if (fork.id !== params.block) return { to: forkPath(fork.id) };
  const body = html`${heading('Fork', heightsOf(fork), fullId(fork.id))}
<p class="lead band gone">${lead(fork)}</p>
${section(
  counted(fork.block_count, 'block'),
  html`${dataTable<Api.LostBlock>(
    'Blocks of the fork, the lowest first',
    [
      { head: 'Height', numeric: true, cell: block => block.height.toLocaleString('en') },
      { head: 'Block', cell: block => blockHashLink(block.index_hash) },
      { head: 'Time', cell: block => time(block.time) },
      { head: 'Bitcoin block', numeric: true, cell: block => burnLink(block.bitcoin_height) },
      { head: 'Transactions', numeric: true, cell: block => block.transaction_count },
      {
        head: 'In its place',
        cell: block => (block.replaced_by ? blockHashLink(block.replaced_by.hash) : 'nothing yet'),
      },
    ],
    fork.blocks,
    '',
  )}${more(fork.blocks.length, fork.block_count, 'blocks')}`,
)}
<div data-part="transactions">${section(
    counted(fork.transaction_count, 'transaction'),
    html`${fates(fork.transactions)}${more(fork.transactions.length, fork.transaction_count, 'transactions')}`,
  )}</div>`;
  return { title: `Fork at ${fork.first_height}`, body, live: ['block', 'mempool'] };
};

function lead({ block_count: blocks, fork_point: below, transactions }: Api.WholeFork): Html {
  const counts = Map.groupBy(transactions, ({ status }) => status);
  const number = (status: Api.LostTransaction['status']): number => counts.get(status)?.length ?? 0;
  const dropped = transactions.length - number('mined') - number('pending') - number('gone');
  const said = [
    number('mined') > 0 && `${number('mined')} mined in other blocks`,
    number('pending') > 0 && `${number('pending')} waiting again`,
    dropped > 0 && `${dropped} dropped`,
    number('gone') > 0 && `${number('gone')} gone with their block`,
  ].filter(Boolean);
  return html`Not part of the chain: ${counted(blocks, 'block')} on top of ${below ? html`block ${blockLink(below.height)}` : 'no other block'}. ${
    said.length > 0 && `Of the transactions: ${said.join(', ')}.`
  }`;
}

const more = (shown: number, all: number, what: string): Html | false =>
  shown < all && html`<p class="dim">These are the first ${shown} of ${all} ${what}.</p>`;
