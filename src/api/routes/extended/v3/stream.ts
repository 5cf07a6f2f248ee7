import type { Static } from 'typebox';
import { quoted } from '../../../../base/lib/app-error.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { ApiError, invalidParameter, overloaded } from '../../../http/errors.ts';
import { integer, limit } from '../../../http/params.ts';
import { count, failure, hash, nullable, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { MOST_OF_PAGE, readLog } from '../../../live/chain.ts';
import { PAYLOADS } from '../../../live/entry.ts';
import { placeOfTip } from '../../../live/standing.ts';
import type { Streams } from '../../../live/streams.ts';
import { type LogPosition, parseToken, TOKEN_PATTERN, tokenOf } from '../../../live/token.ts';
import { parseTopic, TOPIC_FORMS, type Topic, TopicSet } from '../../../live/topics.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, CONTRACT_ID } from '../../examples.ts';

const EXAMPLE_TOKEN = '0.0000000000.4';

/** The parameters of both routes. */
const PARAMETERS = {
  topics: Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string' },
    default: ['block'],
    description:
      'The topics, `a,b` or repeated: `block`, `burn-block`, `mempool`, `tx:<id>`, `principal:<principal>` (its transactions), ' +
      '`balance:<principal>`, `contract-log:<contract>[:<topic>]`, `contract-log-topic:<contract>:<topic>` and `contract-log-principal:<contract>:<principal>` ' +
      '(what it printed with this topic or principal, as in its list of logs), `ft:<asset>`, `nft:<asset>[+<value>]`; rollbacks are always sent.',
    examples: [
      'block',
      'burn-block',
      `principal:${ADDRESS}`,
      `contract-log:${CONTRACT_ID}`,
      `contract-log-topic:${CONTRACT_ID}:deposit`,
    ],
  }),
  after: Type.Optional(
    Type.String({
      pattern: TOKEN_PATTERN,
      description: 'The id of the last event that the client has; `0.0000000000.4` is before the first block.',
      examples: [EXAMPLE_TOKEN],
    }),
  ),
  payload: Type.Optional(
    Type.Unsafe<(typeof PAYLOADS)[number]>({
      type: 'string',
      enum: [...PAYLOADS],
      description: 'Whole records, or only their identifiers. Without it, whole records but for the mempool.',
    }),
  ),
};

const EventSchemaV1 = Type.Object(
  {
    id: Type.String({ description: 'A token: `after` continues after this event' }),
    event: word([
      'block',
      'burn-block',
      'tx',
      'principal-tx',
      'contract-log',
      'ft',
      'nft',
      'balance',
      'block-end',
      'rollback',
      'gap',
    ]),
    data: Type.Unsafe<object>({ type: 'object', description: 'As in the stream: docs/live.md' }),
  },
  { title: 'StreamEvent' },
);

const EventsSchema = Type.Object(
  {
    events: Type.Array(EventSchemaV1),
    next: Type.String({ description: 'The token for the next request, also after a response without events' }),
    at_tip: Type.Boolean({ description: 'Whether the page ends at the tip' }),
    tip: nullable(Type.Object({ height: count(), index_hash: hash() }), 'Null while the chain is empty'),
  },
  { title: 'StreamEvents' },
);

/** The most blocks by which the process that issued a token may be ahead of this one. */
const AHEAD = 10;
/** The most milliseconds that a page waits for its turn; after that the response is a 503. */
const MAX_WAIT = 1000;

/** `/extended/v3/stream` (docs/live.md, docs/spec/live.md) */
export function addStreamRoutesV3(api: Api, { db, streams }: ApiContext): void {
  api.get(
    '/extended/v3/stream',
    {
      config: { cache: 'none', mediaType: 'text/event-stream' },
      schema: {
        operationId: 'streamEventsV3',
        summary: 'Stream what happens',
        description:
          'Server-sent events, as browsers read them with EventSource: blocks, what is in them, what forks take back, the mempool. ' +
          'A client that comes back continues where it was.',
        tags: ['Live'],
        querystring: Type.Object({
          ...PARAMETERS,
          heartbeat: integer('Seconds after which a quiet stream sends a heartbeat.', {
            minimum: 5,
            maximum: 60,
            default: 15,
          }),
        }),
        response: {
          200: Type.String({ description: 'Events until the client or the server goes' }),
          406: failure('The client does not accept text/event-stream'),
          429: failure('The address has as many streams as it may have'),
        },
      },
    },
    async (request, reply) => {
      const { query, headers } = request;
      const topics = topicsOf(query, streams);
      const header = headers['last-event-id'];
      const after = parseAfter(typeof header === 'string' && header !== '' ? header : query.after);
      if (!acceptsEventStream(headers.accept))
        throw new ApiError(406, 'The stream is text/event-stream, which the header Accept does not allow', {
          code: 'NOT_ACCEPTABLE',
        });
      if (request.method === 'HEAD') return reply.header('content-type', 'text/event-stream; charset=utf-8').send('');
      api.waitsElsewhere(request); // it does not count as a request in progress
      await streams.open(reply, { topics, payload: query.payload, heartbeat: query.heartbeat, after });
    },
  );

  api.get(
    '/extended/v3/stream/events',
    {
      config: { cache: 'none' },
      schema: {
        operationId: 'getStreamEventsV3',
        summary: 'List what happened',
        description:
          'The events of the stream but for the mempool, for polling: each request sends the `next` of the last response as `after`.',
        tags: ['Live'],
        querystring: Type.Object({ ...PARAMETERS, limit: limit(500, 100) }),
        response: { 200: EventsSchema },
      },
    },
    async request => {
      const { query, client } = request;
      const { socket } = request.raw;
      const topics = new TopicSet(topicsOf(query, streams));
      const given = parseAfter(query.after);
      const limits = { ...MOST_OF_PAGE, events: query.limit, distance: Number.MAX_SAFE_INTEGER, ahead: AHEAD };
      const arrived = performance.now();
      const pause = () => {
        if (socket.destroyed) throw overloaded();
        return streams.pause('live page');
      };
      const page = async (queries: Queries) => {
        const after = given ?? (await placeOfTip(queries));
        const { entries, to, isAtTip, tip } = await readLog(queries, after, topics, limits, pause);
        const events: string[] = [];
        for (const entry of entries) {
          await pause();
          events.push(`{"id":"${entry.id}","event":"${entry.event}","data":${entry.data(query.payload)}}`);
        }
        const more = { next: tokenOf(to), at_tip: isAtTip, tip };
        return `{"events":[${events.join(',')}],${JSON.stringify(more).slice(1)}`;
      };
      const read = () => {
        if (performance.now() - arrived > MAX_WAIT) throw overloaded();
        return db.read(page);
      };
      const text = await streams.replays.run(client, () => socket.destroyed, read);
      if (text === undefined) throw overloaded();
      return text;
    },
  );
}

type Query = Static<(typeof PARAMETERS)['topics']>;

/** @throws ApiError that names the invalid topics */
function topicsOf({ topics }: { readonly topics: Query }, { limits }: Streams): Topic[] {
  // A repeated parameter may be a list itself.
  const texts = topics.flatMap(text => text.split(',')).filter(text => text !== '');
  if (texts.length > limits.maxTopics)
    throw invalidParameter(`querystring/topics must have at most ${limits.maxTopics} items, not ${texts.length}`);
  const found = texts.map(text => parseTopic(text));
  const bad = texts.filter((_, i) => found[i] === undefined);
  if (bad.length > 0)
    throw invalidParameter(`querystring/topics must be among ${TOPIC_FORMS}; not ${bad.map(quoted).join(', ')}`);
  return found.filter(topic => topic !== undefined);
}

/** @throws ApiError for a text that is no token; it can come from a header, which no schema checks */
function parseAfter(token: string | undefined): LogPosition | undefined {
  if (token === undefined) return undefined;
  const place = parseToken(token);
  if (!place) throw invalidParameter(`querystring/after must be the id of an event, not ${quoted(token)}`);
  return place;
}

/** Whether an Accept header allows server-sent events; without one, everything is allowed. */
function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const isRefused = parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
    return !isRefused && ['text/event-stream', 'text/*', '*/*'].includes(type);
  });
}
