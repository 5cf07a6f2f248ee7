import { countTransactions } from '../../../../index/transactions/positions.ts';
import type { Api } from '../../../http/server.ts';
import type { ApiContext } from '../../context.ts';
import { readList } from './list.ts';
import { placeQuery, TransactionSummariesPageV3, transactionSummariesV3 } from './transaction-summaries.ts';

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
}
