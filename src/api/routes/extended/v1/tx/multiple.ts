import type { FastifyRequest } from 'fastify';
import { VersionedResponses } from '../../../../http/caching.ts';
import { normalHash, txIds } from '../../../../http/params.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { AnyTransactionSchemaV1 } from '../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { TX_ID } from '../../../examples.ts';
import { SHOWN, type Shown, shownTransactions } from './by-id.ts';

/** `/extended/v1/tx/multiple` (docs/spec/transactions.md#transactions-by-id) */
export function addTransactionsByIdsRouteV1(api: Api, { db }: ApiContext): void {
  const responses = new VersionedResponses<
    FastifyRequest<{ Querystring: Shown & { readonly tx_id: readonly string[] } }>
  >(async request => {
    const { tx_id } = request.query;
    const found = await shownTransactions(db, request, [...new Set(tx_id.map(normalHash))]);
    // As a map: a repeated id is shown once.
    const entries = new Map(tx_id.flatMap(id => entriesOf(id, found)));
    return `{${[...entries].map(([id, entry]) => `"${id}":${entry}`).join(',')}}`;
  });

  api.get(
    '/extended/v1/tx/multiple',
    {
      config: { successor: '/extended/v3/transactions/batch', cache: responses.version },
      schema: {
        operationId: 'getTxListDetailsV1',
        deprecated: true,
        summary: 'Get several transactions',
        description: 'Each as by its id alone, under its id.',
        tags: ['Transactions'],
        querystring: Type.Object({ tx_id: txIds(TX_ID), ...SHOWN.properties }),
        response: { 200: Type.Object({}, { additionalProperties: TransactionOfId }) },
      },
    },
    responses.body,
  );
}

type Entry = readonly [id: string, text: string];

/**
 * The entries for a requested id. An id in upper case is found under its lower case, while the id as written is
 * reported as not found (as recorded).
 * @param requested 64 hex digits, perhaps with 0x
 */
function entriesOf(requested: string, found: ReadonlyMap<string, string>): Entry[] {
  const id = normalHash(requested);
  const record = found.get(id);
  const written = requested.startsWith('0x') ? requested : `0x${requested}`;
  const hit: Entry = [id, `{"found":true,"result":${record}}`];
  const miss: Entry = [written, `{"found":false,"result":{"tx_id":"${written}"}}`];
  if (record === undefined) return [miss];
  return written === id ? [hit] : [hit, miss];
}

const TransactionOfId = Type.Union(
  [
    Type.Object(
      { found: Type.Literal(true), result: AnyTransactionSchemaV1 },
      { title: 'FoundTransaction', description: 'The transaction with this id' },
    ),
    Type.Object(
      { found: Type.Literal(false), result: Type.Object({ tx_id: Type.String({ examples: [TX_ID] }) }) },
      { title: 'MissingTransaction', description: 'No transaction has this id' },
    ),
  ],
  { title: 'TransactionOfId' },
);
