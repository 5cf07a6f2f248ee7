import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped } from '../format/amounts.ts';
import { blockHashLink, blockLink, burnLink, forkLink } from '../format/links.ts';
import { time, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, facts, heading, section, summary } from '../parts/lists.ts';
import { newestBlock } from '../parts/newest-block.ts';

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
  const ahead = (node.stacks_tip_height ?? 0) - (height ?? 0);
  const version = String(node.server_version ?? 'it answers').slice(0, 100);
  if (ahead === 0) return version;
  return `${version}; it is ${counted(Math.abs(ahead), 'block')} ${ahead > 0 ? 'ahead of' : 'behind'} this index`;
}

/** Highest number up to which jobs are counted. */
const MOST_JOBS = 10_000;

const atLeast = (count: number): string => `${grouped(count)}${count >= MOST_JOBS ? ' or more' : ''}`;

function metadataText({ fetches, waiting, running, failed, invalid }: Api.ServerStatus['metadata_queue']): string {
  const counts = [
    [waiting, 'waiting'],
    [running, 'running'],
    [failed, 'given up'],
    [invalid, 'of invalid metadata'],
  ] as const;
  const jobs = counts.filter(([count]) => count > 0).map(([count, words]) => `${atLeast(count)} ${words}`);
  const queue = jobs.length === 0 ? 'no jobs' : `jobs: ${jobs.join(', ')}`;
  return fetches ? queue : `not fetched without a node; ${queue}`;
}

/** The most serious difference between the node and the index comes first. */
function stateOfIndex({ lag, gaps, aside, behind }: Record<'lag' | 'gaps' | 'aside' | 'behind', number>): Html {
  const problems = [
    gaps > 0 && `${counted(gaps, 'block waits', 'blocks wait')} for a parent that never came`,
    behind > 0 && `the node is ${counted(behind, 'block')} ahead`,
    lag > 0 && `${counted(lag, 'event')} of the node ${lag === 1 ? 'is' : 'are'} not applied yet`,
    aside > 0 && `${counted(aside, 'event')} could not be applied and ${aside === 1 ? 'is' : 'are'} set aside`,
  ].filter(problem => problem !== false);
  return problems.length === 0
    ? html`<span class="chip ok"><span aria-hidden="true">✓</span> Up to date</span> Everything that the node sent is in the index.`
    : html`<span class="chip wait"><span aria-hidden="true">◐</span> Incomplete</span> ${problems.join('; ')}.`;
}

/** The state of this index: how far it is behind, and which parts it lacks. */
export const statusPage: PageRenderer = async api => {
  const [status, node, times, newest, metadata, forks, server] = await Promise.all([
    api.get<Api.Status>('/extended'),
    nodeOf(api),
    api.get<Api.AverageBlockTimes>('/extended/v2/blocks/average-times'),
    newestBlock(api),
    api.find<Api.MetadataStatus>('/metadata/v1'),
    api.get<Api.PageByCursor<Api.Fork>>('/extended/v3/forks?limit=1'),
    api.get<Api.ServerStatus>('/extended/v3/status'),
  ]);
  const { chain_tip: tip, lag = 0, gaps = [], set_aside: aside } = status;
  const behind = node ? Math.max(0, (node.stacks_tip_height ?? 0) - (tip?.block_height ?? 0)) : undefined;
  const body = html`${heading('stacks-index', 'Status')}
<p class="lead" data-part="lead">${stateOfIndex({ lag, gaps: gaps.length, aside: aside?.count ?? 0, behind: behind ?? 0 })}</p>
<div data-part="figures">${summary([
    ['Newest block', tip ? blockLink(tip.block_height) : 'none yet'],
    ['Its time', time(newest && timeOfBlock(newest))],
    ['Bitcoin block', tip && burnLink(tip.burn_block_height)],
    [
      'Behind the node',
      behind === undefined ? html`<span class="dim">no node answers</span>` : counted(behind, 'block'),
    ],
    ['Events to apply', grouped(lag)],
    ['Events set aside', grouped(aside?.count ?? 0)],
    ['Missing blocks', grouped(gaps.length)],
    ['Forks', html`<a href="forks">${grouped(forks.total)}</a>`],
    ['Pending transactions', grouped(server.pending_transactions)],
    ['Live clients', grouped(server.live_clients)],
    ['Metadata to fetch', atLeast(server.metadata_queue.waiting + server.metadata_queue.running)],
  ])}</div>
<div data-part="facts">${section(
    'Details',
    facts([
      ['Version', `${status.server_version}, ${server.runtime}`],
      ['Serves since', time(Date.parse(server.started_at) / 1000)],
      ['Chain', `${server.network}, chain id ${server.chain_id}`],
      [
        'Database',
        `${ENGINES[server.engine]}${server.schema_version === null ? '' : `, schema version ${server.schema_version}`}`,
      ],
      [
        'Contents',
        `${counted(server.transactions, 'transaction')} in ${counted(server.blocks, 'block')}, from ${counted(server.events, 'event')} of the node`,
      ],
      ['Newest block', tip && blockHashLink(tip.index_block_hash)],
      [
        'Highest fork',
        forks.results[0] && forkLink(forks.results[0].id, forks.results[0].first_height.toLocaleString('en')),
      ],
      ['A block every', everyText(times)],
      ['Node', nodeText(node, tip?.block_height)],
      ['Metadata', metadataText(server.metadata_queue)],
      [
        'Token contracts',
        metadata?.token_contracts &&
          Object.entries(metadata.token_contracts)
            .map(([standard, count]) => `${count} of ${standard}`)
            .join(', '),
      ],
    ]),
  )}</div>
${
  server.limits_reached.length > 0 &&
  section(
    'Limits that clients reached',
    dataTable(
      'Refusals since this server began to serve',
      [
        { head: 'Resource', cell: ({ resource }) => resource.replaceAll('_', ' ') },
        { head: 'Limit of one address', numeric: true, cell: ({ of_address }) => grouped(of_address) },
        { head: 'Limit of all clients', numeric: true, cell: ({ in_all }) => grouped(in_all) },
      ],
      server.limits_reached,
      '',
    ),
  )
}
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
