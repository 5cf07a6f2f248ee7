import type { Database, DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { insertRows, type RowOf } from '../../base/store/table.ts';
import { ARCHIVE_LOADS, type ArchiveLoad, beginLoads, isLoadOpen, mustWait, noteLoad } from './archive-loads.ts';
import { archiveDigest, knownDigests, nameOf } from './digests.ts';
import { type Delivery, JOURNAL, type JournalEntry, type PayloadSource, readEntries } from './entries.ts';
import { JOURNAL_FORMAT } from './journal-format.ts';
import { storedPayloads } from './packs.ts';
import {
  addWaiting,
  firstWaiting,
  isWaiting,
  newestWaiting,
  removeWaiting,
  WAITING_DELIVERIES,
} from './waiting-deliveries.ts';

/** All tables of the database of a journal. */
export const JOURNAL_TABLES = [JOURNAL, JOURNAL_FORMAT, WAITING_DELIVERIES, ARCHIVE_LOADS];

/** A stored entry, without its payload. */
export interface JournalPosition {
  readonly seq: number;
  readonly digest: Uint8Array;
}

/** Durable entries were lost, because a replica without them was promoted. */
export interface JournalLoss {
  /** The newest entry that this process has stored. */
  readonly stored: number;
  /** The newest entry of the journal. */
  readonly length: number;
}

interface JournalOptions {
  /** Called when an entry that this process stored is missing; each store checks for it. */
  readonly onLoss?: (loss: JournalLoss) => void;
  /** Most stored bytes of events that wait while an archive is loaded. */
  readonly maxWaitingBytes?: number;
  /** Supplies payloads that were dropped; without it, reading one throws PAYLOAD_DROPPED. */
  readonly droppedPayloads?: PayloadSource | undefined;
}

export class Journal {
  readonly #db: Database;
  readonly #onLoss: JournalOptions['onLoss'];
  readonly #maxWaitingBytes: number;
  readonly #droppedPayloads: PayloadSource | undefined;
  /** The newest entry that was stored here. */
  #newest: JournalPosition | undefined;

  constructor(
    db: Database,
    { onLoss, maxWaitingBytes = Number.POSITIVE_INFINITY, droppedPayloads }: JournalOptions = {},
  ) {
    this.#db = db;
    this.#onLoss = onLoss;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#droppedPayloads = droppedPayloads;
  }

  static create(db: Database): Promise<void> {
    return db.create(JOURNAL_TABLES);
  }

  /** Number of entries, which is also the number of the last one. */
  length(): Promise<number> {
    return this.#db.read(async queries => (await lastEntry(queries))?.seq ?? 0);
  }

  /**
   * Stores a payload that a node has just delivered. It is durable when the promise resolves. When the promise rejects, the payload may
   * be stored or not (COMMIT_UNKNOWN): the node delivers it again, and it is not stored twice.
   * @returns the new entry; undefined for a repeated delivery, which changes nothing, and for one that waits for the end of an archive.
   * @throws RetryableDatabaseError (DISK_FULL) when the waiting events take as many bytes as they may
   */
  async accept(delivery: Delivery): Promise<JournalEntry | undefined> {
    const digest = archiveDigest(delivery);
    const look = (tx: DatabaseTransaction) => Promise.all([mustWait(tx), knownDigests(tx, [digest])]);
    const [entry] = await this.#store(look, async (tx, last, [waits, known]) => {
      if (!waits) return insertNew(tx, [{ delivery, digest }], { known, last, isLive: true });
      if (!known.has(nameOf(digest))) await this.#wait(tx, delivery, digest);
      return [];
    });
    return entry;
  }

  /** Detects repeats of waiting events, as at the end of the journal. Repeats of events of the archive are detected when the event joins the journal. */
  async #wait(tx: DatabaseTransaction, delivery: Delivery, digest: Buffer): Promise<void> {
    const [newest, isRepeat] = await Promise.all([newestWaiting(tx), isWaiting(tx, digest)]);
    if (isRepeat || (newest && isSame(delivery, newest))) return;
    await addWaiting(tx, delivery, digest, this.#maxWaitingBytes);
  }

  /**
   * Moves the first waiting events to the end of the journal, as if they were delivered now, in one transaction: a kill loses no event and adds none twice.
   * Does nothing while a load is open.
   * @returns how many events no longer wait; 0 at the end
   */
  async joinWaiting(): Promise<number> {
    let joined = 0;
    await this.#store(isLoadOpen, async (tx, last, isOpen) => {
      joined = 0;
      const waiting = isOpen ? [] : await firstWaiting(tx);
      const seq = waiting.at(-1)?.seq;
      if (seq === undefined) return [];
      const arrivals = waiting.map(arrivalOf);
      const known = await knownDigests(tx, digestsOf(arrivals));
      const entries = await insertNew(tx, arrivals, { known, last, isLive: true });
      joined = await removeWaiting(tx, seq);
      return entries;
    });
    return joined;
  }

  /** Opens loads: see beginLoads. @returns whether one is open */
  beginLoads(sources: readonly string[]): Promise<boolean> {
    return this.#db.write(async tx => {
      await waitForOthers(tx, this.#db.engine);
      return beginLoads(tx, sources);
    });
  }

  /** Writes the progress of an archive; when the last one is complete, no load is open. */
  noteLoad(load: ArchiveLoad): Promise<void> {
    return this.#db.write(async tx => {
      await waitForOthers(tx, this.#db.engine);
      await noteLoad(tx, load);
    });
  }

  /** Notes that another thread has stored this entry for this one: losing it counts as a loss here, too. */
  storedElsewhere(entry: JournalPosition): void {
    if (entry.seq > (this.#newest?.seq ?? 0)) this.#newest = entry;
  }

  /** The archived deliveries that the journal does not have yet. */
  async onlyNew<D extends Delivery>(deliveries: readonly D[]): Promise<D[]> {
    const arrivals = deliveries.map(arrivalOf);
    const known = await this.#db.read(queries => knownDigests(queries, digestsOf(arrivals)));
    return arrivals.flatMap(({ delivery, digest }) => (known.has(nameOf(digest)) ? [] : [delivery]));
  }

  /**
   * Stores the new ones of these payloads, in one transaction.
   * @param load progress of their archive after them
   * @returns the new entries, in order.
   */
  append<D extends Delivery>(deliveries: readonly D[], load?: ArchiveLoad): Promise<(D & JournalEntry)[]> {
    const arrivals = deliveries.map(arrivalOf);
    const look = (tx: DatabaseTransaction) => knownDigests(tx, digestsOf(arrivals));
    return this.#store(look, async (tx, last, known) => {
      if (load) await noteLoad(tx, load);
      return insertNew(tx, arrivals, { known, last, isLive: false });
    });
  }

  /**
   * Runs work at the end of the journal, in one transaction.
   * @param look queries that the work needs. PostgreSQL gets them in one round trip with the lock, as a node waits for each round trip
   * @param work returns the new entries
   */
  async #store<K, E extends JournalEntry>(
    look: (tx: DatabaseTransaction) => Promise<K>,
    work: (tx: DatabaseTransaction, last: LastEntry | undefined, known: K) => Promise<E[]>,
  ): Promise<E[]> {
    let loss: JournalLoss | undefined;
    const entries = await this.#db.write(async tx => {
      const newest = this.#newest;
      const [, last, own, known] = await Promise.all([
        waitForOthers(tx, this.#db.engine),
        lastEntry(tx),
        newest && digestAt(tx, newest.seq),
        look(tx),
      ]);
      const isThere = newest === undefined || (own !== undefined && Buffer.from(own).equals(newest.digest));
      loss = isThere ? undefined : { stored: newest.seq, length: last?.seq ?? 0 };
      return work(tx, last, known);
    });
    const newest = entries.at(-1);
    if (newest) this.#newest = { seq: newest.seq, digest: archiveDigest(newest) };
    else if (loss) this.#newest = undefined;
    if (loss) this.#onLoss?.(loss);
    return entries;
  }

  /** Up to `limit` entries after a position, in order; fewer where payloads are large. */
  readAfter(position: number, limit: number): Promise<JournalEntry[]> {
    return this.#db.read(queries => readEntries(queries, position, limit, this.#droppedPayloads));
  }

  async entry(seq: number): Promise<JournalEntry | undefined> {
    return (await this.readAfter(seq - 1, 1))[0];
  }

  /** All entries after a position, in order. */
  async *entries(after = 0): AsyncIterable<JournalEntry> {
    for (let position = after; ; ) {
      const batch = await this.readAfter(position, 100);
      yield* batch;
      const last = batch.at(-1);
      if (!last) return;
      position = last.seq;
    }
  }
}

type LastEntry = RowOf<typeof JOURNAL, 'seq' | 'received_at' | 'digest'>;

/** A delivery that may be new. */
interface Arrival<D extends Delivery> {
  readonly delivery: D;
  readonly digest: Buffer;
}

const arrivalOf = <D extends Delivery>(delivery: D): Arrival<D> => ({ delivery, digest: archiveDigest(delivery) });
const digestsOf = (arrivals: readonly Arrival<Delivery>[]): Buffer[] => arrivals.map(({ digest }) => digest);

/**
 * Inserts the new ones of these payloads behind the last entry.
 * @param of.known the digests that are not new (nameOf)
 * @param of.isLive whether a node delivers them. A node that got no response posts the same body again, perhaps to another process. So two equal mempool
 * messages in a row, with no other event between them, are one.
 */
async function insertNew<D extends Delivery>(
  tx: DatabaseTransaction,
  arrivals: readonly Arrival<D>[],
  { known, last, isLive }: { known: ReadonlySet<string>; last: LastEntry | undefined; isLive: boolean },
): Promise<(D & JournalEntry)[]> {
  const seen = new Set(known);
  const entries: (D & JournalEntry)[] = [];
  const rows: Omit<RowOf<typeof JOURNAL>, 'payload'>[] = [];
  let before = last;
  for (const { delivery, digest } of arrivals) {
    if (seen.has(nameOf(digest))) continue;
    if (isLive && before && isSame(delivery, before)) continue;
    seen.add(nameOf(digest));
    const entry = { ...delivery, seq: (last?.seq ?? 0) + entries.length + 1 };
    entries.push(entry);
    before = { seq: entry.seq, received_at: entry.receivedAt, digest };
    rows.push({ ...before, path: entry.path, digest });
  }
  if (entries.length === 0) return [];
  const payloads = storedPayloads(entries.map(({ body }) => body));
  await insertRows(
    tx,
    JOURNAL,
    rows.map((row, i) => ({ ...row, payload: payloads[i] ?? new Uint8Array() })),
  );
  return entries;
}

const lastEntry = (queries: Queries): Promise<LastEntry | undefined> =>
  queries.get<LastEntry>('SELECT seq, received_at, digest FROM journal ORDER BY seq DESC LIMIT 1');

async function digestAt(queries: Queries, seq: number): Promise<Uint8Array | undefined> {
  const row = await queries.get<RowOf<typeof JOURNAL, 'digest'>>('SELECT digest FROM journal WHERE seq = ?', [seq]);
  return row?.digest;
}

/** Whether an entry has these bytes, though it came at another time. */
const isSame = (delivery: Delivery, { received_at, digest }: LastEntry): boolean =>
  archiveDigest({ ...delivery, receivedAt: received_at }).equals(digest);

/**
 * Several processes may append to a journal on PostgreSQL. They take turns, or two entries would get one number. A directory has one
 * writer.
 */
async function waitForOthers(tx: DatabaseTransaction, engine: Database['engine']): Promise<void> {
  if (engine === 'sqlite') return;
  await tx.all(
    `SELECT CAST(pg_advisory_xact_lock(hashtextextended(current_schema() || ' journal', 0)) AS text) AS locked`,
  );
}
