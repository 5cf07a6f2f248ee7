import type { Queries } from '../../../../../../base/store/database.ts';
import { firstEvents } from '../../../../../../index/transactions/event-parts.ts';
import { positionOfTransaction } from '../../../../../../index/transactions/positions.ts';
import { notFound } from '../../../../../http/errors.ts';
import { bodyOf, type LargeBody } from '../../../../../http/large-body.ts';
import type { RowBudget } from '../../../../../http/long-reads.ts';
import { addressOrContract, normalHash, txId } from '../../../../../http/params.ts';
import { failure } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { PAST_QUERY, readLongAsOf } from '../../../../../paging/as-of.ts';
import { entryAt } from '../../../../../records/addresses/transactions-v1.ts';
import {
  MovesOfPrincipal,
  TransactionWithStxTransfersSchemaV1,
} from '../../../../../records/addresses/transfers-v1.ts';
import { eventsInTurns } from '../../../../../records/transactions/events.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, TX_ID } from '../../../../examples.ts';

/** `/extended/v1/address/:principal/:tx_id/with_transfers` (docs/spec/addresses.md#histories-of-a-principal) */
export function addTransactionWithTransfersRouteV1(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/:tx_id/with_transfers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSingleTransactionWithTransfersV1',
        deprecated: true,
        summary: 'Get a transaction of a principal with the STX that it moved',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS), tx_id: txId(TX_ID) }),
        querystring: PAST_QUERY,
        response: {
          200: TransactionWithStxTransfersSchemaV1,
          404: failure('The principal has no such transaction on the canonical chain'),
        },
      },
    },
    async request => {
      const { principal, tx_id } = request.params;
      const record = await readLongAsOf(longReads, request, (queries, budget) =>
        findRecord(queries, budget, principal, normalHash(tx_id)),
      );
      if (record === undefined) throw notFound('No matching transaction found');
      return record;
    },
  );
}

async function findRecord(
  queries: Queries,
  budget: RowBudget,
  principal: string,
  txId: string,
): Promise<string | LargeBody | undefined> {
  const tx = await positionOfTransaction(queries, txId);
  const entry = tx === undefined ? undefined : await entryAt(queries, tx);
  if (!entry) return undefined;
  const moves = new MovesOfPrincipal(principal);
  const ofTransaction = { tx: entry.tx, first: await firstEvents(queries, entry.tx) };
  for await (const events of eventsInTurns(queries, budget, ofTransaction, 'desc')) moves.add(events);
  return moves.takesPartIn(entry) ? bodyOf(moves.withStxTransfersV1(entry)) : undefined;
}
