import { badRequest } from '../../../../http/errors.ts';
import { flag, limit, offset, oneOf, principalParam } from '../../../../http/params.ts';
import { pageOf } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { page } from '../../../../paging/page.ts';
import { pageOfDropped } from '../../../../records/mempool/dropped.ts';
import { pageOfPending } from '../../../../records/mempool/queries.ts';
import { MempoolStatsSchemaV1 } from '../../../../records/mempool/schema.ts';
import { mempoolStats } from '../../../../records/mempool/stats.ts';
import { withoutFunctionArgsV1 } from '../../../../records/transactions/record-v1.ts';
import { MempoolTransactionSchemaV1 } from '../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { ADDRESS, PENDING_SENDER } from '../../../examples.ts';

const MempoolTransactionsPage = pageOf(MempoolTransactionSchemaV1, 'MempoolTransactionsPage');

/** `/extended/v1/tx/mempool` (docs/spec/mempool.md) */
export function addMempoolTransactionRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v1/tx/mempool',
    {
      config: { cache: 'mempool', hot: true },
      schema: {
        operationId: 'getMempoolTransactionListV1',
        deprecated: true,
        summary: 'List pending transactions',
        tags: ['Mempool'],
        querystring: Type.Object({
          sender_address: Type.Optional(principalParam('Only those that this principal sent.', PENDING_SENDER)),
          recipient_address: Type.Optional(principalParam('Only transfers to this principal.', ADDRESS)),
          address: Type.Optional(
            principalParam('Only those that it sent, receives, deploys or calls; not beside the other two.', ADDRESS),
          ),
          order_by: oneOf('By receipt, by length in bytes, or by fee.', ['age', 'size', 'fee'], 'age'),
          order: oneOf('Direction.', ['asc', 'desc'], 'desc'),
          unanchored: flag('Whether to leave out those that a microblock on the tip has.'),
          offset: offset(),
          limit: limit(50, 20),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
        }),
        response: { 200: MempoolTransactionsPage },
      },
    },
    async request => {
      const { query } = request;
      const { sender_address, recipient_address, address } = query;
      if (address !== undefined && (sender_address ?? recipient_address) !== undefined) {
        throw badRequest('querystring/address must not be given together with sender_address or recipient_address');
      }
      const { total, records } = await db.read(queries => pageOfPending(queries, query));
      const shown = query.exclude_function_args ? records.map(withoutFunctionArgsV1) : records;
      return page({ limit: query.limit, offset: query.offset, total }, shown);
    },
  );

  api.get(
    '/extended/v1/tx/mempool/dropped',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getDroppedMempoolTransactionListV1',
        deprecated: true,
        summary: 'List dropped transactions',
        description: 'Those received last first. Transactions in a block are not among them.',
        tags: ['Mempool'],
        querystring: Type.Object({
          limit: limit(50, 20),
          offset: offset(),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
        }),
        response: { 200: MempoolTransactionsPage },
      },
    },
    async request => {
      const { limit, offset, exclude_function_args } = request.query;
      const { total, records } = await longReads.read(request, (queries, budget) =>
        pageOfDropped(queries, budget, { limit, offset }),
      );
      return page({ limit, offset, total }, exclude_function_args ? records.map(withoutFunctionArgsV1) : records);
    },
  );

  api.get(
    '/extended/v1/tx/mempool/stats',
    {
      config: { successor: '/extended/v3/mempool', cache: 'mempool', hot: true },
      schema: {
        operationId: 'getMempoolTransactionStatsV1',
        deprecated: true,
        summary: 'Get statistics of pending transactions',
        tags: ['Mempool'],
        response: { 200: MempoolStatsSchemaV1 },
      },
    },
    () => db.read(async queries => JSON.stringify(await mempoolStats(queries))),
  );
}
