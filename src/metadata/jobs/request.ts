import type { Database } from '../../store/database.ts';
import { createJobs, lockJobs } from './arm.ts';
import { type JobKey, type JobLimits, keyOf, PRIORITY, THE_JOB } from './job.ts';

const HOUR = 3_600_000;

export interface RequestOptions {
  readonly db: Database;
  readonly limits: JobLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Takes the wishes of clients: a token that they ask for comes before all others. */
export class ClientRequests {
  readonly #options: RequestOptions;
  /** Jobs made in this hour, by contract. A contract can have more tokens than we want jobs of. */
  #made = new Map<string, number>();
  #hour = 0;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** A job that waits comes first, though not before its time; a token without a job gets one, within the limit. */
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
