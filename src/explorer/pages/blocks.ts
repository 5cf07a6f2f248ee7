import { blockHashLink, blockLink, burnLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { html } from '../html.ts';
import type { Page } from '../page.ts';
import { fullest } from '../parts/fullness.ts';
import { pager, placeOf } from '../parts/pager.ts';
import { heading, table } from '../parts/table.ts';
import type * as Api from '../records.ts';

/** All blocks, the newest first. */
export const blocksPage: Page = async (api, { query }) => {
  const place = placeOf(query.page, 30);
  const blocks = await api.get<Api.Page<Api.Block>>(`/extended/v2/blocks?limit=${place.limit}&offset=${place.offset}`);
  const body = html`${heading('Stacks', 'Blocks')}
<div data-part="list">${table<Api.Block>(
    'Blocks, the newest first',
    [
      { head: 'Height', cell: block => blockLink(block.height) },
      { head: 'When', cell: block => time(block.block_time || block.burn_block_time) },
      { head: 'Transactions', numeric: true, cell: block => block.tx_count },
      { head: 'Fullest', cell: block => fullestText(block) },
      { head: 'Bitcoin block', numeric: true, cell: block => burnLink(block.burn_block_height) },
      { head: 'Hash', cell: block => blockHashLink(block.hash) },
    ],
    blocks.results,
    'There is no block yet.',
  )}</div>
${pager(place, blocks.total, 'blocks')}`;
  return { title: 'Blocks', body, live: place.offset === 0 ? ['block'] : [] };
};

const fullestText = (block: Api.Block): string => {
  const most = fullest([block]);
  return most === undefined ? '' : `${most.name} ${most.percent} %`;
};
