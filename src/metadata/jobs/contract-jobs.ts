import { fail, ok } from '../../base/lib/result.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { inLists } from '../../base/store/in-list.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import { METADATA_CONTRACTS, type METADATA_JOBS } from '../tables.ts';
import { callError, uint } from './contract-calls.ts';
import { createJobs, enqueue, lockJobs } from './enqueue.ts';
import { WITHOUT } from './follow.ts';
import { readTokenChain } from './index-state.ts';
import { type Job, type JobContext, PRIORITY } from './job.ts';
import type { JobResult } from './queue.ts';

const BATCH = 500;

/**
 * Reads the last token of a SIP-009 contract and creates jobs for tokens without an event. For a contract with more
 * than `eagerTokens` tokens only the number is stored; clients request the tokens that they want.
 */
export async function runContractJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { contractId } = job;
  const { tip, standard } = await readTokenChain(context.index, contractId, '');
  if (standard !== 'sip-009') return ok({});
  const functionName = 'get-last-token-id';
  const response = await context.node.callReadOnly({
    contractId,
    functionName,
    args: [],
    signal,
    ...(tip !== undefined && { tip }),
  });
  if (!response.ok) return fail({ error: callError(functionName, response.error) });
  const last = uint(response.value);
  if (!last.ok) return fail({ error: last.error });
  // The number is stored first, as jobs of counted tokens read it.
  await context.db.write(tx => storeLastToken(tx, contractId, last.value, context.now()));
  await enumerate(contractId, last.value, context, signal);
  return ok({});
}

/** Creates jobs for tokens 1 to `last`. Token 0 is never counted: if it exists, an event shows it. */
async function enumerate(contractId: string, last: bigint, context: JobContext, signal: AbortSignal): Promise<void> {
  const { db, limits, now } = context;
  if (last > BigInt(limits.eagerTokens)) return;
  for (let next = 1; next <= Number(last); next += BATCH) {
    signal.throwIfAborted();
    const count = Math.min(BATCH, Number(last) - next + 1);
    const requests = Array.from({ length: count }, (_, i) => ({
      contractId,
      token: String(next + i),
      kind: 'token' as const,
      priority: PRIORITY.enumerated,
      cause: 'enumerated',
    }));
    await db.write(async tx => {
      await lockJobs(tx);
      await createJobs(tx, requests, now());
    });
  }
}

const storeLastToken = (tx: DatabaseTransaction, contractId: string, last: bigint, now: number): Promise<void> =>
  upsertRows(tx, METADATA_CONTRACTS, [{ contract_id: contractId, last_token_id: String(last), updated_at: now }]);

/**
 * Runs all token jobs of a contract again, as far as the budget of the contract allows. For a notification about all tokens,
 * without frozen tokens; for a fork that removes such a notification, including them.
 */
export async function runRefreshJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { contractId, cause } = job;
  const { db, limits, now } = context;
  const isFork = cause.startsWith(WITHOUT);
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const tokens = await db.read(queries =>
      queries.all<RowOf<typeof METADATA_JOBS, 'token'>>(
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
          await enqueue(tx, { contractId, token, kind: 'token', priority: PRIORITY.refresh, cause }, options);
    });
  }
}

/** The tokens among these that a notification of their own has frozen. */
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
