import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../base/store/database.ts';
import { isDatabaseError } from '../../../base/store/errors.ts';
import type { PoxCycles } from '../../../ingest/chain/pox-cycles.ts';
import { readGaps } from '../../../ingest/indexer/gaps.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { mustWait } from '../../../ingest/journal/archive-loads.ts';
import { isPayloadDropped } from '../../../ingest/journal/dropped.ts';
import type { Delivery } from '../../../ingest/journal/entries.ts';
import { Journal } from '../../../ingest/journal/journal.ts';
import { NodeUnusable, type RepairClient } from './client.ts';
import { type BlockToRebuild, repairFromNodes } from './repair.ts';
import { RepairSchedule } from './schedule.ts';

/** `rebuilt`: a block is in the journal. `refused`: it stays missing. `failed`: the node could not be used, and another attempt follows. */
export type RepairOutcome = 'rebuilt' | 'refused' | 'failed';

interface IndexToRead {
  readonly indexDb: Database;
  close(): Promise<void>;
}

interface KeepRepairingOptions {
  readonly journalDb: Database;
  /** Opens the current index to read it; another one may be current later. */
  readonly openIndex: () => Promise<IndexToRead>;
  readonly chainId: number;
  /** See NodeRepairOptions. */
  readonly cycles: PoxCycles | undefined;
  readonly clients: readonly RepairClient[];
  /** How long a gap must have lasted before it is repaired, in ms. */
  readonly delayMs: number;
}

interface KeepRepairingParts {
  /** Adds entries to the journal, in turn with other writes; the index follows. */
  readonly add: (deliveries: readonly Delivery[]) => Promise<void>;
  readonly onOutcome: (outcome: RepairOutcome) => void;
  readonly logger: Logger;
  /** Ends the repairs. */
  readonly signal: AbortSignal;
}

/** Shortest and longest time between two checks for gaps, in ms. */
const POLL_MS = { least: 50, most: 10_000 } as const;

const BY_HAND = 'stacks-index gaps repair takes it from an archive; with --node it also rebuilds blocks of class B.';

/**
 * Rebuilds missing blocks of class A from the RPC of a node, each when its gap has lasted for a while. It handles the 100 lowest gaps, and repairs nothing while
 * an archive is loaded, which may have the blocks. It logs and counts failures, and never throws.
 */
export async function keepRepairing(options: KeepRepairingOptions, parts: KeepRepairingParts): Promise<void> {
  const { logger, signal } = parts;
  const schedule = new RepairSchedule(options.delayMs);
  const pollMs = Math.min(Math.max(options.delayMs / 4, POLL_MS.least), POLL_MS.most);
  let problem: string | undefined;
  while (!signal.aborted) {
    try {
      await repairDue(schedule, options, parts);
      problem = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!signal.aborted && message !== problem) logger.warn({ err: error }, 'gaps cannot be looked at; trying again');
      problem = message;
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws DatabaseError */
async function repairDue(
  schedule: RepairSchedule,
  options: KeepRepairingOptions,
  parts: KeepRepairingParts,
): Promise<void> {
  const { journalDb, openIndex } = options;
  if (await journalDb.read(mustWait)) return;
  const journal = new Journal(journalDb);
  const index = await openIndex();
  try {
    const { gaps, indexed } = await index.indexDb.read(async queries => {
      const [found, { position }] = await Promise.all([readGaps(queries), readState(queries)]);
      return { gaps: found, indexed: position };
    });
    const missing = new Map(gaps.map(({ height, missingParent }) => [missingParent, height - 1]));
    const blocks = [...missing].map(([indexBlockHash, height]) => ({ height, indexBlockHash }));
    for (const block of schedule.due(blocks, { now: performance.now(), journaled: await journal.length(), indexed })) {
      const isUsable = await attempt(block, { schedule, index, journal, options, parts });
      const left = schedule.attempted(block, { now: performance.now(), journaled: await journal.length() });
      if (left === 0)
        parts.logger.error({ ...shown(block), hint: BY_HAND }, 'no further attempt to rebuild this block');
      if (!isUsable || parts.signal.aborted) return;
    }
  } finally {
    await index.close();
  }
}

interface AttemptContext {
  readonly schedule: RepairSchedule;
  readonly index: IndexToRead;
  readonly journal: Journal;
  readonly options: KeepRepairingOptions;
  readonly parts: KeepRepairingParts;
}

/** Rebuilds one block, and the missing blocks below it. @returns whether the node can be used for other blocks @throws DatabaseError */
async function attempt(block: BlockToRebuild, context: AttemptContext): Promise<boolean> {
  const { schedule, index, journal, options, parts } = context;
  const { logger, signal, add, onOutcome } = parts;
  const { chainId, cycles, clients } = options;
  const refuse = (at: BlockToRebuild, reason: string) => {
    schedule.refuse(block.indexBlockHash);
    schedule.refuse(at.indexBlockHash);
    onOutcome('refused');
    logger.warn({ ...shown(at), reason, hint: BY_HAND }, 'a missing block is not rebuilt');
  };
  const fail = (reason: string, err?: unknown) => {
    onOutcome('failed');
    logger.warn({ ...shown(block), reason, ...(err !== undefined && { err }) }, 'a missing block was not rebuilt');
  };
  try {
    const from = { indexDb: index.indexDb, journal, chainId, cycles, clients };
    for await (const { class: kind, reason = '', isPassing, ...at } of repairFromNodes([block], {
      ...from,
      add,
      accept: 'A',
    })) {
      if (kind === 'C' && isPassing) fail(reason);
      else if (kind === 'C') refuse(at, reason);
      else {
        onOutcome('rebuilt');
        logger.info({ ...shown(at), class: kind }, 'a missing block was rebuilt from the node');
      }
    }
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (isPayloadDropped(error)) refuse(block, error.message);
    else if (isDatabaseError(error)) throw error;
    else if (error instanceof NodeUnusable) {
      fail(`${error.message}. ${error.hint}`);
      return false;
    } else fail('the program failed', error); // no response of a node may end the server
    return true;
  }
}

const shown = ({ height, indexBlockHash }: BlockToRebuild) => ({ height, block: indexBlockHash });
