import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { FairQueue } from '../../base/lib/fair-queue.ts';
import { type ClientLedger, refusedBy } from '../http/clients.ts';
import { readingRate } from '../http/unsent-bytes.ts';
import { NodeFault } from './faults.ts';

/** Seconds after which a refused client may retry. */
const RETRY_AFTER = 2;
/** How often a waiting request checks whether a slow reader can be ended now, in milliseconds. */
const CHECK_MS = 500;

interface Waiting {
  readonly place: NodePlace;
  readonly begin: () => void;
}

/**
 * Decides which requests the node works on. Each has a place until the response of the node has been read; a request without a place
 * waits in the queue of its client. The clients take turns, so those of one address wait for each other, but not for all others.
 *
 *     128 places: A has 32 (its share), B has 96 of several addresses; A's 33rd request and the first one of C wait
 *     a place of A becomes free     A's 33rd request takes it
 *     a place of B becomes free     C's request takes it
 *     none becomes free             C's request takes that of the slowest reader of B's largest address
 *
 * A quarter of the places is kept free of responses that wait for their readers: the 97th of these ends the slowest one at once, so
 * that requests need not wait until the slow readers are known.
 */
export class NodeQueue {
  readonly #ledger: ClientLedger;
  readonly #waiting = new FairQueue<string | undefined, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isPumping = false;

  constructor(ledger: ClientLedger) {
    this.#ledger = ledger;
  }

  /**
   * Waits for a place. The caller releases it. @param client undefined: a request of this server itself
   * @throws ApiError 429 or 503 if too many wait already, NodeFault after the time, or the reason of the signal
   */
  async enter(client: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<NodePlace> {
    signal?.throwIfAborted();
    const place = new NodePlace(this.#ledger, client, () => this.#pump());
    if (!this.#waiting.has(client) && this.#take(client, place) === undefined) return place;
    const leaveLine = this.waitInLine(client);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { place, begin: resolve };
    const timer = setTimeout(() => reject(new NodeFault('timeout', undefined)), timeoutMs);
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    this.#waiting.push(client, waiting);
    this.#timer ??= setInterval(() => this.#pump(), CHECK_MS).unref();
    try {
      await promise;
      return place;
    } catch (error) {
      this.#waiting.remove(client, waiting);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      leaveLine();
    }
  }

  /** Counts a request that waits for the node. @returns a function that ends this. @throws ApiError 429 or 503 if too many wait */
  waitInLine(client: string | undefined): () => void {
    const holding = this.#ledger.hold('waiting_for_node', client, 1);
    if (typeof holding === 'string') throw refusedBy(holding, 'requests that wait for the node', RETRY_AFTER);
    return holding.release;
  }

  /** @returns undefined if the place was assigned, else the limit that would be exceeded */
  #take(client: string | undefined, place: NodePlace) {
    const holding = this.#ledger.hold('node_requests', client, 1, place);
    if (typeof holding === 'string') return holding;
    place.holding = holding;
    return undefined;
  }

  /** Assigns free places to clients in turn. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    // Skips clients that hold their share, or as much as a client that was refused.
    let refused = this.#ledger.atMostShare('node_requests', Number.POSITIVE_INFINITY);
    this.#waiting.offer((client, { place, begin }) => {
      const held = client === undefined ? 0 : this.#ledger.heldBy('node_requests', client);
      if (held >= refused) return false;
      const refusal = this.#take(client, place);
      if (refusal === 'total') refused = held;
      if (refusal !== undefined) return false;
      begin();
      return true;
    });
    this.#isPumping = false;
    if (!this.#waiting.isEmpty) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * The place of a request that the node works on. While the client reads the response more slowly than the node sends it, the place
 * can be given to another client.
 */
export class NodePlace {
  /** Undefined while it waits. */
  holding: { release(): void } | undefined;
  readonly #ledger: ClientLedger;
  readonly #client: string | undefined;
  readonly #onRelease: () => void;
  #response: ServerResponse | undefined;
  #rate: ((graceMs?: number) => number | undefined) | undefined;
  /** Set while the response waits for its reader. */
  #unread: { release(): void } | undefined;
  #isOver = false;

  constructor(ledger: ClientLedger, client: string | undefined, onRelease: () => void) {
    this.#ledger = ledger;
    this.#client = client;
    this.#onRelease = onRelease;
  }

  /** Reads the body of the node's response as fast as the client reads this response. @param body pauses while the client does not read */
  readBy(response: ServerResponse, body: Readable): void {
    this.#response = response;
    this.#rate = response.socket ? readingRate(response.socket) : undefined;
    body.on('pause', () => this.#waitForReader());
    response.on('drain', () => this.#goOn());
  }

  progress(): number | undefined {
    return this.#response?.writableNeedDrain ? this.#rate?.() : undefined;
  }

  close(): void {
    this.#response?.destroy();
  }

  release(): void {
    this.#isOver = true;
    this.#goOn();
    this.holding?.release();
    this.#onRelease();
  }

  #waitForReader(): void {
    if (this.#isOver || this.#unread !== undefined) return;
    const progress = () => this.#rate?.(0) ?? 0;
    const holding = this.#ledger.hold('unread_from_node', this.#client, 1, { progress, close: () => this.close() });
    if (typeof holding !== 'string') this.#unread = holding;
  }

  #goOn(): void {
    this.#unread?.release();
    this.#unread = undefined;
  }
}
