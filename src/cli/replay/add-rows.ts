import { setFlagsFromString } from 'node:v8';
import { retrying } from '../../base/store/retry.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { Indexer } from '../../ingest/indexer/indexer.ts';
import { isOfEntry } from '../../ingest/indexer/set-aside.ts';
import type { Journal } from '../../ingest/journal/journal.ts';
import { type BatchLimits, batches } from '../../ingest/node/archive/batches.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import { type Counts, deliveriesOf, type RowOptions } from './rows.ts';
import { sayRetry } from './source.ts';

/** Limits of one transaction of the index. Keys in random order touch a page each: the larger the transaction, the fewer writes. */
export const CHUNK: BatchLimits = { rows: 4_000, bytes: 8 * 1024 * 1024 };
/** Limits of the rows that are decoded at once. Objects that outlive the young generation of the heap cost time. */
const PART: BatchLimits = { rows: 400, bytes: 4 * 1024 * 1024 };
/** How long to wait for a database that is not available. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Growth of the heap before a collection, in percent of the used heap. Little of a chunk's memory stays in use, and V8 would not collect
 * the rest on a machine with free memory. This setting takes a fifth less memory and 5 % more time.
 */
const HEAP_GROWTH_PERCENT = 100;

/** Limits the heap of a process that loads rows of archives. */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/** An index into which rows of archives are loaded. */
export interface RowLoad {
  readonly journal: Journal;
  readonly indexer: Indexer;
  readonly options: RowOptions & { readonly chainId: number };
  readonly signal: AbortSignal;
}

/** Journals the new events of these rows and applies them, part by part, in one transaction of the index. */
export async function addRows(
  rows: readonly ArchiveRow[],
  replay: RowLoad,
  counts: Counts,
): Promise<IndexState | undefined> {
  const { journal, indexer, signal } = replay;
  counts.read += rows.length;
  for (const row of rows) if (row.kind === 'bad') counts.bad.set(row.line, row.reason);
  const fresh = await patiently(() => journal.onlyNew(rows.filter(row => row.kind === 'event')), replay);
  if (fresh.length === 0) return undefined;
  const before = await patiently(() => journal.length(), replay);
  async function* journaled() {
    for await (const part of batches(fresh, PART)) {
      if (counts.refused) return;
      yield await journal.append(deliveriesOf(part, replay.options, counts, replay.options.chainId));
    }
  }
  let cutOff = false;
  const state = await patiently(async () => {
    if (!cutOff) {
      cutOff = true;
      try {
        return await indexer.applyParts(journaled());
      } catch (error) {
        if (!isOfEntry(error)) throw error;
      }
    }
    // The databases keep the events that the first attempt stored. Events that cannot be applied are set aside.
    for await (const _ of journaled());
    return indexer.catchUp(undefined, signal);
  }, replay);
  counts.added += (await patiently(() => journal.length(), replay)) - before;
  return state;
}

/** Retries while the database is not available or its disk is full. */
export function patiently<T>(work: () => Promise<T>, { signal }: Pick<RowLoad, 'signal'>): Promise<T> {
  return retrying(work, {
    signal,
    patienceMs: PATIENCE_MS,
    onFailure: sayRetry,
  });
}
