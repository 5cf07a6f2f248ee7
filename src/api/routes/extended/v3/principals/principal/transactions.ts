import { addressOrContract, normalHash, txId } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, readLongAsOf } from '../../../../../paging/as-of.ts';
import {
  cursorPage,
  cursorPageOf,
  cursorPageOfRecords,
  inMemoryList,
  pageFrom,
} from '../../../../../paging/cursor-page.ts';
import {
  ASSET_CURSOR,
  assetCursor,
  balanceChangesOf,
  balanceChangeV3,
  firstOfAsset,
} from '../../../../../records/addresses/balance-changes.ts';
import { BalanceChangeSchemaV3 } from '../../../../../records/addresses/schema-v3.ts';
import {
  ownTransactionV3,
  PrincipalTransactionSchemaV3,
  pageOfPrincipal,
} from '../../../../../records/addresses/transactions-v3.ts';
import { summariesV3 } from '../../../../../records/transactions/pages-v3.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, TX_ID } from '../../../../examples.ts';
import { cursorQuery, readList, tellFork } from '../../list.ts';
import { placeQuery } from '../../transaction-summaries.ts';

/** `/extended/v3/principals/{principal}/transactions` (docs/spec/addresses.md#version-3) */
export function addPrincipalTransactionRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalTransactionsV3',
        summary: 'List the transactions of a principal',
        description: 'The newest first, with its part in each.',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS) }),
        querystring: placeQuery('7:2147483647:1'),
        response: { 200: cursorPageOf(PrincipalTransactionSchemaV3, 'PrincipalTransactionSummariesPage') },
      },
    },
    ({ params: { principal }, query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfPrincipal(queries, principal, query);
        const summaries = await summariesV3(queries, page.rows);
        return cursorPageOfRecords(
          page,
          page.rows.flatMap((row, i) => {
            const summary = summaries[i];
            return summary ? [ownTransactionV3(row, summary, principal)] : [];
          }),
        );
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/transactions/:tx_id/balance-changes',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalTransactionBalanceChangesV3',
        summary: 'List the balance changes of a principal by a transaction',
        description: 'By asset. Empty for a transaction that no canonical block has.',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS), tx_id: txId(TX_ID) }),
        querystring: Type.Object({
          ...cursorQuery(
            { maximum: 50, default: 20 },
            {
              pattern: ASSET_CURSOR,
              description: '`1:stx`, or `2:` or `3:` and the identifier of a fungible or non-fungible asset',
              example: '1:stx',
            },
          ),
          at: at(),
        }),
        response: { 200: cursorPageOf(BalanceChangeSchemaV3, 'BalanceChangesPage') },
      },
    },
    (request, reply) =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { principal, tx_id } = request.params;
        const { query } = request;
        await tellFork(queries, query, reply);
        const changes = await balanceChangesOf(queries, budget, principal, [normalHash(tx_id)]);
        const first = query.cursor === undefined ? 0 : firstOfAsset(changes, query.cursor);
        const page = await pageFrom(inMemoryList(changes, assetCursor), first, query.limit);
        return cursorPage(page, change => balanceChangeV3(change));
      }),
  );
}
