import { countTransactions } from '../../../../index/transactions/positions.ts';
import { distinctHashes, distinctTxIds } from '../../../http/params.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readAsOf } from '../../../paging/as-of.ts';
import { summariesV3, transactionsWithIds } from '../../../records/transactions/pages-v3.ts';
import { TransactionSummarySchemaV3 } from '../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../context.ts';
import { TX_ID } from '../../examples.ts';
import { readList } from './list.ts';
import { placeQuery, TransactionSummariesPageV3, transactionSummariesV3 } from './transaction-summaries.ts';

/** Transactions of one request. */
const MOST_OF_A_BATCH = 20;

/** `/extended/v3/transactions` (docs/spec/transactions.md#version-3) */
export function addTransactionRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/transactions',
    {
      config: { cache: 'tip', hot: true },
      schema: {
        operationId: 'getTransactionsV3',
        summary: 'List transactions',
        description: 'All canonical transactions, the newest first.',
        tags: ['Transactions'],
        querystring: placeQuery('7:2147483647:1'),
        response: { 200: TransactionSummariesPageV3 },
      },
    },
    ({ query }, reply) =>
      readList(db, query, reply, async queries =>
        transactionSummariesV3(queries, { from: 0, to: await countTransactions(queries) }, query),
      ),
  );

  api.get(
    '/extended/v3/transactions/batch',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionsBatchV3',
        summary: 'Get several transactions',
        description:
          'The newest first, in whatever order they are named. Ids that no canonical block or microblock has are left out, pending ones too.',
        tags: ['Transactions'],
        querystring: Type.Object({ tx_id: distinctTxIds(TX_ID, MOST_OF_A_BATCH), at: at() }),
        response: {
          200: Type.Object({ results: Type.Array(TransactionSummarySchemaV3) }, { title: 'TransactionsBatch' }),
        },
      },
    },
    request => {
      const txIds = distinctHashes('tx_id', request.query.tx_id);
      return readAsOf(db, request, async queries => {
        const found = await transactionsWithIds(queries, txIds);
        return JSON.stringify({ results: await summariesV3(queries, found) });
      });
    },
  );
}
