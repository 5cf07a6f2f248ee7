import { notFound } from '../../../http/errors.ts';
import { MAX_INTEGER, normalHash } from '../../../http/params.ts';
import { count, failure, hash, nullable, unixTime, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { HASH } from '../../../http/validation.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../paging/cursor-page.ts';
import { fatesOf, MOST_FORK_TRANSACTIONS } from '../../../records/forks/fates.ts';
import {
  blocksOfFork,
  type ForkPosition,
  findFork,
  forksFrom,
  forksV3,
  MOST_FORK_BLOCKS,
} from '../../../records/forks/queries.ts';
import { MEMPOOL_STATUSES } from '../../../records/mempool/record.ts';
import { BlockPositionSchemaV3 } from '../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../context.ts';
import { FORK_ID } from '../../examples.ts';
import { cursorQuery, readList } from './list.ts';

const BlockName = Type.Object({ height: count(), hash: hash(), index_hash: hash() }, { title: 'BlockName' });

const replacedBy = () => nullable(BlockName, 'The canonical block of that height; null above the tip');

const leading = {
  id: hash('Index block hash of its first block'),
  fork_point: nullable(BlockName, 'The canonical parent of its first block; null below height 1'),
  first_height: count(),
  last_height: count(),
  time: unixTime('Of its first block'),
  block_count: count(),
  transaction_count: count('In all of its blocks'),
  replaced_by: replacedBy(),
};

export const ForkSchemaV3 = Type.Object(leading, { title: 'Fork' });

export const LostBlockSchema = Type.Object(
  {
    height: count(),
    hash: hash(),
    index_hash: hash(),
    parent_index_hash: hash(),
    time: unixTime(),
    bitcoin_height: count('Of its burn block'),
    transaction_count: count(),
    replaced_by: replacedBy(),
  },
  { title: 'LostBlock' },
);

const LostTransactionSchema = Type.Object(
  {
    tx_id: hash(),
    type: Type.String({ examples: ['token_transfer'] }),
    lost_in: Type.Object({ height: count(), index_hash: hash() }),
    status: word(
      ['mined', ...MEMPOOL_STATUSES, 'gone'],
      'What it is now; `gone` where only the fork had it and it cannot wait',
    ),
    mined_in: nullable(BlockPositionSchemaV3, 'Where the canonical chain has it'),
  },
  { title: 'LostTransaction' },
);

export const WholeForkSchemaV3 = Type.Object(
  {
    ...leading,
    blocks: Type.Array(LostBlockSchema, { description: `The lowest first; at most ${MOST_FORK_BLOCKS}` }),
    transactions: Type.Array(LostTransactionSchema, {
      description: `Those of these blocks, in their order; at most ${MOST_FORK_TRANSACTIONS}`,
    }),
  },
  { title: 'WholeFork' },
);

const forksQuery = () =>
  Type.Object(
    cursorQuery(
      { maximum: 50, default: 20 },
      {
        pattern: '^[0-9]{1,60}:(0x)?[0-9a-fA-F]{64}$',
        description: '`<height of the first block>:<its index block hash>`',
        example: `114:${FORK_ID}`,
      },
    ),
  );

/** `/extended/v3/forks` (docs/spec/blocks.md#forks). It has no ETag, as orphaned blocks can change under one tip. */
export function addForkRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/forks',
    {
      config: { cache: 'none', internal: true },
      schema: {
        operationId: 'getForksV3',
        summary: 'List forks',
        description: 'Branches that are not canonical, the one with the highest first block first.',
        tags: ['Blocks'],
        querystring: forksQuery(),
        response: { 200: cursorPageOf(ForkSchemaV3, 'ForksPage') },
      },
    },
    ({ query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await forksFrom(queries, query.limit, parseForkCursor(query.cursor));
        const records = await forksV3(queries, page.rows);
        return cursorPageOfRecords(page, records);
      }),
  );

  api.get(
    '/extended/v3/forks/:block_hash',
    {
      config: { cache: 'none', internal: true },
      schema: {
        operationId: 'getForkV3',
        summary: 'Get a fork and the state of its transactions',
        tags: ['Blocks'],
        params: Type.Object({
          block_hash: Type.String({
            ...HASH,
            description: 'Index block hash or block hash of any of its blocks; `0x` may be left out.',
            examples: [FORK_ID],
          }),
        }),
        response: { 200: WholeForkSchemaV3, 404: failure('No fork has such a block') },
      },
    },
    ({ params: { block_hash } }) =>
      db.read(async queries => {
        const found = await findFork(queries, normalHash(block_hash));
        if (!found) throw notFound('Fork not found');
        const [record] = await forksV3(queries, [found]);
        const blocks = await blocksOfFork(queries, found);
        return JSON.stringify({ ...record, blocks, transactions: await fatesOf(queries, blocks) });
      }),
  );
}

/** The place that a cursor names. */
function parseForkCursor(cursor: string | undefined): ForkPosition | undefined {
  if (cursor === undefined) return undefined;
  const [height = '', id = ''] = cursor.split(':');
  return { height: Math.min(Number(height), MAX_INTEGER), id: normalHash(id) };
}
