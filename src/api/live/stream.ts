import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Database } from '../../base/store/database.ts';
import type { Unread, UnreadWatch } from '../http/unread.ts';
import { type LogBatch, type LogLimits, readLog } from './chain.ts';
import { frameText, type LogEntry, type PayloadDetail } from './entry.ts';
import type { ChainFeed, Receiver } from './feed.ts';
import type { LiveLimits } from './limits.ts';
import type { Replays } from './replays.ts';
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
  /** The address of the client. */
  readonly client: string;
  readonly replays: Replays;
  readonly unread: UnreadWatch;
  readonly pause: Pause;
  /** Resolves when the index knows the block of the client's token, or after the longest wait. */
  readonly untilKnown: () => Promise<unknown>;
  /** Called when the server disconnects a client because it reads too slowly. */
  readonly onDrop: () => void;
}

/** Limits of one reading. */
const AT_ONCE = { blocks: { content: 20, headers: 200 }, transactions: 2000 };
/** Milliseconds until a client that is ahead of the feed checks again. */
const PAUSE = 10;
/** Milliseconds after which a browser reconnects. */
const RETRY = 3000;

/** Ends a reading whose client has disconnected. */
class HasLeft extends Error {}

/**
 * One client of the stream. It reads the log on its own until it reaches the place of the feed; from then on it receives
 * events from the feed. The feed never waits for a client: a slow client is disconnected, loses its unread events, and
 * resumes from its last id.
 */
export class Stream implements Receiver {
  readonly topics: TopicSet;
  readonly #parts: StreamParts;
  readonly #unread: Unread;
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
    const { response, client } = parts;
    this.#unread = parts.unread.watch({
      address: client,
      unread: () => response.writableLength,
      taken: () => this.#written(),
      drop: () => this.#overflow(),
    });
    response.once('close', () => {
      this.#unread.release();
      this.#leave();
    });
  }

  /**
   * Greets the client; returns when it has joined the feed or has disconnected. @param hello JSON text @param id the
   * first token of a client that has none
   */
  async run(hello: string, id: string | undefined): Promise<void> {
    this.#write(`retry: ${RETRY}\n${frameText('hello', hello, id)}`);
    const { feed, limits, untilKnown, pause } = this.#parts;
    await untilKnown();
    const most = { ...AT_ONCE, events: limits.replayBatch, distance: limits.maxReplayBlocks, ahead: 0 };
    while (!this.#isOver && !feed.join(this, this.#place)) {
      // Readings that find nothing to do pause nowhere else.
      await pause();
      const batch = await this.#read(most);
      if (batch === undefined) break;
      await this.take(batch.entries, batch.to, true);
      if (batch.isAtTip && !feed.isAt(batch.to)) {
        await feed.ready();
        if (!feed.isAt(batch.to)) await delay(PAUSE);
      } else await this.#drained();
    }
    if (this.#isOver) feed.leave(this);
  }

  /** The next part of the log; undefined once the client has disconnected. */
  async #read(most: LogLimits): Promise<LogBatch | undefined> {
    const { client, db, pause, replays } = this.#parts;
    const from = this.#place;
    const pauseOrEnd = () => {
      if (this.#isOver) throw new HasLeft();
      return pause();
    };
    const read = () => db.read(queries => readLog(queries, from, this.topics, most, pauseOrEnd));
    try {
      return await replays.run(client, () => this.#isOver, read);
    } catch (error) {
      if (error instanceof HasLeft) return undefined;
      throw error;
    }
  }

  /** @param isBehind whether to wait for the client to read: a batch of large events would exceed the limits of a client that reads */
  async take(entries: readonly LogEntry[], place: LogPosition, isBehind = false): Promise<void> {
    this.#place = place;
    if (this.#isOver || entries.length === 0) return;
    const { response, limits } = this.#parts;
    if (!this.#unread.fits()) this.#overflow();
    else if (response.writableLength > limits.softQueue) await this.#writeAll(this.#withoutMempool(entries), isBehind);
    else await this.#writeAll(entries, isBehind);
  }

  /** Called every second. @param sign bytes of a heartbeat, the same for all streams */
  beat(now: number, sign: Buffer): void {
    const { heartbeat, response, limits } = this.#parts;
    const written = this.#written();
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

  /** Ends the stream, because the server stops or needs the place for another client; sends a delay after which the client reconnects. */
  bye(retryMs: number, reason: 'shutdown' | 'full' = 'shutdown'): void {
    if (this.#isOver) return;
    this.#write(`retry: ${retryMs}\n${frameText('bye', JSON.stringify({ reason }))}`);
    this.#end();
  }

  /** Writes the frames made in one turn together. */
  async #writeAll(entries: readonly LogEntry[], isBehind: boolean): Promise<void> {
    const { response, limits, payload, pause } = this.#parts;
    let frames: Buffer[] = [];
    let bytes = 0;
    if (this.#skipped > 0 && response.writableLength <= limits.softQueue) {
      frames.push(Buffer.from(frameText('mempool-skipped', `{"count":${this.#skipped}}`)));
      this.#skipped = 0;
    }
    const write = () => {
      const [first] = frames;
      if (first) this.#write(frames.length === 1 ? first : Buffer.concat(frames));
    };
    for (const entry of entries) {
      const frame = entry.frame(payload);
      frames.push(frame);
      bytes += frame.length;
      const turn = pause();
      const mustDrain = isBehind && bytes > limits.softQueue / 2;
      if (turn === undefined && !mustDrain) continue;
      write();
      frames = [];
      bytes = 0;
      await turn;
      if (mustDrain) await this.#drained();
    }
    write();
  }

  #withoutMempool(entries: readonly LogEntry[]): readonly LogEntry[] {
    const kept = entries.filter(({ event }) => event !== 'mempool' && event !== 'mempool-drop');
    this.#skipped += entries.length - kept.length;
    return kept;
  }

  /** Bytes that the connection has sent. */
  #written(): number {
    const { response } = this.#parts;
    return (response.socket?.bytesWritten ?? 0) - response.writableLength;
  }

  #overflow(): void {
    if (this.#isOver) return;
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

  /** Writes directly to the socket: head and framing are done, and the response object would cork the socket for each text, at the cost of a short write. */
  #write(text: string | Buffer): void {
    if (!this.#isOver) this.#parts.response.socket?.write(text);
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
