import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Tip, TipSource } from '../chain/tip.ts';
import { type IndexState, readPosition, readState, tipOf } from '../indexer/index-state.ts';
import type { Database, Queries } from '../store/database.ts';
import { FatalDatabaseError, type RetryableCode, RetryableDatabaseError } from '../store/errors.ts';
import type { Message } from './messages.ts';
import type { ReadableSource } from './read-source.ts';

export interface IndexViewOptions {
  /** What is read, in turns. */
  readonly sources: readonly ReadableSource[];
  /** Read while none of the sources can be, and asked about what they lag behind. */
  readonly fallback?: ReadableSource;
  readonly logger: Logger;
}

/** How a source stands, for metrics. */
export interface SourceFigures {
  readonly isUp: boolean;
  /** Journal entries that its index is behind the newest one that is known of. */
  readonly lag: number;
}

interface Member {
  readonly source: ReadableSource;
  readonly isFallback: boolean;
  /** Undefined while it cannot be read. */
  sight: IndexState | undefined;
  looking: Promise<void> | undefined;
  /** What was logged last: the same failure is told once. */
  failure: string | undefined;
}

/** How often sources are looked at when nobody says that something has changed. */
const POLL_MS = 500;
/** Pauses between looks at a replica that must have what was announced in a moment; the last one is repeated. */
const CATCH_UP_PAUSES_MS = [1, 2, 4, 8, 15, 30, 60];
const CATCH_UP_MS = 2_000;
/** Errors of a source that another one need not have. A query that takes too long would take as long elsewhere. */
const ELSEWHERE: ReadonlySet<RetryableCode> = new Set<RetryableCode>([
  'CONNECTION_LOST',
  'CONNECTION_REFUSED',
  'SHUTDOWN',
  'CONFLICT',
  'STALE_PLAN',
  'OVERLOADED',
]);

type Part = 'index' | 'journal' | 'metadata';

/**
 * What a process that answers requests sees of the index: one state, and databases that show at least that. It never goes
 * back: a source that is behind what was shown is not read until it has caught up. Only the server that is written can take it
 * back, when that has lost its newest transactions (a replica took its place).
 */
export class IndexView implements TipSource {
  readonly index: Database;
  readonly journal: Database;
  readonly metadata: Database;
  readonly #members: readonly Member[];
  readonly #logger: Logger;
  readonly #closed = new AbortController();
  #polling: Promise<void> | undefined;
  #shown: IndexState | undefined;
  #tip: Tip | undefined;
  #newest = 0;
  #turn = 0;

  private constructor({ sources, fallback, logger }: IndexViewOptions) {
    const member = (source: ReadableSource, isFallback: boolean): Member => ({
      source,
      isFallback,
      sight: undefined,
      looking: undefined,
      failure: undefined,
    });
    this.#members = [...sources.map(source => member(source, false)), ...(fallback ? [member(fallback, true)] : [])];
    this.#logger = logger;
    this.index = this.#part('index');
    this.journal = this.#part('journal');
    this.metadata = this.#part('metadata');
  }

  /** Looks at all sources once, then follows them. What cannot be read yet is waited for. @throws IndexMismatch */
  static async open(options: IndexViewOptions): Promise<IndexView> {
    const view = new IndexView(options);
    try {
      // The fallback last, or it would be shown before those that are to be read.
      for (const isFallback of [false, true])
        await Promise.all(
          view.#members.filter(each => each.isFallback === isFallback).map(each => view.#look(each, true)),
        );
    } catch (error) {
      await view.close();
      throw error;
    }
    view.#polling = view.#poll().catch(() => undefined); // it ends by the signal
    return view;
  }

  /** The state that is shown: never ahead of what is read. Undefined while nothing can be read. */
  get state(): IndexState | undefined {
    return this.#shown;
  }

  current(): Tip | undefined {
    return this.#tip;
  }

  /** The newest position of the index that anybody has told of. */
  get newest(): number {
    return Math.max(this.#newest, this.state?.position ?? 0);
  }

  /** How the sources stand, in the order they were given; none where only the server is read that is written. */
  replicas(): SourceFigures[] {
    if (this.#members.length === 1) return [];
    return this.#members
      .filter(({ isFallback }) => !isFallback)
      .map(({ sight }) => ({
        isUp: sight !== undefined,
        lag: sight ? Math.max(0, this.newest - sight.position) : 0,
      }));
  }

  /** Somebody says that the index has grown. Resolves when that is shown, or will not be soon. */
  async follow({ position }: Extract<Message, { kind: 'index' }>): Promise<void> {
    this.#newest = Math.max(this.#newest, position);
    await Promise.all(this.#members.map(member => this.#lookUntil(member, position)));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#polling;
    await Promise.all(this.#members.map(({ looking }) => looking));
    await Promise.all(this.#members.map(({ source }) => source.close()));
  }

  async #poll(): Promise<void> {
    for (;;) {
      await delay(POLL_MS, undefined, { signal: this.#closed.signal, ref: false });
      await Promise.all(this.#members.map(member => this.#look(member)));
    }
  }

  async #lookUntil(member: Member, position: number): Promise<void> {
    const since = performance.now();
    for (let tries = 0; !this.#closed.signal.aborted; tries++) {
      await this.#look(member);
      const { sight } = member;
      if (!sight || sight.position >= position || performance.now() - since > CATCH_UP_MS) return;
      await delay(CATCH_UP_PAUSES_MS[Math.min(tries, CATCH_UP_PAUSES_MS.length - 1)], undefined, { ref: false });
    }
  }

  /** One look at a time: whoever comes meanwhile gets the next one. */
  async #look(member: Member, isFirst = false): Promise<void> {
    await member.looking;
    member.looking ??= this.#lookOnce(member, isFirst).finally(() => {
      member.looking = undefined;
    });
    await member.looking;
  }

  async #lookOnce(member: Member, isFirst: boolean): Promise<void> {
    const shownBefore = this.#shown;
    try {
      member.sight = await member.source.look();
      if (member.failure !== undefined) this.#logger.info('the database can be read again');
      member.failure = undefined;
    } catch (error) {
      if (isFirst && !mayCome(error, member.source.engine)) throw error;
      this.#fails(member, error);
    }
    this.#show(member, shownBefore);
  }

  #fails(member: Member, error: unknown): void {
    member.sight = undefined;
    const text = error instanceof Error ? error.message : String(error);
    if (text === member.failure) return;
    member.failure = text;
    const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
    this.#logger.warn({ err: error, hint, fallback: member.isFallback }, 'a database cannot be read');
  }

  /** @param before what was shown when the look at this member began */
  #show({ sight, isFallback }: Member, before: IndexState | undefined): void {
    if (!sight) return;
    this.#newest = Math.max(this.#newest, sight.position);
    const isWritten = isFallback || this.#members.length === 1;
    if (isWritten && before && sight.position < before.position) {
      const [from, to] = [before.position, sight.position];
      this.#logger.warn({ from, to }, 'the database has lost its newest transactions');
      this.#newest = to;
      this.#set(sight);
      return;
    }
    const readable = this.#readable();
    const ahead = readable.reduce<IndexState | undefined>(
      (best, { sight }) => (sight && sight.position > (best?.position ?? -1) ? sight : best),
      undefined,
    );
    if (ahead && ahead.position >= this.#position()) this.#set(ahead);
  }

  #set(state: IndexState): void {
    this.#shown = state;
    this.#tip = tipOf(state);
  }

  /** How far what is shown is. */
  #position(): number {
    return this.#shown?.position ?? 0;
  }

  /** Those that show at least what was shown; the fallback only when there is no other. */
  #readable(): Member[] {
    const position = this.#position();
    const fit = this.#members.filter(({ sight }) => sight && sight.position >= position);
    const sources = fit.filter(({ isFallback }) => !isFallback);
    return sources.length > 0 ? sources : fit;
  }

  #part(part: Part): Database {
    const refuse = () => Promise.reject(new FatalDatabaseError('MISUSE', 'this process only reads'));
    return {
      engine: this.#members[0]?.source.engine ?? 'sqlite',
      create: refuse,
      write: refuse,
      read: work => this.#read(part, work),
      close: async () => {},
    };
  }

  /** In turns. What fails on one source is tried on another one, which may be the same when that can be read again. */
  async #read<T>(part: Part, work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let readable = this.#readable();
      if (readable.length === 0) {
        await Promise.all(this.#members.map(member => this.#look(member)));
        readable = this.#readable();
      }
      const member = readable[this.#turn++ % readable.length];
      if (!member) throw new RetryableDatabaseError('CONNECTION_REFUSED', 'no database shows what was shown before');
      try {
        return await (part === 'index' ? this.#readIndex(member, work) : member.source[part].read(work));
      } catch (error) {
        const elsewhere = error instanceof RetryableDatabaseError && ELSEWHERE.has(error.code);
        if (!elsewhere || tries > this.#members.length) throw error;
        member.sight = undefined; // until the next look
      }
    }
  }

  /**
   * A snapshot may be newer than what is shown, as nobody has looked since: then that is shown from now on, before anybody sees
   * the answer. It may also be older, when the source was put in the place of another one: then there is no answer from it.
   */
  async #readIndex<T>(member: Member, work: (queries: Queries) => Promise<T>): Promise<T> {
    const before = this.#position();
    const { result, position, newer } = await member.source.index.read(async queries => {
      const [result, position = before] = await Promise.all([work(queries), readPosition(queries)]);
      return { result, position, newer: position > this.#position() ? await readState(queries) : undefined };
    }, this.#shown);
    if (position < before) throw new RetryableDatabaseError('CONFLICT', 'the database shows less than it did');
    if (newer && newer.position > this.#position()) {
      member.sight = newer;
      this.#set(newer);
    }
    return result;
  }
}

/** Whether it may be there later: a server that starts, an index that the writer has not made yet. */
function mayCome(error: unknown, engine: Database['engine']): boolean {
  if (error instanceof RetryableDatabaseError) return true;
  if (!(error instanceof FatalDatabaseError)) return false;
  return error.code === 'SCHEMA' || (engine === 'sqlite' && error.code === 'ACCESS');
}
