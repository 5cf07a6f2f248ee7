import pg from 'pg';
import type { Database, Queries, Table, Transaction } from './database.ts';
import { createSql } from './ddl.ts';
import { FatalDatabaseError, RetryableDatabaseError } from './errors.ts';
import { statementNames } from './placeholders.ts';
import { commitError, translated } from './postgres-errors.ts';
import { connect, openPool, type PostgresOptions, readerSetup, writerSetup } from './postgres-pool.ts';
import { queriesOver, transactionOver } from './postgres-queries.ts';
import { type SerialQueue, serialQueue } from './queue.ts';
import { readSession, workIn, writeSession } from './session.ts';

/** Any number that is ours: two processes that create the tables at once would collide in the catalogue. */
const CREATE_LOCK = 7_365_616_478;

/**
 * A Database on a PostgreSQL server (`url` as pg takes it: postgres://user:password@host:port/name). Connects with the first
 * call. A `read` within a `read`, or a `write` within a `write`, may wait for itself: never nest them.
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  // Readers are pipelined: BEGIN goes out together with the first query and costs no round trip. COPY cannot be pipelined.
  const readers = openPool(url, { size: options.poolSize ?? 10, pipeline: true, setup: readerSetup(options) });
  const writer = openPool(url, { size: 1, pipeline: false, setup: writerSetup(options) });
  const statement = statementNames();
  const inOrder = serialQueue();
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed !== undefined) throw new FatalDatabaseError('CLOSED', 'the database is closed');
  }

  /**
   * One after the other: commits what `work` did, or nothing. Everything that goes to the client goes through `calls`, so that
   * a call that nobody awaited cannot slip behind the ROLLBACK.
   */
  function transact<T>(work: (client: pg.PoolClient, calls: SerialQueue) => Promise<T>): Promise<T> {
    return inOrder(async () => {
      const client = await connect(writer);
      const calls = serialQueue();
      try {
        await calls(() => translated(client.query('BEGIN')));
        const result = await work(client, calls);
        await calls(() => commit(client));
        client.release();
        return result;
      } catch (error) {
        const rolledBack = await calls(() => client.query('ROLLBACK')).then(
          () => true,
          () => false,
        );
        client.release(!rolledBack || error instanceof RetryableDatabaseError);
        throw error;
      }
    });
  }

  return {
    engine: 'postgres',

    async create(tables: readonly Table[]) {
      checkOpen();
      const { schema } = options;
      const statements = [
        `SELECT pg_advisory_xact_lock(${CREATE_LOCK})`,
        ...(schema === undefined ? [] : [`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`]),
        ...createSql(tables, 'postgres'),
      ];
      await transact((client, calls) => calls(() => translated(client.query(statements.join(';\n')))));
    },

    async write<T>(work: (tx: Transaction) => Promise<T>) {
      checkOpen();
      return transact(async (client, calls) => workIn(writeSession(transactionOver(client, statement, calls)), work));
    },

    async read<T>(work: (queries: Queries) => Promise<T>) {
      checkOpen();
      const client = await connect(readers);
      const begun = translated(client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
      begun.catch(() => undefined); // awaited below; until then a failure must not count as unhandled
      let broken = false;
      try {
        return await workIn(readSession(queriesOver(client, statement)), async queries => {
          const result = await work(queries);
          await begun;
          return result;
        });
      } catch (error) {
        broken = error instanceof RetryableDatabaseError;
        throw error;
      } finally {
        endSnapshot(client, broken);
      }
    },

    close() {
      closed ??= inOrder(async () => {
        await Promise.all([readers.end(), writer.end()]);
      });
      return closed;
    },
  };
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch(error => {
    throw commitError(error);
  });
  if (command !== 'COMMIT') throw new FatalDatabaseError('MISUSE', 'PostgreSQL rolled the transaction back');
}

/** Gives the client back when its snapshot has ended; the result of the read need not wait for that. */
function endSnapshot(client: pg.PoolClient, broken: boolean): void {
  if (broken) {
    client.release(true);
    return;
  }
  client.query('COMMIT').then(
    () => client.release(),
    () => client.release(true),
  );
}
