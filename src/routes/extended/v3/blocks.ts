import { Type } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { blockRef, heightOrHash } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { findBlock } from '../../../resources/blocks/queries.ts';
import type { ApiContext } from '../../context.ts';
import { readList } from './list.ts';
import { placeQuery, TransactionSummariesPage, transactionSummaries } from './transaction-summaries.ts';

/** `/extended/v3/blocks` (docs/spec/transactions.md#version-3) */
export function addBlockV3Routes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/blocks/:height_or_hash/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockTransactions',
        summary: 'List the transactions of a block',
        description: 'The last one first.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: placeQuery('156:0:0'),
        response: {
          200: TransactionSummariesPage,
          404: failure('No canonical block is that high, or has that hash'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const block = await findBlock(queries, blockRef(params.height_or_hash));
        if (!block) throw notFound('Block not found');
        return transactionSummaries(queries, { first: block.firstTx, end: block.firstTx + block.txRows }, query);
      }),
  );
}
