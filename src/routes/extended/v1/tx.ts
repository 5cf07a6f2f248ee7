import { Type } from 'typebox';
import { isValidPrincipal, isValidStandardAddress } from '../../../codec/index.ts';
import { badRequest, notFound } from '../../../http/errors.ts';
import { page } from '../../../http/page.ts';
import {
  flag,
  integer,
  limit,
  listOf,
  MAX_INTEGER,
  normalHash,
  offset,
  oneOf,
  principalStart,
  text,
  txId,
} from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { pageOfPending } from '../../../resources/mempool/queries.ts';
import { searchTransactions } from '../../../resources/transaction-list/queries.ts';
import { rawTransaction } from '../../../resources/transactions/raw.ts';
import { withoutFunctionArgs } from '../../../resources/transactions/record.ts';
import { MempoolTransactionSchema, RawTransaction, TransactionsPage } from '../../../resources/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, CONTRACT_ID, TX_ID } from '../../examples.ts';

/** `/extended/v1/tx` (docs/spec/transactions.md, docs/spec/mempool.md) */
export function addTransactionV1Routes(api: Api, { db, mempool }: ApiContext): void {
  api.get(
    '/extended/v1/tx',
    {
      config: { cache: 'tip', hot: true },
      schema: {
        operationId: 'getTransactionList',
        deprecated: true,
        summary: 'List recent transactions',
        description: 'Filters add up. The filters of time look at the burn block.',
        tags: ['Transactions'],
        querystring: Type.Object({
          offset: offset(),
          limit: limit(50, 20),
          type: Type.Optional(listOf('Only these kinds: `a,b`, or the parameter repeated.', TX_TYPES)),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
          order: oneOf('Direction.', ['asc', 'desc'], 'desc'),
          sort_by: oneOf('What the list is sorted by.', ['block_height', 'burn_block_time', 'fee'], 'block_height'),
          from_address: Type.Optional(text('Only those that this address sent.', ADDRESS)),
          to_address: Type.Optional(text('Only transfers to this principal.', ADDRESS)),
          start_time: Type.Optional(
            integer(
              'Only those of burn blocks at or after it, in Unix seconds; 0 stands for no bound.',
              {},
              1795000000,
            ),
          ),
          end_time: Type.Optional(
            integer(
              'Only those of burn blocks at or before it, in Unix seconds; 0 stands for no bound.',
              {},
              1796000000,
            ),
          ),
          contract_id: Type.Optional(text('Only calls and the deployment of this contract.', CONTRACT_ID)),
          function_name: Type.Optional(text('Only calls of functions of this name.', 'transfer')),
          nonce: Type.Optional(
            integer('Only those with this nonce of the sender; 0 stands for any.', { minimum: 0 }, 5),
          ),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
        }),
        response: { 200: TransactionsPage },
      },
    },
    async request => {
      const { query } = request;
      requireValid('from_address', query.from_address, isValidStandardAddress, 'STX address');
      requireValid('to_address', query.to_address, isValidPrincipal, 'STX address');
      requireValid('contract_id', query.contract_id, isValidPrincipal, 'principal');
      const { total, records } = await db.read(queries => searchTransactions(queries, query));
      const shown = query.exclude_function_args ? records.map(withoutFunctionArgs) : records;
      return page({ limit: query.limit, offset: query.offset, total }, shown);
    },
  );

  api.get(
    '/extended/v1/tx/mempool',
    {
      config: { cache: () => mempool.version(), hot: true },
      schema: {
        operationId: 'getMempoolTransactionList',
        deprecated: true,
        summary: 'List pending transactions',
        tags: ['Mempool'],
        querystring: Type.Object({
          sender_address: Type.Optional(principalStart('Only those that this principal sent.', PENDING_SENDER)),
          recipient_address: Type.Optional(principalStart('Only transfers to this principal.', ADDRESS)),
          address: Type.Optional(
            principalStart('Only those that it sent, receives, deploys or calls; not beside the other two.', ADDRESS),
          ),
          order_by: oneOf('By receipt, by length in bytes, or by fee.', ['age', 'size', 'fee'], 'age'),
          order: oneOf('Direction.', ['asc', 'desc'], 'desc'),
          unanchored: flag('Whether to leave out those that a microblock on the tip has.'),
          offset: offset(),
          limit: limit(50, 20),
          exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
        }),
        response: { 200: pageOf(MempoolTransactionSchema, 'MempoolTransactionsPage') },
      },
    },
    async request => {
      const { query } = request;
      const { sender_address, recipient_address, address } = query;
      for (const value of [sender_address, recipient_address, address]) requirePrincipal(value);
      if (address !== undefined && (sender_address ?? recipient_address) !== undefined) {
        throw badRequest('The "address" filter cannot be specified with other address filters');
      }
      const { total, records } = await db.read(queries => pageOfPending(queries, query));
      const shown = query.exclude_function_args ? records.map(withoutFunctionArgs) : records;
      return page({ limit: query.limit, offset: query.offset, total }, shown);
    },
  );

  const rawOf = (id: string) => db.read(queries => rawTransaction(queries, normalHash(id)));

  api.get(
    '/extended/v1/tx/:tx_id/raw',
    {
      // The bytes of an id never change, so the id is the version; an id that is not known yet has none.
      config: {
        cache: async request => {
          const { tx_id } = request.params as { tx_id: string };
          return (await rawOf(tx_id)) && normalHash(tx_id);
        },
      },
      schema: {
        operationId: 'getRawTransactionById',
        deprecated: true,
        summary: 'Get the bytes of a transaction',
        description: 'Whatever became of it: confirmed, orphaned, pending or dropped.',
        tags: ['Transactions'],
        params: Type.Object({ tx_id: txId(TX_ID) }),
        querystring: Type.Object({
          event_limit: limit(100, 20, 'default', 'Checked, and without effect.'),
          event_offset: offset(0, MAX_INTEGER, 'Checked, and without effect.'),
        }),
        response: {
          200: RawTransaction,
          404: failure('No such transaction is known'),
        },
      },
    },
    async request => {
      const raw = await rawOf(request.params.tx_id);
      if (raw === undefined) throw notFound('could not find raw transaction by ID');
      return `{"raw_tx":"${raw}"}`;
    },
  );
}

const PENDING_SENDER = 'ST3WEH1QWK1KS0AM07XBWZJXK9Y3R7ZA8J2VYJ386';

/** In the order in which an error names them. */
const TX_TYPES = [
  'coinbase',
  'token_transfer',
  'smart_contract',
  'contract_call',
  'poison_microblock',
  'tenure_change',
] as const;

function requireValid(name: string, value: string | undefined, isValid: (text: string) => boolean, kind: string): void {
  if (value === undefined || isValid(value)) return;
  throw badRequest(`Invalid query parameter for "${name}": "${value}" is not a valid ${kind}`);
}

function requirePrincipal(value: string | undefined): void {
  if (value === undefined || isValidPrincipal(value)) return;
  throw badRequest(`Error: Invalid query parameter: "${value}" is not a valid STX address or principal`);
}
