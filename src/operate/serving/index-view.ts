import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Queries } from '../../base/store/database.ts';
import { FatalDatabaseError, type RetryableCode, RetryableDatabaseError } from '../../base/store/errors.ts';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import { type IndexState, readPosition, readState, tipOf } from '../../ingest/indexer/index-state.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { Message } from './messages.ts';
import type { ReadableSource } from './read-source.ts';

interface IndexViewOptions {
  /** Databases to read in turn. */
  readonly sources: readonly ReadableSource[];
  /** The database to read while no source is available, and to measure the lag of the sources. */
  readonly fallback?: ReadableSource;
  readonly logger: Logger;
}

/** The state of a source, for metrics. */
interface SourceFigures {
  readonly isUp: boolean;
  /** Journal entries that its index is behind the newest known position. */
  readonly lag: number;
}

interface Member {
  readonly source: ReadableSource;
  readonly isFallback: boolean;
  /** Undefined while it cannot be read. */
  sight: IndexState | undefined;
  looking: Promise<void> | undefined;
  /** The last logged failure; the same failure is not logged twice. */
  failure: string | undefined;
}

/** How often sources are polled when no message arrives. */
const POLL_MS = 500;
/** Message before the first state is read: one about a database server would mislead if the index is in a directory. */
const NOT_YET = 'A process that writes makes the index; the log has the reason where it is there and cannot be read.';
/** Pauses between checks of a replica that lags behind an announced position; the last one is repeated. */
const CATCH_UP_PAUSES_MS = [1, 2, 4, 8, 15, 30, 60];
const CATCH_UP_MS = 2_000;
/** Errors after which another source is tried. Not after a timeout: the query would take as long elsewhere. */
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
 * The view of the index for a process that serves requests: one state, and databases that show at least that state. It never goes back:
 * it does not read a source, or the primary, that is behind the shown state until that has caught up. Only if the primary's journal has
 * lost shown events (a replica without them was promoted), the view returns to an earlier state.
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
  readonly #listeners = new Set<() => void>();
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

  /** Reads the state of all sources once, then follows them. A source may become available later. @throws IndexMismatch */
  static async open(options: IndexViewOptions): Promise<IndexView> {
    const view = new IndexView(options);
    try {
      // The fallback last, or its state would be shown before that of the sources.
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

  /** The shown state; reads show at least this state. Undefined until a source has been read. */
  get state(): IndexState | undefined {
    return this.#shown;
  }

  current(): Tip | undefined {
    return this.#tip;
  }

  /** Calls a listener whenever the shown state changes. @returns a function that stops the calls */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The newest known position of the index, from messages or from reading. */
  get newest(): number {
    return Math.max(this.#newest, this.state?.position ?? 0);
  }

  /** The state of the sources, in the order of the options; empty if only the primary is read. */
  replicas(): SourceFigures[] {
    if (this.#members.length === 1) return [];
    return this.#members
      .filter(({ isFallback }) => !isFallback)
      .map(({ sight }) => ({
        isUp: sight !== undefined,
        lag: sight ? Math.max(0, this.newest - sight.position) : 0,
      }));
  }

  /** Handles the message that the index has grown. Resolves when the sources have caught up, or after CATCH_UP_MS. */
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

  /** Reads the state of a source, one read at a time. A call during a read waits for the next one. */
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
      const sight = await member.source.look();
      if (this.#isWritten(member) && shownBefore && sight.position < shownBefore.position)
        await this.#goBack(member, sight, shownBefore);
      member.sight = sight;
      if (member.failure !== undefined) this.#logger.info('the database is available again');
      member.failure = undefined;
    } catch (error) {
      if (isFirst && !mayCome(error, member.source.engine)) throw error;
      this.#fails(member, error);
    }
    this.#show(member);
  }

  #fails(member: Member, error: unknown): void {
    member.sight = undefined;
    const text = error instanceof Error ? error.message : String(error);
    if (text === member.failure) return;
    member.failure = text;
    this.#logger.warn({ err: error, fallback: member.isFallback }, 'a database is not available');
  }

  /** Whether it is the database that the writer writes to. */
  #isWritten({ isFallback }: Member): boolean {
    return isFallback || this.#members.length === 1;
  }

  /**
   * Handles a primary that is behind the shown state. If its journal has the events, it will reach that state as soon as they are indexed:
   * a replica may have shown rows that a newly promoted server does not have yet.
   * @throws RetryableDatabaseError in that case; else the shown state goes back
   */
  async #goBack({ source }: Member, sight: IndexState, shown: IndexState): Promise<void> {
    const length = await new Journal(source.journal).length();
    if (length >= shown.position)
      throw new RetryableDatabaseError('CONFLICT', 'the database has not indexed again what it showed before', {
        hint: 'A writer indexes it; it is read again after that.',
      });
    this.#logger.warn({ from: shown.position, to: sight.position }, 'the database has lost its newest transactions');
    this.#newest = sight.position;
    this.#set(sight);
  }

  #show({ sight }: Member): void {
    if (!sight) return;
    this.#newest = Math.max(this.#newest, sight.position);
    const readable = this.#readable();
    const ahead = readable.reduce<IndexState | undefined>(
      (best, { sight }) => (sight && sight.position > (best?.position ?? -1) ? sight : best),
      undefined,
    );
    if (ahead && ahead.position >= this.#position()) this.#set(ahead);
  }

  #set(state: IndexState): void {
    const isNews = state.position !== this.#shown?.position;
    this.#shown = state;
    this.#tip = tipOf(state);
    if (isNews) for (const listener of this.#listeners) listener();
  }

  /** The position of the state that is shown. */
  #position(): number {
    return this.#shown?.position ?? 0;
  }

  /** The members that have at least the shown state; the fallback only if there is no other. */
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
      reclaim: refuse,
      read: work => this.#read(part, work),
      close: async () => {},
    };
  }

  /** Reads the sources in turn. After an error of the source, the next one is tried. */
  async #read<T>(part: Part, work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let readable = this.#readable();
      if (readable.length === 0) {
        await Promise.all(this.#members.map(member => this.#look(member)));
        readable = this.#readable();
      }
      const member = readable[this.#turn++ % readable.length];
      if (!member)
        throw this.#shown === undefined
          ? new RetryableDatabaseError('CONNECTION_REFUSED', 'no index can be read yet', { hint: NOT_YET })
          : new RetryableDatabaseError('CONNECTION_REFUSED', 'no database is as far as the state that was shown');
      try {
        return await (part === 'index'
          ? this.#readIndex(member, work, tries === 1 ? this.#shown : undefined)
          : member.source[part].read(work));
      } catch (error) {
        const elsewhere = error instanceof RetryableDatabaseError && ELSEWHERE.has(error.code);
        if (!elsewhere || tries > this.#members.length) throw error;
        member.sight = undefined; // until its state is read again
      }
    }
  }

  /**
   * A snapshot may be newer than the shown state, if the view has not read the state since. Then the view shows its state before the
   * response is sent. A snapshot may also be older, if the source was replaced. Then its rows are not used.
   */
  async #readIndex<T>(member: Member, work: (queries: Queries) => Promise<T>, sharing: object | undefined): Promise<T> {
    const before = this.#position();
    const { result, position, newer } = await member.source.index.read(async queries => {
      const [result, position = before] = await Promise.all([work(queries), readPosition(queries)]);
      return { result, position, newer: position > this.#position() ? await readState(queries) : undefined };
    }, sharing);
    if (position < before)
      throw new RetryableDatabaseError('CONFLICT', 'the database is behind the state that it showed before');
    if (newer && newer.position > this.#position()) {
      member.sight = newer;
      this.#set(newer);
    }
    return result;
  }
}

/** Whether a failing source may become available: a starting server, or an index that the writer has not created yet. */
function mayCome(error: unknown, engine: Database['engine']): boolean {
  if (error instanceof RetryableDatabaseError) return true;
  if (!(error instanceof FatalDatabaseError)) return false;
  return error.code === 'SCHEMA' || (engine === 'sqlite' && error.code === 'ACCESS');
}
