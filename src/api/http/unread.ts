import type { Holding } from '../../base/net/ledger.ts';
import type { Clients } from './clients.ts';
import { rateOf } from './unsent-bytes.ts';

interface UnreadLimits {
  /** Unread bytes of one client above which it is disconnected. */
  readonly hardQueue: number;
}

/** A client of live updates, as the watch sees it. */
interface Reader {
  /** Undefined for a client behind a trusted proxy that does not send its address. */
  readonly address: string | undefined;
  /** Bytes that were written to it and that it has not read yet. */
  unread(): number;
  /** Bytes that it has read. */
  taken(): number;
  /** Disconnects it. */
  drop(): void;
}

/** The watch over one client, until it is released. */
export interface Unread {
  /** @returns false if the client must be disconnected, as it, or its address, leaves too much unread */
  fits(): boolean;
  release(): void;
}

const BEAT_MS = 1000;

/**
 * Counts the bytes that clients of all channels leave unread, as `unsent_bytes` of their addresses, and disconnects clients that leave
 * too much. A channel checks a client before it writes to it, so the newest message does not count yet: it may be on its way.
 */
export class UnreadWatch {
  readonly #ledger: Clients['ledger'];
  readonly #limits: UnreadLimits;
  readonly #watched = new Set<WatchedReader>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ ledger }: Pick<Clients, 'ledger'>, limits: UnreadLimits) {
    this.#ledger = ledger;
    this.#limits = limits;
  }

  watch(reader: Reader): Unread {
    const watched = new WatchedReader(reader, this.#ledger, this.#limits, () => this.#watched.delete(watched));
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    return watched;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Counts the unread bytes of each client periodically, even if nothing more is written to it. */
  #beat(): void {
    for (const watched of this.#watched) if (!watched.count()) watched.reader.drop();
  }
}

class WatchedReader implements Unread {
  readonly reader: Reader;
  readonly #ledger: Clients['ledger'];
  readonly #limits: UnreadLimits;
  readonly #onRelease: () => void;
  /** Set while the client leaves bytes unread. */
  #holding: Holding | undefined;
  #held = 0;
  #isReleased = false;

  constructor(reader: Reader, ledger: Clients['ledger'], limits: UnreadLimits, onRelease: () => void) {
    this.reader = reader;
    this.#ledger = ledger;
    this.#limits = limits;
    this.#onRelease = onRelease;
  }

  fits(): boolean {
    const bytes = this.reader.unread();
    return bytes <= this.#limits.hardQueue && this.count(bytes);
  }

  /** @returns false if the ledger refuses it */
  count(bytes = this.reader.unread()): boolean {
    if (this.#isReleased) return false;
    if (bytes === this.#held) return true;
    if (bytes === 0) this.#end();
    else if (!(this.#holding ? this.#holding.add(bytes - this.#held) === undefined : this.#begin(bytes))) return false;
    this.#held = bytes;
    return true;
  }

  release(): void {
    this.#isReleased = true;
    this.#end();
    this.#onRelease();
  }

  #begin(bytes: number): boolean {
    const { reader } = this;
    const holding = this.#ledger.hold('unsent_bytes', reader.address, bytes, {
      progress: rateOf(() => reader.taken()),
      close: () => reader.drop(),
    });
    if (typeof holding === 'string') return false;
    this.#holding = holding;
    return true;
  }

  #end(): void {
    this.#holding?.release();
    this.#holding = undefined;
    this.#held = 0;
  }
}
