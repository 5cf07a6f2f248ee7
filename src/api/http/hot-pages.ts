import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, compress } from './compression.ts';
import { weak } from './headers.ts';

/** Bytes of bodies kept, and of one body. */
const MOST_BYTES = 32 * 1024 * 1024;
const LARGEST_BODY = 1024 * 1024;
/** Bytes of a body that is worth compressing: a smaller one fits into one packet as it is. */
const SMALLEST_COMPRESSED = 1400;
/** Bodies compressed at a time. Meanwhile other responses are sent uncompressed. */
const MOST_COMPRESSIONS = 2;
/** URLs that are remembered without a body. */
const MOST_ASKED = 1000;
/** Characters of a URL. Longer URLs are rarely requested twice. */
const LONGEST_URL = 300;

/** The response to send: all headers of a 200, and the body. */
interface ReadyResponse {
  readonly head: OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface HotPage extends ReadyResponse {
  readonly version: string;
  /** The same compressed; undefined while it is being made, and when it would not be smaller. */
  readonly compressed: Map<Coding, ReadyResponse | undefined>;
}

/**
 * Ready bodies of the pages that clients request most: the newest blocks, the newest transactions, pending
 * transactions. A body is sent only while its version is current, so a response is never older than the tip. When the
 * bodies become too many, the one whose last request is longest ago is removed first. A body is kept on the second
 * request for its page, so a crawler that visits every page once evicts none. On a later request it is compressed once,
 * for clients that accept that.
 */
export class HotPages {
  readonly #pages = new Map<string, HotPage>();
  /** The version under which the response to a request is made. */
  readonly #versions = new WeakMap<FastifyRequest, string>();
  readonly #mostBytes: number;
  /** URLs requested once. */
  readonly #asked = new Set<string>();
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

  /** Notes the version of the response that is being made, if the page was requested before and may be kept. */
  expect(request: FastifyRequest, version: string): void {
    if (this.#pages.has(request.url) || this.#wasAsked(request.url)) this.#versions.set(request, version);
  }

  /**
   * Keeps the response to a request that `expect` has marked. The data of the response are at least as new as the
   * version, as the version changes only after the database.
   * @param head its headers so far
   */
  keep(request: FastifyRequest, response: string | Uint8Array, head: OutgoingHttpHeaders): void {
    const version = this.#versions.get(request);
    if (version === undefined) return;
    this.#forget(request.url);
    const body = Buffer.from(response); // a copy: the memory of a response is used again
    if (body.length > LARGEST_BODY) return;
    const ready = { body, head: { ...head, etag: `"${version}"`, 'content-length': body.length } };
    this.#pages.set(request.url, { ...ready, version, compressed: new Map() });
    this.#count(body.length);
  }

  /** Whether this URL is among the remembered requests. */
  #wasAsked(url: string): boolean {
    if (url.length > LONGEST_URL) return false;
    if (this.#asked.delete(url)) return true;
    if (this.#asked.size >= MOST_ASKED) this.#asked.clear();
    this.#asked.add(url);
    return false;
  }

  /** The page compressed, if it is ready; if not, it will be. */
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
        .catch(() => undefined) // it is sent as it is
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
