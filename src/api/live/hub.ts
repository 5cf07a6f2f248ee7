import type { LogEntry } from './entry.ts';
import type { ChainFeed, Receiver } from './feed.ts';
import { payloadOf, type Subject } from './subjects.ts';

/** The members of a channel that subscribe to one subject by the same name. A room without members is closed. */
export interface SubjectRoom<Member> {
  readonly name: string;
  readonly subject: Subject;
  readonly members: Set<Member>;
  /** Resolves when the room gets all later events. Rejects when the index cannot be read; the room is closed then. */
  readonly ready: Promise<void>;
}

/** The rooms of a channel. It joins the feed once for all of them, and sends each event to every room that listens to it, once. */
export class SubjectHub<Member> implements Receiver {
  readonly #feed: ChainFeed;
  readonly #send: (room: SubjectRoom<Member>, payload: string) => Promise<void>;
  readonly #rooms = new Map<string, SubjectRoom<Member>>();
  readonly #byKey = new Map<string, Set<SubjectRoom<Member>>>();
  #joining: Promise<void> | undefined;

  /** @param send sends a payload, JSON text, to all members of a room; must not wait for anything but pauses */
  constructor(feed: ChainFeed, send: (room: SubjectRoom<Member>, payload: string) => Promise<void>) {
    this.#feed = feed;
    this.#send = send;
  }

  get topics(): { readonly keys: ReadonlySet<string> } {
    return { keys: new Set(this.#byKey.keys()) };
  }

  /** Resolves when the member gets all later events of the subject. @param name the same for all members that share a room */
  async join(name: string, subject: Subject, member: Member): Promise<void> {
    const room = this.#rooms.get(name) ?? this.#open(name, subject);
    room.members.add(member);
    await room.ready;
  }

  leave(name: string, member: Member): void {
    const room = this.#rooms.get(name);
    if (!room?.members.delete(member) || room.members.size > 0) return;
    this.#rooms.delete(name);
    room.ready.then(
      () => this.#close(room),
      () => undefined,
    );
  }

  async take(entries: readonly LogEntry[]): Promise<void> {
    for (const entry of entries) {
      const rooms = new Set<SubjectRoom<Member>>();
      for (const key of entry.keys) for (const room of this.#byKey.get(key) ?? []) rooms.add(room);
      for (const room of rooms) {
        await this.#feed.pause();
        const payload = room.members.size > 0 ? payloadOf(room.subject, entry) : undefined;
        if (payload !== undefined) await this.#send(room, payload);
      }
    }
  }

  #open(name: string, subject: Subject): SubjectRoom<Member> {
    const added = subject.keys.filter(key => !this.#byKey.has(key));
    for (const key of added) this.#byKey.set(key, new Set());
    this.#feed.widen(this, added);
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    const room: SubjectRoom<Member> = { name, subject, members: new Set(), ready: this.#joining };
    for (const key of subject.keys) this.#byKey.get(key)?.add(room);
    this.#rooms.set(name, room);
    room.ready.catch(() => {
      if (this.#rooms.get(name) === room) this.#rooms.delete(name);
      this.#close(room);
    });
    return room;
  }

  /** Joins the feed at its current place, unless the hub has joined before. */
  async #join(): Promise<void> {
    while (!this.#feed.has(this) && this.#byKey.size > 0) {
      const place = await this.#feed.ready();
      this.#feed.join(this, place);
    }
    await this.#feed.settled();
  }

  #close(room: SubjectRoom<Member>): void {
    const removed: string[] = [];
    for (const key of room.subject.keys) {
      const rooms = this.#byKey.get(key);
      if (!rooms?.delete(room) || rooms.size > 0) continue;
      this.#byKey.delete(key);
      removed.push(key);
    }
    if (this.#byKey.size === 0) this.#feed.leave(this);
    this.#feed.narrow(this, removed);
  }
}
