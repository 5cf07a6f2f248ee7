import { AppError } from '../../base/lib/app-error.ts';
import { withDeadline } from '../../base/lib/deadline.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/lib/json.ts';

/** A response as far as it is compared: text that is no JSON is a string. */
export interface ComparedResponse {
  readonly status: number;
  /** Those that are compared, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** Requests a path with its query. @throws ServerAway */
export type Ask = (path: string) => Promise<ComparedResponse>;

/** No response came that could be compared. */
export class ServerAway extends AppError {
  override readonly name = 'ServerAway';
  override readonly kind = 'operator';

  constructor(message: string) {
    super(message, { hint: 'Check the URL and that the server is up, then run the same command again.' });
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
/** Headers whose values each server chooses: both must have them, or none. */
const SAME_PRESENCE = ['etag', 'x-api-version'];

/** What is compared of the headers of a response. @param read the value of a header; undefined or null for a header that is not there */
export function comparedHeaders(read: (name: string) => string | null | undefined): Record<string, string> {
  const found = [
    ...SAME_VALUE.map(name => [name, read(name)?.toLowerCase()]),
    ...SAME_PRESENCE.map(name => [name, read(name) ? 'present' : undefined]),
  ];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** For one whole exchange. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Number of attempts at a server that is busy and sends a time to wait, or that limits requests. */
const ATTEMPTS = 5;
const MAX_WAIT_MS = 60_000;
const ASK_LATER: ReadonlySet<number> = new Set([429, 503]);

/** @param base `https://host[:port]`, the URL below which the API is */
export function askerOf(base: string, signal: AbortSignal): Ask {
  const root = base.replace(/\/+$/, '');
  return async path => {
    for (let attempt = 1; ; attempt++) {
      const { status, headers, text, retryAfterMs } = await exchange(root + path, signal);
      const waitMs = retryAfterMs ?? (status === 429 ? 1000 * attempt : undefined);
      if (!ASK_LATER.has(status) || waitMs === undefined || attempt === ATTEMPTS)
        return { status, headers, body: parsed(text) };
      await pause(Math.min(waitMs, MAX_WAIT_MS), signal);
    }
  };
}

async function exchange(url: string, outer: AbortSignal) {
  try {
    return await withDeadline(TIMEOUT_MS, outer, async signal => {
      const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
      const headers = comparedHeaders(name => response.headers.get(name));
      return { status: response.status, headers, text: await readText(response), retryAfterMs };
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  signal.throwIfAborted();
}

/** The tip that a server shows, and what it calls itself. */
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
