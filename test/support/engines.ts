import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/base/store/database.ts';
import { type Location, openDatabase } from '../../src/base/store/open.ts';
import { present, sharedPostgres } from './postgres.ts';
import { SQLITE_SUFFICES } from './scale.ts';

export type EngineName = Database['engine'];

/** An empty database of a test. */
export interface Fresh {
  readonly database: Database;
  /** To open it a second time, as after a restart. */
  readonly location: Location;
  /** A server that only reads what the first one has, if there is one. */
  readonly replica?: { readonly location: Location; untilReplayed(): Promise<void> };
  /** Closes `database` (a second close does nothing) and removes all that was stored. */
  cleanup(): Promise<void>;
}

/** `openFresh(t)` cleans up after the test `t` by itself; without `t`, call `cleanup`. */
export type OpenFresh = (test?: { after(hook: () => Promise<void>): void }) => Promise<Fresh>;

// `npm test` starts one server for all files; a file that runs alone starts its own with the first database.
const server = sharedPostgres();
let schemas = 0;

/** For what is no test, such as tools: an empty database of an engine. Throws without a PostgreSQL server. */
export const openFreshOf: Readonly<Record<EngineName, OpenFresh>> = {
  sqlite: cleaned(freshSqlite),
  postgres: cleaned(freshPostgres),
};

/** Declares tests once for each engine that it chooses. */
export type OnEngines = (define: (engine: EngineName, openFresh: OpenFresh) => void) => void;

/**
 * Declares the same tests once for each engine:
 * `onEveryEngine((engine, openFresh) => { test('...', async t => { const { database } = await openFresh(t); ... }) })`.
 * Without a PostgreSQL server its half is skipped, and says why.
 */
export function onEveryEngine(define: (engine: EngineName, openFresh: OpenFresh) => void): void {
  describe('sqlite', () => define('sqlite', openFreshOf.sqlite));
  const skip = 'missing' in server ? server.missing : false;
  describe('postgres', { skip }, () => define('postgres', openFreshOf.postgres));
}

/**
 * As onEveryEngine, but a short run of all tests leaves PostgreSQL out: for the rules of code that does not know its engine. Its SQL
 * is run on PostgreSQL every time by the sample chain, the model, the random requests and the cost of small blocks.
 */
export function onSqliteAtLeast(define: (engine: EngineName, openFresh: OpenFresh) => void): void {
  describe('sqlite', () => define('sqlite', openFreshOf.sqlite));
  const skip =
    'missing' in server
      ? server.missing
      : process.env[SQLITE_SUFFICES] === 'yes' && 'on PostgreSQL in npm run test:all';
  describe('postgres', { skip }, () => define('postgres', openFreshOf.postgres));
}

function cleaned(open: () => Promise<Fresh>): OpenFresh {
  return async test => {
    const fresh = await open();
    test?.after(fresh.cleanup);
    return fresh;
  };
}

async function freshSqlite(): Promise<Fresh> {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const location: Location = { kind: 'sqlite', file: join(directory, 'index.sqlite'), durability: 'normal' };
  const database = openDatabase(location);
  const cleanup = async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { database, location, cleanup };
}

async function freshPostgres(): Promise<Fresh> {
  const url = await present(server).url();
  const schema = `test_${process.pid}_${++schemas}_${Date.now().toString(36)}`;
  const location: Location = { kind: 'postgres', url, schema };
  const database = openDatabase(location);
  const cleanup = async () => {
    await database.close();
    await administer(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  };
  return { database, location, cleanup };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
