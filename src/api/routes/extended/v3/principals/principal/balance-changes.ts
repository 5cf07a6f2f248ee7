import { addressOrContract, distinctHashes, distinctTxIds } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, inMemoryList, pageFrom } from '../../../../../paging/cursor-page.ts';
import {
  balanceChangesOf,
  balanceChangeV3,
  CHANGE_CURSOR,
  changeCursor,
  firstOfChange,
} from '../../../../../records/addresses/balance-changes.ts';
import { BalanceChangeOfTransactionSchemaV3 } from '../../../../../records/addresses/schema-v3.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, TX_ID } from '../../../../examples.ts';
import { cursorQuery, tellFork } from '../../list.ts';

/** Transactions of one request. */
const MOST_TRANSACTIONS = 20;

/** `/extended/v3/principals/{principal}/balance-changes` (docs/spec/addresses.md#balance-changes) */
export function addBalanceChangeRouteV3(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/balance-changes',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalBalanceChangesV3',
        summary: 'List the balance changes of a principal by transaction',
        description: 'By asset, the newest transaction first. Transactions that no canonical block has are left out.',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS) }),
        querystring: Type.Object({
          tx_id: distinctTxIds(TX_ID, MOST_TRANSACTIONS),
          ...cursorQuery(
            { maximum: 50, default: 20 },
            {
              pattern: CHANGE_CURSOR,
              description:
                '`<block height>:<microblock sequence>:<index>:<asset>`, where the asset is `1:stx`, or `2:` or `3:` and the ' +
                'identifier of a fungible or non-fungible asset',
              example: '7:2147483647:1:1:stx',
            },
          ),
          at: at(),
        }),
        response: { 200: cursorPageOf(BalanceChangeOfTransactionSchemaV3, 'BalanceChangesOfTransactionsPage') },
      },
    },
    (request, reply) => {
      const { principal } = request.params;
      const { query } = request;
      const txIds = distinctHashes('tx_id', query.tx_id);
      return readLongAsOf(longReads, request, async (queries, budget) => {
        await tellFork(queries, query, reply);
        const changes = await balanceChangesOf(queries, budget, principal, txIds);
        const first = query.cursor === undefined ? 0 : firstOfChange(changes, query.cursor);
        const page = await pageFrom(inMemoryList(changes, changeCursor), first, query.limit);
        return cursorPage(page, change => ({ tx_id: change.txId, ...balanceChangeV3(change) }));
      });
    },
  );
}
