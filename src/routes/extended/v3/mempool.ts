import { Type } from 'typebox';
import { cursorPage, cursorPageOf } from '../../../http/cursor-page.ts';
import type { Api } from '../../../http/server.ts';
import { pageOfWaiting, RECEIPT_CURSOR, waitingSummaries } from '../../../resources/mempool/v3.ts';
import { MempoolTransactionSummary } from '../../../resources/transactions/v3/schema.ts';
import type { ApiContext } from '../../context.ts';
import { TX_ID } from '../../examples.ts';
import { cursorQuery, readList } from './list.ts';

/** A page of pending transactions. */
export const MempoolSummariesPage = cursorPageOf(MempoolTransactionSummary, 'MempoolTransactionSummariesPage');

/** What lists of pending transactions are asked by. */
export const receiptQuery = () =>
  Type.Object(
    cursorQuery(
      { maximum: 50, default: 20 },
      {
        pattern: RECEIPT_CURSOR,
        description: '`<time of receipt>:<transaction id>`',
        example: `1795098000:${TX_ID}`,
      },
    ),
  );

/** `/extended/v3/mempool` (docs/spec/mempool.md#version-3) */
export function addMempoolV3Routes(api: Api, { db, mempool }: ApiContext): void {
  api.get(
    '/extended/v3/mempool/transactions',
    {
      config: { cache: () => mempool.version(), hot: true },
      schema: {
        operationId: 'getMempoolTransactions',
        summary: 'List pending transactions',
        description: 'The last one received first.',
        tags: ['Mempool'],
        querystring: receiptQuery(),
        response: { 200: MempoolSummariesPage },
      },
    },
    ({ query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfWaiting(queries, query);
        return cursorPage(page, await waitingSummaries(queries, page));
      }),
  );
}
