import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../base/lib/app-error.ts';
import { boundedBody } from '../../../base/lib/bounded-body.ts';
import { DeadlineError, withDeadline } from '../../../base/lib/deadline.ts';
import { fail, ok, type Result } from '../../../base/lib/result.ts';
import { parseJson, parseJsonExactly } from '../../../ingest/node/events/json.ts';

/** Access to a node for a repair. */
interface NodeAccess {
  /** `http://host:port` */
  readonly url: string;
  /** `auth_token` of the node, sent only to this node, and only with requests for replays. */
  readonly token: string | undefined;
  /** Time limit of one request, in ms. */
  readonly timeoutMs: number;
  /** Pause between two requests, in ms: a replay blocks all other work of a node while it runs. */
  readonly pauseMs: number;
  /** Pause before the second try of a request, in ms; twice as long before the third. */
  readonly retryMs: number;
  /** Most bytes of one response. */
  readonly maxBytes: number;
}

export const DEFAULT_NODE_ACCESS = {
  timeoutMs: 120_000,
  pauseMs: 50,
  retryMs: 1_000,
  maxBytes: 64 * 1024 * 1024,
} as const;

/** Deepest JSON that is parsed. */
const MAX_NESTING = 512;
const TRIES = 3;
/** Statuses of a busy node, or of a proxy in front of it. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A node cannot be used for a repair; this decides nothing about the gap. */
export class NodeUnusable extends AppError {
  override readonly name = 'NodeUnusable';
  override readonly kind = 'operator';

  constructor(url: string, what: string, hint = 'Check --node, and that the node runs and is synced.') {
    super(`the node at ${hostOf(url)} ${what}`, { code: 'node_unusable', hint });
  }
}

/** A status other than 200, with the beginning of its text. */
export interface NodeRefusal {
  readonly status: number;
  readonly text: string;
}

interface NodeRequest {
  readonly path: string;
  readonly body?: string;
  readonly isSecret?: boolean;
}

/** Sends requests to one node, one at a time. */
export class RepairClient {
  readonly #access: NodeAccess;
  readonly #signal: AbortSignal | undefined;
  #isFirst = true;

  constructor(access: NodeAccess, signal?: AbortSignal) {
    this.#access = access;
    this.#signal = signal;
  }

  get url(): string {
    return this.#access.url;
  }

  /** @throws NodeUnusable when it does not respond in three tries; the reason of the signal */
  async bytes(request: NodeRequest): Promise<Result<Uint8Array, NodeRefusal>> {
    const { url, pauseMs, retryMs } = this.#access;
    for (let attempt = 1; ; attempt++) {
      if (!this.#isFirst) await this.#pause(attempt === 1 ? pauseMs : retryMs * 2 ** (attempt - 2));
      this.#isFirst = false;
      const outcome = await this.#once(request);
      if (outcome.ok || (outcome.error.status !== 0 && !BUSY.has(outcome.error.status))) return outcome;
      if (attempt === TRIES) {
        const { status, text } = outcome.error;
        throw new NodeUnusable(url, status === 0 ? text : `responded ${status} to ${TRIES} requests`);
      }
    }
  }

  /** A response that is JSON, with integers that a double cannot hold as bigint. @throws as bytes */
  async json(request: NodeRequest): Promise<Result<unknown, NodeRefusal>> {
    const response = await this.bytes(request);
    if (!response.ok) return response;
    const limits = { maxBodyBytes: this.#access.maxBytes, maxNesting: MAX_NESTING };
    const parsed = parseJson(response.value, limits);
    if (!parsed.ok) return fail({ status: 200, text: parsed.error.message });
    return ok(parseJsonExactly(response.value));
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, this.#signal && { signal: this.#signal });
  }

  /** Status 0: there was no response. */
  async #once({ path, body, isSecret = false }: NodeRequest): Promise<Result<Uint8Array, NodeRefusal>> {
    const { url, token, timeoutMs, maxBytes } = this.#access;
    try {
      return await withDeadline(timeoutMs, this.#signal, async signal => {
        const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(isSecret && token !== undefined && { authorization: token }),
          },
          ...(body !== undefined && { body }),
          redirect: 'error',
          signal,
        });
        const bytes = await boundedBody(response, maxBytes);
        if (!bytes) return fail({ status: 200, text: `it responded with more than ${maxBytes} bytes` });
        if (response.status === 200) return ok(bytes);
        return fail({ status: response.status, text: shown(bytes) });
      });
    } catch (error) {
      this.#signal?.throwIfAborted();
      return fail({
        status: 0,
        text:
          error instanceof DeadlineError
            ? `did not respond within ${timeoutMs} ms`
            : `cannot be reached: ${reasonOf(error)}`,
      });
    }
  }
}

const SHOWN = 200;

/** The beginning of a text, printable. */
const shown = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, SHOWN))
    .toString('utf8')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim();

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Without user, password and query. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'this address';
  }
}
