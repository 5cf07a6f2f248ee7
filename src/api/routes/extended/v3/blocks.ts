import { TX_TYPES } from '../../../../index/transactions/tables.ts';
import { notFound } from '../../../http/errors.ts';
import { blockRef, heightOrHash } from '../../../http/params.ts';
import { amount, count, failure, hash, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { MiningRewardSchemaV3, miningRewardsV3, rewardsForBlock } from '../../../records/addresses/mining.ts';
import { cellsOf } from '../../../records/blocks/cells.ts';
import { findBlock } from '../../../records/blocks/queries.ts';
import { totalsOf } from '../../../records/blocks/totals.ts';
import { MOST_ORPHANS, orphansAt } from '../../../records/forks/queries.ts';
import { statusSchemaV3 } from '../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../context.ts';
import { LostBlockSchema } from './forks.ts';
import { readList } from './list.ts';
import { placeQuery, TransactionSummariesPageV3, transactionSummariesV3 } from './transaction-summaries.ts';

/** `/extended/v3/blocks` (docs/spec/transactions.md#version-3) */
export function addBlockRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v3/blocks/:height_or_hash/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockTransactionsV3',
        summary: 'List the transactions of a block',
        description: 'The last one first.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: placeQuery('156:0:0'),
        response: {
          200: TransactionSummariesPageV3,
          404: failure('No canonical block is that high, or has that hash'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const block = await findBlock(queries, blockRef(params.height_or_hash));
        if (!block) throw notFound('Block not found');
        return transactionSummariesV3(queries, { from: block.firstTx, to: block.firstTx + block.txRows }, query);
      }),
  );

  api.get(
    '/extended/v3/blocks/:height_or_hash/cells',
    {
      config: { cache: 'tip', hot: true, internal: true },
      schema: {
        operationId: 'getBlockCellsV3',
        summary: 'Get blocks as one cell per transaction, for drawing',
        description: 'Of each transaction type, status, fee and cost, of a block and of those before it.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: Type.Object({
          blocks: Type.Integer({ minimum: 1, maximum: 50, default: 1, description: 'How many, that block included.' }),
          limit: Type.Integer({
            minimum: 1,
            maximum: 500,
            default: 500,
            description: 'Transactions of all these blocks together, the newest.',
          }),
          at: at(),
        }),
        response: { 200: BlockCellsListSchemaV3, 404: failure('No canonical block is that high, or has that hash') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { blocks, limit } = request.query;
        const block = await findBlock(queries, blockRef(request.params.height_or_hash));
        if (!block) throw notFound('Block not found');
        return JSON.stringify({ limit, results: await cellsOf(queries, block, { blocks, limit }) });
      }),
  );

  api.get(
    '/extended/v3/blocks/:height_or_hash/totals',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getBlockTotalsV3',
        summary: 'Get size, fees and miner rewards of a block',
        description:
          'Bytes and fees of all its transactions, and the rewards for it that have matured: none yet for a new block, nor for one that does not begin a tenure.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: PAST_QUERY,
        response: { 200: BlockTotalsSchemaV3, 404: failure('No canonical block is that high, or has that hash') },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const block = await findBlock(queries, blockRef(request.params.height_or_hash));
        if (!block) throw notFound('Block not found');
        const { height, hash } = block.record;
        const rewards = await rewardsForBlock(queries, block.indexBlockHash);
        return JSON.stringify({
          height,
          hash,
          index_hash: block.indexBlockHash,
          ...(await totalsOf(queries, block, budget)),
          rewards: await miningRewardsV3(queries, rewards),
        });
      }),
  );

  api.get(
    '/extended/v3/blocks/:height_or_hash/orphans',
    {
      // Orphaned blocks can change under one tip.
      config: { cache: 'none', internal: true },
      schema: {
        operationId: 'getBlockOrphansV3',
        summary: 'List the orphaned blocks beside a block',
        description: `Blocks of the same height that are not canonical, in the order of their index block hashes; at most ${MOST_ORPHANS}.`,
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash(undefined, 140) }),
        response: { 200: OrphansSchemaV3, 404: failure('No canonical block is that high, or has that hash') },
      },
    },
    ({ params }) =>
      db.read(async queries => {
        const block = await findBlock(queries, blockRef(params.height_or_hash));
        if (!block) throw notFound('Block not found');
        return JSON.stringify(await orphansAt(queries, block.record.height));
      }),
  );
}

export const OrphansSchemaV3 = Type.Object(
  { total: count('All of them'), results: Type.Array(LostBlockSchema) },
  { title: 'Orphans' },
);

export const BlockTotalsSchemaV3 = Type.Object(
  {
    height: count(),
    hash: hash(),
    index_hash: hash(),
    transaction_count: count('With those of accepted microblocks; of block 1 also those of the boot block'),
    transaction_bytes: count('Bytes of these transactions as they are serialised; operations from Bitcoin have none'),
    fees: amount('Micro-STX of all of them'),
    rewards: Type.Array(MiningRewardSchemaV3, { description: 'For this block, in the order in which they matured' }),
  },
  { title: 'BlockTotals' },
);

const BlockCellsSchema = Type.Object(
  {
    height: count(),
    hash: hash(),
    index_hash: hash(),
    bitcoin_height: count(),
    transaction_count: count('Of the block; the arrays have fewer where the limit left some out'),
    type: Type.Array(word(Object.keys(TX_TYPES)), {
      description:
        'Of each transaction, in the order of the chain. So are the others: entry n of each array is of one transaction',
    }),
    status: Type.Array(statusSchemaV3()),
    fee_rate: Type.Array(amount('Micro-STX')),
    cost_share_ppm: Type.Array(
      count('What it used of a limit of the tenure, in millionths, of the limit of which it used most'),
    ),
  },
  { title: 'BlockCells' },
);

export const BlockCellsListSchemaV3 = Type.Object(
  {
    limit: count('Transactions that the response can have'),
    results: Type.Array(BlockCellsSchema, { description: 'The newest block first' }),
  },
  { title: 'BlockCellsList' },
);
