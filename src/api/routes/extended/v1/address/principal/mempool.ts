import { addressOrContract, flag, limit, offset } from '../../../../../http/params.ts';
import { pageOf } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { page } from '../../../../../paging/page.ts';
import { pageOfPending } from '../../../../../records/mempool/queries.ts';
import { withoutFunctionArgsV1 } from '../../../../../records/transactions/record-v1.ts';
import { MempoolTransactionSchemaV1 } from '../../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { PENDING_SENDER } from '../../../../examples.ts';

/** `/extended/v1/address/:principal/mempool` (docs/spec/mempool.md#list-of-pending-transactions) */
export function addAddressMempoolRoutesV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/mempool',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getAddressMempoolTransactionsV1',
        deprecated: true,
        summary: 'List the pending transactions of a principal',
        description: 'Those that it sent, receives, deploys or calls, the newest first.',
        tags: ['Mempool'],
        params: Type.Object({ principal: addressOrContract(PENDING_SENDER) }),
        querystring: Type.Object({
          limit: limit(50, 20),
          offset: offset(),
          unanchored: flag('Whether to leave out those that a microblock on the tip has.'),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
        }),
        response: { 200: pageOf(MempoolTransactionSchemaV1, 'MempoolTransactionsPage') },
      },
    },
    async request => {
      const { limit, offset, unanchored, exclude_function_args } = request.query;
      const { principal } = request.params;
      const { total, records } = await db.read(queries =>
        pageOfPending(queries, { address: principal, order_by: 'age', order: 'desc', unanchored, limit, offset }),
      );
      return page({ limit, offset, total }, exclude_function_args ? records.map(withoutFunctionArgsV1) : records);
    },
  );
}
