import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, systemMessage } from '../lib/app-error.ts';
import { within } from '../lib/deadline.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import {
  BlockedAddressError,
  Destinations,
  type Resolver,
  systemResolver,
  trustingLookup,
  vettedLookup,
} from './destinations.ts';
import { exchange } from './exchange.ts';
import { HttpFileError, shownUrl } from './http-file-error.ts';

export interface HttpFileOptions {
  /** Aborting it ends the reading without an error. */
  readonly signal: AbortSignal;
  /** Whether requests may go to addresses that are not public. */
  readonly allowPrivate: boolean;
  /** For the User-Agent. */
  readonly version: string;
  /** Called before each pause; the same request is sent again after it. */
  readonly onRetry: (failure: { readonly message: string; readonly hint: string }) => void;
  readonly limits?: Partial<HttpFileLimits>;
  /** Addresses of a name; the system's resolver by default. */
  readonly resolver?: Resolver;
}

/** In milliseconds. */
interface HttpFileLimits {
  readonly connectMs: number;
  /** The longest time without a byte, while bytes are wanted. */
  readonly idleMs: number;
  /** The first pause before a request is repeated; each request without new bytes doubles it, up to a minute. */
  readonly pauseMs: number;
  /** How long requests without new bytes are repeated; before the first byte, a tenth of it. */
  readonly patienceMs: number;
}

const LIMITS: HttpFileLimits = { connectMs: 20_000, idleMs: 60_000, pauseMs: 1_000, patienceMs: 10 * 60_000 };
const LONGEST_PAUSE_MS = 60_000;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** These pass; every other status from 400 on is the answer. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** The beginning of a file that an earlier reader has kept. */
interface KnownBytes {
  readonly bytes: number;
  /** SHA-256 of them. */
  readonly hash: Hash;
}

/** A place in one version of a file. */
interface FilePoint {
  /** In bytes. */
  readonly offset: number;
  /** See HttpFile.version. */
  readonly version: string;
}

/** What identifies one version of a file. */
interface Validators {
  /** Strong only: bytes of two responses may be joined only with it or a date. */
  readonly etag: string | undefined;
  readonly modified: string | undefined;
  /** Bytes of the whole file, where the server names it. */
  readonly length: number | undefined;
}

/**
 * A file on an HTTP server, read once from start to end as a stream; no copy is kept. When a connection breaks, the reader requests the rest
 * (Range with If-Range, RFC 9110, 13.1.5). A server without ranges sends the whole file again: the reader skips the bytes that it already had, and compares
 * their SHA-256. If the file changed in between, reading ends with an error.
 */
export class HttpFile {
  readonly url: URL;
  /** Bytes that the consumer has received. */
  bytesRead = 0;
  /** Offset in bytes at which reading began; known with the first byte. */
  startedAt = 0;
  /** Length of the file; 0 while unknown. */
  bytesTotal = 0;
  readonly #options: HttpFileOptions;
  readonly #limits: HttpFileLimits;
  readonly #hash: Hash;
  /** Offset of a reader made by `from`; else 0. */
  #begin = 0;
  #isComplete = false;
  #validators: Validators | undefined;
  /** Where the first request begins, if the server still has this version of the file. */
  #point: FilePoint | undefined;
  #hasBegun = false;

  /**
   * @param known reading continues behind these bytes. With a server without ranges, the reader checks that the file still begins with them; with any other,
   * the caller must recognise another file by its content
   */
  constructor(url: URL, options: HttpFileOptions, known?: KnownBytes) {
    this.url = url;
    this.#options = options;
    this.#hash = known?.hash.copy() ?? createHash('sha256');
    this.bytesRead = known?.bytes ?? 0;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /**
   * The same version of the file from a byte on, to be read apart from this one. Its `chunks` throws HttpFileError (`url_without_ranges`) where the server
   * sends the whole file.
   */
  from(begin: number): HttpFile {
    const part = new HttpFile(this.url, this.#options);
    part.#begin = begin;
    part.bytesRead = begin;
    part.bytesTotal = this.bytesTotal;
    part.#validators = this.#validators;
    return part;
  }

  /** Makes reading begin at a point if the server sends ranges and has the same version of the file, else at the start. No effect after the first request. */
  beginAt(point: FilePoint): void {
    if (this.#hasBegun) return;
    this.#point = point;
    this.bytesRead = point.offset;
  }

  /** Identifies the version that is read; undefined where the server sends no validator. */
  get version(): string | undefined {
    return this.#validators?.etag ?? this.#validators?.modified;
  }

  /** SHA-256 of the file in hex; undefined before its last byte was read, and if some bytes were skipped. */
  get sha256(): string | undefined {
    return this.#isComplete && this.startedAt === 0 && this.#begin === 0 ? this.#hash.copy().digest('hex') : undefined;
  }

  /** All bytes, in order. To be called once. @throws HttpFileError */
  async *chunks(): AsyncGenerator<Buffer> {
    const { signal, onRetry } = this.#options;
    const { pauseMs, patienceMs } = this.#limits;
    let pauseNext = pauseMs;
    let reached = performance.now();
    const first = this.bytesRead;
    this.#hasBegun = true;
    for (;;) {
      const before = this.bytesRead;
      try {
        yield* this.#rest();
        this.#isComplete = true;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof HttpFileError) throw error;
        if (isPermanent(error))
          throw new HttpFileError('url_refused', this.url, `cannot be read: ${reasonOf(error)}`, error);
        if (this.bytesRead > before) {
          reached = performance.now();
          pauseNext = pauseMs;
        }
        const demanded = error instanceof BusyServer ? error.retryAfterMs : 0;
        const wait = Math.max(demanded, pauseNext);
        if (performance.now() + pauseNext - reached > (this.bytesRead === first ? patienceMs / 10 : patienceMs))
          throw new HttpFileError('url_unreachable', this.url, `cannot be read: ${reasonOf(error)}`, error);
        onRetry({
          message: `${shownUrl(this.url)} broke off after ${this.bytesRead} bytes: ${reasonOf(error)}`,
          hint: `The next request follows in ${Math.ceil(wait / 1000)} s.`,
        });
        await pause(wait, undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
        pauseNext = Math.min(2 * pauseNext, LONGEST_PAUSE_MS);
      }
    }
  }

  /** The bytes from here to the end, by one request. @throws HttpFileError, or an error after which another request may succeed */
  async *#rest(): AsyncGenerator<Buffer> {
    const had = this.#hash.copy().digest('hex');
    const response = await this.#request(this.bytesRead);
    try {
      const ranged = response.statusCode === 206;
      if (this.#point) {
        const { version } = this.#point;
        const found = [response.headers.etag, response.headers['last-modified']];
        this.#point = undefined;
        if (!ranged || !found.includes(version)) this.bytesRead = 0;
        if (ranged && this.bytesRead === 0) throw new Error('the server sent a part of another version');
        this.startedAt = this.bytesRead;
      }
      const start = this.bytesRead;
      this.#requireSame(response, ranged, start);
      if (!ranged && this.#begin > 0)
        throw new HttpFileError(
          'url_without_ranges',
          this.url,
          'cannot be read in parts: its server sends the whole file',
        );
      const skipped = createHash('sha256');
      let skip = ranged ? 0 : start;
      for await (const chunk of this.#awaited(response)) {
        const fresh = chunk.subarray(Math.min(skip, chunk.length));
        if (skip > 0) {
          skipped.update(chunk.subarray(0, chunk.length - fresh.length));
          skip -= chunk.length - fresh.length;
          if (skip === 0 && !isSame(skipped, had))
            throw new HttpFileError(
              'url_changed',
              this.url,
              `has another content than before: its first ${start} bytes differ`,
            );
        }
        if (fresh.length === 0) continue;
        this.#hash.update(fresh);
        this.bytesRead += fresh.length;
        yield fresh;
      }
      const total = this.#validators?.length;
      if (skip > 0 || (total !== undefined && this.bytesRead < total)) throw new Error('the connection ended early');
    } finally {
      response.destroy();
    }
  }

  /** Chunks of a body. The time of a slow consumer does not count as idle time of the server. */
  async *#awaited(response: IncomingMessage): AsyncGenerator<Buffer> {
    const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
    const late = () => new Error(`no byte came in ${this.#limits.idleMs} ms`);
    for (;;) {
      const next = await within(this.#limits.idleMs, chunks.next(), late);
      if (next.done) return;
      yield next.value;
    }
  }

  /** @throws HttpFileError when a response is of another version of the file */
  #requireSame({ headers }: IncomingMessage, ranged: boolean, start: number): void {
    const range = /^bytes (\d+)-\d*\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
    if (ranged && Number(range?.[1]) !== start)
      throw new HttpFileError('url_refused', this.url, 'sent another range than was requested');
    const length = ranged ? range?.[2] : headers['content-length'];
    const { etag } = headers;
    const found: Validators = {
      etag: etag?.startsWith('"') ? etag : undefined,
      modified: headers['last-modified'],
      length: length === undefined || length === '*' ? undefined : Number(length),
    };
    const known = this.#validators;
    if (known === undefined) {
      this.#validators = found;
      this.bytesTotal = found.length ?? 0;
      return;
    }
    for (const key of ['etag', 'modified', 'length'] as const)
      if (known[key] !== undefined && found[key] !== undefined && known[key] !== found[key])
        throw new HttpFileError(
          'url_changed',
          this.url,
          `changed while it was read: ${WORDS[key]} was ${known[key]}, is ${found[key]}`,
        );
  }

  /** Sends a request for the bytes from `start` on and follows redirects, each time from the URL that was given: signed URLs expire. */
  async #request(start: number): Promise<IncomingMessage> {
    let url = this.url;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const response = await this.#exchange(url, start);
      const { location } = response.headers;
      const status = response.statusCode ?? 0;
      if (REDIRECTS.has(status) && location !== undefined) {
        response.destroy();
        const next = URL.parse(location, url.href);
        if (next?.protocol !== 'https:')
          throw new HttpFileError('url_refused', url, 'redirects to an address that is not https:');
        url = next;
        continue;
      }
      const encoding = response.headers['content-encoding'] ?? 'identity';
      if ((status === 200 || status === 206) && encoding.toLowerCase() === 'identity') return response;
      response.destroy();
      if (status === 200 || status === 206)
        throw new HttpFileError(
          'url_refused',
          url,
          `is sent with the content-encoding ${JSON.stringify(encoding)}, which the request did not accept`,
        );
      if (status === 416 && this.#point) {
        this.#point = undefined;
        this.bytesRead = 0;
        return this.#request(0);
      }
      if (status === 416)
        throw new HttpFileError('url_changed', url, `has fewer than the ${start} bytes that were read of it`);
      if (PASSING.has(status)) throw new BusyServer(status, response.headers['retry-after']);
      throw new HttpFileError('url_refused', url, `is answered with status ${status}`);
    }
    throw new HttpFileError('url_refused', this.url, `redirects more than ${MOST_REDIRECTS} times`);
  }

  /**
   * Without If-Range before the first response, as no version is known yet. Later, a file without a validator is requested from its start: a rest of
   * another version would go unnoticed. A reader made by `from` may go without.
   */
  #rangeFrom(start: number): Readonly<Record<string, string>> {
    const range = { range: `bytes=${start}-` };
    if (this.#point) return { ...range, 'if-range': this.#point.version };
    if (this.#validators === undefined) return range;
    const same = this.#validators.etag ?? this.#validators.modified;
    if (same === undefined) return this.#begin > 0 ? range : {};
    return { ...range, 'if-range': same };
  }

  async #exchange(url: URL, start: number): Promise<IncomingMessage> {
    const { allowPrivate, resolver = systemResolver, signal, version } = this.#options;
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const refusal = allowPrivate ? undefined : new Destinations({ allowHosts: [], allowPorts: [port] }).refusal(url);
    if (refusal) throw new HttpFileError('url_refused', url, `is not requested: ${refusal}`);
    try {
      const { connectMs, idleMs } = this.#limits;
      const pending = exchange(url, {
        lookup: allowPrivate ? trustingLookup(resolver) : vettedLookup(resolver),
        headers: {
          'user-agent': `stacks-index/${version}`,
          'accept-encoding': 'identity',
          ...(start > 0 && this.#rangeFrom(start)),
        },
        connectMs,
        signal,
      });
      return await within(connectMs + idleMs, pending, () => {
        pending.then(
          response => response.destroy(),
          () => {},
        );
        return new Error(`no response came in ${connectMs + idleMs} ms`);
      });
    } catch (error) {
      if (!(error instanceof BlockedAddressError)) throw error;
      throw new HttpFileError('url_refused', url, `is not requested: ${error.message}`);
    }
  }
}

const WORDS = { etag: 'its ETag', modified: 'its date', length: 'its length' } as const;

const isSame = (hash: Hash, digest: string | undefined): boolean => hash.digest('hex') === digest;

/** The server cannot serve the request now; a later one may succeed. */
class BusyServer extends AppError {
  override readonly name = 'BusyServer';
  override readonly kind = 'caller';
  readonly retryAfterMs: number;

  constructor(status: number, retryAfter: string | undefined) {
    super(`status ${status}`);
    this.retryAfterMs = retryAfterMs(retryAfter, Date.now()) ?? 0;
  }
}

/** Errors that repeating does not cure: invalid certificates, and names without an address. */
const PERMANENT = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|ENOTFOUND$|ENODATA$)/;
const isPermanent = (error: unknown): boolean => PERMANENT.test(String((error as NodeJS.ErrnoException | null)?.code));

const reasonOf = (error: unknown): string => systemMessage(error) || String((error as NodeJS.ErrnoException).code);

const MOST_BYTES_BESIDE = 64 * 1024;

/**
 * The text of a small file beside another one, at its URL with an ending behind the path; undefined where the server has none, and for one of more than 64 KiB.
 * @throws HttpFileError when the server cannot be reached
 */
export async function textBeside(url: URL, ending: string, options: HttpFileOptions): Promise<string | undefined> {
  const beside = new URL(url);
  beside.pathname += ending;
  let text = '';
  try {
    for await (const chunk of new HttpFile(beside, options).chunks()) {
      text += chunk.toString('latin1');
      if (text.length > MOST_BYTES_BESIDE) return undefined;
    }
  } catch (error) {
    if (error instanceof HttpFileError && error.code === 'url_refused') return undefined;
    throw error;
  }
  return text;
}

/**
 * The SHA-256 that is published beside a file, at its URL with `.sha256` behind the path; undefined where the server has none.
 * Understands `HEX`, `HEX  NAME` and `SHA256 (NAME) = HEX`. @throws HttpFileError when the server cannot be reached
 */
export async function publishedSha256(url: URL, options: HttpFileOptions): Promise<string | undefined> {
  const text = (await textBeside(url, '.sha256', options)) ?? '';
  return /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.exec(text)?.[0]?.toLowerCase();
}
