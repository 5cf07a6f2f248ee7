import { join } from 'node:path';
import type { Database } from './database.ts';
import { FatalDatabaseError } from './errors.ts';
import { openPostgres } from './postgres.ts';
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
      readonly checkpointThread?: boolean;
    }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema?: string };

/**
 * Opens the database at a location. All options but the observer are for PostgreSQL. Throws the two database errors; a PostgreSQL server is asked
 * with the first call only.
 */
export function openDatabase(location: Location, options: Omit<PostgresOptions, 'schema'> = {}): Database {
  if (location.kind === 'postgres') {
    const { url, schema } = location;
    return openPostgres(url, { ...options, ...(schema !== undefined && { schema }) });
  }
  const { kind: _, file, ...sqlite } = location;
  return openSqlite(file, { ...sqlite, observer: options.observer });
}

/**
 * The location that an operator means: `database` is a postgres:// URL (a `schema` parameter names the schema); without it,
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
  if (schema === null || schema === '') return { kind: 'postgres', url: database };
  url.searchParams.delete('schema');
  return { kind: 'postgres', url: url.href, schema };
}

/** A postgres:// URL as the server is told it: without the schema, which is a word of this program. */
export function postgresUrl(database: string): string {
  const location = parseLocation({ database });
  return location.kind === 'postgres' ? location.url : database;
}
