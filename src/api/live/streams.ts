import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { LoopTurns } from '../../base/lib/loop-turns.ts';
import type { Database } from '../../base/store/database.ts';
import type { TipSource } from '../../ingest/chain/tip.ts';
import type { Clients } from '../http/clients.ts';
import { UnreadWatch } from '../http/unread.ts';
import { Admission } from './admission.ts';
import { frameText, type PayloadDetail } from './entry.ts';
import { ChainFeed, type ChangeSource } from './feed.ts';
import { DEFAULT_LIVE_LIMITS, type LiveLimits } from './limits.ts';
import { Replays } from './replays.ts';
import { earliestPlace, isKnownPlace } from './standing.ts';
import { Stream } from './stream.ts';
import { type LogPosition, tokenOf } from './token.ts';
import { type Topic, TopicSet } from './topics.ts';

interface LiveParts {
  readonly db: Database;
  readonly tip: TipSource;
  readonly changes: ChangeSource;
  readonly clients: Clients;
  readonly version: string;
  readonly chainId: number;
  readonly limits?: Partial<LiveLimits>;
  readonly onFailure?: (error: unknown) => void;
}

/** A client's request for a stream. */
interface StreamRequest {
  readonly topics: readonly Topic[];
  readonly payload: PayloadDetail | undefined;
  /** Seconds. */
  readonly heartbeat: number;
  /** Undefined: from now on. */
  readonly after: LogPosition | undefined;
}

/** Figures for operators. */
interface LiveFigures {
  readonly streams: number;
  readonly topics: number;
  readonly events: number;
  readonly dropped: number;
  readonly lagSeconds: number;
}

const BEAT_MS = 1000;
/** Range of the delays in milliseconds after which clients reconnect after a restart, so that they do not all come at once. */
const COME_BACK = { least: 1000, spread: 4000 };

/** All clients of the stream in this process. */
export class Streams {
  readonly feed: ChainFeed;
  readonly limits: LiveLimits;
  readonly admission: Admission;
  readonly unread: UnreadWatch;
  readonly turns: LoopTurns;
  readonly #parts: LiveParts;
  readonly #streams = new Set<Stream>();
  /** Runs readings for clients of the stream, and for pages of its events. */
  readonly replays: Replays;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  /** The first token that can be resumed, as of this tip. */
  #earliest: { readonly tip: string | undefined; readonly token: string } | undefined;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.limits = { ...DEFAULT_LIVE_LIMITS, ...parts.limits };
    this.admission = new Admission(parts.clients);
    this.unread = new UnreadWatch(parts.clients, this.limits);
    this.turns = parts.clients.turns;
    this.replays = new Replays(parts.clients.ledger);
    this.feed = new ChainFeed({ ...parts, limits: this.limits, pause: () => this.pause('live feed') });
  }

  /** The pause of a loop. @param by names it in reports */
  pause(by: string): Promise<void> | undefined {
    return this.turns.pause(by);
  }

  /** Streams to a client until it disconnects or the server stops. @throws ApiError before anything is sent */
  async open(reply: FastifyReply, request: StreamRequest): Promise<void> {
    const admitted = this.admission.admit(reply.request.raw, request.topics.length);
    const response = reply.raw;
    response.once('close', admitted.release);
    const topics = new TopicSet(request.topics);
    const [place, earliest] = await this.#begin(request.after);
    if (response.destroyed) return;
    const { feed, limits, replays, unread } = this;
    const { db } = this.#parts;
    const { payload, heartbeat } = request;
    const { client } = reply.request;
    const pause = () => this.pause('live replay');
    const onDrop = () => this.dropped();
    const untilKnown = async () => request.after && this.#untilKnown(request.after, response);
    const stream = new Stream(
      { feed, db, limits, response, topics, payload, heartbeat, client, replays, unread, pause, untilKnown, onDrop },
      place,
    );
    admitted.endBy(() => stream.bye(COME_BACK.least, 'full'));
    begin(reply);
    this.#add(stream, response);
    const id = request.after ? undefined : tokenOf(place);
    await stream.run(this.#hello(request, earliest), id).catch(error => {
      this.#parts.onFailure?.(error);
      stream.bye(COME_BACK.least); // it resumes when the index can be read again
    });
  }

  /** Counts a client that was disconnected because it reads too slowly. */
  dropped(): void {
    this.#dropped++;
  }

  figures(): LiveFigures {
    const { topics, events, lagMs } = this.feed.figures();
    return { streams: this.#streams.size, topics, events, dropped: this.#dropped, lagSeconds: lagMs / 1000 };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.unread.close();
    for (const stream of this.#streams) stream.bye(COME_BACK.least + Math.floor(Math.random() * COME_BACK.spread));
    await this.feed.close();
  }

  /** The place from which a client reads, and the first token that can be resumed. */
  async #begin(after: LogPosition | undefined): Promise<[place: LogPosition, earliest: string]> {
    const place = after ?? (await this.feed.ready());
    const tip = this.#parts.tip.current()?.indexBlockHash;
    if (this.#earliest?.tip !== tip || this.#earliest === undefined)
      this.#earliest = { tip, token: tokenOf(await this.#earliestPlace()) };
    return [place, this.#earliest.token];
  }

  #earliestPlace(): Promise<LogPosition> {
    return this.#parts.db.read(queries => earliestPlace(queries, this.limits.maxReplayBlocks));
  }

  /**
   * Waits for a limited time until this process knows the block of a token, which another process that is ahead may have
   * issued.
   */
  async #untilKnown(place: LogPosition, response: ServerResponse): Promise<void> {
    const isKnown = () => this.#parts.db.read(queries => isKnownPlace(queries, place));
    if (await isKnown()) return;
    const end = performance.now() + this.limits.maxTokenWait;
    while (!response.destroyed && performance.now() < end) {
      const change = this.#change(end - performance.now());
      await this.pause('live token');
      if (await isKnown()) return;
      await change;
    }
  }

  /** Resolves when the index changes, or after `patience` milliseconds. */
  #change(patience: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience).unref();
    const stop = this.#parts.changes.onChange(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }

  #hello({ topics, payload, heartbeat }: StreamRequest, earliest_id: string): string {
    const { version, chainId } = this.#parts;
    return JSON.stringify({
      server_version: `stacks-index v${version}`,
      chain_id: `0x${chainId.toString(16).padStart(8, '0')}`,
      tip: this.#tip(),
      earliest_id,
      topics: topics.map(({ key }) => key),
      payload: payload ?? null,
      heartbeat,
    });
  }

  #tip() {
    const tip = this.#parts.tip.current();
    return tip ? { height: tip.height, index_hash: tip.indexBlockHash } : null;
  }

  #add(stream: Stream, response: ServerResponse): void {
    this.#streams.add(stream);
    response.once('close', () => this.#streams.delete(stream));
    this.#timer ??= setInterval(() => void this.#beat(), BEAT_MS).unref();
  }

  async #beat(): Promise<void> {
    const sign = Buffer.from(`: hb ${new Date().toISOString()}\n${frameText('tip', JSON.stringify(this.#tip()))}`);
    for (const stream of [...this.#streams]) {
      await this.pause('live heartbeats');
      stream.beat(performance.now(), sign);
    }
  }
}

/** Sends the head. The body has no length and is not chunked: it ends with the connection. */
function begin(reply: FastifyReply): void {
  reply.hijack();
  const response = reply.raw;
  response.useChunkedEncodingByDefault = false;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  response.socket?.setTimeout(0); // heartbeats detect a dead connection instead
}
