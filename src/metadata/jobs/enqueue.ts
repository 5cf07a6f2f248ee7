import type { Database, DatabaseTransaction } from '../../base/store/database.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import { type METADATA_JOBS, METADATA_REFRESHES } from '../tables.ts';
import { type JobKey, type JobLimits, type JobState, keyOf, PRIORITY, THE_JOB } from './job.ts';

const HOUR = 3_600_000;

/** A reason to run a job. */
export interface JobRequest extends JobKey {
  readonly priority: number;
  /** The same cause makes a job run once. */
  readonly cause: string;
}

export interface EnqueueOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** Jobs that ran before count against this budget of their contract; undefined: they run at once. */
  readonly refreshesPerHour?: number;
  /** False: only existing jobs are run again. */
  readonly create?: boolean;
}

/**
 * Takes the lock of the job table until the transaction ends. Every transaction that writes `metadata_jobs`, in any process,
 * calls this first. So a transaction never sees a job that another one is about to change, and two transactions never wait
 * for rows of each other.
 */
export async function lockJobs(tx: DatabaseTransaction): Promise<void> {
  await tx.run('UPDATE metadata_cursor SET token = token WHERE seq = -1');
}

/**
 * Creates the job, or makes it run again. A waiting job keeps its time, which may be late because of failures; a running job will run
 * once more. The caller holds `lockJobs`.
 */
export async function enqueue(tx: DatabaseTransaction, request: JobRequest, options: EnqueueOptions): Promise<void> {
  const key = keyOf(request);
  const job = await tx.get<RowOf<typeof METADATA_JOBS, 'cause'> & { readonly state: JobState }>(
    `SELECT state, cause FROM metadata_jobs WHERE ${THE_JOB}`,
    key,
  );
  if (!job) {
    if (options.create !== false) await createJobs(tx, [request], options.now);
  } else if (job.cause === request.cause) {
    return;
  } else if (job.state === 'waiting' || job.state === 'running') {
    await tx.run(
      `UPDATE metadata_jobs SET cause = ?, priority = CASE WHEN priority < ? THEN priority ELSE CAST(? AS bigint) END
       WHERE ${THE_JOB}`,
      [request.cause, request.priority, request.priority, ...key],
    );
  } else {
    await runAgain(tx, request, options);
  }
}

async function runAgain(tx: DatabaseTransaction, request: JobRequest, options: EnqueueOptions): Promise<void> {
  const { now, refreshesPerHour } = options;
  const runAfter =
    refreshesPerHour === undefined ? now : await bookRefresh(tx, request.contractId, refreshesPerHour, now);
  await tx.run(
    `UPDATE metadata_jobs SET state = 'waiting', reason = NULL, error = NULL, attempts = 0, priority = ?, run_after = ?,
     owner = NULL, cause = ?, updated_at = ? WHERE ${THE_JOB}`,
    [Math.max(request.priority, PRIORITY.refresh), runAfter, request.cause, now, ...keyOf(request)],
  );
}

const ROW = `(?, ?, ?, 'waiting', NULL, NULL, 0, ?, ?, NULL, ?, ?)`;
const ROWS_AT_ONCE = 50;

/** Makes the jobs that do not exist yet. */
export async function createJobs(tx: DatabaseTransaction, requests: readonly JobRequest[], now: number): Promise<void> {
  for (let start = 0; start < requests.length; start += ROWS_AT_ONCE) {
    const rows = requests.slice(start, start + ROWS_AT_ONCE);
    await tx.run(
      `INSERT INTO metadata_jobs
         (contract_id, token, kind, state, reason, error, attempts, priority, run_after, owner, cause, updated_at)
       VALUES ${rows.map(() => ROW).join(', ')} ON CONFLICT DO NOTHING`,
      rows.flatMap(request => [...keyOf(request), request.priority, now, request.cause, now]),
    );
  }
}

/**
 * Books the next refresh of a contract: at once if it had fewer than `perHour` in the last hour, else at the time when it has. So a
 * contract that announces all of its tokens again and again cannot occupy the worker.
 * @returns Unix milliseconds
 */
async function bookRefresh(tx: DatabaseTransaction, contractId: string, perHour: number, now: number): Promise<number> {
  const row = await tx.get<RowOf<typeof METADATA_REFRESHES, 'booked_until'>>(
    'SELECT booked_until FROM metadata_refreshes WHERE contract_id = ?',
    [contractId],
  );
  const { until, slot } = nextSlot(row?.booked_until ?? 0, perHour, now);
  await upsertRows(tx, METADATA_REFRESHES, [{ contract_id: contractId, booked_until: until }]);
  return slot;
}

/** Every refresh takes 1/perHour of an hour; a booking may be at most an hour ahead of the clock to run at once. */
export function nextSlot(bookedUntil: number, perHour: number, now: number): { until: number; slot: number } {
  const until = Math.max(bookedUntil, now) + Math.ceil(HOUR / perHour);
  return { until, slot: Math.max(now, until - HOUR) };
}

interface RequestOptions {
  readonly db: Database;
  readonly limits: JobLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Accepts requests of clients: the job of a requested token runs before all others. */
export class ClientRequests {
  readonly #options: RequestOptions;
  /** Jobs created in this hour, by contract: a contract may have too many tokens to create all jobs. */
  #made = new Map<string, number>();
  #hour = 0;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Moves a waiting job to the front, though not before its time; creates a missing job, within the limit. */
  async request(contractId: string, token: string): Promise<void> {
    const { db, now } = this.#options;
    const key: JobKey = { contractId, token, kind: 'token' };
    await db.write(async tx => {
      await lockJobs(tx);
      const job = await tx.get(`SELECT state FROM metadata_jobs WHERE ${THE_JOB}`, keyOf(key));
      if (job) await tx.run(`UPDATE metadata_jobs SET priority = 0 WHERE ${THE_JOB} AND state = 'waiting'`, keyOf(key));
      else if (this.#mayMake(contractId))
        await createJobs(tx, [{ ...key, priority: PRIORITY.asked, cause: 'asked for' }], now());
    });
  }

  #mayMake(contractId: string): boolean {
    const { limits, now } = this.#options;
    const hour = Math.floor(now() / HOUR);
    if (hour !== this.#hour) this.#made = new Map();
    this.#hour = hour;
    const made = this.#made.get(contractId) ?? 0;
    if (made >= limits.requestsPerHour) return false;
    this.#made.set(contractId, made + 1);
    return true;
  }
}
