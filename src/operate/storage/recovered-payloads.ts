import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Queries } from '../../base/store/database.ts';
import { quoteName } from '../../base/store/ddl.ts';
import { allIn } from '../../base/store/in-list.ts';
import { openDatabase, parseLocation } from '../../base/store/open.ts';
import { deleteRows, insertRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { DROPPED_MARK, identitiesIn } from '../../ingest/journal/dropped.ts';
import type { JOURNAL, PayloadSource } from '../../ingest/journal/entries.ts';
import { payloadIdentity } from '../../ingest/journal/identity.ts';
import { payloadAlone, storedPayloads } from '../../ingest/journal/packs.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import type { EventLimits } from '../../ingest/node/events/json.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';
import type { JournalPlace } from './generations.ts';

/*
 * Dropped payloads that were found in an archive, stored during a `reindex`: in a separate file in a directory, else in two tables beside the journal.
 * They stay if the reindex is stopped, so that the next one searches only for the rest, perhaps in another archive.
 */

/** Found payloads, by the position of their entry. */
const RECOVERED_PAYLOADS = table({
  name: 'recovered_payloads',
  columns: { seq: 'int', identity: 'bytes', payload: 'bytes' },
  key: ['seq'],
});

/** Dropped payloads that are not found yet. */
const WANTED_PAYLOADS = table({
  name: 'wanted_payloads',
  columns: { identity: 'bytes', seq: 'int' },
  key: ['identity', 'seq'],
});

const TABLES = [RECOVERED_PAYLOADS, WANTED_PAYLOADS];

type EventRow = Extract<ArchiveRow, { kind: 'event' }>;
type Wanted = RowOf<typeof WANTED_PAYLOADS>;

/** Dropped packs that are read at once, and rows of an archive that are searched at once. */
const PACKS = 500;
const ROWS = 256;
const MISSING_AT_ONCE = 1_000;

interface SearchOptions {
  readonly limits: EventLimits;
  readonly onRow: () => void;
  readonly signal: AbortSignal;
}

export class RecoveredPayloads implements PayloadSource {
  readonly #place: JournalPlace;
  readonly #db: Database;
  #left = 0;

  private constructor(place: JournalPlace, db: Database) {
    this.#place = place;
    this.#db = db;
  }

  /** Opens the payloads that an earlier call has found, and looks up the missing ones. */
  static async open(place: JournalPlace): Promise<RecoveredPayloads> {
    const db = openDatabase(
      place.database === undefined
        ? { kind: 'sqlite', file: fileIn(place.data), durability: 'normal' }
        : parseLocation({ database: place.database }),
    );
    const opened = new RecoveredPayloads(place, db);
    try {
      await db.create(TABLES);
      await opened.#want();
      return opened;
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  /** Number of dropped payloads that were not found yet. */
  get left(): number {
    return this.#left;
  }

  /**
   * Searches an archive until nothing is missing.
   * @param options the limits of an event: a payload that exceeds them counts as missing
   */
  async search(rows: AsyncIterable<ArchiveRow>, { limits, onRow, signal }: SearchOptions): Promise<void> {
    let batch: EventRow[] = [];
    for await (const row of rows) {
      onRow();
      if (row.kind === 'event') batch.push(row);
      if (batch.length < ROWS) continue;
      await this.#take(batch, limits);
      batch = [];
      if (this.#left === 0 || signal.aborted) return;
    }
    await this.#take(batch, limits);
  }

  /** The positions of the missing payloads, in order. */
  async *missing(): AsyncIterable<number> {
    for (let after = 0; ; ) {
      const page = await this.#db.read(queries =>
        queries.all<Pick<Wanted, 'seq'>>(
          `SELECT seq FROM wanted_payloads WHERE seq > ? ORDER BY seq LIMIT ${MISSING_AT_ONCE}`,
          [after],
        ),
      );
      for (const { seq } of page) yield seq;
      const last = page.at(-1);
      if (!last) return;
      after = last.seq;
    }
  }

  async bodies(first: number, last: number): Promise<ReadonlyMap<number, Uint8Array>> {
    const sql = 'SELECT seq, payload FROM recovered_payloads WHERE seq >= ? AND seq <= ?';
    const rows = await this.#db.read(queries =>
      queries.all<RowOf<typeof RECOVERED_PAYLOADS, 'seq' | 'payload'>>(sql, [first, last]),
    );
    return new Map(rows.map(row => [row.seq, payloadAlone(row)]));
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  /** Removes all found payloads. */
  async remove(): Promise<void> {
    const { data, database } = this.#place;
    if (database !== undefined)
      await this.#db.write(async tx => {
        for (const { name } of TABLES) await tx.run(`DROP TABLE IF EXISTS ${quoteName(name)}`);
      });
    await this.#db.close();
    if (database === undefined)
      for (const suffix of ['', '-wal', '-shm']) rmSync(fileIn(data) + suffix, { force: true });
  }

  async #want(): Promise<void> {
    await this.#db.write(async tx => void (await tx.run('DELETE FROM wanted_payloads')));
    for (let after = 0; ; ) {
      const packs = await this.#place.journalDb.read(queries => droppedPacks(queries, after));
      const last = packs.at(-1);
      if (!last) return;
      const wanted = packs.flatMap(({ seq, payload }) =>
        identitiesIn(payload).map((identity, i) => ({ seq: seq + i, identity })),
      );
      const sql = 'SELECT seq, identity FROM recovered_payloads WHERE seq > ? AND seq <= ?';
      const found = await this.#db.read(queries =>
        queries.all<RowOf<typeof RECOVERED_PAYLOADS, 'seq' | 'identity'>>(sql, [after, wanted.at(-1)?.seq ?? 0]),
      );
      const has = new Set(found.map(({ seq, identity }) => `${seq} ${textOf(identity)}`));
      const missing = wanted.filter(({ seq, identity }) => !has.has(`${seq} ${textOf(identity)}`));
      await this.#db.write(tx => insertRows(tx, WANTED_PAYLOADS, missing));
      this.#left += missing.length;
      after = last.seq;
    }
  }

  async #take(rows: readonly EventRow[], limits: EventLimits): Promise<void> {
    const bodies = new Map<string, EventRow>();
    const identities: Uint8Array[] = [];
    for (const row of rows) {
      const digest = payloadIdentity(row.path, row.body)?.digest;
      if (!digest || bodies.has(textOf(digest))) continue;
      bodies.set(textOf(digest), row);
      identities.push(digest);
    }
    const wanted = await this.#db.read(queries =>
      allIn<Wanted>(queries, list => `SELECT identity, seq FROM wanted_payloads WHERE identity IN ${list}`, identities),
    );
    const found = wanted.flatMap(({ seq, identity }) => {
      const row = bodies.get(textOf(identity));
      // An event that the indexer would set aside cannot be the payload of an applied entry.
      if (!row || !parseEvent(row.path, row.body, limits).ok) return [];
      const [payload = new Uint8Array()] = storedPayloads([row.body]);
      return [{ seq, identity, payload }];
    });
    if (found.length === 0) return;
    await this.#db.write(async tx => {
      await upsertRows(tx, RECOVERED_PAYLOADS, found);
      await deleteRows(tx, WANTED_PAYLOADS, found);
    });
    this.#left -= found.length;
  }
}

const fileIn = (data: string): string => join(data, 'recovered.sqlite');

const textOf = (identity: Uint8Array): string => Buffer.from(identity).toString('latin1');

const droppedPacks = (queries: Queries, after: number): Promise<RowOf<typeof JOURNAL, 'seq' | 'payload'>[]> =>
  queries.all(
    `SELECT seq, payload FROM journal WHERE seq > ? AND substr(payload, 1, 1) = ? ORDER BY seq LIMIT ${PACKS}`,
    [after, DROPPED_MARK],
  );
