import { version1Text } from '../../../../../../index/transactions/stored.ts';
import { flag } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readAsOf } from '../../../../../paging/as-of.ts';
import { page } from '../../../../../paging/page.ts';
import { historyOf } from '../../../../../records/addresses/transactions-v1.ts';
import { spanOf } from '../../../../../records/blocks/moment.ts';
import { withEventsInList } from '../../../../../records/transactions/detail.ts';
import { EVENTS_IN_LISTS } from '../../../../../records/transactions/events.ts';
import { withoutFunctionArgsV1 } from '../../../../../records/transactions/record-v1.ts';
import { TransactionsPageV1 } from '../../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { HISTORY_FAILURES, HISTORY_PARAMS, historyOfBlockQuery } from './history.ts';

/** `/extended/v1/address/:principal/transactions` (docs/spec/addresses.md#histories-of-a-principal) */
export function addAccountTransactionsRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAccountTransactionsV1',
        deprecated: true,
        summary: 'List the transactions of a principal, as in version 1',
        description:
          'Newest first. Transactions that moved only other tokens than STX from or to the principal are left out.',
        tags: ['Addresses'],
        params: HISTORY_PARAMS,
        querystring: Type.Object({
          ...historyOfBlockQuery(50),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
          ...EVENTS_IN_LISTS,
        }),
        response: { 200: TransactionsPageV1, ...HISTORY_FAILURES },
      },
    },
    async request => {
      const { limit, offset, exclude_function_args } = request.query;
      const { total, records } = await readAsOf(db, request, async queries => {
        const span = await spanOf(queries, request.query);
        const { total, entries } = await historyOf(queries, request.params.principal, 'without_stx', {
          span,
          offset,
          limit,
        });
        const records = entries.map(({ record }) => version1Text(record));
        return { total, records: await withEventsInList(queries, records, request.query) };
      });
      return page({ limit, offset, total }, exclude_function_args ? records.map(withoutFunctionArgsV1) : records);
    },
  );
}
