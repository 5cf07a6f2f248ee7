import { ok } from '../../lib/result.ts';
import { arm, lockJobs } from './arm.ts';
import type { JobContext } from './context.ts';
import { type Job, PRIORITY } from './job.ts';
import type { JobResult } from './queue.ts';

const BATCH = 500;

/** Has all tokens of a contract that have jobs read anew, as far as the budget of the contract allows (token-metadata.md 2.9). */
export async function runRefreshJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { contractId, cause } = job;
  const { db, limits, now } = context;
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const tokens = await db.read(queries =>
      queries.all<{ token: string }>(
        `SELECT token FROM metadata_jobs WHERE contract_id = ? AND token > ? AND kind = 'token' ORDER BY token LIMIT ?`,
        [contractId, after, BATCH],
      ),
    );
    const last = tokens.at(-1);
    if (!last) return ok({});
    after = last.token;
    await db.write(async tx => {
      await lockJobs(tx);
      const options = { now: now(), refreshesPerHour: limits.refreshesPerHour, create: false };
      for (const { token } of tokens)
        await arm(tx, { contractId, token, kind: 'token', priority: PRIORITY.refresh, cause }, options);
    });
  }
}
