import { ok } from '../../lib/result.ts';
import { inLists } from '../../store/in-list.ts';
import { arm, lockJobs } from './arm.ts';
import type { JobContext } from './context.ts';
import { WITHOUT } from './follow.ts';
import { type Job, PRIORITY } from './job.ts';
import type { JobResult } from './queue.ts';

const BATCH = 500;

/**
 * Has all tokens of a contract that have jobs read anew, as far as the budget of the contract allows (token-metadata.md 2.9). A
 * notification about all does not concern those that are frozen themselves; a fork that takes one back does.
 */
export async function runRefreshJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { contractId, cause } = job;
  const { db, limits, now } = context;
  const isFork = cause.startsWith(WITHOUT);
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
    const frozen = isFork ? new Set() : await frozenAmong(context, contractId, tokens);
    await db.write(async tx => {
      await lockJobs(tx);
      const options = { now: now(), refreshesPerHour: limits.refreshesPerHour, create: false };
      for (const { token } of tokens)
        if (!frozen.has(token))
          await arm(tx, { contractId, token, kind: 'token', priority: PRIORITY.refresh, cause }, options);
    });
  }
}

/** Those of these tokens that a notification of their own has frozen. */
async function frozenAmong(
  { index }: JobContext,
  contractId: string,
  tokens: readonly { readonly token: string }[],
): Promise<ReadonlySet<string>> {
  const frozen = new Set<string>();
  await index.read(async queries => {
    for (const { list, values } of inLists(tokens.map(({ token }) => token))) {
      const sql = `SELECT token FROM tokens WHERE contract_id = ? AND mode = 'frozen' AND token IN ${list}`;
      for (const row of await queries.all<{ token: string }>(sql, [contractId, ...values])) frozen.add(row.token);
    }
  });
  return frozen;
}
