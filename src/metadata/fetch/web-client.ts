import type { IncomingMessage } from 'node:http';
import { DeadlineError, withDeadline } from '../../base/lib/deadline.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { retryAfterMs } from '../../base/lib/retry-after.ts';
import {
  BlockedAddressError,
  type DestinationRules,
  Destinations,
  type Resolver,
  systemResolver,
  trustingLookup,
  vettedLookup,
} from '../../base/net/destinations.ts';
import { exchange } from '../../base/net/exchange.ts';
import { isWithin } from '../../base/net/paths.ts';
import { type MetadataError, metadataError, type Purpose, rateLimited } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import type { FetchSource } from './gateways.ts';
import type { HostGate } from './host-gate.ts';
import { BodyEncodingError, BodyTooLargeError, readResponseBody } from './response-body.ts';

interface WebClientOptions extends DestinationRules {
  readonly limits: MetadataLimits;
  readonly gate: HostGate;
  /** For the User-Agent. */
  readonly version: string;
  /** Addresses of a name; the system's resolver by default. */
  readonly resolver?: Resolver;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ACCEPT = { document: 'application/json, */*;q=0.5', image: 'image/*, */*;q=0.5' };

/** The outcome of one request. */
type Step = { readonly body: Uint8Array } | { readonly redirect: string };

/** GETs URLs that strangers chose: public addresses only, under all limits, without cookies and credentials. */
export class WebClient {
  readonly #options: WebClientOptions;
  readonly #destinations: Destinations;
  readonly #vetted: ReturnType<typeof vettedLookup>;
  readonly #trusting: ReturnType<typeof trustingLookup>;

  constructor(options: WebClientOptions) {
    const resolver = options.resolver ?? systemResolver;
    this.#options = options;
    this.#destinations = new Destinations(options);
    this.#vetted = vettedLookup(resolver);
    this.#trusting = trustingLookup(resolver);
  }

  /**
   * The body at a source, an absolute URL. This method follows redirects itself, and checks each destination like the
   * first. One deadline covers all of them, without the time of waiting for a turn at a host.
   * @throws the reason of the signal, when it is aborted; errors of the gate's hooks
   */
  async get(source: FetchSource, purpose: Purpose, signal?: AbortSignal): Promise<Result<Uint8Array, MetadataError>> {
    const { limits, gate } = this.#options;
    let url = new URL(source.url);
    let remaining = purpose === 'document' ? limits.documentMs : limits.imageMs;
    for (let hop = 0; hop <= limits.redirects; hop++) {
      const refusal = this.#destinations.refusal(url);
      if (refusal) return fail(metadataError(purpose, 'refused', 'blocked', refusal));
      const turn = await gate.enter(url.host, signal);
      if ('retryAfterMs' in turn) return fail(rateLimited(purpose, `${url.host} is not asked now`, turn.retryAfterMs));
      const started = performance.now();
      const step = await this.#step(url, source, purpose, remaining, signal).finally(turn.leave);
      remaining -= performance.now() - started;
      if (!step.ok) return step;
      if ('body' in step.value) return ok(step.value.body);
      const next = URL.parse(step.value.redirect, url.href);
      if (!next) return fail(metadataError(purpose, 'refused', 'permanent', 'redirect to a malformed URL'));
      if (url.protocol === 'https:' && next.protocol === 'http:')
        return fail(metadataError(purpose, 'refused', 'blocked', 'redirect from https: to http:'));
      url = next;
    }
    return fail(metadataError(purpose, 'unparsable', 'permanent', `more than ${limits.redirects} redirects`));
  }

  /** Sends one request and reports its outcome to the gate. */
  async #step(
    url: URL,
    source: FetchSource,
    purpose: Purpose,
    ms: number,
    signal: AbortSignal | undefined,
  ): Promise<Result<Step, MetadataError>> {
    const { gate } = this.#options;
    const step = await withDeadline(Math.max(0, ms), signal, stop => this.#request(url, source, purpose, stop)).catch(
      error => {
        signal?.throwIfAborted();
        return fail(errorOfFailure(purpose, error));
      },
    );
    if (!step.ok && step.error.kind === 'rate-limited') await gate.block(url.host, step.error.retryAfterMs ?? 0);
    if (!step.ok && step.error.kind === 'transient') gate.failed(url.host);
    else gate.succeeded(url.host);
    return step;
  }

  async #request(
    url: URL,
    source: FetchSource,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<Result<Step, MetadataError>> {
    const { limits } = this.#options;
    const response = await exchange(withoutCredentials(url), {
      lookup: this.#destinations.isAllowed(url) ? this.#trusting : this.#vetted,
      headers: this.#headers(url, source, purpose),
      connectMs: limits.connectMs,
      signal,
    });
    try {
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (REDIRECTS.has(status) && location !== undefined) return ok({ redirect: location });
      if (status >= 200 && status < 300) {
        const most = purpose === 'document' ? limits.documentBytes : limits.imageBytes;
        return ok({ body: await readResponseBody(response, most, limits) });
      }
      return fail(this.#rateLimit(purpose, response) ?? errorOfStatus(purpose, status));
    } finally {
      response.destroy();
    }
  }

  /** The error of a 429, and of a 503 with a retry time. */
  #rateLimit(purpose: Purpose, { statusCode, headers }: IncomingMessage): MetadataError | undefined {
    const { limits } = this.#options;
    const wanted = retryAfter(headers['retry-after'], Date.now(), limits);
    if (statusCode !== 429 && (statusCode !== 503 || wanted === undefined)) return undefined;
    return rateLimited(purpose, `status ${statusCode}`, wanted ?? limits.defaultRetryAfterMs);
  }

  #headers(url: URL, { headers, root }: FetchSource, purpose: Purpose): Record<string, string> {
    return {
      ...(root !== undefined && isWithin(url, root) && headers),
      'user-agent': `stacks-index/${this.#options.version} (+token metadata)`,
      accept: ACCEPT[purpose],
      'accept-encoding': 'identity',
    };
  }
}

/** The URL without credentials, which `http://user:password@host/` would send. */
function withoutCredentials(url: URL): URL {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}

/** Content behind these statuses may appear later: IPFS content appears hours after its token, and access is opened. */
const MAY_APPEAR = new Set([401, 402, 403, 404, 410, 451]);
const SERVER_IS_BUSY = new Set([408, 421, 425, 429]);

/** The error of a response that is neither a body nor a redirect. */
function errorOfStatus(purpose: Purpose, status: number): MetadataError {
  const kind =
    status >= 500 || SERVER_IS_BUSY.has(status) ? 'transient' : MAY_APPEAR.has(status) ? 'slow-retry' : 'permanent';
  return metadataError(purpose, 'refused', kind, `status ${status}`);
}

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);
const TLS = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|INVALID_|EPROTO$)/;

/** The error of an exchange that was not completed. */
function errorOfFailure(purpose: Purpose, error: unknown): MetadataError {
  if (error instanceof BodyTooLargeError) return metadataError(purpose, 'tooLarge', 'permanent', error.message);
  if (error instanceof BodyEncodingError) return metadataError(purpose, 'unparsable', 'permanent', error.message);
  if (error instanceof DeadlineError) return metadataError(purpose, 'timeout', 'transient', error.message);
  if (error instanceof BlockedAddressError) return metadataError(purpose, 'refused', 'blocked', error.message);
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? '');
  const kind = NO_SUCH_NAME.has(code) || TLS.test(code) ? 'slow-retry' : 'transient';
  const message = error instanceof Error ? error.message || code : String(error);
  return metadataError(purpose, 'refused', kind, message);
}

/** The pause that a host demands, in milliseconds, at most `limits.retryAfterMs`; undefined when it demands none. */
export function retryAfter(header: string | undefined, now: number, limits: MetadataLimits): number | undefined {
  const ms = retryAfterMs(header, now);
  return ms === undefined ? undefined : Math.min(ms, limits.retryAfterMs);
}
