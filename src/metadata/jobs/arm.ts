import type { Transaction } from '../../store/database.ts';
import { bookRefresh } from './budget.ts';
import { type JobKey, type JobState, keyOf, PRIORITY, THE_JOB } from './job.ts';

/** A reason to run a job. */
export interface Wish extends JobKey {
  readonly priority: number;
  /** The same cause makes a job run once. */
  readonly cause: string;
}

export interface ArmOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** Jobs that ran before count against this budget of their contract; undefined: they run at once. */
  readonly refreshesPerHour?: number;
  /** False: only what has a job already is run again. */
  readonly create?: boolean;
}

/**
 * Whoever makes jobs takes turns with all others, in this process or another, until the transaction ends. So none of them sees a
 * job that another is about to make.
 */
export async function lockJobs(tx: Transaction): Promise<void> {
  await tx.run('UPDATE metadata_cursor SET token = token WHERE seq = -1');
}

/**
 * Makes the job, or has it run again. One that waits keeps its time: it may be put off because of failures; one that runs will run
 * once more. The caller holds `lockJobs`.
 */
export async function arm(tx: Transaction, wish: Wish, options: ArmOptions): Promise<void> {
  const key = keyOf(wish);
  // The state may change between reading and writing, as claims and results do not wait for the lock.
  for (;;) {
    const job = await tx.get<{ state: JobState; cause: string }>(
      `SELECT state, cause FROM metadata_jobs WHERE ${THE_JOB}`,
      key,
    );
    if (!job) {
      if (options.create !== false) await createJobs(tx, [wish], options.now);
      return;
    }
    if (job.cause === wish.cause) return;
    const changed =
      job.state === 'waiting' || job.state === 'running'
        ? await tx.run(
            `UPDATE metadata_jobs SET cause = ?, priority = CASE WHEN priority < ? THEN priority ELSE CAST(? AS bigint) END
             WHERE ${THE_JOB} AND state = ?`,
            [wish.cause, wish.priority, wish.priority, ...key, job.state],
          )
        : await runAgain(tx, wish, job.state, options);
    if (changed > 0) return;
  }
}

async function runAgain(tx: Transaction, wish: Wish, state: JobState, options: ArmOptions): Promise<number> {
  const { now, refreshesPerHour } = options;
  const runAfter = refreshesPerHour === undefined ? now : await bookRefresh(tx, wish.contractId, refreshesPerHour, now);
  return tx.run(
    `UPDATE metadata_jobs SET state = 'waiting', reason = NULL, error = NULL, attempts = 0, priority = ?, run_after = ?,
     owner = NULL, cause = ?, updated_at = ? WHERE ${THE_JOB} AND state = ?`,
    [Math.max(wish.priority, PRIORITY.refresh), runAfter, wish.cause, now, ...keyOf(wish), state],
  );
}

const ROW = `(?, ?, ?, 'waiting', NULL, NULL, 0, ?, ?, NULL, ?, ?)`;
const ROWS_AT_ONCE = 50;

/** Makes the jobs that do not exist yet. */
export async function createJobs(tx: Transaction, wishes: readonly Wish[], now: number): Promise<void> {
  for (let start = 0; start < wishes.length; start += ROWS_AT_ONCE) {
    const rows = wishes.slice(start, start + ROWS_AT_ONCE);
    await tx.run(
      `INSERT INTO metadata_jobs
         (contract_id, token, kind, state, reason, error, attempts, priority, run_after, owner, cause, updated_at)
       VALUES ${rows.map(() => ROW).join(', ')} ON CONFLICT DO NOTHING`,
      rows.flatMap(wish => [...keyOf(wish), wish.priority, now, wish.cause, now]),
    );
  }
}
