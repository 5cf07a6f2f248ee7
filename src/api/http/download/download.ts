/**
 * Sends a whole list as one response: reads its pages one after the other as of one block, like a client that follows their `Link`s. So a
 * download has no transaction of its own, holds one page in memory, and reads the next page only when its client has read this one.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Holding } from '../../../base/net/ledger.ts';
import type { TipSource } from '../../../ingest/chain/tip.ts';
import { type ClientLedger, type Clients, refusedBy } from '../clients.ts';
import { ApiError, asApiError, errorBody } from '../errors.ts';
import { MEDIA_TYPES } from '../file-forms.ts';
import { tipHeaders } from '../headers.ts';
import type { ShownBlock } from '../shown-block.ts';
import { readingRate, SMALL } from '../unsent-bytes.ts';
import { csvLines, jsonLines, type LineWriter, type PagePlace } from './lines.ts';
import { type PagedList, PageReader, type Query, type ReadPage } from './page-reader.ts';
import { untilNotRefused } from './refused-page.ts';
import type { RowTable } from './table.ts';

/** The properties of a route for downloads of its list. */
export interface DownloadableList extends PagedList {
  /** Makes the table of `format=csv` when a download needs it: making all tables at the start takes an eighth of the time for adding routes. */
  readonly table: () => RowTable;
  /** Tables with the columns of other programs, by the name of their `format`. */
  readonly presets: Readonly<Record<string, RowTable>>;
}

/** The parts of a server that downloads need. */
export interface DownloadParts {
  readonly tip: TipSource;
  readonly clients: Clients;
  /** Whether the server is about to stop. */
  readonly isStopping: () => boolean;
}

/**
 * Responds to a request for a whole list. Reads the first page before it sends anything, so an invalid request or block gets the same
 * error as for a page.
 * @throws ApiError 429 or 503 when too many downloads are in progress, and errors of the handler
 */
export async function openDownload(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  list: DownloadableList,
  parts: DownloadParts,
): Promise<unknown> {
  const { clients } = parts;
  const { socket } = request.raw;
  const holding = clients.ledger.hold('downloads', request.client, 1, {
    progress: readingRate(socket),
    close: () => breakOff(request),
  });
  if (typeof holding === 'string') throw refusedBy(holding, 'downloads');
  reply.raw.once('close', () => holding.release());
  const pages = new PageReader(server, request, reply, list);
  const query = request.query as Query;
  const first = placeIn(query);
  const page = await (query.at === undefined ? pageOfTip(pages, first, parts.tip) : pages.read(first, query.at));
  const form = request.download === 'ndjson' ? 'ndjson' : 'csv';
  const lines = form === 'ndjson' ? jsonLines() : csvLines(list.table(), list.presets[request.download ?? '']);
  reply.headers({
    'content-type': `${MEDIA_TYPES[form]}; charset=utf-8`,
    'content-disposition': `attachment; filename="${fileName(request, page.block, form)}"`,
    ...tipHeaders(page.block),
  });
  // An empty stream: with a text, Fastify would send `Content-Length: 0`.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(Readable.from(download({ ...parts, request, reply, pages, lines }, first, page)));
}

/** Tries for the first page: a fork may replace the block of the tip before the page is read. */
const TRIES = 3;

/** The first page as of the tip. */
async function pageOfTip(pages: PageReader, place: PagePlace, tip: TipSource): Promise<ReadPage> {
  for (let tries = 1; ; tries++)
    try {
      return await pages.read(place, tip.current()?.indexBlockHash);
    } catch (error) {
      if (!(error instanceof ApiError && error.statusCode === 409) || tries === TRIES) throw error;
    }
}

/** The place of the first page, as the client named it. */
function placeIn({ cursor, offset }: Query): PagePlace {
  const isOffset = typeof offset === 'number' && (cursor === undefined || offset !== 0);
  return { ...(cursor !== undefined && { cursor: String(cursor) }), ...(isOffset && { offset }) };
}

/** `v3-transactions-155.csv` */
function fileName({ url }: FastifyRequest, block: ShownBlock | undefined, form: string): string {
  const [path = ''] = url.split('?', 1);
  const words = path.replace(/^\/extended\//, '').replaceAll(/[^A-Za-z0-9.]+/g, '-');
  return `${words.slice(0, 150)}-${block?.height ?? 0}.${form}`;
}

interface Download extends DownloadParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly pages: PageReader;
  readonly lines: LineWriter;
}

/** The bytes of a download, a page at a time. An error ends the connection, so that no client takes the file for complete. */
async function* download(parts: Download, place: PagePlace, first: ReadPage): AsyncGenerator<Buffer> {
  const { request, reply, pages, lines, clients, isStopping } = parts;
  const memory = new PageMemory(clients.ledger, request);
  const isOver = () => isStopping() || request.raw.socket.destroyed;
  let ready: ReadPage | undefined = first;
  const held = (place: PagePlace): Promise<ReadPage> =>
    untilNotRefused(
      async () => {
        const page = ready ?? (await pages.read(place, first.block?.indexBlockHash));
        ready = undefined; // drop a page that the ledger refuses
        memory.take(page.text.length);
        return page;
      },
      { isOver },
    );
  try {
    const head = Buffer.from(lines.head);
    if (head.length > 0) yield head;
    for (let at = place; ; ) {
      const page = await held(at);
      const { results } = JSON.parse(page.text) as { readonly results: readonly unknown[] };
      yield Buffer.from(lines.page(first.block, at, results));
      memory.release();
      const next = pages.after(page.text);
      if (next === undefined) return;
      at = next;
      if (isStopping()) throw new ApiError(503, 'The server is about to stop', { retryAfter: 5 });
      // Lets requests run between two pages: else many downloads would take most of the turns.
      await clients.turns.pause('download');
    }
  } catch (error) {
    const known = asApiError(error);
    if (known.statusCode === 500)
      request.log.error({ err: error, reqId: request.id, url: request.url }, 'download failed');
    yield Buffer.from(lines.error(errorBody(known)));
    await sent(reply);
    breakOff(request);
  } finally {
    memory.release();
  }
}

/**
 * Ends the connection before the file is complete. In HTTP/1.0, which nginx uses by default, the end of the connection is that of the response: there
 * only a reset shows that something is missing, though it may cost the client the last bytes.
 */
function breakOff({ raw }: FastifyRequest): void {
  if (raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
  else raw.socket.destroy();
}

/** Waits until the kernel has what was written, or the client has disconnected. */
async function sent({ raw }: FastifyReply): Promise<void> {
  const POLL_MS = 10;
  do await new Promise(resolve => setTimeout(resolve, POLL_MS));
  while (!raw.destroyed && raw.writableLength > 0);
}

/** The part of `unsent_bytes` that a page holds until its client has read most of it. */
class PageMemory {
  readonly #ledger: ClientLedger;
  readonly #request: FastifyRequest;
  #holding: Holding | undefined;

  constructor(ledger: ClientLedger, request: FastifyRequest) {
    this.#ledger = ledger;
    this.#request = request;
  }

  /** @throws ApiError when all clients, or this one, leave too much unread */
  take(bytes: number): void {
    if (bytes <= SMALL) return;
    const { client, raw } = this.#request;
    const holding = this.#ledger.hold('unsent_bytes', client, this.#ledger.atMostShare('unsent_bytes', bytes), {
      progress: readingRate(raw.socket),
      close: () => breakOff(this.#request),
    });
    if (typeof holding === 'string') throw refusedBy(holding, 'unread responses');
    this.#holding = holding;
  }

  release(): void {
    this.#holding?.release();
    this.#holding = undefined;
  }
}
