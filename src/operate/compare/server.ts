import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../base/lib/app-error.ts';
import { withDeadline } from '../../base/lib/deadline.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/lib/json.ts';
import { retryAfterMs } from '../../base/lib/retry-after.ts';

/** The compared parts of a response; a body that is not JSON is a string. */
export interface ComparedResponse {
  readonly status: number;
  /** The compared headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** Requests a path with its query. @throws ServerAway */
export type Ask = (path: string) => Promise<ComparedResponse>;

/** The server sent no response that could be compared. */
export class ServerAway extends AppError {
  override readonly name = 'ServerAway';
  override readonly kind = 'operator';

  constructor(message: string, hint = 'Check the URL and that the server is up, then run the same command again.') {
    super(message, { hint });
  }
}

/** Headers whose values clients see. */
const SAME_VALUE = [
  'content-type',
  'cache-control',
  'warning',
  'access-control-allow-origin',
  'access-control-expose-headers',
];
/** Headers whose values each server chooses: both responses must have the header, or none. */
const SAME_PRESENCE = ['etag', 'x-api-version'];

/** The compared headers of a response. @param read returns the value of a header; undefined or null for a missing header */
export function comparedHeaders(read: (name: string) => string | null | undefined): Record<string, string> {
  const found = [
    ...SAME_VALUE.map(name => [name, read(name)?.toLowerCase()]),
    ...SAME_PRESENCE.map(name => [name, read(name) ? 'present' : undefined]),
  ];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** Time limit of one request with its response. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Most attempts for a request to a server that limits requests, or is busy and sends a time to wait. */
const ATTEMPTS = 10;
/** Pauses if the server names none: the first one, which doubles up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

interface AskerOptions {
  readonly signal: AbortSignal;
  /** Most requests a second; without it, as many as the server answers. */
  readonly rate?: number | undefined;
  /** Called before each pause that the server demands. */
  readonly onPause?: (pause: { readonly status: number; readonly ms: number }) => void;
  /** Waits; throws the reason of the signal. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends requests to a server. If the server limits requests (429, or 503 with a time), sends the same request again after the time that it names, however
 * long that is. So a refusal is never compared.
 * @param base `https://host[:port]`, the URL below which the API is
 */
export function askerOf(base: string, { signal, rate, onPause, pause = sleep }: AskerOptions): Ask {
  const root = base.replace(/\/+$/, '');
  const turn = turnsOf(rate, ms => pause(ms, signal));
  return async path => {
    for (let attempt = 1; ; attempt++) {
      await turn();
      const { status, headers, text, demandedMs } = await exchange(root + path, signal);
      const isRefused = status === 429 || (status === 503 && demandedMs !== undefined);
      if (!isRefused) return { status, headers, body: parsed(text) };
      if (attempt === ATTEMPTS) throw refusedTooOften(root + path, status);
      const ms = demandedMs ?? Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
      onPause?.({ status, ms });
      await pause(ms, signal);
    }
  };
}

const refusedTooOften = (url: string, status: number): ServerAway =>
  new ServerAway(
    `${url}: ${ATTEMPTS} requests in a row were refused with status ${status}`,
    'The server limits requests. Run the same command again later, with a lower --rate, fewer --samples, or --routes; with --state FILE it continues where it stopped.',
  );

/** Spaces requests evenly, so that no second has more of them than `rate`. */
function turnsOf(rate: number | undefined, pause: (ms: number) => Promise<void>): () => Promise<void> {
  let next = 0;
  return async () => {
    if (rate === undefined) return;
    const now = performance.now();
    const start = Math.max(now, next);
    next = start + 1000 / rate;
    if (start > now) await pause(start - now);
  };
}

async function exchange(url: string, outer: AbortSignal) {
  try {
    return await withDeadline(TIMEOUT_MS, outer, async signal => {
      const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
      const demandedMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
      const headers = comparedHeaders(name => response.headers.get(name));
      return { status: response.status, headers, text: await readText(response), demandedMs };
    });
  } catch (error) {
    outer.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ServerAway(`no response to ${url}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the response is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Longest time of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @throws the reason of the signal */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
    await delay(Math.min(left, LONGEST_TIMER_MS), undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** The tip that a server shows, and its name for its software. */
export interface ServerTip {
  readonly version: string;
  readonly height: number;
  readonly burnHeight: number;
  readonly block: string;
}

/** @throws ServerAway if this is no API of the chain, or it has no block yet */
export async function readServerTip(ask: Ask, whose: string): Promise<ServerTip> {
  const { body } = await ask('/extended');
  const status: JsonObject = isJsonObject(body) ? body : {};
  const tip = status.chain_tip;
  if (tip === undefined || !isJsonObject(tip)) throw new ServerAway(`${whose} shows no tip at /extended`);
  return {
    version: String(status.server_version ?? ''),
    height: Number(tip.block_height),
    burnHeight: Number(tip.burn_block_height),
    block: String(tip.index_block_hash),
  };
}
