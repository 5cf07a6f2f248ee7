import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import { counted, grouped } from '../format/amounts.ts';
import { blockHashLink, blockLink, burnLink, fullId, query as listQuery, pathTo, shortHash } from '../format/links.ts';
import { time, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { columns, fullestText } from '../parts/picture.ts';

/** Bitcoin blocks with Stacks blocks, the newest first. */
export const burnBlocksPage: PageRenderer = async (api, { query: asked }) => {
  const place = pageRangeOf(asked.page, 30);
  const list = await api.get<Api.OffsetPage<Api.BurnBlock>>(
    `/extended/v2/burn-blocks${listQuery({ limit: place.limit, offset: place.offset })}`,
  );
  const body = html`${heading('Stacks', 'Bitcoin blocks')}
<div data-part="list">${dataTable<Api.BurnBlock>(
    'Bitcoin blocks with Stacks blocks, the newest first',
    [
      { head: 'Height', cell: ({ burn_block_height }) => burnLink(burn_block_height) },
      { head: 'Time', cell: ({ burn_block_time }) => time(burn_block_time) },
      { head: 'Stacks blocks', numeric: true, cell: ({ stacks_blocks }) => grouped(stacks_blocks.length) },
      { head: 'Transactions', numeric: true, cell: ({ total_tx_count }) => grouped(total_tx_count) },
      {
        head: 'Hash',
        cell: ({ burn_block_hash, burn_block_height }) => bitcoinHash(burn_block_hash, burn_block_height),
      },
    ],
    list.results,
    'There is none yet.',
  )}</div>
${pager(place, list.total, 'btc')}`;
  return { title: 'Bitcoin blocks', body, live: place.offset === 0 ? ['burn-block', 'block'] : [] };
};

const bitcoinHash = (hash: string, height: number): Html =>
  html`<a class="id" href="${pathTo('btc', height)}" title="${hash}" data-id="${hash}">${shortHash(hash)}</a>`;

/** A Bitcoin block and the Stacks blocks of its tenure. */
export const burnBlockPage: PageRenderer = async (api, { params, query }) => {
  const id = encodeURIComponent(params.block ?? '');
  const burn = await api.find<Api.BurnBlock>(`/extended/v2/burn-blocks/${id}`);
  if (!burn) return without(params.block ?? '', await api.get<Api.Status>('/extended'));
  const place = pageRangeOf(query.page, 30);
  const [status, blocks, payments] = await Promise.all([
    api.get<Api.Status>('/extended'),
    api.get<Api.OffsetPage<Api.Block>>(
      `/extended/v2/burn-blocks/${id}/blocks?limit=${place.limit}&offset=${place.offset}`,
    ),
    api.find<Api.OffsetPage<Api.RewardPayment>>(`/extended/v2/burn-blocks/${id}/pox-transactions?limit=20`),
  ]);
  const [newest] = blocks.results;
  const cells =
    newest &&
    (await api.find<Api.CellsOfBlocks>(
      `/extended/v3/blocks/${newest.index_block_hash}/cells?blocks=${blocks.results.length}`,
    ));
  const height = burn.burn_block_height;
  const body = html`${neighbours(height, status)}
${heading('Bitcoin block', height.toLocaleString('en'), fullId(burn.burn_block_hash))}
<p class="lead" data-part="lead">${time(burn.burn_block_time)}, ${counted(burn.stacks_blocks.length, 'Stacks block')} with ${counted(burn.total_tx_count, 'transaction')}${
    burn.avg_block_time > 0 && html`, one every ${burn.avg_block_time} s`
  }.</p>
<div data-part="blocks">${section(
    'Its Stacks blocks',
    html`${columns(blocks.results, cells?.results ?? [])}${dataTable<Api.Block>(
      'Stacks blocks of this Bitcoin block, the newest first',
      [
        { head: 'Height', cell: block => blockLink(block.height) },
        { head: 'Time', cell: block => time(timeOfBlock(block)) },
        { head: 'Transactions', numeric: true, cell: block => block.tx_count },
        { head: 'Fullest', numeric: true, cell: fullestText },
        { head: 'Hash', cell: block => blockHashLink(block.hash) },
      ],
      blocks.results,
      'None.',
    )}${pager(place, blocks.total, pathTo('btc', params.block ?? ''))}`,
  )}</div>
${payments && payments.results.length > 0 && section('Paid to stackers on Bitcoin', paymentTable(payments.results))}`;
  return { title: `Bitcoin block ${height}`, body, live: ['block', 'burn-block'] };
};

const paymentTable = (payments: readonly Api.RewardPayment[]) =>
  dataTable<Api.RewardPayment>(
    'Payments to stackers',
    [
      { head: 'To', cell: ({ recipient }) => html`<code>${recipient}</code>` },
      { head: 'Satoshi', numeric: true, cell: ({ amount }) => grouped(amount) },
    ],
    payments,
    'None.',
  );

/** The page of a Bitcoin block without Stacks blocks, for which the API has no record. */
function without(id: string, status: Api.Status) {
  const { chain_tip: tip } = status;
  const height = /^\d{1,9}$/.test(id) ? Number(id) : undefined;
  if (height === undefined || height > (tip?.burn_block_height ?? 0))
    throw new ApiError(404, `There is no Bitcoin block ${id} here`);
  const body = html`${neighbours(height, status)}
${heading('Bitcoin block', height.toLocaleString('en'))}
<p class="lead">No Stacks block is of this Bitcoin block: no miner won, or the tenure before went on.</p>`;
  return { title: `Bitcoin block ${height}`, body };
}

const neighbours = (height: number, { chain_tip: tip }: Api.Status): Html =>
  html`<nav class="neighbours" aria-label="Neighbours">${height > 0 && html`<a href="${pathTo('btc', height - 1)}" rel="prev">← Older</a>`}
${height < (tip?.burn_block_height ?? 0) && html`<a href="${pathTo('btc', height + 1)}" rel="next">Newer →</a>`}</nav>`;
