import type { FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, compress } from './compression.ts';

/** Bytes of bodies kept, and of one body. */
const MOST_BYTES = 32 * 1024 * 1024;
const LARGEST_BODY = 1024 * 1024;
/** Bytes of a body that is worth compressing: a smaller one fits into one packet as it is. */
const SMALLEST_COMPRESSED = 1400;
/** Bodies that are compressed at a time. What is asked for meanwhile is sent as it is. */
const MOST_COMPRESSIONS = 2;
/** URLs remembered of which no body is kept. */
const MOST_ASKED = 1000;
/** Characters of a URL: longer ones are not asked twice by many. */
const LONGEST_URL = 300;

interface HotPage {
  readonly version: string;
  readonly body: Buffer;
  /** The body compressed; undefined while it is being made, and when it would not be smaller. */
  readonly compressed: Map<Coding, Buffer | undefined>;
}

/** What is sent, and how it is compressed. */
export interface ReadyBody {
  readonly body: Buffer;
  readonly coding?: Coding;
}

/**
 * Ready bodies of the pages that everybody asks for: the newest blocks, the newest transactions, what is pending. A body is
 * sent only while the version is the one it was made for, so an answer is never older than the tip; what was not asked for
 * longest goes first when the bodies become too many. A body is kept when its page is asked for a second time, so that whoever
 * walks through all pages drives out none; when it is asked for again it is compressed, once, for whoever accepts that.
 */
export class HotPages {
  readonly #pages = new Map<string, HotPage>();
  /** The version under which the answer to a request is made. */
  readonly #versions = new WeakMap<FastifyRequest, string>();
  readonly #mostBytes: number;
  /** What was asked for once. */
  readonly #asked = new Set<string>();
  #bytes = 0;
  #compressions = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The body for this request; if there is none, the answer that is made now may be kept. */
  find(request: FastifyRequest, version: string): ReadyBody | undefined {
    const page = this.#pages.get(request.url);
    if (page?.version !== version) {
      if (page !== undefined || this.#wasAsked(request.url)) this.#versions.set(request, version);
      return undefined;
    }
    this.#pages.delete(request.url);
    this.#pages.set(request.url, page); // last = asked for last
    const coding =
      page.body.length < SMALLEST_COMPRESSED ? undefined : acceptedCoding(request.headers['accept-encoding']);
    const compressed = coding && this.#compressedBody(request.url, page, coding);
    return compressed ? { body: compressed, coding } : { body: page.body };
  }

  /**
   * Keeps the answer to a request that `find` had none for, if its page was asked for before. What it was made from is at least as new as the version: that
   * changes only after the database has.
   */
  keep(request: FastifyRequest, answer: string | Uint8Array): void {
    const version = this.#versions.get(request);
    if (version === undefined) return;
    this.#forget(request.url);
    const body = Buffer.from(answer); // a copy: the memory of an answer is used again
    if (body.length > LARGEST_BODY) return;
    this.#pages.set(request.url, { version, body, compressed: new Map() });
    this.#count(body.length);
  }

  /** Whether this is not the first time that somebody asks, as far as is remembered. */
  #wasAsked(url: string): boolean {
    if (url.length > LONGEST_URL) return false;
    if (this.#asked.delete(url)) return true;
    if (this.#asked.size >= MOST_ASKED) this.#asked.clear();
    this.#asked.add(url);
    return false;
  }

  /** The page compressed, if it is ready; if not, it will be. */
  #compressedBody(url: string, page: HotPage, coding: Coding): Buffer | undefined {
    if (!page.compressed.has(coding) && this.#compressions < MOST_COMPRESSIONS) {
      page.compressed.set(coding, undefined);
      this.#compressions++;
      compress(page.body, coding)
        .then(body => {
          if (this.#pages.get(url) !== page || body.length >= page.body.length) return;
          page.compressed.set(coding, body);
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
    for (const body of page.compressed.values()) this.#bytes -= body?.length ?? 0;
  }
}
