import { Type } from 'typebox';
import { isValidPrincipal, isValidStandardAddress } from '../../codec/index.ts';
import { redirect } from '../../http/conventions.ts';
import { badRequest, notFound } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { flag, integer, limit, listOf, normalHash, offset, oneOf, text, txId } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { rawTransaction } from './raw.ts';
import { withoutFunctionArgs } from './record.ts';
import { RawTransaction, TransactionsPage } from './schema.ts';
import { searchTransactions } from './search/search.ts';

/** In the order in which a wrong one is reported. */
const TYPE_FILTER = [
  'coinbase',
  'token_transfer',
  'smart_contract',
  'contract_call',
  'poison_microblock',
  'tenure_change',
] as const;

/** `/extended/v1/tx`: getTransactionList and getRawTransactionById (docs/spec/transactions.md). */
export function addTransactionRoutes(api: Api, { db }: ApiContext): void {
  const listQuery = Type.Object({
    offset: offset(),
    limit: limit(50, 20),
    type: Type.Optional(listOf(TYPE_FILTER)),
    unanchored: flag(),
    order: oneOf(['asc', 'desc'], 'desc'),
    sort_by: oneOf(['block_height', 'burn_block_time', 'fee'], 'block_height'),
    from_address: Type.Optional(text()),
    to_address: Type.Optional(text()),
    start_time: Type.Optional(integer()),
    end_time: Type.Optional(integer()),
    contract_id: Type.Optional(text()),
    function_name: Type.Optional(text()),
    nonce: Type.Optional(integer({ minimum: 0 })),
    exclude_function_args: flag(),
  });

  const listConfig = { cache: 'tip', hot: true, response: TransactionsPage } as const;
  api.get('/extended/v1/tx', { config: listConfig, schema: { querystring: listQuery } }, async request => {
    const { query } = request;
    requireValid('from_address', query.from_address, isValidStandardAddress, 'STX address');
    requireValid('to_address', query.to_address, isValidPrincipal, 'STX address');
    requireValid('contract_id', query.contract_id, isValidPrincipal, 'principal');
    const { total, records } = await db.read(queries => searchTransactions(queries, query));
    const shown = query.exclude_function_args ? records.map(withoutFunctionArgs) : records;
    return page({ limit: query.limit, offset: query.offset, total }, shown);
  });

  api.get(
    '/extended/v1/tx/:tx_id/raw',
    {
      // The bytes of an id never change, so the id is the version; an id that is not known yet has none.
      config: {
        cache: async request =>
          (await find(request.params as { tx_id: string }))
            ? normalHash((request.params as { tx_id: string }).tx_id)
            : undefined,
        response: RawTransaction,
      },
      schema: {
        params: Type.Object({ tx_id: txId() }),
        querystring: Type.Object({ event_limit: limit(100, 20), event_offset: offset() }),
      },
    },
    async (request, reply) => {
      const { tx_id } = request.params;
      if (!tx_id.startsWith('0x')) return redirect(reply, 302, `/extended/v1/tx/0x${tx_id}/raw`);
      const raw = await find(request.params);
      if (raw === undefined) throw notFound('could not find raw transaction by ID');
      return `{"raw_tx":"${raw}"}`;
    },
  );

  const find = ({ tx_id }: { tx_id: string }) => db.read(queries => rawTransaction(queries, normalHash(tx_id)));
}

function requireValid(name: string, value: string | undefined, isValid: (text: string) => boolean, kind: string): void {
  if (value === undefined || isValid(value)) return;
  throw badRequest(`Invalid query parameter for "${name}": "${value}" is not a valid ${kind}`);
}
