/** Reads the pages of a download through the handler of its route. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { overloaded } from '../errors.ts';
import { parametersOfNext } from '../next-page.ts';
import type { ShownBlock } from '../shown-block.ts';
import type { PagePlace } from './lines.ts';

/** A page with more characters is read again with half the rows, so that a download holds little memory. */
const MOST_OF_PAGE = 4_000_000;

/** A list that has pages. */
export interface PagedList {
  /** The handler that makes a page. */
  readonly read: RouteHandlerMethod;
  /** Most rows of a page. */
  readonly maxLimit: number;
}

/** A page of the list, and the block that it shows. */
export interface ReadPage {
  readonly text: string;
  readonly block: ShownBlock | undefined;
}

export type Query = Readonly<Record<string, unknown>>;

/** Calls the handler of a list for its pages, with the parameters of the request except the place. */
export class PageReader {
  readonly #server: FastifyInstance;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #read: RouteHandlerMethod;
  readonly #query: Query;
  readonly #limit: number;

  constructor(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply, list: PagedList) {
    const { cursor, offset, at, seen_tip, format, limit, ...query } = request.query as Query;
    this.#server = server;
    this.#request = request;
    this.#reply = reply;
    this.#read = list.read;
    this.#query = { ...query, ...(offset !== undefined && { offset: 0 }) };
    this.#limit = Number(limit) || list.maxLimit;
  }

  /** @param at the block that the page must show; undefined: the chain is empty */
  async read(place: PagePlace, at: unknown): Promise<ReadPage> {
    for (let limit = this.#limit; ; limit = Math.floor(limit / 2)) {
      const page = await this.#page({ ...this.#query, ...place, limit, ...(at !== undefined && { at }) });
      if (page.text.length <= MOST_OF_PAGE || limit <= 1) return page;
      if (this.#request.raw.socket.destroyed) throw overloaded();
    }
  }

  /** The place of the page after this one; undefined after the last. */
  after(text: string): PagePlace | undefined {
    const next = parametersOfNext(text);
    return next && Object.fromEntries(next.map(([name, value]) => [name, name === 'offset' ? Number(value) : value]));
  }

  async #page(query: Query): Promise<ReadPage> {
    const request: FastifyRequest = Object.create(this.#request, {
      query: { value: query },
      shownBlock: { value: undefined, writable: true },
    });
    // The headers of a page must not become those of the download.
    const reply: FastifyReply = Object.create(this.#reply, {
      request: { value: request },
      header: { value: () => reply },
      headers: { value: () => reply },
    });
    const text: unknown = await Reflect.apply(this.#read, this.#server, [request, reply]);
    if (typeof text !== 'string') throw new TypeError('a page of a list must be a text');
    return { text, block: request.shownBlock };
  }
}
