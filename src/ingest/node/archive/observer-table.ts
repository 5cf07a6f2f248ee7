import { AppError } from '../../../base/lib/app-error.ts';
import type { Database } from '../../../base/store/database.ts';
import { FatalDatabaseError } from '../../../base/store/errors.ts';
import { retrying } from '../../../base/store/retry.ts';
import { table } from '../../../base/store/table.ts';
import type { ArchiveProgress } from './decompress.ts';
import type { ArchiveRow } from './row.ts';

/** Rows read at once. Most have some kilobytes; the genesis block of mainnet has 80 MB. */
const PAGE = 50;
/** How long to wait for a database that is not available. */
const PATIENCE_MS = 10 * 60_000;

/** The table of the other software, with the columns that are read as they are; the time of receipt has a type that only PostgreSQL has. */
const REQUESTS = table({
  name: 'event_observer_requests',
  columns: { id: 'int', event_path: 'text', payload: 'text' },
  key: ['id'],
});

/** Null is what no event has. */
type Row = {
  readonly id: number;
  readonly received_at: number | null;
  readonly path: string | null;
  readonly body: Uint8Array | null;
};

/** The database lacks the table in which the former software keeps its events. */
class NoObserverTable extends AppError {
  override readonly name = 'NoObserverTable';
  override readonly kind = 'operator';

  constructor() {
    super('there is no table event_observer_requests that can be read', {
      hint: 'Name the database and the schema that the other software uses: postgres://user:password@host:5432/name?schema=NAME',
    });
  }
}

/** The server sent rows that the statement does not allow: it is no PostgreSQL, or its index of the table is damaged. */
class RowsOutOfOrder extends AppError {
  override readonly name = 'RowsOutOfOrder';
  override readonly kind = 'operator';

  constructor(after: number) {
    super(`the rows of event_observer_requests after id ${after} do not come in the order of their ids`, {
      hint: 'Check that the URL names a PostgreSQL server; if it does, rebuild the index of the table: REINDEX TABLE event_observer_requests.',
    });
  }
}

interface ReadObserverTableOptions {
  /** Filled and updated while reading, with ids in place of bytes. */
  readonly progress: ArchiveProgress;
  readonly signal: AbortSignal;
  readonly onFailure: (error: { readonly message: string; readonly hint: string }) => void;
}

/**
 * The raw events that the hosted API's software keeps in PostgreSQL (docs/spec/ingestion.md#the-table-of-the-hosted-apis-software), as the
 * rows of an archive: `line` is the id. Streams page by page, in order; waits while the database is away.
 * @throws NoObserverTable, RowsOutOfOrder
 */
export async function* readObserverTable(
  database: Database,
  { progress, signal, onFailure }: ReadObserverTableOptions,
): AsyncGenerator<ArchiveRow> {
  const patiently = <T>(work: () => Promise<T>) => retrying(work, { signal, patienceMs: PATIENCE_MS, onFailure });
  progress.bytesTotal = await patiently(() => lastId(database));
  for (let after = -1; ; ) {
    const rows = await patiently(() => pageAfter(database, after));
    if (!isPage(rows, after)) throw new RowsOutOfOrder(after);
    yield* rows.map(eventOf);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    progress.bytesRead = after;
  }
}

/** Reads the id of the last row, as long as that takes. @throws NoObserverTable */
export async function requireObserverTable(
  database: Database,
  { signal, onFailure }: Omit<ReadObserverTableOptions, 'progress'>,
): Promise<void> {
  await retrying(() => lastId(database), { signal, patienceMs: PATIENCE_MS, onFailure });
}

/** Whether rows can be the page after an id: else a server that sends the same row again would be read for ever. */
const isPage = (rows: readonly Row[], after: number): boolean =>
  rows.length <= PAGE && rows.every(({ id }, i) => Number.isSafeInteger(id) && id > (rows[i - 1]?.id ?? after));

function eventOf({ id, received_at: receivedAt, path, body }: Row): ArchiveRow {
  if (receivedAt === null) return { kind: 'bad', line: id, reason: 'receive_timestamp must be between 1970 and 2200' };
  if (path === null) return { kind: 'bad', line: id, reason: 'event_path must not be null' };
  if (body === null) return { kind: 'bad', line: id, reason: 'payload must not be null' };
  return { kind: 'event', line: id, id, receivedAt, path, body };
}

const lastId = (database: Database): Promise<number> =>
  readable(async () => {
    const sql = `SELECT CAST(max(id) AS bigint) AS id FROM ${REQUESTS.name}`;
    const row = await database.read(queries => queries.get<{ id: number | null }>(sql, []));
    return row?.id ?? 0;
  });

const pageAfter = (database: Database, after: number): Promise<Row[]> =>
  readable(() =>
    database.read(queries =>
      queries.all<Row>(
        `SELECT CAST(id AS bigint) AS id,
           CASE WHEN receive_timestamp BETWEEN '1970-01-01' AND '2200-01-01'
             THEN CAST(floor(extract(epoch FROM receive_timestamp) * 1000000) AS bigint) END AS received_at,
           CAST(event_path AS text) AS path, convert_to(CAST(payload AS text), 'UTF8') AS body
         FROM ${REQUESTS.name} WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
        [after],
      ),
    ),
  );

/** Reports what is missing where the table is expected. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FatalDatabaseError && error.code === 'SCHEMA' ? new NoObserverTable() : error;
  }
}
