import { LoopTurns } from '../../base/lib/loop-turns.ts';
import type { Result } from '../../base/lib/result.ts';
import type { Database } from '../../base/store/database.ts';
import { serialQueue } from '../../base/store/query-session.ts';
import type { ChangeSource } from '../live/feed.ts';
import { parseToken } from '../live/token.ts';
import { parseTopic, TopicSet } from '../live/topics.ts';
import { readBatch } from './batch.ts';
import { signatureOf } from './post.ts';
import { afterFailure } from './schedule.ts';
import { advance, confirm, dueWebhook, dueWebhooks, failed, offer, type WebhookRow } from './store.ts';
import { DEFAULT_WEBHOOK_LIMITS, type WebhookLimits } from './webhook.ts';

interface DelivererParts {
  /** Has WEBHOOKS. */
  readonly db: Database;
  readonly index: Database;
  readonly changes: ChangeSource;
  readonly post: (url: URL, body: string, signature: string, signal: AbortSignal) => Promise<Result<true, string>>;
  /** Whether this process is the one that delivers. */
  readonly isActive: () => boolean;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly limits?: Partial<WebhookLimits>;
  /** The turns of the event loop shared by the thread; by default its own. */
  readonly turns?: LoopTurns | undefined;
  /** Called when a database cannot be read or written; the work is tried again. */
  readonly onFailure?: (error: unknown) => void;
  /** Called when a receiver has not confirmed a batch. */
  readonly onRefusal?: (hook: string, error: string, isParked: boolean) => void;
}

/** How often the deliverer checks for webhooks that an operator has added, or whose pause is over. Milliseconds. */
const POLL_MS = 1000;

/**
 * Sends each webhook the log of the chain from its place on, in order, at least once: a batch is stored before it is
 * sent, and is sent unchanged until the receiver confirms it. So a receiver gets, after each batch, the next events on
 * the same fork or the rollback that removes its blocks.
 */
export class WebhookDeliverer {
  readonly #parts: DelivererParts;
  readonly #limits: WebhookLimits;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Reads the log for one webhook at a time, so that requests of the API run in between. */
  readonly #inTurn = serialQueue();
  readonly #turns: LoopTurns;
  readonly #again = new Set<string>();
  #ends: (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #isStale = false;
  #delivered = 0;
  #failed = 0;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#turns = parts.turns ?? new LoopTurns();
    this.#limits = { ...DEFAULT_WEBHOOK_LIMITS, ...parts.limits };
  }

  /** Delivers from now on, as the index changes. */
  start(): void {
    const timer = setInterval(() => this.#poke(), POLL_MS).unref();
    this.#ends = [() => clearInterval(timer), this.#parts.changes.onChange(() => this.#poke())];
    this.#poke();
  }

  /** Delivers all that is due now; resolves when there is nothing left that may be sent at once. */
  async deliverDue(): Promise<void> {
    await this.#look();
    await Promise.all(this.#running.values());
  }

  /** Bodies that were confirmed and attempts that failed, since the start. */
  counts(): { readonly delivered: number; readonly failed: number } {
    return { delivered: this.#delivered, failed: this.#failed };
  }

  /** A running delivery is aborted, and sent again after a restart. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    this.#stop.abort();
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  #poke(): void {
    this.#isStale = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookOn(): Promise<void> {
    while (this.#isStale && this.#isAtWork()) {
      this.#isStale = false;
      await this.#look().catch(error => this.#parts.onFailure?.(error));
    }
  }

  async #look(): Promise<void> {
    if (!this.#isAtWork()) return;
    for (const id of await dueWebhooks(this.#parts.db, this.#now())) {
      if (this.#running.has(id)) {
        this.#again.add(id);
        continue;
      }
      const running = this.#deliver(id)
        .catch(error => {
          if (!this.#stop.signal.aborted) this.#parts.onFailure?.(error);
        })
        .finally(() => {
          this.#running.delete(id);
          if (this.#again.delete(id)) this.#poke(); // something changed after the read
        });
      this.#running.set(id, running);
    }
  }

  /** Sends a webhook one body after the other, until it is at the tip or has failed. */
  async #deliver(id: string): Promise<void> {
    const { db } = this.#parts;
    while (this.#isAtWork()) {
      const row = await dueWebhook(db, id, this.#now());
      if (!row) return;
      if (row.body !== null) await this.#send(row, row.body);
      else if (!(await this.#prepare(row))) return;
    }
  }

  /**
   * Stores the next batch, or the place up to which no event is for the webhook. @returns whether it may continue at once
   */
  async #prepare(row: WebhookRow): Promise<boolean> {
    const { db, index } = this.#parts;
    const after = row.place === null ? undefined : parseToken(row.place);
    const request = { hook: row.id, after, topics: topicsOf(row), position: row.position };
    const pause = () => this.#turns.pause('webhooks');
    const read = await this.#inTurn(() => index.read(queries => readBatch(queries, request, this.#limits, pause)));
    if (!read) return false;
    if (read.body !== undefined) await offer(db, row, read.body, read);
    else if (read.to !== row.place) await advance(db, row, read);
    return read.body !== undefined || !read.isAtTip;
  }

  async #send(row: WebhookRow, body: string): Promise<void> {
    const { db, post, onRefusal } = this.#parts;
    const signature = signatureOf(body, row.secret, Math.floor(this.#now() / 1000));
    const sent = await post(new URL(row.url), body, signature, this.#stop.signal);
    if (sent.ok) {
      this.#delivered++;
      return confirm(db, row, this.#now());
    }
    this.#failed++;
    const after = afterFailure({ failures: row.failures, failingSince: row.failing_since }, this.#now());
    onRefusal?.(row.id, sent.error, after.isParked);
    await failed(db, row, sent.error, after);
  }

  #isAtWork(): boolean {
    return !this.#stop.signal.aborted && this.#parts.isActive();
  }

  #now(): number {
    return (this.#parts.now ?? Date.now)();
  }
}

const topicsOf = ({ topics }: WebhookRow): TopicSet =>
  new TopicSet((JSON.parse(topics) as string[]).map(parseTopic).filter(topic => topic !== undefined));
