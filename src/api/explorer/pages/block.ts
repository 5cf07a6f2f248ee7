import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped, stx } from '../format/amounts.ts';
import {
  blockHashLink,
  blockLink,
  burnLink,
  forkLink,
  forkPath,
  fullId,
  pathTo,
  principalLink,
} from '../format/links.ts';
import { time, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageContent, PageRenderer, Redirect } from '../page.ts';
import { facts, heading, pageRangeOf, pager, section, summary } from '../parts/lists.ts';
import { fullestText, fullnessBars, largeColumn } from '../parts/picture.ts';
import { confirmationsText, fates, transactionTable } from '../parts/transactions.ts';
import { ANCHOR } from '../words/help.ts';

const PAGE = 50;

/** A block, by its height or one of its hashes. */
export const blockPage: PageRenderer = async (api, { params, query }) => {
  const id = encodeURIComponent(params.block ?? '');
  const block = await api.find<Api.Block>(`/extended/v2/blocks/${id}`);
  if (!block) return orphanedOrUnknown(api, params.block ?? '');
  const place = pageRangeOf(query.page, PAGE);
  const path = pathTo('block', params.block ?? '');
  const [status, { burn, miner, begin }, transactions, cells, totals, signatures, orphans] = await Promise.all([
    api.get<Api.Status>('/extended'),
    tenureOf(api, block),
    api.get<Api.OffsetPage<Api.Transaction>>(
      `/extended/v2/blocks/${id}/transactions?limit=${place.limit}&offset=${place.offset}`,
    ),
    api.find<Api.CellsOfBlocks>(`/extended/v3/blocks/${id}/cells`),
    api.find<Api.BlockTotals>(`/extended/v3/blocks/${id}/totals`),
    api.find<Api.OffsetPage<string>>(`/extended/v2/blocks/${id}/signer-signatures?limit=1`),
    api.find<Api.Orphans>(`/extended/v3/blocks/${id}/orphans`),
  ]);
  const above = (status.chain_tip?.block_height ?? block.height) - block.height;
  const rewards = (begin ?? totals)?.rewards ?? [];
  const body = html`<nav class="neighbours" aria-label="Neighbours">${block.height > 1 && html`<a href="${pathTo('block', block.height - 1)}" rel="prev">← Older</a>`}
${above > 0 && html`<a href="${pathTo('block', block.height + 1)}" rel="next">Newer →</a>`}</nav>
${heading('Block', block.height.toLocaleString('en'), fullId(block.hash))}
<div data-part="lead">${summary([
    ['Time', time(timeOfBlock(block))],
    ['Transactions', grouped(transactions.total)],
    ['Confirmations', confirmationsText(above, burnAbove(block, status))],
    ['Size', totals && html`<span title="Bytes of its transactions">${grouped(totals.transaction_bytes)} bytes</span>`],
    ['Fees', totals && stx(totals.fees)],
    ['Miner reward', rewardText(rewards, Math.min(above, burnAbove(block, status)))],
    ['Fullest', fullestText(block)],
    [ANCHOR, placeInTenure(block, burn)],
    ['Miner', miner],
  ])}${orphans && orphans.total > 0 && orphanedBeside(orphans)}</div>
${section(
  counted(transactions.total, 'transaction'),
  html`${transactions.total > 0 && largeColumn(block, cells?.results[0])}${transactionTable('Transactions in the order of the chain', transactions.results, ['state', 'what', 'fee', 'id'], 'This block is empty.')}${pager(place, transactions.total, path)}`,
)}
<div class="columns-2">${section('Cost', fullnessBars(block))}
${section(
  'Details',
  facts([
    ['Tenure', block.tenure_height],
    ['Index block hash', fullId(block.index_block_hash)],
    ['Parent', block.height > 1 && blockHashLink(block.parent_block_hash)],
    ['Miner’s Bitcoin transaction', fullId(block.miner_txid)],
    ['Signatures of signers', signatures && signatures.total > 0 && signatures.total],
    ['Reward paid', rewards.length > 0 && paidRewards(rewards)],
  ]),
)}</div>`;
  return { title: `Block ${block.height}`, body, live: ['block'] };
};

/** Orphaned blocks of the same height. */
const orphanedBeside = ({ total, results }: Api.Orphans): Html =>
  html`<p class="band gone">Orphaned beside this block: ${results.map(({ index_hash, time: seconds }, i) => html`${i > 0 && ', '}${blockHashLink(index_hash)} <small>${time(seconds)}</small>`)}${total > results.length && ` and ${counted(total - results.length, 'more block')}`}. The chain goes on with this one.</p>`;

const burnAbove = (block: Api.Block, { chain_tip: tip }: Api.Status): number =>
  (tip?.burn_block_height ?? block.burn_block_height) - block.burn_block_height;

type Reward = Api.BlockTotals['rewards'][number];

/** The reward of the tenure, which its miner gets a hundred tenures later. @param since upper bound of the tenures after it */
function rewardText(rewards: readonly Reward[], since: number): Html | string | undefined {
  const [first] = rewards;
  if (first === undefined) return since < TENURES_TO_MATURE ? 'not paid yet' : undefined;
  const sum = rewards.reduce((total, reward) => total + BigInt(reward.total), 0n);
  return html`${stx(sum)} <small>paid in block ${blockLink(first.block.height)}</small>`;
}

const TENURES_TO_MATURE = 100;

/** The rewards; fees go to another miner than the coinbase if the previous tenure was of another miner. */
const paidRewards = (rewards: readonly Reward[]): Html =>
  html`${rewards.map(
    ({ recipient, coinbase, fees }, i) =>
      html`${i > 0 && html`<br>`}${coinbase !== '0' && html`${stx(coinbase)} coinbase`}${coinbase !== '0' && fees !== '0' && ', '}${fees !== '0' && html`${stx(fees)} fees`} to ${principalLink(recipient)}`,
  )}`;

/** Facts that a block shares with the others of its tenure. */
interface Tenure {
  readonly burn: Api.BurnBlock | undefined;
  /** The miner, with the account that gets the reward. */
  readonly miner: Html | undefined;
  /** Totals of the tenure's first block, which earns the reward; undefined if it is the block itself. */
  readonly begin: Api.BlockTotals | undefined;
}

async function tenureOf(api: ApiClient, { hash, burn_block_height }: Api.Block): Promise<Tenure> {
  const burn = await api.find<Api.BurnBlock>(`/extended/v2/burn-blocks/${burn_block_height}`);
  const first = burn?.stacks_blocks.at(-1);
  if (first === undefined) return { burn, miner: undefined, begin: undefined };
  const [transactions, begin] = await Promise.all([
    api.find<Api.OffsetPage<Api.Transaction>>(`/extended/v2/blocks/${first}/transactions?limit=${BEGIN_OF_TENURE}`),
    first === hash ? undefined : api.find<Api.BlockTotals>(`/extended/v3/blocks/${first}/totals`),
  ]);
  // Only the first block of a tenure has a coinbase.
  const coinbase = transactions?.results.find(({ tx_type }) => tx_type === 'coinbase');
  if (!coinbase) return { burn, miner: undefined, begin };
  const rewarded = coinbase.coinbase_payload?.alt_recipient;
  return {
    burn,
    begin,
    miner: html`${principalLink(coinbase.sender_address)}${rewarded && html` <small>reward to ${principalLink(rewarded)}</small>`}`,
  };
}

/** First transactions of a tenure that include its coinbase: it is the first, or follows the tenure change. */
const BEGIN_OF_TENURE = 3;

function placeInTenure(block: Api.Block, burn: Api.BurnBlock | undefined): Html {
  const count = burn?.stacks_blocks.length ?? 0;
  const order = burn ? count - burn.stacks_blocks.indexOf(block.hash) : 0;
  return html`${burnLink(block.burn_block_height)}${burn && html` <small>${grouped(order)} of its ${counted(count, 'Stacks block')}</small>`}`;
}

/** The page of a hash that is not on the chain: an orphaned block, a transaction, or unknown. */
async function orphanedOrUnknown(api: ApiClient, id: string): Promise<PageContent | Redirect> {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(id)) throw new ApiError(404, `There is no block ${id}`);
  const hash = `0x${id.replace(/^0x/, '').toLowerCase()}`;
  const fork = await api.find<Api.WholeFork>(`/extended/v3/forks/${hash}`);
  const block =
    fork?.blocks.find(block => block.index_hash === hash) ?? fork?.blocks.find(block => block.hash === hash);
  if (fork && !block) return { to: forkPath(fork.id) };
  if (fork && block) return orphaned(fork, block);
  const found = await api.find<Api.SearchResult>(`/extended/v1/search/${hash}`);
  if (found?.result.entity_type === 'tx_id') return { to: pathTo('tx', id) };
  throw new ApiError(404, `There is no block ${id}`);
}

function orphaned(fork: Api.WholeFork, block: Api.LostBlock): PageContent {
  const winner = block.replaced_by;
  const body = html`${heading('Block', block.height.toLocaleString('en'), fullId(block.hash))}
<p class="lead band gone">Not part of the chain: ${winner ? html`block ${blockLink(winner.height)} (${blockHashLink(winner.hash)}) took its place` : 'the chain has no block of its height yet'}. It is in ${forkLink(fork.id, `a fork of ${counted(fork.block_count, 'block')}`)}.</p>
<div data-part="transactions">${section(
    counted(block.transaction_count, 'transaction'),
    fates(fork.transactions.filter(({ lost_in }) => lost_in.index_hash === block.index_hash)),
  )}</div>
${section(
  'Details',
  facts([
    ['Time', time(block.time)],
    [ANCHOR, burnLink(block.bitcoin_height)],
    ['Block hash', fullId(block.hash)],
    ['Index block hash', fullId(block.index_hash)],
    ['Block in its place', winner && blockHashLink(winner.hash)],
  ]),
)}`;
  return { title: `Orphaned block ${block.height}`, body, live: ['block', 'mempool'] };
}
