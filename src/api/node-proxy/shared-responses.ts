import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Tip } from '../../ingest/chain/tip.ts';
import { tipVersion } from '../http/caching.ts';
import { ApiError } from '../http/errors.ts';
import { type Exchange, plainPath } from './exchange.ts';
import type { NodeResponse } from './node-client.ts';
import type { NodePlace } from './node-queue.ts';

/** Frequent requests whose responses are the same for all clients at one tip. */
const SHAREABLE: readonly { readonly method: string; readonly path: RegExp; readonly keptMs: number }[] = [
  // Both also change between blocks: with the burn chain.
  { method: 'GET', path: /^\/v2\/(info|pox)$/, keptMs: 1000 },
  { method: 'GET', path: /^\/v2\/contracts\/(interface|source)\//, keptMs: Number.POSITIVE_INFINITY },
  { method: 'POST', path: /^\/v2\/contracts\/call-read\//, keptMs: Number.POSITIVE_INFINITY },
];
/** Most bytes of a body; the digest of a longer one takes too long, and its request is not shared. */
const MOST_IN_BODY = 1024 * 1024;

/** Most bytes of kept responses, heads included. */
const MOST_KEPT = 16 * 1024 * 1024;
const HEAD_BYTES = 1000;
/** Headers about one exchange, which other clients must not get. */
const OF_ONE_EXCHANGE: ReadonlySet<string> = new Set(['date', 'x-request-id']);
/** The header in which nodes report their height. */
const TIP_HEIGHT = 'x-canonical-stacks-tip-height';

interface SharedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One request to the node for all identical requests of clients. */
interface Flight {
  readonly response: Promise<SharedResponse>;
  /** The client that caused the request. */
  readonly client: string;
  /** Undefined while it is in progress. */
  keptUntil: number | undefined;
  /** Bytes that count as kept. */
  size: number;
  waiting: number;
  readonly abort: AbortController;
}

/**
 * Responses that several clients share: requests that arrive while the same one is in progress wait for its response, and a response of the
 * node at the tip of the index is kept until that tip changes.
 */
export class SharedResponses {
  readonly #tip: () => Tip | undefined;
  readonly #now: () => number;
  readonly #flights = new Map<string, Flight>();
  #version = '';
  #kept = 0;

  /** @param now milliseconds */
  constructor(tip: () => Tip | undefined, now: () => number = () => performance.now()) {
    this.#tip = tip;
    this.#now = now;
  }

  /** Undefined if the request cannot be shared; then it was not handled. */
  handle(exchange: Exchange): Promise<FastifyReply> | undefined {
    const { method } = exchange.request;
    const path = plainPath(exchange.path);
    const kind = SHAREABLE.find(each => each.method === method && each.path.test(path));
    if (kind === undefined || isForLatest(exchange.path) || exchange.isAuthorized || this.#tip() === undefined)
      return undefined;
    return (exchange.body?.length ?? 0) > MOST_IN_BODY ? undefined : this.#share(exchange, kind.keptMs);
  }

  async #share(exchange: Exchange, keptMs: number): Promise<FastifyReply> {
    const key = keyOf(exchange);
    for (;;) {
      const flight = this.#find(key) ?? (await this.#begin(key, exchange, keptMs));
      try {
        const { status, headers, body } = await join(flight, exchange);
        return exchange.respond(status, headers, body);
      } catch (error) {
        // The client that caused the request has reached a limit, but the others have not.
        if (!(error instanceof ApiError) || flight.client === exchange.request.client) throw error;
      }
    }
  }

  /** Begins a request, which others can join only once the node has it: before, it may wait behind many requests of its client. */
  async #begin(key: string, exchange: Exchange, keptMs: number): Promise<Flight> {
    const place = await exchange.enter();
    const flight = this.#find(key);
    if (flight === undefined) return this.#start(key, exchange, place, keptMs);
    place.release();
    return flight;
  }

  /** A flight of the current tip. */
  #find(key: string): Flight | undefined {
    const tip = this.#tip();
    const version = tip === undefined ? '' : tipVersion(tip);
    if (version !== this.#version) {
      this.#flights.clear();
      this.#kept = 0;
      this.#version = version;
    }
    const flight = this.#flights.get(key);
    const isOver = flight?.keptUntil !== undefined && flight.keptUntil <= this.#now();
    if (flight === undefined || (!isOver && !flight.abort.signal.aborted)) return flight;
    this.#kept -= flight.size;
    this.#flights.delete(key);
    return undefined;
  }

  #start(key: string, exchange: Exchange, place: NodePlace, keptMs: number): Flight {
    const [abort, tip, version] = [new AbortController(), this.#tip(), this.#version];
    const response = exchange.sendForAll(place, abort.signal).then(head => readShared(exchange, head));
    const { client } = exchange.request;
    const flight: Flight = { response, client, keptUntil: undefined, size: 0, waiting: 0, abort };
    this.#flights.set(key, flight);
    const forget = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    response.then(shared => {
      const size = shared.body.length + HEAD_BYTES;
      const isCurrent = this.#version === version && this.#flights.get(key) === flight;
      if (!isCurrent || !isOfTip(shared, tip) || this.#kept + size > MOST_KEPT) return forget();
      this.#kept += size;
      flight.size = size;
      flight.keptUntil = this.#now() + keptMs;
    }, forget);
    return flight;
  }
}

/** Waits for a flight, which is aborted when its last client disconnects. @throws ApiError 429 or 503 if too many wait */
async function join(flight: Flight, exchange: Exchange): Promise<SharedResponse> {
  const { signal } = exchange;
  const isKept = flight.keptUntil !== undefined;
  // The first client has a place among the requests that the node works on.
  const leaveLine = isKept || flight.waiting === 0 ? undefined : exchange.waitInLine();
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  flight.waiting++;
  try {
    return await Promise.race([flight.response, left]);
  } finally {
    signal.removeEventListener('abort', leave);
    leaveLine?.();
    flight.waiting--;
    if (flight.waiting === 0 && flight.keptUntil === undefined) flight.abort.abort();
  }
}

async function readShared(exchange: Exchange, response: NodeResponse): Promise<SharedResponse> {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !OF_ONE_EXCHANGE.has(name)));
  return { status: response.status, headers, body: await exchange.readWhole(response) };
}

/** Whether a response is valid for the tip of the index. A failed call is not, as a temporary limit may be the cause. */
function isOfTip({ status, headers, body }: SharedResponse, tip: Tip | undefined): boolean {
  const hasFailed = body.subarray(0, 32).toString('latin1').replace(/\s/g, '').startsWith('{"okay":false');
  return status === 200 && !hasFailed && tip !== undefined && headers[TIP_HEIGHT] === String(tip.height);
}

/** Whether a request names the newest state of the node, which changes between blocks; decoded, as the node reads it. */
function isForLatest(path: string): boolean {
  const query = path.split('#', 1)[0]?.split('?').slice(1).join('?');
  return new URLSearchParams(query).getAll('tip').some(tip => tip.trim().toLowerCase() === 'latest');
}

function keyOf({ request, path, body }: Exchange): string {
  const { accept = '', 'content-type': type = '' } = request.headers;
  const digest = body === undefined ? '' : createHash('sha256').update(body).digest('base64');
  return [request.method, path, accept, type, digest].join('\n');
}
