import type pg from 'pg';
import type { CreateOptions, Database, DatabaseTransaction, Queries, Table } from './database.ts';
import { type Creation, createSql, quoteAnyName, quoteName } from './ddl.ts';
import { FatalDatabaseError, RetryableDatabaseError } from './errors.ts';
import { commitError, translated, writeError } from './postgres-errors.ts';
import { beginWriting, connect, openPool, type PostgresOptions } from './postgres-pool.ts';
import { begin, statementNames, transactionOver } from './postgres-queries.ts';
import { isOvertaken } from './postgres-read-transaction.ts';
import { openPostgresSnapshots } from './postgres-snapshots.ts';
import { readSession, serialQueue, workIn, writeSession } from './query-session.ts';

/** An arbitrary number of an advisory lock: two processes that create the tables at once would collide in the catalogue. */
const CREATE_LOCK = 7_365_616_478;

/**
 * A Database on a PostgreSQL server (`url` as pg takes it: postgres://user:password@host:port/name). Connects with the first
 * call. A `read` within a `read`, or a `write` within a `write`, may wait for itself: never nest them.
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const readers = openPool(url, { size: options.poolSize ?? 10, results: options.results, signal: options.signal });
  const writer = openPool(url, { size: 1, pipeline: true, queryTimeoutMs: options.writeTimeoutMs });
  const statement = statementNames(options.prepare);
  const snapshots = openPostgresSnapshots(readers, statement, options);
  const toWrite = beginWriting(options);
  const inOrder = serialQueue();
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed !== undefined) throw new FatalDatabaseError('CLOSED', 'the database is closed');
  }

  /** Runs transactions one after the other; each commits all that `work` did, or nothing. */
  function transact<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return inOrder(async () => {
      const client = await connect(writer);
      try {
        const result = await workAfter(begin(client, toWrite), () => work(client));
        await commit(client);
        client.release();
        return result;
      } catch (thrown) {
        const error = writeError(thrown);
        const rolledBack = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        );
        client.release(!rolledBack || error instanceof RetryableDatabaseError);
        throw error;
      }
    });
  }

  async function read<T>(work: (queries: Queries) => Promise<T>, sharing?: object): Promise<T> {
    checkOpen();
    const snapshot = snapshots.take(sharing);
    try {
      const taken = snapshots.queriesOf(snapshot);
      const queries = taken instanceof Promise ? await waitFor(taken) : taken;
      const result = await workIn(readSession(queries, options.observer), work);
      snapshots.give(snapshot);
      return result;
    } catch (error) {
      snapshots.giveAfter(error, snapshot);
      if (isOvertaken(error)) return read(work);
      throw error;
    }
  }

  /** Waits for a connection, while one is opened or all are in use. */
  async function waitFor<T>(taken: Promise<T>): Promise<T> {
    const start = performance.now();
    const queries = await taken;
    options.observer?.waited(performance.now() - start);
    return queries;
  }

  return {
    engine: 'postgres',

    async create(tables: readonly Table[], parts?: CreateOptions) {
      checkOpen();
      await transact(client => translated(createMissing(client, options.schema, createSql(tables, 'postgres', parts))));
    },

    async write<T>(work: (tx: DatabaseTransaction) => Promise<T>) {
      checkOpen();
      return transact(client => workIn(writeSession(transactionOver(client, statement)), work));
    },

    read,

    reclaim(table) {
      checkOpen();
      return inOrder(async () => {
        const client = await connect(writer);
        try {
          const schema = options.schema === undefined ? '' : `${quoteAnyName(options.schema)}.`;
          await translated(client.query(`VACUUM ${schema}${quoteName(table.name)}`));
          client.release();
          return { isMore: false, unused: undefined };
        } catch (error) {
          client.release(true);
          throw error;
        }
      });
    },

    close() {
      closed ??= inOrder(async () => {
        await Promise.all([readers.end(), writer.end()]);
      });
      return closed;
    },
  };
}

/**
 * Creates only what is missing, with no statement for what exists: even `IF NOT EXISTS` needs the right to create, and takes locks
 * that writers of a table would wait for.
 */
async function createMissing(
  client: pg.PoolClient,
  schema: string | undefined,
  all: readonly Creation[],
): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [CREATE_LOCK]);
  if (schema !== undefined) {
    const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
    if (rowCount === 0) await client.query(`CREATE SCHEMA ${quoteAnyName(schema)}`);
  }
  const { rows } = await client.query<{ name: string }>(
    'SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()',
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = all.filter(({ name }) => !there.has(name)).map(({ sql }) => sql);
  if (missing.length > 0) await client.query(missing.join(';\n'));
}

/** Runs the work; fails if its transaction could not begin. */
async function workAfter<T>(begun: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const result = await work();
  await begun;
  return result;
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch(error => {
    throw commitError(error);
  });
  if (command !== 'COMMIT') throw new FatalDatabaseError('MISUSE', 'PostgreSQL rolled the transaction back');
}
