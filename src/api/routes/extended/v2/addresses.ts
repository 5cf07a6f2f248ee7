import type { Queries } from '../../../../base/store/database.ts';
import { findEvents } from '../../../../index/transactions/event-parts.ts';
import { type AssetEvent, isAssetEvent } from '../../../../ingest/chain/event-facts.ts';
import { notFound } from '../../../http/errors.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import {
  addressOrContract,
  flag,
  limit,
  normalHash,
  offset,
  text,
  transactionCursor,
  txId,
} from '../../../http/params.ts';
import { failure, nullable, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { addressEventV2, addressTransactionV2 } from '../../../records/addresses/records-v2.ts';
import { AddressEventSchemaV2, AddressTransactionSchemaV2 } from '../../../records/addresses/schema.ts';
import { transactionsOfAddress } from '../../../records/addresses/transactions-v2.ts';
import { bitcoinAddress } from '../../../records/burnchain/bitcoin-address.ts';
import { poxTransactionsTo } from '../../../records/burnchain/queries.ts';
import { PoxTransactionSchemaV2 } from '../../../records/burnchain/schema.ts';
import { withEventsInList } from '../../../records/transactions/detail.ts';
import { EVENTS_IN_LISTS, eventsInTurns } from '../../../records/transactions/events.ts';
import { isOrphaned } from '../../../records/transactions/orphaned.ts';
import { withoutFunctionArgsV1 } from '../../../records/transactions/record-v1.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, TX_ID } from '../../examples.ts';

/** Of the second page of the example's transactions. */
const TRANSACTION_CURSOR = '0xfe8614d7ca7f978c06ce4a72368c284af5af6c2c0af0d2388ce8214bb0214336:2147483647:9';

/** `/extended/v2/addresses` (docs/spec/addresses.md) */
export function addAddressRoutesV2(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v2/addresses/:address/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAddressTransactionsV2',
        deprecated: true,
        summary: 'List the transactions of a principal',
        description:
          'Newest first, with what the principal sent and received in each; fees it paid are in `stx_sent`. `prev_cursor` leads ' +
          'towards genesis, `next_cursor` towards the tip; with a cursor, `offset` counts from its transaction.',
        tags: ['Addresses'],
        params: Type.Object({ address: addressOrContract(ADDRESS) }),
        querystring: Type.Object({
          limit: limit(50, 20, 'kept'),
          offset: offset(),
          at: at(),
          cursor: Type.Optional(transactionCursor(TRANSACTION_CURSOR)),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
          ...EVENTS_IN_LISTS,
        }),
        response: {
          200: pageOf(AddressTransactionSchemaV2, 'AddressTransactionsPage', {
            next_cursor: nullable(Type.String(), 'Of the page nearer the tip; null on the one at the tip'),
            prev_cursor: nullable(Type.String(), 'Of the page nearer genesis'),
            cursor: nullable(Type.String(), 'Of this page: its first transaction'),
          }),
          404: failure(
            'The principal has no canonical transaction with this cursor, or the offset leads past its first',
          ),
        },
      },
    },
    async request => {
      const { envelope, transactions, records } = await readAsOf(db, request, async queries => {
        const found = await transactionsOfAddress(queries, request.params.address, request.query);
        const records = found.transactions.map(({ record }) => record);
        return { ...found, records: await withEventsInList(queries, records, request.query) };
      });
      const shown = request.query.exclude_function_args ? records.map(withoutFunctionArgsV1) : records;
      const results = transactions.map((entry, i) => addressTransactionV2(entry, shown[i] ?? entry.record));
      return page(envelope, results);
    },
  );

  api.get(
    '/extended/v2/addresses/:address/transactions/:tx_id/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAddressTransactionEventsV2',
        deprecated: true,
        summary: 'List the asset events of a principal in a transaction',
        tags: ['Addresses'],
        params: Type.Object({ address: addressOrContract(ADDRESS), tx_id: txId(TX_ID) }),
        querystring: Type.Object({ limit: limit(50, 20), offset: offset(), at: at() }),
        response: {
          200: pageOf(AddressEventSchemaV2, 'AddressEventsPage'),
          404: failure('No block has ever had the transaction'),
        },
      },
    },
    async request => {
      const { address, tx_id } = request.params;
      const { limit, offset } = request.query;
      const found = await readLongAsOf(longReads, request, (queries, budget) =>
        ownEvents(queries, budget, { address, txId: normalHash(tx_id), limit, offset }),
      );
      if (!found) throw notFound('Transaction not found');
      return page({ limit, offset, total: found.total }, found.records);
    },
  );

  api.get(
    '/extended/v2/addresses/:burnchain_address/pox-transactions',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainAddressPoxTransactionsV2',
        summary: 'List the payments of rewards to an address',
        description:
          'Outputs of Bitcoin transactions, those of the newest burn block first. Nodes send them since version 3.3.',
        tags: ['Addresses'],
        params: Type.Object({
          burnchain_address: text(
            'A Bitcoin address, or a Stacks address, which means the Bitcoin address of the same key.',
            'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc',
          ),
        }),
        querystring: Type.Object({ limit: limit(30, 20, 'kept'), offset: offset(), at: at() }),
        response: { 200: pageOf(PoxTransactionSchemaV2, 'PoxTransactionsPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const address = bitcoinAddress(request.params.burnchain_address);
      const { total, records } = await readAsOf(db, request, queries =>
        poxTransactionsTo(queries, address, { limit, offset }),
      );
      return page({ limit, offset, total }, records);
    },
  );
}

interface OwnEvents {
  readonly address: string;
  readonly txId: string;
  readonly limit: number;
  readonly offset: number;
}

/** A page of the events of an address in a transaction: empty if only an orphaned block has it; undefined if no block ever had it. */
async function ownEvents(queries: Queries, budget: RowBudget, { address, txId, limit, offset }: OwnEvents) {
  const found = await findEvents(queries, txId);
  if (found === undefined) return (await isOrphaned(queries, txId)) ? { total: 0, records: [] } : undefined;
  const records: string[] = [];
  let total = 0;
  for await (const events of eventsInTurns(queries, budget, found))
    for (const event of events.filter(isAssetEvent)) {
      if (!concerns(event, address)) continue;
      if (total >= offset && records.length < limit) records.push(JSON.stringify(addressEventV2(event)));
      total++;
    }
  return { total, records };
}

const concerns = ({ sender, recipient }: AssetEvent, address: string): boolean =>
  sender === address || recipient === address;
