import type { Logger } from 'pino';
import type { Database, Queries } from '../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { chainIdText, WrongNetwork, witnessRefused } from '../../ingest/chain/witness.ts';
import { EMPTY_STATE, type IndexState, readState } from '../../ingest/indexer/index-state.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { payloadDropped } from '../../ingest/journal/dropped.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { readDropped, refusePartial } from '../../ingest/journal/journal-format.ts';
import { firstWitness, NoChainYet, readBinding, SCHEMA_VERSION } from './chain-binding.ts';
import { DirectoryInUse } from './directory-in-use.ts';
import {
  currentGeneration,
  inspect,
  inspectAt,
  type JournalPlace,
  removeGeneration,
  setCurrentGeneration,
} from './generations.ts';
import { removeReplacedIndexes } from './holds.ts';
import { makeLate, type OnLate } from './late-indexes.ts';
import { lockStorage, whileReindexing } from './locks.ts';
import { newestOther } from './other-indexes.ts';
import { RecoveredPayloads } from './recovered-payloads.ts';
import { openIndex } from './storage.ts';
import { markUnproven, readUnproven, type UnprovenLoad } from './unproven-load.ts';

export interface ReindexOptions {
  readonly place: JournalPlace;
  /** The chain that the operator names; undefined: that of the old index, or of the journal. */
  readonly chainId: number | undefined;
  readonly burnForkDepth?: number;
  /** Supplies dropped payloads. */
  readonly archive?: ArchiveSearch;
  readonly logger: Logger;
  readonly onProgress: (state: IndexState, journalLength: number) => void;
  readonly onLate?: OnLate;
  readonly signal: AbortSignal;
}

/** The search for dropped payloads. */
export interface ArchiveSearch {
  /** Reads the archive until nothing is missing. @returns why its bytes are not those of its publisher, if that is known */
  search(payloads: RecoveredPayloads): Promise<UnprovenLoad | undefined>;
  /** Called for each position whose payload no archive has had so far, in order. */
  readonly onMissing: (position: number) => void;
}

export interface Reindexed {
  /** False if it was stopped before the end: the next call continues there. */
  readonly finished: boolean;
  readonly state: IndexState;
  /** False if a process still uses the old index: that process, or the next one that starts, removes it. */
  readonly removedOld: boolean;
  /** The schema version of an index of another release beside the new one, which stays for that release (drop-old.ts). */
  readonly kept: number | undefined;
  /** The chain of the new index, if the old index is of another one. */
  readonly otherChain: number | undefined;
}

/**
 * Builds a new index from the journal, beside the current one, then makes it the current one. Serving processes continue
 * meanwhile, and move to the new index by themselves (index-follower.ts). It can be killed at any time: the next call continues
 * the build, and nothing else has changed.
 * Dropped payloads come from an archive: the new index becomes the current one only if the archive has all of them.
 * @throws ReindexRunning when another process does the same; NoChainYet; WrongNetwork when no event is of the chain that the operator names;
 *   FatalDatabaseError (PAYLOAD_DROPPED) when payloads are missing
 */
export async function reindex(options: ReindexOptions): Promise<Reindexed> {
  let result: Reindexed | undefined;
  await whileReindexing(options.place, async () => {
    const { dropped } = await readDropped(options.place.journalDb);
    result = await (dropped === 0 ? buildNext(options) : buildWithArchive(options));
  });
  if (!result) throw new Error('nothing was built');
  return result;
}

async function buildWithArchive(options: ReindexOptions): Promise<Reindexed | undefined> {
  const { place, archive, signal } = options;
  if (!archive) {
    await refusePartial(place.journalDb, 'no index can be built from this journal alone', NAME_ARCHIVE);
    return undefined;
  }
  const payloads = await RecoveredPayloads.open(place);
  try {
    const unproven = payloads.left > 0 ? await archive.search(payloads) : undefined;
    if (payloads.left > 0) {
      if (signal.aborted)
        return { finished: false, state: EMPTY_STATE, removedOld: false, kept: undefined, otherChain: undefined };
      for await (const position of payloads.missing()) archive.onMissing(position);
      throw payloadDropped(`${payloads.left} payloads were dropped, and no archive had them`, OTHER_ARCHIVE);
    }
    const result = await buildNext(options, payloads, unproven);
    if (result.finished) await payloads.remove();
    return result;
  } finally {
    await payloads.close();
  }
}

const NAME_ARCHIVE =
  'Name an archive of the events: stacks-index reindex --archive ARCHIVE|URL. It must have the blocks, burn blocks, microblocks and attachments that were dropped.';
const OTHER_ARCHIVE =
  'Run the command again with another archive: what was found is kept until the new index is complete. The index in use has not changed.';

/** @param unproven why these payloads are not proven */
async function buildNext(
  options: ReindexOptions,
  payloads?: RecoveredPayloads,
  unproven?: UnprovenLoad,
): Promise<Reindexed> {
  const { place, chainId, signal } = options;
  const journal = new Journal(place.journalDb, { droppedPayloads: payloads });
  const current = await currentGeneration(place);
  const replaced = await replacedBinding(place, current);
  const chain = await chainFor(journal, chainId, replaced.chainId);
  const next = current + 1;
  await removeUnlessUsable(place, next, chain);
  const { indexDb, close } = await openIndex(place, chain, { generation: next, isFilled: true });
  let state: IndexState;
  try {
    const mark = unproven ?? replaced.unproven;
    if (mark) await markUnproven(indexDb, mark);
    state = await catchUp(indexDb, { ...options, journal, chainId: chain });
    if (!signal.aborted) await makeLate(indexDb, options.onLate, signal);
  } finally {
    await close();
  }
  const otherChain = replaced.chainId === undefined || replaced.chainId === chain ? undefined : chain;
  if (signal.aborted) return { finished: false, state, removedOld: false, kept: replaced.other, otherChain };
  await setCurrentGeneration(place, next);
  return { finished: true, state, removedOld: await removeIfUnused(place), kept: replaced.other, otherChain };
}

/** @param bound the chain of the old index */
async function chainFor(journal: Journal, named: number | undefined, bound: number | undefined): Promise<number> {
  const known = named ?? bound;
  const first = await firstWitness(journal.entries());
  const chainId = known ?? first?.chainId;
  if (chainId === undefined) throw new NoChainYet();
  if (known === undefined || first === undefined || first.chainId === known) return chainId;
  if ((await firstWitness(journal.entries(), id => id === known)) !== undefined) return known;
  // An index of a chain without events would be empty, and replace one that is not.
  throw new WrongNetwork({
    ...witnessRefused(first, known),
    hint: `No block of the journal is of chain ${chainIdText(known)}. Build the index of the chain that it is of: stacks-index reindex --chain-id ${chainIdText(first.chainId)}.`,
  });
}

async function catchUp(
  db: Database,
  {
    journal,
    chainId,
    burnForkDepth,
    logger,
    onProgress,
    signal,
  }: ReindexOptions & {
    readonly journal: Journal;
    readonly chainId: number;
  },
): Promise<IndexState> {
  const depth = burnForkDepth === undefined ? {} : { burnForkDepth };
  const indexer = new Indexer({ db, journal, chainId, schema: INDEX_SCHEMA, logger, ...depth });
  const length = await journal.length();
  return indexer.catchUp(state => onProgress(state, Math.max(length, state.position)), signal);
}

/** Facts about the index that the new one replaces: the current one, else that of another release. */
interface Replaced {
  readonly chainId: number | undefined;
  readonly unproven: UnprovenLoad | undefined;
  /** The schema version of an index of another release, which stays. */
  readonly other: number | undefined;
}

async function replacedBinding(place: JournalPlace, generation: number): Promise<Replaced> {
  const other = await newestOther(place);
  const found =
    (await inspect(place, generation, readReplaced)) ?? (other && (await inspectAt(other.location, readReplaced)));
  return { chainId: undefined, unproven: undefined, ...found, other: other?.schemaVersion };
}

async function readReplaced(queries: Queries): Promise<Pick<Replaced, 'chainId' | 'unproven'>> {
  const { chainId } = await readBinding(queries);
  return { chainId, unproven: await readUnproven(queries) };
}

/** Keeps an interrupted build, to continue it, unless it is of another version, chain or journal. */
async function removeUnlessUsable(place: JournalPlace, generation: number, chainId: number): Promise<void> {
  const length = await new Journal(place.journalDb).length();
  const usable = await inspect(place, generation, async queries => {
    const binding = await readBinding(queries);
    const { position } = await readState(queries);
    return binding.chainId === chainId && binding.schemaVersion === SCHEMA_VERSION && position <= length;
  });
  if (usable !== true) await removeGeneration(place, generation);
}

async function removeIfUnused(place: JournalPlace): Promise<boolean> {
  if (place.database !== undefined) return removeReplacedIndexes(place);
  try {
    const unlock = lockStorage(place);
    try {
      return await removeReplacedIndexes(place);
    } finally {
      unlock();
    }
  } catch (error) {
    if (error instanceof DirectoryInUse) return false;
    throw error;
  }
}
