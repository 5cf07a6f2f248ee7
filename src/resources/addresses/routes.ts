import { Type } from 'typebox';
import type { EventFacts } from '../../chain/event-facts.ts';
import { notFound } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { addressOrContract, flag, limit, normalHash, offset, txId } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { eventsAt } from '../transactions/events.ts';
import { isOrphaned } from '../transactions/orphans.ts';
import { positionOfTransaction } from '../transactions/positions.ts';
import { withoutFunctionArgs } from '../transactions/record.ts';
import { transactionsOfAddress } from './queries.ts';
import { addressEventRecord, addressTransactionRecord } from './records.ts';
import { AddressEventsPage, AddressTransactionsPage } from './schema.ts';

/** `/extended/v2/addresses`: getAddressTransactions and getAddressTransactionEvents (docs/spec/addresses.md). */
export function addAddressRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/addresses/:address/transactions',
    {
      config: { cache: 'tip', response: AddressTransactionsPage },
      schema: {
        params: Type.Object({ address: addressOrContract() }),
        querystring: Type.Object({
          limit: limit(50, 20, 'kept'),
          offset: offset(),
          exclude_function_args: flag(),
        }),
      },
    },
    async request => {
      const { limit, offset, exclude_function_args } = request.query;
      const slice = { order: 'desc', offset, limit } as const;
      const { total, transactions } = await db.read(queries =>
        transactionsOfAddress(queries, request.params.address, slice),
      );
      const shown = exclude_function_args
        ? transactions.map(entry => ({ ...entry, record: withoutFunctionArgs(entry.record) }))
        : transactions;
      return page({ limit, offset, total }, shown.map(addressTransactionRecord));
    },
  );

  api.get(
    '/extended/v2/addresses/:address/transactions/:tx_id/events',
    {
      config: { cache: 'tip', response: AddressEventsPage },
      schema: {
        params: Type.Object({ address: addressOrContract(), tx_id: txId() }),
        querystring: Type.Object({ limit: limit(50, 20), offset: offset() }),
      },
    },
    async request => {
      const { address, tx_id } = request.params;
      const { limit, offset } = request.query;
      const events = await db.read(queries => findEvents(queries, normalHash(tx_id)));
      if (!events) throw notFound('Transaction not found');
      const own = events.filter(event => concerns(event, address));
      const records = own.slice(offset, offset + limit).map(event => JSON.stringify(addressEventRecord(event)));
      return page({ limit, offset, total: own.length }, records);
    },
  );
}

/** The events of a transaction: none of one that only an orphaned block has; undefined where no block ever had it. */
async function findEvents(queries: Queries, txId: string): Promise<EventFacts[] | undefined> {
  const position = await positionOfTransaction(queries, txId);
  if (position !== undefined) return eventsAt(queries, position);
  return (await isOrphaned(queries, txId)) ? [] : undefined;
}

const concerns = (event: EventFacts, address: string): boolean =>
  event.kind !== 'log' && event.kind !== 'stx_lock' && (event.sender === address || event.recipient === address);
