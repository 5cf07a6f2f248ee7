import { isoTime as toIsoTime } from '../../../../base/lib/time.ts';
import type { Queries, Table } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { countBlocks } from '../../../../index/blocks/canonical-chain.ts';
import { PENDING_TXS } from '../../../../index/mempool/tables.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import { ORPHANED_BLOCKS } from '../../../../ingest/indexer/orphaned-blocks.ts';
import { META } from '../../../../ingest/indexer/tables.ts';
import { count, isoTimestamp, nullable, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { queueCounts } from '../../../records/token-metadata/queries.ts';
import type { ApiContext } from '../../context.ts';
import { ArchiveLoadSchema, describeLoad, describeRebuilt, RebuiltBlocksSchema } from '../../extended.ts';

export const ServerStatusSchemaV3 = Type.Object(
  {
    server_version: Type.String({ examples: ['stacks-index v0.1.0'] }),
    runtime: Type.String({ examples: ['Node.js v24.1.0'] }),
    started_at: isoTimestamp('When this process began to serve'),
    chain_id: count('1 of mainnet'),
    network: word(['mainnet', 'testnet']),
    engine: word(['sqlite', 'postgres'], 'Which database the index is in'),
    schema_version: nullable(count(), 'Of the index; null while it is empty'),
    events: count('Of the node, accepted so far'),
    lag: count('Of them, not in the index yet'),
    blocks: count('Of the chain'),
    transactions: count('Of the chain'),
    orphaned_blocks: count('Known ones that are not part of the chain'),
    pending_transactions: count(),
    rebuilt_blocks: Type.Optional(RebuiltBlocksSchema),
    archive_load: Type.Optional(ArchiveLoadSchema),
    live_clients: count('Of the stream, of this process'),
    metadata_queue: Type.Object(
      {
        fetches: Type.Boolean({ description: 'Whether tokens are fetched: not without a node' }),
        waiting: count('To run for the first time, or again'),
        running: count(),
        failed: count('Given up after several attempts'),
        invalid: count('Of tokens whose metadata breaks the standard'),
      },
      { title: 'MetadataQueue', description: 'Jobs that fetch metadata of tokens, each number counted up to 10,000' },
    ),
    limits_reached: Type.Array(
      Type.Object(
        {
          resource: Type.String({ examples: ['requests'] }),
          of_address: count('For the limit of one address'),
          in_all: count('For the limit of all clients together'),
        },
        { title: 'LimitReached' },
      ),
      {
        description:
          'How often this process refused clients more of a resource since it began to serve; without those that it never refused',
      },
    ),
  },
  { title: 'ServerStatus' },
);

/**
 * `/extended/v3/status`: versions and sizes of a server (docs/spec/http.md#status). It changes all the time, so it has
 * no ETag.
 */
export function addServerStatusRouteV3(
  api: Api,
  { db, tip, status, streams, chainId, network, version, metadata }: ApiContext,
): void {
  const started_at = toIsoTime(Math.floor(Date.now() / 1000));
  api.get(
    '/extended/v3/status',
    {
      config: { cache: 'none', internal: true },
      schema: {
        operationId: 'getServerStatusV3',
        summary: 'Get the version of this server and its number of tokens',
        tags: ['Status'],
        response: { 200: ServerStatusSchemaV3 },
      },
    },
    async () => {
      const { journalPosition, indexedPosition, rebuilt, load } = await status.current();
      const counts = await db.read(async queries => ({
        schema_version: await schemaVersion(queries),
        events: journalPosition,
        lag: journalPosition - indexedPosition,
        blocks: await countBlocks(queries),
        transactions: await countTransactions(queries),
        orphaned_blocks: await countRows(queries, ORPHANED_BLOCKS),
        pending_transactions: await countRows(queries, PENDING_TXS),
      }));
      return JSON.stringify({
        server_version: `stacks-index v${version}`,
        runtime: `Node.js ${process.version}`,
        started_at,
        chain_id: chainId,
        network,
        engine: db.engine,
        ...counts,
        rebuilt_blocks: describeRebuilt(rebuilt),
        archive_load: describeLoad(load, tip.current()),
        live_clients: streams.admission.count,
        metadata_queue: { fetches: metadata.enabled, ...(await metadata.db.read(queueCounts)) },
        limits_reached: api.clients.ledger
          .figures()
          .filter(({ refused }) => refused.address + refused.total > 0)
          .map(({ resource, refused }) => ({ resource, of_address: refused.address, in_all: refused.total })),
      });
    },
  );
}

async function schemaVersion(queries: Queries): Promise<number | null> {
  const row = await queries.get<RowOf<typeof META, 'value'>>(
    `SELECT value FROM ${META.name} WHERE name = 'schema_version'`,
  );
  return row ? Number(row.value) : null;
}

/** Of a table that does not grow with the chain. */
async function countRows(queries: Queries, table: Table): Promise<number> {
  return (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${table.name}`))?.n ?? 0;
}
