import type { FastifyRequest } from 'fastify';
import { positionOfTransaction } from '../../../../../index/transactions/positions.ts';
import { VersionedResponses } from '../../../../http/caching.ts';
import { notFound } from '../../../../http/errors.ts';
import { normalHash, txId, listOf as wordsOf } from '../../../../http/params.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { DIGITS } from '../../../../http/validation.ts';
import { at, type PastQuery, readAsOf } from '../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, pageFrom } from '../../../../paging/cursor-page.ts';
import { transactionByIdV3 } from '../../../../records/mempool/transactions-v3.ts';
import { EventSchemaV3, eventV3 } from '../../../../records/transactions/event-v3.ts';
import { listOfEvents } from '../../../../records/transactions/events.ts';
import { INCLUDED, type Included } from '../../../../records/transactions/payload-v3.ts';
import { TransactionSchemaV3 } from '../../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../../context.ts';
import { TX_ID } from '../../../examples.ts';
import { cursorQuery, readList } from '../list.ts';

const transactionNotFound = () => notFound('Transaction not found');

/** `/extended/v3/transactions/{tx_id}` (docs/spec/transactions.md#version-3) */
export function addTransactionByIdRoutesV3(api: Api, { db }: ApiContext): void {
  const responses = new VersionedResponses<
    FastifyRequest<{ Params: { tx_id: string }; Querystring: PastQuery & { include?: readonly Included[] } }>
  >(async request => {
    const { params, query } = request;
    const whole = await readAsOf(db, request, queries =>
      transactionByIdV3(queries, normalHash(params.tx_id), new Set(query.include)),
    );
    if (whole === undefined) throw transactionNotFound();
    return JSON.stringify(whole);
  });

  api.get(
    '/extended/v3/transactions/:tx_id',
    {
      config: { cache: responses.version },
      schema: {
        operationId: 'getTransactionV3',
        summary: 'Get a transaction',
        description: 'Confirmed, pending or dropped.',
        tags: ['Transactions'],
        params: Type.Object({ tx_id: txId(TX_ID) }),
        querystring: Type.Object({
          include: Type.Optional(wordsOf('What to show besides, each once.', INCLUDED, { uniqueItems: true })),
          at: at(),
        }),
        response: {
          200: TransactionSchemaV3,
          404: failure('No canonical block has the transaction, and it was never in the mempool'),
        },
      },
    },
    responses.body,
  );

  api.get(
    '/extended/v3/transactions/:tx_id/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionEventsV3',
        summary: 'List the events of a transaction',
        tags: ['Transactions'],
        params: Type.Object({ tx_id: txId(TX_ID) }),
        querystring: Type.Object({
          ...cursorQuery({ maximum: 100, default: 20 }, { ...DIGITS, description: '`<event index>`', example: '1' }),
          at: at(),
        }),
        response: {
          200: cursorPageOf(EventSchemaV3, 'TransactionEventsPage'),
          404: failure('No canonical block has the transaction'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const position = await positionOfTransaction(queries, normalHash(params.tx_id));
        if (position === undefined) throw transactionNotFound();
        const page = await pageFrom(await listOfEvents(queries, position), Number(query.cursor ?? 0), query.limit);
        return cursorPage(page, event => eventV3(event));
      }),
  );
}
