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
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageContent, PageRenderer, Redirect } from '../page.ts';
import { facts, heading, pageRangeOf, pager, section, summary } from '../parts/lists.ts';
import { fullestText, fullnessBars, largeColumn } from '../parts/picture.ts';
import { confirmationsText, fates, transactionTable } from '../parts/transactions.ts';

const PAGE = 50;

/** A block, by its height or one of its hashes. */
export const blockPage: PageRenderer = async (api, { params, query }) => {
  const id = encodeURIComponent(params.block ?? '');
  const block = await api.find<Api.Block>(`/extended/v2/blocks/${id}`);
  if (!block) return orphanedOrUnknown(api, params.block ?? '');
  const place = pageRangeOf(query.page, PAGE);
  const path = pathTo('block', params.block ?? '');
  const [status, { burn, miner }, transactions, cells, signatures] = await Promise.all([
    api.get<Api.Status>('/extended'),
    tenureOf(api, block),
    api.get<Api.OffsetPage<Api.Transaction>>(
      `/extended/v2/blocks/${id}/transactions?limit=${place.limit}&offset=${place.offset}`,
    ),
    api.find<Api.CellsOfBlocks>(`/extended/v3/blocks/${id}/cells`),
    api.find<Api.OffsetPage<string>>(`/extended/v2/blocks/${id}/signer-signatures?limit=1`),
  ]);
  const above = (status.chain_tip?.block_height ?? block.height) - block.height;
  const fees = feesOf(cells?.results[0]);
  const body = html`${heading('Block', block.height.toLocaleString('en'), fullId(block.hash))}
<nav class="neighbours" aria-label="Neighbours">${block.height > 1 && html`<a href="${pathTo('block', block.height - 1)}" rel="prev">← Older</a>`}
${above > 0 && html`<a href="${pathTo('block', block.height + 1)}" rel="next">Newer →</a>`}</nav>
<div data-part="lead">${summary([
    ['Time', time(block.block_time || block.burn_block_time)],
    ['Transactions', grouped(transactions.total)],
    ['Confirmations', confirmationsText(above, burnAbove(block, status))],
    ['Fees', fees !== undefined && stx(fees)],
    ['Fullest', fullestText(block)],
    ['Bitcoin block', placeInTenure(block, burn)],
    ['Miner', miner],
  ])}</div>
${largeColumn(block, cells?.results[0])}
${section(
  counted(transactions.total, 'transaction'),
  html`${transactionTable('Transactions in the order of the chain', transactions.results, ['state', 'what', 'fee', 'id'], 'This block is empty.')}${pager(place, transactions.total, path)}`,
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
  ]),
)}</div>`;
  return { title: `Block ${block.height}`, body, live: ['block'] };
};

const burnAbove = (block: Api.Block, { chain_tip: tip }: Api.Status): number =>
  (tip?.burn_block_height ?? block.burn_block_height) - block.burn_block_height;

/** Micro-STX; undefined where the cells do not have every transaction. */
const feesOf = (cells: Api.BlockCells | undefined): bigint | undefined =>
  cells && cells.fee_rate.length === cells.transaction_count
    ? cells.fee_rate.reduce((sum, fee) => sum + BigInt(fee), 0n)
    : undefined;

/** The Bitcoin block of a block, and the miner of its tenure with the account that gets the reward. */
async function tenureOf(
  api: ApiClient,
  { burn_block_height }: Api.Block,
): Promise<{ readonly burn: Api.BurnBlock | undefined; readonly miner: Html | undefined }> {
  const burn = await api.find<Api.BurnBlock>(`/extended/v2/burn-blocks/${burn_block_height}`);
  const first = burn?.stacks_blocks.at(-1);
  if (first === undefined) return { burn, miner: undefined };
  const begin = await api.find<Api.OffsetPage<Api.Transaction>>(
    `/extended/v2/blocks/${first}/transactions?limit=${BEGIN_OF_TENURE}`,
  );
  // Only the first block of a tenure has a coinbase.
  const coinbase = begin?.results.find(({ tx_type }) => tx_type === 'coinbase');
  if (!coinbase) return { burn, miner: undefined };
  const rewarded = coinbase.coinbase_payload?.alt_recipient;
  return {
    burn,
    miner: html`${principalLink(coinbase.sender_address)}${rewarded && html` <small>reward to ${principalLink(rewarded)}</small>`}`,
  };
}

/** Transactions among which the coinbase of a tenure is: it is the first, or follows the change of the tenure. */
const BEGIN_OF_TENURE = 3;

function placeInTenure(block: Api.Block, burn: Api.BurnBlock | undefined): Html {
  const count = burn?.stacks_blocks.length ?? 0;
  const order = burn ? count - burn.stacks_blocks.indexOf(block.hash) : 0;
  return html`${burnLink(block.burn_block_height)}${burn && html` <small>${grouped(order)} of its ${counted(count, 'Stacks block')}</small>`}`;
}

/** A hash that is not on the chain: a block that a fork left behind, a transaction, or nothing that is known. */
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
<p class="lead band gone">Not part of the chain: ${winner ? html`block ${blockLink(winner.height)} took its place` : 'the chain has no block of its height yet'}. It is in ${forkLink(fork.id, `a fork of ${counted(fork.block_count, 'block')}`)}.</p>
<div data-part="transactions">${section(
    counted(block.transaction_count, 'transaction'),
    fates(fork.transactions.filter(({ lost_in }) => lost_in.index_hash === block.index_hash)),
  )}</div>
${section(
  'Details',
  facts([
    ['Time', time(block.time)],
    ['Bitcoin block', burnLink(block.bitcoin_height)],
    ['Block hash', fullId(block.hash)],
    ['Index block hash', fullId(block.index_hash)],
    ['Block in its place', winner && blockHashLink(winner.hash)],
  ]),
)}`;
  return { title: `Orphaned block ${block.height}`, body, live: ['block', 'mempool'] };
}
