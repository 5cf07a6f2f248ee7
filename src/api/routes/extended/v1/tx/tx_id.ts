import type { FastifyRequest } from 'fastify';
import { VersionedResponses } from '../../../../http/caching.ts';
import { notFound } from '../../../../http/errors.ts';
import { limit, MAX_INTEGER, normalHash, offset, txId } from '../../../../http/params.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, type PastQuery, readAsOf } from '../../../../paging/as-of.ts';
import { rawTransaction } from '../../../../records/transactions/queries.ts';
import { AnyTransactionSchemaV1, RawTransactionSchemaV1 } from '../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { TX_ID } from '../../../examples.ts';
import { SHOWN, type Shown, shownTransactions } from './by-id.ts';

/** `/extended/v1/tx/{tx_id}` (docs/spec/transactions.md#transactions-by-id, #raw-transactions) */
export function addTransactionByIdRoutesV1(api: Api, { db }: ApiContext): void {
  const responses = new VersionedResponses<FastifyRequest<{ Params: { tx_id: string }; Querystring: Shown }>>(
    async request => {
      const id = normalHash(request.params.tx_id);
      const record = (await shownTransactions(db, request, [id])).get(id);
      if (record === undefined) throw notFound('could not find transaction by ID');
      return record;
    },
  );

  api.get(
    '/extended/v1/tx/:tx_id',
    {
      config: { cache: responses.version },
      schema: {
        operationId: 'getTransactionByIdV1',
        deprecated: true,
        summary: 'Get a transaction',
        description: 'With its events once a block has it; until then its record in the mempool, pending or dropped.',
        tags: ['Transactions'],
        params: Type.Object({ tx_id: txId(TX_ID) }),
        querystring: SHOWN,
        response: {
          200: AnyTransactionSchemaV1,
          404: failure('No canonical block has the transaction, and it was never in the mempool'),
        },
      },
    },
    responses.body,
  );

  /** Read once for a request: its version and its body need it. */
  const read = new WeakMap<FastifyRequest, Promise<string | undefined>>();
  const rawOf = (request: FastifyRequest, id: string): Promise<string | undefined> => {
    const known = read.get(request);
    if (known) return known;
    const query = request as FastifyRequest<{ Querystring: PastQuery }>;
    const raw = readAsOf(db, query, queries => rawTransaction(queries, id));
    read.set(request, raw);
    return raw;
  };

  api.get(
    '/extended/v1/tx/:tx_id/raw',
    {
      // The bytes of an id never change, so the id is the version; an unknown id has no version.
      config: {
        cache: async request => {
          const id = normalHash((request.params as { tx_id: string }).tx_id);
          return (await rawOf(request, id)) && id;
        },
      },
      schema: {
        operationId: 'getRawTransactionByIdV1',
        deprecated: true,
        summary: 'Get the bytes of a transaction',
        description: 'In any state: confirmed, orphaned, pending or dropped.',
        tags: ['Transactions'],
        params: Type.Object({ tx_id: txId(TX_ID) }),
        querystring: Type.Object({
          event_limit: limit(100, 20, 'default', 'Checked, and without effect.'),
          event_offset: offset(0, MAX_INTEGER, 'Checked, and without effect.'),
          at: at(),
        }),
        response: {
          200: RawTransactionSchemaV1,
          404: failure('No such transaction is known'),
        },
      },
    },
    async request => {
      const raw = await rawOf(request, normalHash(request.params.tx_id));
      if (raw === undefined) throw notFound('could not find raw transaction by ID');
      return `{"raw_tx":"${raw}"}`;
    },
  );
}
