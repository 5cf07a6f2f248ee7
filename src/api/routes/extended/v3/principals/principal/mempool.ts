import { addressOrContract } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { cursorPageOfRecords } from '../../../../../paging/cursor-page.ts';
import { pageOfWaiting, waitingSummariesV3 } from '../../../../../records/mempool/transactions-v3.ts';
import type { ApiContext } from '../../../../context.ts';
import { PENDING_SENDER } from '../../../../examples.ts';
import { readList } from '../../list.ts';
import { MempoolSummariesPageV3, receiptQuery } from '../../mempool.ts';

/** `/extended/v3/principals/{principal}/mempool` (docs/spec/mempool.md#version-3) */
export function addPrincipalMempoolRouteV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/mempool/transactions',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getPrincipalMempoolTransactionsV3',
        summary: 'List the pending transactions of a principal',
        description:
          'Transactions that it sends, pays for, receives, or that call or deploy it; the last one received first.',
        tags: ['Mempool'],
        params: Type.Object({ principal: addressOrContract(PENDING_SENDER) }),
        querystring: receiptQuery(),
        response: { 200: MempoolSummariesPageV3 },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfWaiting(queries, query, params.principal);
        return cursorPageOfRecords(page, await waitingSummariesV3(queries, page));
      }),
  );
}
