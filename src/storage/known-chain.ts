import { Journal } from '../journal/journal.ts';
import { readBinding } from './chain-binding.ts';
import { currentGeneration, type JournalPlace } from './generations.ts';
import { inspect } from './reindex.ts';
import { NothingStored, openJournalToRead } from './storage.ts';
import { firstWitness, NoChainYet } from './witness.ts';

type Location = Pick<JournalPlace, 'data' | 'database'>;

/**
 * The chain of what is stored: that of the index, else that of the first witness in the journal (chain/witness.ts). Undefined where neither says one:
 * nothing is stored, or only events that name no chain. Makes nothing.
 */
export async function knownChain(location: Location): Promise<number | undefined> {
  return (await lookForChain(location)).chainId;
}

export interface ChainLook {
  readonly chainId: number | undefined;
  /** Entries of the journal up to here have no witness. */
  readonly position: number;
}

/** As `knownChain`. @param after entries up to this position were looked at before */
export async function lookForChain(location: Location, after = 0): Promise<ChainLook> {
  const nothing = { chainId: undefined, position: after };
  const look = await inJournal(location, async place => {
    const bound = await inspect(place, await currentGeneration(place), readBinding);
    if (bound?.chainId !== undefined) return { ...nothing, chainId: bound.chainId };
    const journal = new Journal(place.journalDb);
    const position = await journal.length();
    return { chainId: (await firstWitness(journal.entries(after)))?.chainId, position };
  });
  return look ?? nothing;
}

/** How many events are stored. Makes nothing. */
export async function storedEvents(location: Location): Promise<number> {
  return (await inJournal(location, place => new Journal(place.journalDb).length())) ?? 0;
}

/** Undefined where there is no journal. */
async function inJournal<T>(location: Location, read: (place: JournalPlace) => Promise<T>): Promise<T | undefined> {
  let place: JournalPlace;
  try {
    place = await openJournalToRead(location);
  } catch (error) {
    if (error instanceof NothingStored) return undefined;
    throw error;
  }
  try {
    return await read(place);
  } finally {
    await place.journalDb.close();
  }
}

/** The chain that an operator names, else the known one. @throws NoChainYet */
export async function requireChain(location: Location & { readonly chainId: number | undefined }): Promise<number> {
  const chainId = location.chainId ?? (await knownChain(location));
  if (chainId === undefined) throw new NoChainYet();
  return chainId;
}
