import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ensureWritable } from '../base/store/directory.ts';
import { isDatabaseError, RetryableDatabaseError } from '../base/store/errors.ts';
import { NoChainYet } from '../operate/storage/chain-binding.ts';
import { type ChainLook, lookForChain, storedChain } from '../operate/storage/known-chain.ts';
import { lookForChainInThread } from '../operate/storage/known-chain-thread.ts';
import { startRecogniser } from './load/load-thread.ts';
import type { Options } from './options/options.ts';
import { startWaiting } from './waiting.ts';

/** How often a process checks whether another one has recognised the chain. */
const POLL_MS = 500;

/**
 * Waits until the chain is known. Meanwhile events go into the journal (docs/operations.md#which-network), and the API responds 503. With --replay events wait
 * for the end of the archives, whose first block that names a network decides.
 * @returns the chain id; undefined when the signal ends the wait
 */
export async function waitForChain(options: Options, logger: Logger, stop: AbortSignal): Promise<number | undefined> {
  const { mode, data, database } = options;
  // An error about the directory is better than one about an unreadable database.
  if (mode !== 'readonly' && database === undefined) ensureWritable(data);
  let look = await lookAgain(after => lookForChain(options, after));
  if (look.chainId !== undefined || stop.aborted) return look.chainId;
  const looks = lookForChainInThread(options);
  const closers: (() => Promise<void>)[] = [looks.close];
  let wake = () => {};
  let ofArchives: number | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    const onFailure = (error: unknown) => {
      failure = { error };
      wake();
    };
    closers.push(
      await startWaiting(options, {
        ...{ logger, signal: stop, metrics: refuse, ready: refuse, onFailure },
        waitingFor: () => ({ kind: look.isAway ? 'database' : 'chain' }),
        onBlock: () => wake(),
      }),
    );
    if (mode !== 'readonly' && options.replay && options.replay.length > 0) {
      const recogniser = startRecogniser(options, {
        onChain: chainId => {
          ofArchives = chainId;
          wake();
        },
        onFailure,
      });
      closers.push(recogniser.stop);
    }
    logger.info(
      { mode, missing: look.missing },
      'waiting for a block that identifies its network; --chain-id sets it at once',
    );
    while (!stop.aborted) {
      const block = new Promise<void>(resolve => {
        wake = resolve;
      });
      look = await lookAgain(looks.look, look);
      const chainId = look.chainId ?? ofArchives;
      if (failure) throw failure.error;
      if (chainId !== undefined) return chainId;
      await Promise.race([block, delay(POLL_MS, undefined, { signal: stop }).catch(() => undefined)]);
    }
    return undefined;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/**
 * Refuses to start if stored data belong to another chain than the operator names, including events in the journal that wait for their
 * network. Ignores unreadable data: the start of the server waits for them or reports why.
 * @throws IndexMismatch
 */
export async function requireStoredChain(options: Options): Promise<void> {
  try {
    await storedChain(options);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
  }
}

/** The response of the probe and the metrics. */
const refuse = () => Promise.reject(new NoChainYet());

type Look = ChainLook & { readonly isAway: boolean };

/** Continues where the last search ended. While the database is unreachable, the chain is unknown. */
async function lookAgain(lookAfter: (position: number) => Promise<ChainLook>, last?: Look): Promise<Look> {
  try {
    return { ...(await lookAfter(last?.position ?? 0)), isAway: false };
  } catch (error) {
    if (!(error instanceof RetryableDatabaseError)) throw error;
    return { chainId: undefined, position: last?.position ?? 0, isAway: true };
  }
}
