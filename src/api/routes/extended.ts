import type { FastifyReply, FastifyRequest } from 'fastify';
import { isoTime as toIsoTime } from '../../base/lib/time.ts';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import type { RebuiltSummary, SetAsideEntry } from '../../ingest/chain/unapplied.ts';
import { tipVersion } from '../http/caching.ts';
import { redirect } from '../http/conventions.ts';
import { count, hash, isoTimestamp, nullable, word } from '../http/schema.ts';
import type { Api } from '../http/server.ts';
import type { IndexStatus, LoadStatus, StatusSource } from '../http/status.ts';
import { Type } from '../http/type.ts';

const unlockHeight = (version: number) =>
  Type.Optional(
    nullable(count(), `Burn block height at which locks of PoX ${version} end; null while it is not known`),
  );

/** Of `/extended` and `/extended/v3/status`: a server that loads no archive has no such member. */
export const ArchiveLoadSchema = Type.Object(
  {
    state: word(
      ['loading', 'failed', 'joining'],
      'joining: the archive is loaded, and events that waited join the journal',
    ),
    source: nullable(Type.String(), 'The archive; null while events join the journal'),
    block_height: count('That the index has reached'),
    progress: nullable(
      Type.Number({ minimum: 0, maximum: 1 }),
      'Part of the archive that was read; null while its size is unknown',
    ),
    estimated_end: nullable(isoTimestamp('When the archive will be loaded'), 'null while it cannot be estimated'),
    waiting_events: count('Of the node, that wait for the end of the archive'),
    waiting_bytes: count('Of these events, as they are stored'),
    reason: nullable(Type.String(), 'Why the archive cannot be loaded, and what to do'),
  },
  { title: 'ArchiveLoad', description: 'Only while `serve --replay` loads an archive' },
);

/** The member of both routes. */
/** Of `/extended` and `/extended/v3/status`: a server whose blocks were all delivered has no such member. */
export const RebuiltBlocksSchema = Type.Object(
  {
    count: Type.Integer({ minimum: 1 }),
    newest: Type.Object({
      height: count(),
      index_block_hash: hash(),
      class: Type.String({ description: 'A: exact; B: some fields are computed or not known', examples: ['A'] }),
    }),
    unknown_fields: Type.Array(Type.String(), { description: 'Not known in some of these blocks', examples: [[]] }),
  },
  {
    title: 'RebuiltBlocks',
    description: 'Blocks that no node has delivered, and that were rebuilt from the RPC of a node',
  },
);

export const describeRebuilt = (rebuilt: RebuiltSummary | undefined) =>
  rebuilt?.newest
    ? {
        count: rebuilt.count,
        newest: {
          height: rebuilt.newest.height,
          index_block_hash: rebuilt.newest.indexBlockHash,
          class: rebuilt.newest.class,
        },
        unknown_fields: rebuilt.unknown,
      }
    : undefined;

export const describeLoad = (load: LoadStatus | undefined, tip: Tip | undefined) =>
  load && {
    state: load.state,
    source: load.source,
    block_height: tip?.height ?? 0,
    progress: load.progress,
    estimated_end: load.estimatedEnd === null ? null : toIsoTime(Math.floor(load.estimatedEnd / 1000)),
    waiting_events: load.waitingEvents,
    waiting_bytes: load.waitingBytes,
    reason: load.reason,
  };

/** While the database is away there are only the first two members. */
export const StatusSchema = Type.Object(
  {
    server_version: Type.String({ examples: ['stacks-index v0.1.0'] }),
    status: Type.Literal('ready'),
    pox_v1_unlock_height: unlockHeight(1),
    pox_v2_unlock_height: unlockHeight(2),
    pox_v3_unlock_height: unlockHeight(3),
    chain_tip: Type.Optional(
      Type.Object(
        {
          block_height: Type.Integer({ minimum: 1 }),
          block_hash: hash(),
          index_block_hash: hash(),
          burn_block_height: count('Of the newest burn block that is known'),
          microblock_hash: Type.Optional(hash('Of the last microblock on the tip')),
          microblock_sequence: Type.Optional(count()),
        },
        { title: 'ChainTip', description: 'Absent while the index is empty' },
      ),
    ),
    lag: Type.Optional(count('Events that were accepted and are not in the index yet')),
    gaps: Type.Optional(
      Type.Array(Type.Object({ height: count(), missing_parent: hash('Index block hash') }), {
        description: 'Blocks that wait for their parent',
        examples: [[]],
      }),
    ),
    rebuilt: Type.Optional(RebuiltBlocksSchema),
    archive_load: Type.Optional(ArchiveLoadSchema),
    set_aside: Type.Optional(
      Type.Object(
        {
          count: count(),
          newest: nullable(
            Type.Object(
              {
                position: count('In the journal'),
                path: Type.String({ examples: ['/new_block'] }),
                reason: Type.String({ examples: ['a block of height 1 cannot stand on one of height 345'] }),
                received_at: isoTimestamp('When the event came'),
              },
              { title: 'SetAsideEvent' },
            ),
          ),
        },
        {
          title: 'SetAside',
          description: 'Accepted events that cannot be applied, so that the index goes on without them',
        },
      ),
    ),
  },
  { title: 'Status' },
);

/** A status names at most this many gaps. */
const MAX_GAPS = 100;

/**
 * `/extended`: version, tip, and how far the index is behind the events of the node (docs/spec/http.md#status). `/` and
 * `/extended/v1/status` redirect to it.
 */
export function addStatusRoutes(
  api: Api,
  version: string,
  tip: TipSource,
  source: StatusSource,
  hasExplorer = false,
): void {
  const etag = async () => {
    const current = tip.current();
    return current && statusVersion(current, await source.current());
  };
  api.get(
    '/extended',
    {
      config: { cache: etag },
      schema: {
        operationId: 'getStatus',
        summary: 'Get the status of the index',
        tags: ['Status'],
        response: { 200: StatusSchema },
      },
    },
    async request => {
      const head = { server_version: `stacks-index v${version}`, status: 'ready' };
      try {
        return JSON.stringify({ ...head, ...describe(await source.current(), tip.current()) });
      } catch (error) {
        request.log.warn(
          { err: error, reqId: request.id },
          'status sent without tip and lag: the database cannot be read',
        );
        return JSON.stringify(head);
      }
    },
  );
  const toStatus = (_request: unknown, reply: FastifyReply) => redirect(reply, 301, '/extended');
  // Browsers are redirected to the explorer. The path is relative, as a proxy may serve this API below a prefix.
  api.get('/', (request, reply) =>
    hasExplorer && prefersHtml(request)
      ? redirect(reply.header('vary', 'Accept'), 302, 'explorer')
      : toStatus(request, reply.header('vary', 'Accept')),
  );
  api.get('/extended/v1/status', toStatus);
}

/** Browsers list HTML first in Accept; other clients do not list it. */
const prefersHtml = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;

function describe(status: IndexStatus, tip: Tip | undefined) {
  const [v1, v2, v3] = status.poxUnlockHeights;
  return {
    pox_v1_unlock_height: v1,
    pox_v2_unlock_height: v2,
    pox_v3_unlock_height: v3,
    chain_tip: tip && describeTip(tip, status),
    lag: lag(status),
    gaps: status.gaps.slice(0, MAX_GAPS).map(gap => ({ height: gap.height, missing_parent: gap.missingParent })),
    set_aside: {
      count: status.setAside.count,
      newest: status.setAside.newest && describeSetAside(status.setAside.newest),
    },
    rebuilt: describeRebuilt(status.rebuilt),
    archive_load: describeLoad(status.load, tip),
  };
}

function describeTip(tip: Tip, status: IndexStatus) {
  return {
    block_height: tip.height,
    block_hash: tip.blockHash,
    index_block_hash: tip.indexBlockHash,
    burn_block_height: newestBurnHeight(tip, status),
    ...(tip.microblockHash !== null && { microblock_hash: tip.microblockHash }),
    ...(tip.microblockSequence !== null && { microblock_sequence: tip.microblockSequence }),
  };
}

const describeSetAside = ({ position, path, reason, receivedAt }: SetAsideEntry) => ({
  position,
  path,
  reason,
  received_at: toIsoTime(receivedAt / 1_000_000),
});

/** The number of accepted events that are not in the index yet. */
const lag = (status: IndexStatus): number => status.journalPosition - status.indexedPosition;

/** Burn blocks come before the Stacks blocks that they elect; older archives do not have them. */
const newestBurnHeight = (tip: Tip, { burnHeight }: IndexStatus): number => Math.max(tip.burnBlockHeight, burnHeight);

/** The version of the load of an archive, which can change without a new tip. */
const loadVersion = ({ load }: IndexStatus): string =>
  load ? [load.state, load.source, load.progress, load.estimatedEnd, load.waitingEvents].join('.') : '';

/** The version of the chain while the index is complete; else also the gaps, as they change under one tip. */
function statusVersion(tip: Tip, status: IndexStatus): string {
  const gaps = status.gaps.map(gap => `${gap.height}.${gap.missingParent}`);
  const { count: aside, newest } = status.setAside;
  const rebuilt = status.rebuilt?.newest?.position ?? 0;
  const whole = lag(status) === 0 && gaps.length === 0 && aside === 0 && rebuilt === 0 && status.load === undefined;
  const chain = `${tipVersion(tip)}-${newestBurnHeight(tip, status)}`;
  return whole
    ? chain
    : [chain, lag(status), aside, newest?.position, status.rebuilt?.count, rebuilt, ...gaps, loadVersion(status)].join(
        ':',
      );
}
