import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped } from '../format/amounts.ts';
import { blockHashLink, blockLink, forkLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, facts, heading, section } from '../parts/lists.ts';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

const everyText = ({ last_1h, last_24h }: Api.AverageBlockTimes): string =>
  [
    last_1h > 0 && `${last_1h.toFixed(1)} s in the last hour`,
    last_24h > 0 && `${last_24h.toFixed(1)} s in the last 24 hours`,
  ]
    .filter(Boolean)
    .join(', ');

interface NodeInfo {
  readonly server_version?: string;
  readonly stacks_tip_height?: number;
}

/** The node's report on itself; undefined without a node, or if it does not respond. */
async function nodeOf(api: ApiClient): Promise<NodeInfo | undefined> {
  try {
    return await api.find<NodeInfo>('/v2/info');
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function nodeText(node: NodeInfo | undefined, height: number | undefined): string {
  if (!node) return 'none answers: calls of contracts, broadcasts and new metadata need one';
  const behind = (node.stacks_tip_height ?? 0) - (height ?? 0);
  const version = String(node.server_version ?? 'it answers').slice(0, 100);
  return behind > 0 ? `${version}; it is ${counted(behind, 'block')} ahead of this index` : version;
}

/** The state of this index: how far it is behind, and which parts it lacks. */
export const statusPage: PageRenderer = async api => {
  const [status, node, times, newest, metadata, forks, server] = await Promise.all([
    api.get<Api.Status>('/extended'),
    nodeOf(api),
    api.get<Api.AverageBlockTimes>('/extended/v2/blocks/average-times'),
    api.get<Api.OffsetPage<Api.Block>>('/extended/v2/blocks?limit=1'),
    api.find<Api.MetadataStatus>('/metadata/v1'),
    api.get<Api.PageByCursor<Api.Fork>>('/extended/v3/forks?limit=1'),
    api.get<Api.ServerStatus>('/extended/v3/status'),
  ]);
  const { chain_tip: tip, lag = 0, gaps = [], set_aside: aside } = status;
  const isWhole = lag === 0 && gaps.length === 0 && (aside?.count ?? 0) === 0;
  const body = html`${heading('stacks-index', 'Status')}
<p class="lead" data-part="lead">${isWhole ? 'Everything that the node sent is in the index.' : 'Not everything is in the index: see below.'}</p>
<div data-part="facts">${facts([
    ['Version', `${status.server_version}, ${server.runtime}`],
    ['Serves since', time(Date.parse(server.started_at) / 1000)],
    ['Chain', `${server.network}, chain id ${server.chain_id}`],
    [
      'Index in',
      `${ENGINES[server.engine]}${server.schema_version === null ? '' : `, schema version ${server.schema_version}`}`,
    ],
    [
      'It has',
      `${counted(server.transactions, 'transaction')} in ${counted(server.blocks, 'block')}, from ${counted(server.events, 'event')} of the node`,
    ],
    ['Newest block', tip ? html`${blockLink(tip.block_height)} ${blockHashLink(tip.index_block_hash)}` : 'none yet'],
    ['Bitcoin block', tip?.burn_block_height],
    ['Not in the index yet', counted(lag, 'event')],
    ['Set aside', counted(aside?.count ?? 0, 'event')],
    ['Missing blocks', gaps.length],
    [
      'Forks',
      html`<a href="forks">${counted(forks.total, 'fork')}</a>${forks.results[0] && html`, the highest at ${forkLink(forks.results[0].id, forks.results[0].first_height.toLocaleString('en'))}`}`,
    ],
    ['Time of the newest block', time(newest.results[0]?.block_time || newest.results[0]?.burn_block_time)],
    ['A block every', everyText(times)],
    ['Waiting transactions', grouped(server.pending_transactions)],
    ['Live clients', grouped(server.live_clients)],
    ['Node', nodeText(node, tip?.block_height)],
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
    dataTable(
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
