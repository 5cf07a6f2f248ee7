import { counted } from '../format/amounts.ts';
import { blockHashLink, blockLink } from '../format/links.ts';
import { html } from '../html.ts';
import type { Page } from '../page.ts';
import { facts, heading, section, table } from '../parts/table.ts';
import type * as Api from '../records.ts';

interface MetadataStatus {
  readonly token_contracts?: Readonly<Record<string, number>>;
}

/** How this index is: how far it is behind, and what it lacks. */
export const statusPage: Page = async api => {
  const [status, metadata] = await Promise.all([
    api.get<Api.Status>('/extended'),
    api.find<MetadataStatus>('/metadata/v1'),
  ]);
  const { chain_tip: tip, lag = 0, gaps = [], set_aside: aside } = status;
  const isWhole = lag === 0 && gaps.length === 0 && (aside?.count ?? 0) === 0;
  const body = html`${heading('stacks-index', 'Status')}
<p class="lead" data-part="lead">${isWhole ? 'Everything that the node sent is in the index.' : 'Not everything is in the index: see below.'}</p>
<div data-part="facts">${facts([
    ['Version', status.server_version],
    ['Newest block', tip ? html`${blockLink(tip.block_height)} ${blockHashLink(tip.index_block_hash)}` : 'none yet'],
    ['Bitcoin block', tip?.burn_block_height],
    ['Not in the index yet', counted(lag, 'event')],
    ['Set aside', counted(aside?.count ?? 0, 'event')],
    ['Missing blocks', gaps.length],
    [
      'Token contracts',
      metadata?.token_contracts &&
        Object.entries(metadata.token_contracts)
          .map(([standard, count]) => `${count} of ${standard}`)
          .join(', '),
    ],
  ])}</div>
${
  gaps.length > 0 &&
  section(
    'Blocks that wait for their parent',
    table(
      'Gaps',
      [
        { head: 'Height', numeric: true, cell: ({ height }) => height },
        { head: 'Missing parent', cell: ({ missing_parent }) => html`<code>${missing_parent}</code>` },
      ],
      gaps,
      '',
    ),
  )
}
${aside?.newest && section('The newest event that is set aside', html`<p>Number ${aside.newest.position}, ${aside.newest.path}: ${aside.newest.reason}</p>`)}`;
  return { title: 'Status', body, live: ['block'] };
};
