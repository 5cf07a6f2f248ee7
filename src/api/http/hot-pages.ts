import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, compress } from './compression.ts';
import { weak } from './headers.ts';

/** Bytes of bodies kept, and of one body. */
const MOST_BYTES = 32 * 1024 * 1024;
const LARGEST_BODY = 1024 * 1024;
/** Smallest body that is compressed, in bytes: a smaller one fits into one packet. */
const SMALLEST_COMPRESSED = 1400;
/** Bodies that are compressed at once. Meanwhile other responses are sent uncompressed. */
const MOST_COMPRESSIONS = 2;
/** URLs that are remembered without a body. */
const MOST_REQUESTED = 1000;
/** Characters of a URL. Longer URLs are rarely requested twice. */
const LONGEST_URL = 300;

/** The response to send: all headers of a 200, and the body. */
interface ReadyResponse {
  readonly head: OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface HotPage extends ReadyResponse {
  readonly version: string;
  /** The compressed response; undefined while it is being made, and if it would not be smaller. */
  readonly compressed: Map<Coding, ReadyResponse | undefined>;
}

/**
 * Ready bodies of the pages that clients request most: the newest blocks, the newest transactions, pending
 * transactions. A body is sent only while its version is current, so a response is never older than the tip. When there
 * are too many bodies, the least recently requested one is removed first. A body is kept from the second request for its
 * page on, so a crawler that visits every page once evicts none. A later request compresses it once, for clients that
 * accept compression.
 */
export class HotPages {
  readonly #pages = new Map<string, HotPage>();
  /** The version under which the response to a request is made. */
  readonly #versions = new WeakMap<FastifyRequest, string>();
  readonly #mostBytes: number;
  /** URLs requested once. */
  readonly #requested = new Set<string>();
  #bytes = 0;
  #compressions = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The response to this request, if one of this version is kept. */
  find(request: FastifyRequest, version: string): ReadyResponse | undefined {
    const { url } = request;
    const page = this.#pages.get(url);
    if (page?.version !== version) return undefined;
    this.#pages.delete(url);
    this.#pages.set(url, page); // the map is in the order of the last requests
    const coding =
      page.body.length < SMALLEST_COMPRESSED ? undefined : acceptedCoding(request.headers['accept-encoding']);
    return (coding && this.#compressed(url, page, coding)) ?? page;
  }

  /** Marks the response that is being made with its version, if the page was requested before and may be kept. */
  expect(request: FastifyRequest, version: string): void {
    if (this.#pages.has(request.url) || this.#wasRequested(request.url)) this.#versions.set(request, version);
  }

  /**
   * Keeps the response to a request that `expect` has marked. Its data are at least as new as its version, as the
   * database changes before the version.
   * @param head its headers so far
   */
  keep(request: FastifyRequest, response: string | Uint8Array, head: OutgoingHttpHeaders): void {
    const version = this.#versions.get(request);
    if (version === undefined) return;
    this.#forget(request.url);
    const body = Buffer.from(response); // a copy: the memory of a response is reused
    if (body.length > LARGEST_BODY) return;
    const ready = { body, head: { ...head, etag: `"${version}"`, 'content-length': body.length } };
    this.#pages.set(request.url, { ...ready, version, compressed: new Map() });
    this.#count(body.length);
  }

  /** Whether this URL is among the remembered requests. */
  #wasRequested(url: string): boolean {
    if (url.length > LONGEST_URL) return false;
    if (this.#requested.delete(url)) return true;
    if (this.#requested.size >= MOST_REQUESTED) this.#requested.clear();
    this.#requested.add(url);
    return false;
  }

  /** The compressed page, if it is ready; else begins to compress it. */
  #compressed(url: string, page: HotPage, coding: Coding): ReadyResponse | undefined {
    if (!page.compressed.has(coding) && this.#compressions < MOST_COMPRESSIONS) {
      page.compressed.set(coding, undefined);
      this.#compressions++;
      compress(page.body, coding)
        .then(body => {
          if (this.#pages.get(url) !== page || body.length >= page.body.length) return;
          const etag = weak(`"${page.version}"`);
          const head = { ...page.head, etag, 'content-encoding': coding, 'content-length': body.length };
          page.compressed.set(coding, { body, head });
          this.#count(body.length);
        })
        .catch(() => undefined) // it is sent uncompressed
        .finally(() => this.#compressions--);
    }
    return page.compressed.get(coding);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    for (const url of this.#pages.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#forget(url);
    }
  }

  #forget(url: string): void {
    const page = this.#pages.get(url);
    if (page === undefined) return;
    this.#pages.delete(url);
    this.#bytes -= page.body.length;
    for (const ready of page.compressed.values()) this.#bytes -= ready?.body.length ?? 0;
  }
}
