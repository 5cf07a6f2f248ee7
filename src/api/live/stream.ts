import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../base/store/database.ts';
import { readLog } from './chain.ts';
import { frameText, type LogEntry, type PayloadDetail } from './entry.ts';
import type { ChainFeed, Receiver } from './feed.ts';
import type { LiveLimits } from './limits.ts';
import type { LogPosition } from './token.ts';
import type { TopicSet } from './topics.ts';

interface StreamParts {
  readonly feed: ChainFeed;
  readonly db: Database;
  readonly limits: LiveLimits;
  readonly response: ServerResponse;
  readonly topics: TopicSet;
  readonly payload: PayloadDetail | undefined;
  /** Seconds between two heartbeats. */
  readonly heartbeat: number;
  /** Clients that come from afar read the log one at a time: requests of the API come between. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when the index knows the block of the client's token, or when waiting for it is over. */
  readonly untilKnown: () => Promise<unknown>;
  /** Called when the server disconnects a client because it reads too slowly. */
  readonly onDrop: () => void;
}

/** Most blocks in one read. */
const BLOCKS_AT_ONCE = { content: 20, headers: 500 };
/** Milliseconds until a client that is ahead of the feed checks again. */
const PAUSE = 10;
/** Milliseconds after which a browser comes back. */
const RETRY = 3000;

/**
 * One client of the stream. It reads the log on its own until it reaches the place of the feed; from then on the feed
 * gives it the events. Nothing waits for a client: a slow one is disconnected with its unread events, and resumes from
 * its last id.
 */
export class Stream implements Receiver {
  readonly topics: TopicSet;
  readonly #parts: StreamParts;
  #place: LogPosition;
  #isOver = false;
  #lastBeat = performance.now();
  #skipped = 0;
  /** Bytes that the connection had sent at the last check, and the time of that check. */
  #taken = 0;
  #takenAt = performance.now();

  /** @param place that the client has read up to */
  constructor(parts: StreamParts, place: LogPosition) {
    this.#parts = parts;
    this.#place = place;
    this.topics = parts.topics;
    parts.response.once('close', () => this.#leave());
  }

  /**
   * Greets the client; returns when it has joined the feed or has disconnected. @param hello JSON text @param id the
   * first token of a client that has none
   */
  async run(hello: string, id: string | undefined): Promise<void> {
    this.#write(`retry: ${RETRY}\n${frameText('hello', hello, id)}`);
    const { feed, db, limits, untilKnown, inTurn } = this.#parts;
    await untilKnown();
    const reading = { blocks: BLOCKS_AT_ONCE, events: limits.replayBatch, distance: limits.maxReplayBlocks, ahead: 0 };
    while (!this.#isOver && !feed.join(this, this.#place)) {
      const from = this.#place;
      const batch = await inTurn(() => db.read(queries => readLog(queries, from, this.topics, reading)));
      this.take(batch.entries, batch.to);
      if (batch.isAtTip && !feed.isAt(batch.to)) {
        await feed.ready();
        if (!feed.isAt(batch.to)) await delay(PAUSE);
      } else await this.#drained();
    }
    if (this.#isOver) feed.leave(this);
  }

  take(entries: readonly LogEntry[], place: LogPosition): void {
    this.#place = place;
    if (this.#isOver || entries.length === 0) return;
    const { response, limits, payload } = this.#parts;
    const queued = response.writableLength;
    if (queued > limits.hardQueue) this.#overflow();
    else if (queued > limits.softQueue) this.#writeAll(this.#withoutMempool(entries), payload);
    else this.#writeAll(entries, payload);
  }

  /** Called every second. @param sign that the stream lives: the same bytes for all */
  beat(now: number, sign: Buffer): void {
    const { heartbeat, response, limits } = this.#parts;
    const written = (response.socket?.bytesWritten ?? 0) - response.writableLength;
    if (response.writableLength === 0 || written !== this.#taken) {
      this.#taken = written;
      this.#takenAt = now;
    } else if (now - this.#takenAt > limits.maxStall) {
      this.#drop();
      return;
    }
    if (now - this.#lastBeat < heartbeat * 1000) return;
    this.#lastBeat = now;
    if (response.writableLength <= limits.softQueue) this.#write(sign);
  }

  /** Ends the stream before the server stops, with a delay after which the client reconnects. */
  bye(retryMs: number): void {
    if (this.#isOver) return;
    this.#write(`retry: ${retryMs}\n${frameText('bye', '{"reason":"shutdown"}')}`);
    this.#end();
  }

  #writeAll(entries: readonly LogEntry[], payload: PayloadDetail | undefined): void {
    const frames = entries.map(entry => entry.frame(payload));
    if (this.#skipped > 0 && this.#parts.response.writableLength <= this.#parts.limits.softQueue) {
      frames.unshift(Buffer.from(frameText('mempool-skipped', `{"count":${this.#skipped}}`)));
      this.#skipped = 0;
    }
    const [first] = frames;
    if (first) this.#write(frames.length === 1 ? first : Buffer.concat(frames));
  }

  #withoutMempool(entries: readonly LogEntry[]): readonly LogEntry[] {
    const kept = entries.filter(({ event }) => event !== 'mempool' && event !== 'mempool-drop');
    this.#skipped += entries.length - kept.length;
    return kept;
  }

  #overflow(): void {
    this.#write(frameText('overflow', '{"reason":"the client reads too slowly"}'));
    this.#end();
    setTimeout(() => this.#parts.response.destroy(), this.#parts.limits.maxStall).unref();
    this.#parts.onDrop();
  }

  #drop(): void {
    this.#parts.onDrop();
    this.#leave();
    this.#parts.response.destroy();
  }

  #write(text: string | Buffer): void {
    if (!this.#isOver) this.#parts.response.write(text);
  }

  #end(): void {
    this.#parts.response.end();
    this.#leave();
  }

  #leave(): void {
    this.#isOver = true;
    this.#parts.feed.leave(this);
  }

  /** Waits until the client has read most of the sent bytes. */
  async #drained(): Promise<void> {
    const { response, limits } = this.#parts;
    while (!this.#isOver && response.writableLength > limits.softQueue / 2) await delay(PAUSE);
  }
}
