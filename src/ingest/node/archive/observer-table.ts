import { AppError } from '../../../base/lib/app-error.ts';
import type { Database, Queries } from '../../../base/store/database.ts';
import { FatalDatabaseError } from '../../../base/store/errors.ts';
import { openDatabase, parseLocation } from '../../../base/store/open.ts';
import type { ResultLimits } from '../../../base/store/postgres-results.ts';
import { retrying } from '../../../base/store/retry.ts';
import type { ArchiveProgress } from './decompress.ts';
import { type EventTable, findEventTable, lastId, readable } from './event-tables.ts';
import type { ArchiveRow } from './row.ts';

/** The most rows of a page. Most have some kilobytes; the genesis block of mainnet has 80 MB. */
const PAGE = 50;
/** Limits of a database for `readObserverTable`: pages shrink until one fits, and a row that does not fit is read in parts. */
const OBSERVER_RESULTS: ResultLimits = { bytes: 32 * 1024 * 1024, rows: PAGE };
/**
 * Opens a database for `readObserverTable`.
 * @param url postgres://, with ?schema=NAME if the schema is not `public`
 * @param signal ends its connections, even if the server does not respond
 */
export const openObserverDatabase = (url: string, signal: AbortSignal): Database =>
  openDatabase(parseLocation({ database: url }), { results: OBSERVER_RESULTS, signal });

/** Factor by which a page shrinks that does not fit. */
const SHRINK = 7;
/** Target share of a result for the bodies of a page: the server sends two characters a byte, and the next rows may be larger. */
const BODIES = 1 / 8;
/** Share of a result for a part of a body: in the escape form of bytea, a byte takes up to five characters. */
const PART = 1 / 6;
/** How long to wait for a database that is not available. */
const PATIENCE_MS = 10 * 60_000;

/** Null in a row of the table, but never in an event. */
type Row = {
  readonly id: number;
  readonly received_at: number | null;
  readonly path: string | null;
  readonly body: Uint8Array | null;
};

/** The server sent rows that contradict the statement: it is no PostgreSQL, or its index of the table is damaged. */
class RowsOutOfOrder extends AppError {
  override readonly name = 'RowsOutOfOrder';
  override readonly kind = 'operator';

  constructor({ name }: EventTable, after: number) {
    super(`the rows of ${name} after id ${after} do not come in the order of their ids`, {
      hint: `Check that the URL names a PostgreSQL server; if it does, rebuild the index of the table: REINDEX TABLE ${name}.`,
    });
  }
}

interface ReadObserverTableOptions {
  /** The table, if known; else it is searched for. */
  readonly table?: EventTable | undefined;
  /** The rows after this id; by default all. */
  readonly after?: number;
  /** A row with a larger body becomes a bad row. */
  readonly maxBodyBytes: number;
  /** The limits with which the database was opened. */
  readonly results?: ResultLimits;
  /** Filled and updated while reading, with ids in place of bytes. */
  readonly progress: ArchiveProgress;
  readonly signal: AbortSignal;
  readonly onFailure: (error: { readonly message: string; readonly hint: string }) => void;
}

/**
 * The raw events that other software keeps in PostgreSQL (docs/spec/ingestion.md#tables-of-other-software), as the
 * rows of an archive: `line` is the id. Streams page by page, in order; waits while the database is away.
 *
 * Holds a page of at most `results.bytes`, or one row. A table whose row 8 has 80 MB is read as rows 1 to 50 (too large), 1 to 7, 8 to 14 (too
 * large), 8 (too large), 8 in parts of 5 MB, 9, 10 to 59.
 * @throws NoObserverTable, RowsOutOfOrder; FatalDatabaseError for a server that cannot be one of PostgreSQL
 */
export async function* readObserverTable(
  database: Database,
  { progress, signal, onFailure, maxBodyBytes, results = OBSERVER_RESULTS, ...from }: ReadObserverTableOptions,
): AsyncGenerator<ArchiveRow> {
  const patiently = <T>(work: () => Promise<T>) => retrying(work, { signal, patienceMs: PATIENCE_MS, onFailure });
  const table = from.table ?? (await patiently(() => findEventTable(database)));
  progress.bytesTotal = await patiently(() => readable(() => lastId(database, table)));
  let limit = PAGE;
  for (let after = from.after ?? -1; ; ) {
    const rows = await patiently(() => pageAfter(database, table, after, limit).catch(undefinedIfTooLarge));
    if (rows === undefined && limit > 1) {
      limit = Math.ceil(limit / SHRINK);
      continue;
    }
    const large =
      rows === undefined
        ? await patiently(() => largeRowAfter(database, table, after, maxBodyBytes, Math.floor(results.bytes * PART)))
        : undefined;
    const page: readonly Row[] = rows ?? (large ? [large.row] : []);
    if (!isPage(page, after)) throw new RowsOutOfOrder(table, after);
    yield* page.map(row => (large?.reason === undefined ? eventOf(row) : bad(row, large.reason)));
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    progress.bytesRead = after;
    limit = rowsWithin(results.bytes * BODIES, page);
  }
}

function undefinedIfTooLarge(error: unknown): undefined {
  if (!(error instanceof FatalDatabaseError) || error.code !== 'RESULT_TOO_LARGE') throw error;
}

/** Estimate of the number of rows with so many bytes, from the rows of a page. */
function rowsWithin(bytes: number, page: readonly Row[]): number {
  const total = page.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  return Math.max(1, Math.min(PAGE, Math.floor((bytes * page.length) / Math.max(total, 1))));
}

/** The table of events in a database; waits while the database is away. @throws NoObserverTable */
export function requireObserverTable(
  database: Database,
  { signal, onFailure }: Pick<ReadObserverTableOptions, 'signal' | 'onFailure'>,
): Promise<EventTable> {
  return retrying(() => findEventTable(database), { signal, patienceMs: PATIENCE_MS, onFailure });
}

/** Whether rows can be the page after an id. Without this check, reading a server that repeats a row would never end. */
const isPage = (rows: readonly Row[], after: number): boolean =>
  rows.length <= PAGE && rows.every(({ id }, i) => Number.isSafeInteger(id) && id > (rows[i - 1]?.id ?? after));

function eventOf(row: Row): ArchiveRow {
  const { id, received_at: receivedAt, path, body } = row;
  if (receivedAt === null) return bad(row, 'the time of receipt must be between 1970 and 2200');
  if (path === null) return bad(row, 'the path must not be null');
  if (body === null) return bad(row, 'the payload must not be null');
  return { kind: 'event', line: id, id, receivedAt, path, body };
}

const bad = ({ id }: Row, reason: string): ArchiveRow => ({ kind: 'bad', line: id, reason });

const eventColumns = ({ id, receivedAt, path }: EventTable) => `CAST(${id} AS bigint) AS id,
  CASE WHEN ${receivedAt} BETWEEN '1970-01-01' AND '2200-01-01'
    THEN CAST(floor(extract(epoch FROM ${receivedAt}) * 1000000) AS bigint) END AS received_at,
  CAST(${path} AS text) AS path`;
const bytesOf = ({ body }: EventTable) => `convert_to(${body}, 'UTF8')`;

const pageAfter = (database: Database, table: EventTable, after: number, limit: number): Promise<Row[]> =>
  readable(() =>
    database.read(queries =>
      queries.all<Row>(
        `SELECT ${eventColumns(table)}, ${bytesOf(table)} AS body FROM ${table.name}
          WHERE ${table.id} > ? ORDER BY ${table.id} LIMIT CAST(? AS int)`,
        [after, limit],
      ),
    ),
  );

/** A row too large for one result; with a `reason` if it is not read. */
interface LargeRow {
  readonly row: Row;
  readonly reason?: string;
}

/** The first row after an id, whose body is read in parts. */
const largeRowAfter = (
  database: Database,
  table: EventTable,
  after: number,
  maxBodyBytes: number,
  partBytes: number,
): Promise<LargeRow | undefined> =>
  readable(() =>
    database.read(async queries => {
      const found = await queries.get<Omit<Row, 'body'> & { readonly size: number | null }>(
        `SELECT ${eventColumns(table)}, octet_length(${bytesOf(table)}) AS size FROM ${table.name}
          WHERE ${table.id} > ? ORDER BY ${table.id} LIMIT 1`,
        [after],
      );
      if (!found) return undefined;
      const { size, ...rest } = found;
      const row: Row = { ...rest, body: null };
      if (size === null) return { row };
      if (!Number.isSafeInteger(size) || size < 0 || size > maxBodyBytes)
        return { row, reason: `body has ${size} bytes, the limit is ${maxBodyBytes}` };
      return { row: { ...row, body: await bodyInParts(queries, table, { id: row.id, size, partBytes }) } };
    }),
  );

/** @throws FatalDatabaseError where a part does not have the bytes that it must have */
async function bodyInParts(
  queries: Queries,
  table: EventTable,
  { id, size, partBytes }: { readonly id: number; readonly size: number; readonly partBytes: number },
): Promise<Uint8Array> {
  const body = Buffer.alloc(size);
  for (let start = 0; start < size; start += partBytes) {
    const bytes = Math.min(partBytes, size - start);
    const found = await queries.get<{ readonly part: Uint8Array | null }>(
      `SELECT substring(${bytesOf(table)} FROM CAST(? AS int) FOR CAST(? AS int)) AS part FROM ${table.name} WHERE ${table.id} = ?`,
      [start + 1, bytes, id],
    );
    const { part } = found ?? {};
    if (!(part instanceof Uint8Array) || part.length !== bytes)
      throw new FatalDatabaseError(
        'CORRUPT',
        `PostgreSQL: a part of the payload of row ${id} has other bytes than it has`,
        {
          hint: 'Check that the URL names a PostgreSQL server; if it does, check its disk.',
        },
      );
    body.set(part, start);
  }
  return body;
}
