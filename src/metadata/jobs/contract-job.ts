import { fail, ok } from '../../lib/result.ts';
import type { Transaction } from '../../store/database.ts';
import { METADATA_CONTRACTS } from '../tables.ts';
import { callError, uint } from './answers.ts';
import { createJobs, lockJobs } from './arm.ts';
import { readTokenChain } from './chain.ts';
import type { JobContext } from './context.ts';
import { type Job, PRIORITY } from './job.ts';
import type { JobResult } from './queue.ts';

const BATCH = 500;

/**
 * Asks a SIP-009 contract for its last token, and makes jobs for the tokens that no event has shown (token-metadata.md 2.2). Of a
 * contract with more tokens than are fetched unasked only the number is kept: clients ask for those they want.
 */
export async function runContractJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { contractId } = job;
  const { tip, standard } = await readTokenChain(context.index, contractId, '');
  if (standard !== 'sip-009') return ok({});
  const functionName = 'get-last-token-id';
  const answer = await context.node.callReadOnly({
    contractId,
    functionName,
    args: [],
    signal,
    ...(tip !== undefined && { tip }),
  });
  if (!answer.ok) return fail({ error: callError(functionName, answer.error) });
  const last = uint(answer.value);
  if (!last.ok) return fail({ error: last.error });
  // First the number, as jobs of counted tokens ask for it.
  await context.db.write(tx => storeLastToken(tx, contractId, last.value, context.now()));
  await enumerate(contractId, last.value, context, signal);
  return ok({});
}

/** Token 0 is never counted: where it exists, an event shows it. */
async function enumerate(contractId: string, last: bigint, context: JobContext, signal: AbortSignal): Promise<void> {
  const { db, limits, now } = context;
  if (last > BigInt(limits.eagerTokens)) return;
  for (let next = 1; next <= Number(last); next += BATCH) {
    signal.throwIfAborted();
    const count = Math.min(BATCH, Number(last) - next + 1);
    const wishes = Array.from({ length: count }, (_, i) => ({
      contractId,
      token: String(next + i),
      kind: 'token' as const,
      priority: PRIORITY.enumerated,
      cause: 'enumerated',
    }));
    await db.write(async tx => {
      await lockJobs(tx);
      await createJobs(tx, wishes, now());
    });
  }
}

const storeLastToken = (tx: Transaction, contractId: string, last: bigint, now: number): Promise<void> =>
  tx.upsertMany(METADATA_CONTRACTS, [[contractId, String(last), now]]);
