import type { Database, Queries } from '../../base/store/database.ts';
import { firstNeededPosition, neededAmong } from '../../ingest/indexer/needed-payloads.ts';
import { DROPPED_MARK, droppedPack } from '../../ingest/journal/dropped.ts';
import { JOURNAL, type JournalEntry, readEntries } from '../../ingest/journal/entries.ts';
import { payloadIdentity } from '../../ingest/journal/identity.ts';
import { addDropped, readDropped } from '../../ingest/journal/journal-format.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import type { JournalPlace } from './generations.ts';
import { ReindexRunning, whileReindexing } from './locks.ts';
import { newestOther } from './other-indexes.ts';

interface DropOptions {
  readonly journalDb: Database;
  readonly indexDb: Database;
  /** Payloads of blocks of this height and above stay, whatever their positions. */
  readonly below: number;
  readonly burnForkDepth: number;
  /** Continues where the last drop ended, and keeps payloads below it that have become droppable since. */
  readonly onlyNew?: boolean;
  /** Most packs that are read or skipped; by default all. */
  readonly maxPacks?: number;
  readonly onProgress?: (position: number, end: number) => void;
  readonly signal: AbortSignal;
}

export interface DropOutcome {
  /** Entries whose payload was dropped. */
  readonly entries: number;
  /** Bytes that they took. */
  readonly bytes: number;
  /** Entries from this position on stay. */
  readonly end: number;
  /** False if `maxPacks` or the signal ended it early. */
  readonly isDone: boolean;
  /** Bytes of the file that later events will use; undefined if unknown. */
  readonly unused: number | undefined;
}

/** Packs that one transaction reads and replaces: it delays events no longer than another event does. */
const PACKS_AT_ONCE = 64;
/** Freed bytes after which the space is returned to the system. */
const RECLAIMED_BYTES = 64 * 1024 * 1024;

/**
 * Drops the payloads of journal entries that the index does not read again, and returns their space in steps. Rows, digests and times stay, and an
 * identity by which an archive can supply the payload. Drops only whole packs. The index must not change meanwhile.
 */
export async function dropPayloads(options: DropOptions): Promise<DropOutcome> {
  const { journalDb, indexDb, maxPacks = Number.POSITIVE_INFINITY, signal } = options;
  const end = await indexDb.read(queries => firstNeededPosition(queries, options));
  const { completeFrom } = await readDropped(journalDb);
  let [entries, bytes, looked, unreclaimed] = [0, 0, 0, 0];
  let unused: number | undefined;
  let next = options.onlyNew ? completeFrom : 1;
  for (;;) {
    const most = Math.min(PACKS_AT_ONCE, maxPacks - looked);
    const packs = await journalDb.read(queries => packsFrom(queries, { from: next, end, most }));
    const last = packs.at(-1);
    if (!last || signal.aborted) {
      const isDone = most > 0 && !last;
      // A killed drop may have left unreturned space.
      if (unreclaimed > 0 || !options.onlyNew) unused = await reclaim(journalDb, signal);
      return { entries, bytes, end: next, isDone, unused };
    }
    const dropped = await droppable(packs, options);
    await journalDb.write(async tx => {
      for (const { first, identities } of dropped)
        await tx.run('UPDATE journal SET payload = ? WHERE seq = ?', [droppedPack(identities), first]);
      const count = dropped.reduce((sum, { identities }) => sum + identities.length, 0);
      if (count > 0 || options.onlyNew) await addDropped(tx, count, last.end);
      entries += count;
    });
    const freed = dropped.reduce((sum, pack) => sum + pack.bytes, 0);
    bytes += freed;
    unreclaimed += freed;
    looked += packs.length;
    next = last.end;
    options.onProgress?.(next, end);
    if (unreclaimed < RECLAIMED_BYTES) continue;
    unused = await reclaim(journalDb, signal);
    unreclaimed = 0;
  }
}

/** Packs that `dropRecent` reads: more than arrive in the same time. */
const RECENT_PACKS = 400;

/**
 * Drops some of the payloads that the index no longer needs since the last call. Drops none while a `reindex` reads them, or while an index of another release
 * exists, which may need them.
 * @returns whether nothing is left to drop
 */
export async function dropRecent(
  storage: JournalPlace & { readonly indexDb: Database },
  options: Pick<DropOptions, 'burnForkDepth' | 'signal'>,
): Promise<boolean> {
  const { journalDb, indexDb } = storage;
  if (await newestOther(storage)) return true;
  let isDone = true;
  try {
    await whileReindexing(storage, async () => {
      const below = Number.MAX_SAFE_INTEGER;
      const limits = { ...options, below, onlyNew: true, maxPacks: RECENT_PACKS };
      ({ isDone } = await dropPayloads({ journalDb, indexDb, ...limits }));
    });
  } catch (error) {
    if (!(error instanceof ReindexRunning)) throw error;
  }
  return isDone;
}

/** Returns free space to the system. @returns bytes that stay in the file */
async function reclaim(journalDb: Database, signal: AbortSignal): Promise<number | undefined> {
  for (;;) {
    const { isMore, unused } = await journalDb.reclaim(JOURNAL);
    if (!isMore || signal.aborted) return unused;
  }
}

/** The entries whose payloads are stored together. */
interface Pack {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly bytes: number;
  readonly isDropped: boolean;
}

type Head = { readonly seq: number; readonly bytes: number; readonly is_dropped: number };

interface Span {
  /** A position where a pack begins. */
  readonly from: number;
  /** Exclusive. */
  readonly end: number;
  /** Number of packs. */
  readonly most: number;
}

/** The next packs that are entirely in a span. */
async function packsFrom(queries: Queries, { from, end, most }: Span): Promise<readonly Pack[]> {
  const heads = await queries.all<Head>(
    `SELECT seq, length(payload) AS bytes, CASE WHEN substr(payload, 1, 1) = ? THEN 1 ELSE 0 END AS is_dropped FROM journal
      WHERE seq >= ? AND seq <= ? AND length(payload) > 0 ORDER BY seq LIMIT ?`,
    [DROPPED_MARK, from, end, most + 1],
  );
  // A pack ends where the next one begins.
  return heads.slice(0, -1).map(({ seq, bytes, is_dropped }, i) => ({
    ...{ first: seq, bytes, isDropped: is_dropped === 1 },
    end: heads[i + 1]?.seq ?? seq,
  }));
}

interface DroppablePack extends Pack {
  readonly identities: readonly Uint8Array[];
}

/** Events that an archive of another observer has. Each node has its own mempool, so no other archive has an event of a mempool. */
const IN_ANY_ARCHIVE = new Set(['/new_block', '/new_burn_block', '/new_microblocks', '/attachments/new']);

/** Whether an archive can have all of them. */
function areInArchives(entries: readonly JournalEntry[]): boolean {
  const [only] = entries;
  return entries.length === 1
    ? only !== undefined && IN_ANY_ARCHIVE.has(only.path)
    : entries.every(({ path }) => path !== REBUILT_PATH);
}

async function droppable(packs: readonly Pack[], { journalDb, indexDb }: DropOptions): Promise<DroppablePack[]> {
  const found: DroppablePack[] = [];
  for (const pack of packs) {
    if (pack.isDropped) continue;
    const entries = await journalDb.read(queries => readEntries(queries, pack.first - 1, pack.end - pack.first));
    if (!areInArchives(entries)) continue;
    const identified = entries.flatMap(identify);
    if (identified.length !== pack.end - pack.first) continue;
    const needed = await indexDb.read(queries => neededAmong(queries, identified));
    if (needed.size > 0) continue;
    found.push({ ...pack, identities: identified.map(({ digest }) => digest) });
  }
  return found;
}

function identify({ seq, path, body }: JournalEntry) {
  const identity = payloadIdentity(path, body);
  return identity === undefined ? [] : [{ seq, path, ...identity }];
}
