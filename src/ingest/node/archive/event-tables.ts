import { AppError } from '../../../base/lib/app-error.ts';
import type { Database } from '../../../base/store/database.ts';
import { FatalDatabaseError } from '../../../base/store/errors.ts';
import { table } from '../../../base/store/table.ts';

/** A table in which other software keeps the events of a node; its columns, as SQL. */
export interface EventTable {
  readonly name: string;
  /** Ascending, with gaps. */
  readonly id: string;
  /** A time of PostgreSQL. */
  readonly receivedAt: string;
  readonly path: string;
  /** The JSON text of the event. */
  readonly body: string;
}

const REQUESTS = table({
  name: 'event_observer_requests',
  columns: { id: 'int', event_path: 'text', payload: 'text' },
  key: ['id'],
});

const MESSAGES = table({
  name: 'messages',
  columns: { sequence_number: 'int', path: 'text', content: 'text' },
  key: ['sequence_number'],
});

/** The tables of the hosted API's software, and of the event publisher (docs/spec/ingestion.md#tables-of-other-software). */
const EVENT_TABLES: readonly EventTable[] = [
  {
    name: REQUESTS.name,
    id: 'id',
    receivedAt: 'receive_timestamp',
    path: 'event_path',
    body: 'CAST(payload AS text)',
  },
  {
    name: MESSAGES.name,
    id: 'sequence_number',
    receivedAt: 'created_at',
    path: 'path',
    // Some early contents are a JSON text within a JSON string. No event is a string.
    body: `CASE jsonb_typeof(CAST(content AS jsonb)) WHEN 'string' THEN CAST(content AS jsonb) #>> '{}' ELSE CAST(content AS text) END`,
  },
];

/** The database lacks the tables in which other software keeps events. */
class NoObserverTable extends AppError {
  override readonly name = 'NoObserverTable';
  override readonly kind = 'operator';

  constructor() {
    super('there is no table event_observer_requests or messages that can be read', {
      hint: 'Name the database and the schema that the other software uses: postgres://user:password@host:5432/name?schema=NAME',
    });
  }
}

/**
 * The table of events in a database. If it has both, the first one that has rows.
 * @throws NoObserverTable
 */
export async function findEventTable(database: Database): Promise<EventTable> {
  let empty: EventTable | undefined;
  for (const each of EVENT_TABLES) {
    const last = await lastId(database, each).catch(undefinedIfMissing);
    if (last !== undefined && last > 0) return each;
    if (last !== undefined) empty ??= each;
  }
  if (empty === undefined) throw new NoObserverTable();
  return empty;
}

/** The id of the last row, 0 without rows. @throws FatalDatabaseError (SCHEMA) if there is no such table */
export async function lastId(database: Database, source: EventTable): Promise<number> {
  const sql = `SELECT CAST(max(${source.id}) AS bigint) AS id FROM ${source.name}`;
  const row = await database.read(queries => queries.get<{ id: number | null }>(sql, []));
  return row?.id ?? 0;
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof FatalDatabaseError) || error.code !== 'SCHEMA') throw error;
}

/** Runs work. @throws NoObserverTable if the work finds no table, or one with other columns */
export async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FatalDatabaseError && error.code === 'SCHEMA' ? new NoObserverTable() : error;
  }
}
