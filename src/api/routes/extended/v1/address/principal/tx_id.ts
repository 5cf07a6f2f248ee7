import type { Queries } from '../../../../../../base/store/database.ts';
import { positionOfTransaction } from '../../../../../../index/transactions/positions.ts';
import { notFound } from '../../../../../http/errors.ts';
import { addressOrContract, normalHash, txId } from '../../../../../http/params.ts';
import { failure } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { entryAt } from '../../../../../records/addresses/transactions-v1.ts';
import {
  TransactionWithStxTransfersSchemaV1,
  takesPart,
  transactionWithStxTransfersV1,
} from '../../../../../records/addresses/transfers-v1.ts';
import { eventsAt } from '../../../../../records/transactions/events.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, TX_ID } from '../../../../examples.ts';

/** `/extended/v1/address/:principal/:tx_id/with_transfers` (docs/spec/addresses.md#histories-of-a-principal) */
export function addTransactionWithTransfersRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/:tx_id/with_transfers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSingleTransactionWithTransfers',
        deprecated: true,
        summary: 'Get a transaction of a principal with the STX that it moved',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS), tx_id: txId(TX_ID) }),
        response: {
          200: TransactionWithStxTransfersSchemaV1,
          404: failure('The principal has no such transaction on the canonical chain'),
        },
      },
    },
    async request => {
      const { principal, tx_id } = request.params;
      const record = await db.read(queries => findRecord(queries, principal, normalHash(tx_id)));
      if (record === undefined) throw notFound('No matching transaction found');
      return record;
    },
  );
}

async function findRecord(queries: Queries, principal: string, txId: string): Promise<string | undefined> {
  const tx = await positionOfTransaction(queries, txId);
  const entry = tx === undefined ? undefined : await entryAt(queries, tx);
  if (!entry) return undefined;
  const events = await eventsAt(queries, entry.tx);
  return takesPart(entry, events, principal) ? transactionWithStxTransfersV1(entry, events, principal) : undefined;
}
