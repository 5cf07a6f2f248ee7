import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Tip } from '../../ingest/chain/tip.ts';
import { tipVersion } from '../http/caching.ts';
import { type Exchange, plainPath, readWhole } from './exchange.ts';

/** Frequent requests whose responses are the same for all clients at one tip. */
const SHAREABLE: readonly { readonly method: string; readonly path: RegExp; readonly keptMs: number }[] = [
  // Both also change between blocks: with the burn chain.
  { method: 'GET', path: /^\/v2\/(info|pox)$/, keptMs: 1000 },
  { method: 'GET', path: /^\/v2\/contracts\/(interface|source)\//, keptMs: Number.POSITIVE_INFINITY },
  { method: 'POST', path: /^\/v2\/contracts\/call-read\//, keptMs: Number.POSITIVE_INFINITY },
];
/** A response for `tip=latest` changes between blocks. */
const LATEST = /[?&]tip=latest(&|$)/;

/** Bytes that are kept, heads included. */
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

/** One request to the node that serves all identical requests of clients. */
interface Flight {
  readonly response: Promise<SharedResponse>;
  /** Undefined while it is under way. */
  keptUntil: number | undefined;
  /** Bytes that count as kept. */
  size: number;
  waiting: number;
  readonly abort: AbortController;
}

/**
 * Responses that several clients share: requests that come while the same one is under way wait for its response, and a response that
 * the node gave at the tip of the index is kept until that tip changes.
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

  /** Undefined if the request is not for sharing; then nothing has been done. */
  handle(exchange: Exchange): Promise<FastifyReply> | undefined {
    const { method } = exchange.request;
    const path = plainPath(exchange.path);
    const kind = SHAREABLE.find(each => each.method === method && each.path.test(path));
    if (kind === undefined || LATEST.test(exchange.path) || exchange.isAuthorized || this.#tip() === undefined)
      return undefined;
    return this.#share(exchange, kind.keptMs);
  }

  async #share(exchange: Exchange, keptMs: number): Promise<FastifyReply> {
    const body = exchange.request.method === 'POST' ? await exchange.hold() : undefined;
    const key = keyOf(exchange, body);
    const flight = this.#find(key) ?? this.#start(key, exchange, body, keptMs);
    const { status, headers, body: responseBody } = await join(flight, exchange.signal);
    return exchange.respond(status, headers, responseBody);
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

  #start(key: string, exchange: Exchange, body: Buffer | undefined, keptMs: number): Flight {
    const [abort, tip, version] = [new AbortController(), this.#tip(), this.#version];
    const response = exchange.sendForAll(body, abort.signal).then(readShared);
    const flight: Flight = { response, keptUntil: undefined, size: 0, waiting: 0, abort };
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

/** Waits for a flight. A flight is aborted when its last client leaves. */
async function join(flight: Flight, signal: AbortSignal): Promise<SharedResponse> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  flight.waiting++;
  try {
    return await Promise.race([flight.response, left]);
  } finally {
    signal.removeEventListener('abort', leave);
    flight.waiting--;
    if (flight.waiting === 0 && flight.keptUntil === undefined) flight.abort.abort();
  }
}

async function readShared(response: Parameters<typeof readWhole>[0]): Promise<SharedResponse> {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !OF_ONE_EXCHANGE.has(name)));
  return { status: response.status, headers, body: await readWhole(response) };
}

/** Whether a response holds for the tip of the index. A call that failed may have met a limit of the moment. */
function isOfTip({ status, headers, body }: SharedResponse, tip: Tip | undefined): boolean {
  const hasFailed = body.subarray(0, 32).toString('latin1').replace(/\s/g, '').startsWith('{"okay":false');
  return status === 200 && !hasFailed && tip !== undefined && headers[TIP_HEIGHT] === String(tip.height);
}

function keyOf({ request, path }: Exchange, body: Buffer | undefined): string {
  const { accept = '', 'content-type': type = '' } = request.headers;
  const digest = body === undefined ? '' : createHash('sha256').update(body).digest('base64');
  return [request.method, path, accept, type, digest].join('\n');
}
