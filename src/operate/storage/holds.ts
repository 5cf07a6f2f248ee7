import { postgresLocks, postgresUrl } from '../../base/store/open.ts';
import { retrying } from '../../base/store/retry.ts';
import { SCHEMA_VERSION } from './chain-binding.ts';
import { currentGeneration, type JournalPlace, removeGeneration, schemaOf } from './generations.ts';

/*
 * A replaced index is removed when no process uses it any more. On PostgreSQL each process holds the index that it uses by a shared advisory
 * lock. In a directory, where one process writes, readers can continue to read removed files.
 */

export interface HeldGeneration {
  readonly generation: number;
  release(): Promise<void>;
}

/** Prevents other processes from removing an index; in a directory, `lockStorage` does that. */
export async function holdGeneration(place: JournalPlace, wanted?: number): Promise<HeldGeneration> {
  for (;;) {
    const generation = wanted ?? (await currentGeneration(place));
    if (place.database === undefined) return { generation, release: async () => {} };
    const { holdShared } = await postgresLocks();
    const release = await holdShared(postgresUrl(place.database), await holdName(place, generation));
    // Another one may have become current before this one was held.
    if (wanted !== undefined || (await currentGeneration(place)) === generation) return { generation, release };
    await release();
  }
}

/** Prevents removing an index, as soon as PostgreSQL can be reached, until the result is called. */
export function holdOnceReachable(place: JournalPlace, generation: number): () => Promise<void> {
  const { database } = place;
  if (database === undefined) return async () => {};
  const released = new AbortController();
  const hold = async () => {
    const { holdShared } = await postgresLocks();
    return holdShared(postgresUrl(database), await holdName(place, generation));
  };
  const held = retrying(hold, {
    signal: released.signal,
    onFailure: () => undefined,
  });
  held.catch(() => undefined);
  return async () => {
    released.abort();
    await held.then(
      release => release(),
      () => undefined,
    );
  };
}

const holdName = async (place: JournalPlace, generation: number): Promise<string> =>
  holdNameOf(await schemaOf(place), SCHEMA_VERSION, generation);

/**
 * The name by which processes hold an index on PostgreSQL.
 * @param schema of the journal
 * @param series the schema version in the names of the index; undefined for those of release 0.1.0
 */
export const holdNameOf = (schema: string, series: number | undefined, generation: number): string =>
  `stacks-index ${schema} ${series === undefined ? '' : `${series}.`}${generation}`;

/**
 * Removes replaced indexes, except those that a process still reads. In a directory the caller must hold the lock.
 * @returns false if one is still in use
 */
export async function removeReplacedIndexes(place: JournalPlace): Promise<boolean> {
  const current = await currentGeneration(place);
  let removedAll = true;
  for (let generation = 0; generation < current; generation++) {
    const remove = () => removeGeneration(place, generation);
    const removed =
      place.database === undefined
        ? await remove().then(() => true)
        : await (await postgresLocks()).whileAlone(
            postgresUrl(place.database),
            await holdName(place, generation),
            remove,
          );
    removedAll &&= removed;
  }
  return removedAll;
}

/** Runs the work while no process holds the current index; in a directory the caller must hold the lock. @returns false if one does */
export async function whileUnused(place: JournalPlace, work: () => Promise<void>): Promise<boolean> {
  if (place.database !== undefined) {
    const { whileAlone } = await postgresLocks();
    return whileAlone(postgresUrl(place.database), await holdName(place, await currentGeneration(place)), work);
  }
  await work();
  return true;
}
