import { badRequest } from '../../../../http/errors.ts';
import { limit, listOf, normalHash, offset, principalParam, txId } from '../../../../http/params.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, readLongAsOf } from '../../../../paging/as-of.ts';
import {
  EVENT_KINDS,
  type EventKind,
  eventsOfPrincipal,
  eventsOfTransaction,
} from '../../../../records/events/filtered.ts';
import { EventSchemaV1 } from '../../../../records/transactions/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { ADDRESS, TX_ID } from '../../../examples.ts';

const TYPES = Object.keys(EVENT_KINDS) as (keyof typeof EVENT_KINDS)[];

/** `/extended/v1/tx/events` (docs/spec/transactions.md#events-of-a-principal) */
export function addEventRouteV1(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v1/tx/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getFilteredEventsV1',
        deprecated: true,
        summary: 'List the events of a transaction or of a principal',
        description: 'Newest first. Either `tx_id` or `address` is given, not both.',
        tags: ['Transactions'],
        querystring: Type.Object({
          tx_id: Type.Optional(txId(TX_ID)),
          address: Type.Optional(
            principalParam('What moved its assets or locked its STX, and what it printed as a contract.', ADDRESS),
          ),
          type: Type.Optional(listOf('Only these kinds: `a,b`, or the parameter repeated.', TYPES)),
          limit: limit(100, 20),
          offset: offset(),
          at: at(),
        }),
        response: { 200: EventsPage },
      },
    },
    async request => {
      const { tx_id, address, type = TYPES, limit, offset } = request.query;
      const kinds = new Set<EventKind>(type.map(name => EVENT_KINDS[name]));
      const slice = { limit, offset };
      if (tx_id !== undefined && address !== undefined)
        throw badRequest('querystring/address must not be given together with tx_id');
      if (tx_id !== undefined)
        return shown(
          slice,
          await readLongAsOf(longReads, request, (queries, budget) =>
            eventsOfTransaction(queries, budget, normalHash(tx_id), kinds, slice),
          ),
        );
      if (address === undefined) throw badRequest('querystring/address or querystring/tx_id is required');
      const read = readLongAsOf(longReads, request, (queries, budget) =>
        eventsOfPrincipal(queries, budget, address, kinds, slice),
      );
      return shown(slice, await read);
    },
  );
}

/** Without a total, and not called `results` (as recorded). */
const EventsPage = Type.Object(
  {
    limit: Type.Integer({ minimum: 0, examples: [20], description: 'Events that the page can have' }),
    offset: Type.Integer({ examples: [0], description: 'Events before it' }),
    events: Type.Array(EventSchemaV1),
  },
  { title: 'EventsPage' },
);

const shown = ({ limit, offset }: { limit: number; offset: number }, events: readonly string[]): string =>
  `{"limit":${limit},"offset":${offset},"events":[${events.join(',')}]}`;
