import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { blockHashLink, blockLink, burnLink, query } from '../format/links.ts';
import { time, timeOfBlock } from '../format/times.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, heading, type PageRange, pageRangeOf, pager } from '../parts/lists.ts';
import { fullestText } from '../parts/picture.ts';

/** All blocks, the newest first. */
export const blocksPage: PageRenderer = async (api, { query: asked }) => {
  const place = pageRangeOf(asked.page, 30);
  const blocks = await pageOfBlocks(api, place);
  const body = html`${heading('Stacks', 'Blocks')}
<div data-part="list">${dataTable<Api.Block>(
    'Blocks, the newest first',
    [
      { head: 'Height', cell: block => blockLink(block.height) },
      { head: 'Time', cell: block => time(timeOfBlock(block)) },
      { head: 'Transactions', numeric: true, cell: block => block.tx_count },
      { head: 'Fullest', isMinor: true, numeric: true, cell: fullestText },
      { head: 'Bitcoin block', numeric: true, cell: block => burnLink(block.burn_block_height) },
      { head: 'Hash', isMinor: true, cell: block => blockHashLink(block.hash) },
    ],
    blocks.results,
    'There is no block yet.',
  )}</div>
${pager(place, blocks.total, 'blocks')}`;
  return { title: 'Blocks', body, live: place.offset === 0 ? ['block'] : [] };
};

/** Largest offset of blocks that the API accepts. */
const LARGEST_OFFSET = 300;

/** Fetches a page of blocks. Heights have no gaps, so the first block of a distant page is found by its height, and the page by a cursor. */
async function pageOfBlocks(api: ApiClient, { limit, offset }: PageRange): Promise<Api.OffsetPage<Api.Block>> {
  if (offset <= LARGEST_OFFSET) return api.get(`/extended/v2/blocks${query({ limit, offset })}`);
  const { chain_tip: tip } = await api.get<Api.Status>('/extended');
  const total = tip?.block_height ?? 0;
  const first = await api.find<Api.Block>(`/extended/v2/blocks/${Math.max(1, total - offset)}`);
  if (!first || offset >= total) return { limit, offset, total, results: [] };
  return api.get(`/extended/v2/blocks${query({ limit, cursor: first.index_block_hash })}`);
}
