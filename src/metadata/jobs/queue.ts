import { randomUUID } from 'node:crypto';
import type { Result } from '../../base/lib/result.ts';
import type { Database, DatabaseTransaction, SqlValue } from '../../base/store/database.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import { storable } from '../document/clean.ts';
import { REASON } from '../errors.ts';
import { METADATA_CURSOR, METADATA_TABLES } from '../tables.ts';
import { nextAttempt } from './backoff.ts';
import { type FreeSlots, JobChooser, lapsedJobs } from './claim.ts';
import { lockJobs } from './enqueue.ts';
import { type Job, type JobError, type JobLimits, keyOf, type Lane, NEVER, THE_JOB } from './job.ts';

/** The result of a job: stored together with its end, or not at all. */
interface JobSuccess {
  /** Runs while the jobs are locked, so it may create others. */
  readonly store?: (tx: DatabaseTransaction) => Promise<void>;
  /** Unix milliseconds; without it, only a new cause makes the job run again. */
  readonly runAgainAt?: number;
}

/** The result of a failed job, which may also have data to store. */
interface JobFailure {
  readonly error: JobError;
  readonly store?: (tx: DatabaseTransaction) => Promise<void>;
}

export type JobResult = Result<JobSuccess, JobFailure>;

interface JobQueueOptions {
  readonly db: Database;
  readonly limits: JobLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}

const BEGINNING: RowOf<typeof METADATA_CURSOR> = {
  seq: -1,
  block: new Uint8Array(),
  tx_id: new Uint8Array(),
  contract_id: '',
  token: null,
};

/** Creates missing tables of the metadata. */
export async function createMetadataTables(db: Database): Promise<void> {
  await db.create(METADATA_TABLES);
  await db.write(async tx => {
    const beginning = await tx.get('SELECT seq FROM metadata_cursor WHERE seq = -1');
    if (!beginning) await upsertRows(tx, METADATA_CURSOR, [BEGINNING]);
  });
}

const EXPIRED_AT_ONCE = 100;
const NOT_ENDED: JobError = { reason: REASON.unknown, kind: 'transient', message: 'it did not end in its time' };

const SET_FAILED = `UPDATE metadata_jobs
  SET state = ?, reason = ?, error = ?, attempts = ?, run_after = ?, updated_at = ?, owner = NULL`;

/**
 * The jobs of all processes that share the database. A process claims a job for a limited time, the lease. The result
 * counts only if no other process has claimed the job since.
 */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #chooser = new JobChooser();
  readonly #process = randomUUID();
  #claims = 0;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /** Claims up to `count` due jobs of a lane. @param room how many of them may be of a contract */
  async claim(count: number, lane: Lane = 'others', room: FreeSlots = () => count): Promise<Job[]> {
    const { db, limits, now } = this.#options;
    const time = now();
    const candidates = await db.read(queries => this.#chooser.choose(queries, lane, count, room, time));
    if (candidates.length === 0) return [];
    return db.write(async tx => {
      await lockJobs(tx);
      const claimed: Job[] = [];
      for (const { runAfter, ...job } of candidates) {
        const owner = `${this.#process}:${++this.#claims}`;
        const taken = await tx.run(
          `UPDATE metadata_jobs SET state = 'running', owner = ?, run_after = ?, updated_at = ?
           WHERE ${THE_JOB} AND state = ? AND run_after = ? AND cause = ?`,
          [owner, time + limits.jobMs + limits.leaseMarginMs, time, ...keyOf(job), job.state, runAfter, job.cause],
        );
        if (taken > 0) claimed.push({ ...job, owner });
      }
      return claimed;
    });
  }

  /**
   * Ends a claimed job and stores its result. A job that got a new cause meanwhile runs again.
   * @returns false, without writing, when another process has claimed the job since
   */
  finish(job: Job, result: JobResult): Promise<boolean> {
    return this.#options.db.write(async tx => {
      await lockJobs(tx);
      const ended = result.ok
        ? await this.#succeed(tx, job, result.value)
        : await this.#fail(tx, job, result.error.error);
      if (ended) await (result.ok ? result.value : result.error).store?.(tx);
      return ended;
    });
  }

  async #succeed(tx: DatabaseTransaction, job: Job, { runAgainAt = NEVER }: JobSuccess): Promise<boolean> {
    const now = this.#options.now();
    const done = await tx.run(
      `UPDATE metadata_jobs SET state = 'done', reason = NULL, error = NULL, attempts = 0, run_after = ?, owner = NULL,
       updated_at = ? WHERE ${THE_JOB} AND owner = ? AND cause = ?`,
      [runAgainAt, now, ...keyOf(job), job.owner, job.cause],
    );
    if (done > 0) return true;
    const again = await tx.run(
      `UPDATE metadata_jobs SET state = 'waiting', reason = NULL, error = NULL, attempts = 0, run_after = ?, owner = NULL,
       updated_at = ? WHERE ${THE_JOB} AND owner = ?`,
      [now, now, ...keyOf(job), job.owner],
    );
    return again > 0;
  }

  async #fail(tx: DatabaseTransaction, job: Job, error: JobError): Promise<boolean> {
    const values = this.#failedValues(job, error);
    return (await tx.run(`${SET_FAILED} WHERE ${THE_JOB} AND owner = ?`, [...values, ...keyOf(job), job.owner])) > 0;
  }

  #failedValues(job: Pick<Job, 'state' | 'attempts'>, error: JobError): readonly SqlValue[] {
    const { limits, now, random = Math.random } = this.#options;
    const time = now();
    const { state, attempts, runAfter } = nextAttempt(job, error, limits.retries, time, random());
    return [state, state === 'invalid' ? error.reason : null, shortText(error.message), attempts, runAfter, time];
  }

  /** Ends overdue jobs of killed or hanging processes. This counts as a failed attempt, as the job may be the cause. */
  async expire(): Promise<number> {
    const { db, now } = this.#options;
    const lapsed = await db.read(queries => lapsedJobs(queries, EXPIRED_AT_ONCE, now()));
    if (lapsed.length === 0) return 0;
    return db.write(async tx => {
      await lockJobs(tx);
      let expired = 0;
      for (const job of lapsed) {
        const values = [...this.#failedValues(job, NOT_ENDED), ...keyOf(job), job.runAfter];
        expired += await tx.run(`${SET_FAILED} WHERE ${THE_JOB} AND state = 'running' AND run_after = ?`, values);
      }
      return expired;
    });
  }

  /** Releases jobs that this process will not finish. This does not count as an attempt. */
  async release(jobs: readonly Job[]): Promise<void> {
    const { db, now } = this.#options;
    await db.write(async tx => {
      await lockJobs(tx);
      for (const job of jobs) {
        await tx.run(
          `UPDATE metadata_jobs SET state = ?, owner = NULL, run_after = ?, updated_at = ? WHERE ${THE_JOB} AND owner = ?`,
          [job.state, now(), now(), ...keyOf(job), job.owner],
        );
      }
    });
  }

  /** Unix milliseconds when the next job is due, if any ever is. */
  async nextDue(): Promise<number | undefined> {
    const { db } = this.#options;
    return db.read(async queries => {
      let next = NEVER;
      for (const state of ['waiting', 'running', 'done', 'failed', 'invalid']) {
        const row = await queries.get<{ due: number | null }>(
          'SELECT MIN(run_after) AS due FROM metadata_jobs WHERE state = ?',
          [state],
        );
        next = Math.min(next, row?.due ?? NEVER);
      }
      return next === NEVER ? undefined : next;
    });
  }
}

const LONGEST_TEXT = 500;

/** Makes a message storable, as nodes and hosts choose parts of it. */
const shortText = (text: string): string => storable(text.slice(0, LONGEST_TEXT));
