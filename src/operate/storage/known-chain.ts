import { wrongChain } from '../../ingest/indexer/chain-id.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { firstWitness, NoChainYet, readBinding } from './chain-binding.ts';
import { currentGeneration, inspect, type JournalPlace } from './generations.ts';
import { newestOther } from './other-indexes.ts';
import { NothingStored, openJournalToRead } from './storage.ts';

/** The place of journal and index. */
export type StoredPlace = Pick<JournalPlace, 'data' | 'database'>;

/**
 * The chain of the stored data: that of the index, else that of the first witness in the journal (ingest/chain/witness.ts).
 * Undefined if nothing is stored, or only events that name no chain. Creates nothing.
 */
async function knownChain(location: StoredPlace): Promise<number | undefined> {
  return (await lookForChain(location)).chainId;
}

export interface ChainLook {
  readonly chainId: number | undefined;
  /** Entries of the journal up to here have no witness. */
  readonly position: number;
  /** What is missing, if nothing is stored. */
  readonly missing?: string;
}

/** As `knownChain`. @param after entries up to this position were searched before */
export async function lookForChain(location: StoredPlace, after = 0): Promise<ChainLook> {
  let place: JournalPlace;
  try {
    place = await openJournalToRead(location);
  } catch (error) {
    if (!(error instanceof NothingStored)) throw error;
    return { chainId: undefined, position: after, missing: error.message };
  }
  try {
    const bound = (await inspect(place, await currentGeneration(place), readBinding)) ?? (await newestOther(place));
    if (bound?.chainId !== undefined) return { chainId: bound.chainId, position: after };
    const journal = new Journal(place.journalDb);
    const position = await journal.length();
    return { chainId: (await firstWitness(journal.entries(after)))?.chainId, position };
  } finally {
    await place.journalDb.close();
  }
}

type Named = StoredPlace & { readonly chainId: number | undefined };

/** As `knownChain`. @throws IndexMismatch if the operator names another chain than that of the stored data */
export async function storedChain(location: Named): Promise<number | undefined> {
  const stored = await knownChain(location);
  if (stored !== undefined && location.chainId !== undefined && location.chainId !== stored)
    throw wrongChain(stored, location.chainId);
  return stored;
}

/** The chain that an operator names, else the known one. @throws NoChainYet */
export async function requireChain(location: Named): Promise<number> {
  const chainId = location.chainId ?? (await knownChain(location));
  if (chainId === undefined) throw new NoChainYet();
  return chainId;
}
