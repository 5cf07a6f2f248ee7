import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Database } from '../../base/store/database.ts';
import type { MempoolTransaction } from '../records/mempool/queries.ts';
import { readLog } from './chain.ts';
import { LogEntry } from './entry.ts';
import { DEFAULT_LIVE_LIMITS, type LiveLimits } from './limits.ts';
import { MempoolWatch } from './mempool.ts';
import { MicroblockWatch } from './microblocks.ts';
import { placeOfTip } from './standing.ts';
import { isSameBlockEnd, type LogPosition, PLACE } from './token.ts';
import { type Interest, V1 } from './topics.ts';

/** Calls its listeners when the index has changed: a read that begins after the call sees at least that change. */
export interface ChangeSource {
  /** @returns stops it */
  onChange(listener: () => void): () => void;
}

/** Receives the events of its topics from the feed. */
export interface Receiver {
  readonly topics: { readonly keys: ReadonlySet<string> };
  /** Must not wait for anything but pauses, and must not throw. @param entries of the receiver's topics, in order */
  take(entries: readonly LogEntry[], place: LogPosition): Promise<void>;
}

/** Figures for operators. */
interface FeedFigures {
  readonly receivers: number;
  readonly topics: number;
  readonly events: number;
  /** Milliseconds from the last change until all receivers had it. */
  readonly lagMs: number;
}

interface FeedParts {
  readonly db: Database;
  readonly changes: ChangeSource;
  readonly pause: Pause;
  readonly limits?: Pick<LiveLimits, 'maxReplayBlocks'>;
  /** Called when the index cannot be read. The feed tries again at the next change, or after a second. */
  readonly onFailure?: (error: unknown) => void;
}

/** Limits of one reading, which always takes whole blocks. */
const AT_ONCE = {
  blocks: { content: 20, headers: 20 },
  events: Number.POSITIVE_INFINITY,
  transactions: Number.POSITIVE_INFINITY,
  ahead: 0,
};
const RETRY_MS = 1000;
const BALANCE = 'balance:';
/** After each scan of the mempool, the next one waits `times` its duration, at most `most` ms. */
const MEMPOOL_REST = { times: 4, most: 1000 };

/**
 * Reads the log once for all listeners of this process, whenever the index changes, and passes each the events of its
 * topics. The feed has a position; a client that has caught up to it can join without missing an event. Without
 * listeners the feed reads nothing.
 */
export class ChainFeed implements Interest {
  /** The pause in the rounds of loops over receivers. */
  readonly pause: Pause;
  readonly #parts: FeedParts;
  readonly #receivers = new Map<string, Set<Receiver>>();
  /** Number of their keys that are about a transaction, which may be in the mempool. */
  #transactionKeys = 0;
  readonly #all = new Set<Receiver>();
  readonly #mempool = new MempoolWatch();
  readonly #microblocks = new MicroblockWatch();
  readonly #stop: () => void;
  /** Cached until the topics change. */
  #balances: readonly string[] | undefined;
  #place: LogPosition | undefined;
  #running: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #mempoolDue: NodeJS.Timeout | undefined;
  #nextMempoolLook = 0;
  #mempoolEvents = 0;
  #events = 0;
  #lagMs = 0;
  #changedAt = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.pause = parts.pause;
    this.#stop = parts.changes.onChange(() => this.#poke());
  }

  /** The position of the feed; undefined while it reads or has no listener. */
  get place(): LogPosition | undefined {
    return this.#running ? undefined : this.#place;
  }

  /** Waits until the feed is at the current tip or a newer one. Rejects if the index cannot be read. */
  async ready(): Promise<LogPosition> {
    for (;;) {
      await this.#running;
      if (this.#running) continue;
      if (this.#all.size > 0 && this.#place) return this.#place;
      this.#place = undefined; // its place when the last listener left
      await this.#run(true);
      if (this.#place && !this.#running) return this.#place;
    }
  }

  /** Whether the feed is at this place. */
  isAt(place: LogPosition): boolean {
    const own = this.place;
    return own !== undefined && isSameBlockEnd(own, place);
  }

  /** Adds a receiver that has come to this place, if the feed is at the same place. */
  join(receiver: Receiver, place: LogPosition): boolean {
    if (!this.isAt(place)) return false;
    this.#all.add(receiver);
    this.#addKeys(receiver, receiver.topics.keys);
    // Reads earlier changes, for which the feed had no listener.
    if (this.#all.size === 1 || this.#mustLook()) this.#poke();
    return true;
  }

  has(receiver: Receiver): boolean {
    return this.#all.has(receiver);
  }

  leave(receiver: Receiver): void {
    this.#all.delete(receiver);
    this.#removeKeys(receiver, receiver.topics.keys);
    if (this.#all.size === 0) this.#place = undefined;
  }

  /** Adds keys to a receiver, which may have joined already. */
  widen(receiver: Receiver, keys: Iterable<string>): void {
    if (!this.#all.has(receiver)) return;
    this.#addKeys(receiver, keys);
    if (this.#mustLook()) this.#poke();
  }

  /** Removes keys from a receiver. */
  narrow(receiver: Receiver, keys: Iterable<string>): void {
    this.#removeKeys(receiver, keys);
  }

  /** Resolves when the feed is not reading. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
  }

  #addKeys(receiver: Receiver, keys: Iterable<string>): void {
    if (!this.#wantsMempool() && !this.#isMempoolResting()) this.#mempool.forget();
    for (const key of keys) {
      const others = this.#receivers.get(key);
      if (others) {
        others.add(receiver);
        continue;
      }
      this.#receivers.set(key, new Set([receiver]));
      if (isOfTransaction(key)) this.#transactionKeys++;
      if (key.startsWith(BALANCE)) this.#balances = undefined;
    }
  }

  #removeKeys(receiver: Receiver, keys: Iterable<string>): void {
    for (const key of keys) {
      const others = this.#receivers.get(key);
      if (!others?.delete(receiver) || others.size > 0) continue;
      this.#receivers.delete(key);
      if (isOfTransaction(key)) this.#transactionKeys--;
      if (key.startsWith(BALANCE)) this.#balances = undefined;
    }
    if (!this.#wantsMempool() && !this.#isMempoolResting()) this.#mempool.forget();
    if (!this.wants(V1.microblock)) this.#microblocks.forget();
  }

  wants(key: string): boolean {
    return this.#receivers.has(key);
  }

  get balances(): readonly string[] {
    this.#balances ??= [...this.#receivers.keys()]
      .flatMap(key => (key.startsWith(BALANCE) ? [key.slice(BALANCE.length)] : []))
      .sort();
    return this.#balances;
  }

  figures(): FeedFigures {
    return { receivers: this.#all.size, topics: this.#receivers.size, events: this.#events, lagMs: this.#lagMs };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    clearTimeout(this.#retry);
    clearTimeout(this.#mempoolDue);
    await this.#running?.catch(() => undefined);
  }

  #poke(): void {
    if (this.#isClosed || this.#all.size === 0) return;
    if (this.#changedAt === 0) this.#changedAt = performance.now();
    this.#isStale = true;
    this.#run(false).catch(() => undefined); // onFailure reports it
  }

  /** @param asFirst whether a receiver waits to begin at the tip */
  #run(asFirst: boolean): Promise<void> {
    this.#running ??= this.#readOn(asFirst)
      .catch(error => {
        this.#parts.onFailure?.(error);
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.#poke(), RETRY_MS).unref();
        throw error;
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#all.size === 0 && !asFirst) this.#place = undefined;
      });
    return this.#running;
  }

  async #readOn(asFirst: boolean): Promise<void> {
    const { db, limits = DEFAULT_LIVE_LIMITS } = this.#parts;
    if (asFirst && !this.#place) this.#place = await db.read(placeOfTip);
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      for (let isAtTip = false; !isAtTip && this.#place; ) {
        const from: LogPosition = this.#place;
        const batch = await db.read(queries =>
          readLog(queries, from, this, { ...AT_ONCE, distance: limits.maxReplayBlocks }, this.pause),
        );
        ({ isAtTip } = batch);
        this.#place = batch.to;
        await this.#give(batch.entries, batch.to);
      }
      if (this.wants(V1.microblock) && this.#place) await this.#lookAtMicroblocks(this.#place);
      if (this.#wantsMempool() && this.#place) await this.#lookAtMempool(this.#place);
      if (this.#changedAt > 0) this.#lagMs = performance.now() - this.#changedAt;
      this.#changedAt = 0;
    }
  }

  async #lookAtMempool(place: LogPosition): Promise<void> {
    const begin = performance.now();
    if (begin < this.#nextMempoolLook) {
      this.#mempoolDue ??= setTimeout(() => {
        this.#mempoolDue = undefined;
        this.#poke();
      }, this.#nextMempoolLook - begin).unref();
      return;
    }
    const { arrived, dropped } = await this.#parts.db.read(queries => this.#mempool.look(queries, this.pause));
    const now = performance.now();
    this.#nextMempoolLook = now + Math.min(MEMPOOL_REST.most, MEMPOOL_REST.times * (now - begin));
    const at = { ...place, at: PLACE.end };
    const next = () => `m${++this.#mempoolEvents}`;
    const entries = [
      ...[...arrived].map(([txId, record]) => mempoolEntry(at, txId, record, next())),
      ...dropped.map(tx => dropEntry(at, tx, next())),
    ];
    await this.#give(entries, place);
  }

  async #lookAtMicroblocks(place: LogPosition): Promise<void> {
    const found = await this.#parts.db.read(queries => this.#microblocks.look(queries, this.pause));
    const describe = (text: string) =>
      new LogEntry(place, { event: 'microblock', keys: [V1.microblock], full: () => text, v1: () => text });
    await this.#give(found.map(describe), place);
  }

  /** Whether a receiver needs mempool or microblock events and the feed has no earlier state to compare with. */
  #mustLook(): boolean {
    return (this.#wantsMempool() && this.#mempool.isBlank) || (this.wants(V1.microblock) && this.#microblocks.isBlank);
  }

  /**
   * Whether the next scan of the mempool must wait. Until then the last scan is kept: without it, the first scan for a new receiver would be late, and
   * would miss transactions that arrived after the subscription was confirmed.
   */
  #isMempoolResting(): boolean {
    return performance.now() < this.#nextMempoolLook;
  }

  #wantsMempool(): boolean {
    return this.#transactionKeys > 0 || this.#receivers.has('mempool');
  }

  /**
   * Passes each receiver the entries of its topics; all receivers get the same objects. This may take many turns, in which no receiver can
   * join, as the feed is reading. So each receiver gets all entries or leaves.
   */
  async #give(entries: readonly LogEntry[], place: LogPosition): Promise<void> {
    const lots = new Map<Receiver, LogEntry[]>();
    for (const entry of entries) {
      await this.pause();
      for (const key of entry.keys) {
        for (const receiver of this.#receivers.get(key) ?? []) {
          const lot = lots.get(receiver);
          if (!lot) lots.set(receiver, [entry]);
          else if (lot.at(-1) !== entry) lot.push(entry); // an event may belong to two topics of the receiver
        }
      }
    }
    this.#events += entries.length;
    for (const [receiver, lot] of lots) {
      await this.pause();
      if (this.#all.has(receiver)) await receiver.take(lot, place);
    }
  }
}

const isOfTransaction = (key: string): boolean => key.startsWith('tx:');

function mempoolEntry(place: LogPosition, txId: string, record: string, suffix: string): LogEntry {
  const about = JSON.stringify({ topic: 'mempool', tx_id: txId });
  return new LogEntry(
    place,
    {
      event: 'mempool',
      keys: ['mempool', `tx:${txId}`],
      full: () => `${about.slice(0, -1)},"tx":${record}}`,
      ref: () => about,
      v1: () => record,
      briefly: true,
    },
    suffix,
  );
}

function dropEntry(place: LogPosition, tx: MempoolTransaction, suffix: string): LogEntry {
  const { txId, status: tx_status, record } = tx;
  return new LogEntry(
    place,
    {
      event: 'mempool-drop',
      keys: ['mempool', `tx:${txId}`],
      full: () => JSON.stringify({ topic: 'mempool', tx_id: txId, tx_status }),
      v1: () => record,
    },
    suffix,
  );
}
