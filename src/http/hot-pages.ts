import type { FastifyRequest } from 'fastify';

/** Bytes of bodies kept, and of one body. */
const MOST_BYTES = 32 * 1024 * 1024;
const LARGEST_BODY = 1024 * 1024;
/** Characters of a URL: longer ones are not asked twice by many. */
const LONGEST_URL = 300;

interface HotPage {
  readonly version: string;
  readonly body: Buffer;
}

/**
 * Ready bodies of the pages that everybody asks for: the newest blocks, the newest transactions, what is pending. A body is
 * sent only while the version is the one it was made for, so an answer is never older than the tip; what was not asked for
 * longest goes first when the bodies become too many.
 */
export class HotPages {
  readonly #pages = new Map<string, HotPage>();
  /** The version under which the answer to a request is made. */
  readonly #versions = new WeakMap<FastifyRequest, string>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The body for this request; if there is none, the answer that is made now will be kept. */
  find(request: FastifyRequest, version: string): Buffer | undefined {
    const page = this.#pages.get(request.url);
    if (page?.version !== version) {
      if (request.url.length <= LONGEST_URL) this.#versions.set(request, version);
      return undefined;
    }
    this.#pages.delete(request.url);
    this.#pages.set(request.url, page); // last = asked for last
    return page.body;
  }

  /**
   * Keeps the answer to a request that `find` had none for. What it was made from is at least as new as the version: that
   * changes only after the database has.
   */
  keep(request: FastifyRequest, text: string): void {
    const version = this.#versions.get(request);
    if (version === undefined) return;
    this.#forget(request.url);
    const body = Buffer.from(text);
    if (body.length > LARGEST_BODY) return;
    this.#pages.set(request.url, { version, body });
    this.#bytes += body.length;
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
  }
}
