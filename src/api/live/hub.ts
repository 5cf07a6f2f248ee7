import type { LogEntry } from './entry.ts';
import type { ChainFeed, Receiver } from './feed.ts';
import { payloadOf, type Subject } from './subjects.ts';

/** Sends one payload to a listener. @param payload JSON text */
export type Tell = (payload: string) => void;

/** Joins the feed once for all listeners to subjects, and gives each entry to every listener of its subjects once. */
export class SubjectHub implements Receiver {
  readonly #feed: ChainFeed;
  readonly #byKey = new Map<string, Map<Tell, Subject>>();
  #joining: Promise<void> | undefined;

  constructor(feed: ChainFeed) {
    this.#feed = feed;
  }

  get topics(): { readonly keys: ReadonlySet<string> } {
    return { keys: new Set(this.#byKey.keys()) };
  }

  /** Resolves when the listener gets all later events. @returns removes the listener */
  async listen(subject: Subject, tell: Tell): Promise<() => void> {
    const added: string[] = [];
    for (const key of subject.keys) {
      const listeners = this.#byKey.get(key) ?? new Map<Tell, Subject>();
      if (listeners.size === 0) added.push(key);
      this.#byKey.set(key, listeners.set(tell, subject));
    }
    this.#feed.widen(this, added);
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    await this.#joining;
    return () => this.#end(subject, tell);
  }

  take(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      const told = new Set<Tell>();
      for (const key of entry.keys) {
        for (const [tell, subject] of this.#byKey.get(key) ?? []) {
          if (told.has(tell)) continue;
          told.add(tell);
          const payload = payloadOf(subject, entry);
          if (payload !== undefined) tell(payload);
        }
      }
    }
  }

  /** Joins the feed at its current place, unless the hub has joined before. */
  async #join(): Promise<void> {
    while (!this.#feed.has(this) && this.#byKey.size > 0) {
      const place = await this.#feed.ready();
      this.#feed.join(this, place);
    }
    await this.#feed.settled();
  }

  #end(subject: Subject, tell: Tell): void {
    const removed: string[] = [];
    for (const key of subject.keys) {
      const listeners = this.#byKey.get(key);
      if (!listeners?.delete(tell) || listeners.size > 0) continue;
      this.#byKey.delete(key);
      removed.push(key);
    }
    if (this.#byKey.size === 0) this.#feed.leave(this);
    this.#feed.narrow(this, removed);
  }
}
