import { join } from 'node:path';
import type { Database } from './database.ts';
import { FatalDatabaseError } from './errors.ts';
import type { PostgresOptions } from './postgres-pool.ts';
import { openSqlite } from './sqlite.ts';

/** Where a database is. */
export type Location =
  | {
      readonly kind: 'sqlite';
      readonly file: string;
      readonly durability: 'full' | 'normal';
      readonly readOnly?: boolean;
      /** See SqliteOptions. */
      readonly cacheBytes?: number;
      /** See SqliteOptions. */
      readonly mapped?: boolean;
      /** See SqliteOptions. */
      readonly shrinks?: boolean;
      /** See SqliteOptions. */
      readonly checkpointThread?: boolean;
    }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly schema?: string;
      /** See PostgresOptions. */
      readonly prepare?: boolean;
    };

/**
 * Opens the database at a location. All options but the observer are for PostgreSQL. Throws the two database errors; the
 * connection to a PostgreSQL server is opened only by the first call.
 */
export function openDatabase(location: Location, options: Omit<PostgresOptions, 'schema' | 'prepare'> = {}): Database {
  if (location.kind === 'postgres') {
    const { kind: _, url, ...place } = location;
    return openedLater(async () => (await import('./postgres.ts')).openPostgres(url, { ...options, ...place }));
  }
  const { kind: _, file, ...sqlite } = location;
  return openSqlite(file, { ...sqlite, observer: options.observer });
}

/** The locks of PostgreSQL, loaded as the driver is. */
export const postgresLocks = () => import('./postgres-lock.ts');

/** A database whose driver is loaded by the first call: pg is an eighth of what a start loads, and a directory does not need it. */
function openedLater(open: () => Promise<Database>): Database {
  let opening: Promise<Database> | undefined;
  let opened: Database | undefined;
  const opens = async (): Promise<Database> => {
    opened = await open();
    return opened;
  };
  function driver(): Promise<Database> {
    opening ??= opens();
    return opening;
  }
  return {
    engine: 'postgres',
    create: async (tables, options) => (await driver()).create(tables, options),
    write: async work => (await driver()).write(work),
    read: (work, sharing) => (opened ? opened.read(work, sharing) : driver().then(db => db.read(work, sharing))),
    reclaim: async table => (await driver()).reclaim(table),
    close: async () => (await driver()).close(),
  };
}

/**
 * The location that an operator means: `database` is a postgres:// URL (its parameters `schema` and `prepare` are PostgresOptions); without it,
 * the database is the file index.sqlite in the directory `data`. Throws FatalDatabaseError (ACCESS) when neither fits.
 */
export function parseLocation(given: { data?: string; database?: string; durability?: 'full' | 'normal' }): Location {
  if (given.database !== undefined) return postgresLocation(given.database);
  if (given.data === undefined || given.data === '') {
    throw new FatalDatabaseError('ACCESS', 'neither a data directory nor a database URL is given');
  }
  return { kind: 'sqlite', file: join(given.data, 'index.sqlite'), durability: given.durability ?? 'full' };
}

function postgresLocation(database: string): Location {
  // The text itself is not shown: it may hold a password.
  const wrong = () =>
    new FatalDatabaseError('ACCESS', 'the database is not a URL of the form postgres://user:password@host:5432/name');
  if (!/^postgres(ql)?:\/\//.test(database) || !URL.canParse(database)) throw wrong();
  const url = new URL(database);
  const schema = url.searchParams.get('schema');
  const prepare = url.searchParams.get('prepare');
  if (schema === null && prepare === null) return { kind: 'postgres', url: database };
  for (const name of LOCATION_WORDS) url.searchParams.delete(name);
  if (prepare !== null && prepare !== 'true' && prepare !== 'false')
    throw new FatalDatabaseError('ACCESS', 'prepare of the database URL must be true or false');
  return {
    kind: 'postgres',
    url: url.href,
    ...(schema && { schema }),
    ...(prepare === 'false' && { prepare: false }),
  };
}

/** Parameters of a database URL that are words of this program. */
const LOCATION_WORDS = ['schema', 'prepare'];

/** A postgres:// URL for the server: without the parameters that only this program reads. */
export function postgresUrl(database: string): string {
  const location = parseLocation({ database });
  return location.kind === 'postgres' ? location.url : database;
}
