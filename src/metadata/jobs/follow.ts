import { rawHex } from '../../base/lib/hex.ts';
import type { Database, DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import { METADATA_CURSOR } from '../tables.ts';
import { type EnqueueOptions, enqueue, type JobRequest, lockJobs } from './enqueue.ts';
import { readEvents, readTokenEvent, type TokenEvent } from './index-state.ts';
import { type JobLimits, PRIORITY } from './job.ts';

interface FollowOptions {
  /** The metadata tables. */
  readonly db: Database;
  readonly index: Database;
  readonly limits: JobLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Prefix of the cause of jobs that a fork creates; the removed event follows. */
export const WITHOUT = 'without ';

/** Entries in one transaction. */
const BATCH = 500;
/**
 * Newest entries that are all remembered, so that a fork that removes them is resolved token by token.
 */
const REMEMBERED = 5_000;
/** One in this many older entries is remembered. */
const SPARSE = 1_000;

/** An entry of TOKEN_EVENTS that this worker has seen. */
type Seen = RowOf<typeof METADATA_CURSOR>;

/**
 * Creates jobs for the next entries of TOKEN_EVENTS, or for entries that a fork has removed: such tokens are read again, as
 * the contract may return other values now. Several processes may call this: each entry counts once.
 * @returns false if there are no new entries
 */
export async function followIndex(options: FollowOptions): Promise<boolean> {
  return (await stepBack(options)) || (await stepForward(options));
}

const newest = (queries: Queries): Promise<Seen | undefined> =>
  queries.get<Seen>('SELECT seq, block, tx_id, contract_id, token FROM metadata_cursor ORDER BY seq DESC LIMIT 1');

async function stepForward(options: FollowOptions): Promise<boolean> {
  const last = await options.db.read(newest);
  const from = (last?.seq ?? -1) + 1;
  const events = await options.index.read(async queries => {
    // Between the two steps the index may have moved to another fork.
    const holds = from === 0 || isSame(await readTokenEvent(queries, from - 1), last);
    return holds ? readEvents(queries, from, BATCH) : [];
  });
  if (events.length === 0) return false;
  return options.db.write(async tx => {
    await lockJobs(tx);
    if (!isSame(await newest(tx), last)) return true; // another process was faster
    for (const event of events) await enqueueFor(tx, event, options);
    await upsertRows(tx, METADATA_CURSOR, events);
    await forgetOld(tx, from, events.length);
    return true;
  });
}

async function enqueueFor(tx: DatabaseTransaction, event: TokenEvent, options: FollowOptions): Promise<void> {
  const requests = requestsOf(event);
  for (const request of requests) await enqueue(tx, request, enqueueOptions(options, request));
}

const enqueueOptions = ({ limits, now }: FollowOptions, { kind }: JobRequest): EnqueueOptions => ({
  now: now(),
  refreshesPerHour: limits.refreshesPerHour,
  create: limits.eagerTokens > 0 || kind !== 'token',
});

/** The jobs that an entry requires. */
function requestsOf({ contract_id: contractId, token, kind, standard, block, tx_id }: TokenEvent): JobRequest[] {
  const common = { contractId, priority: PRIORITY.first, cause: `${rawHex(block)}/${rawHex(tx_id)}` };
  if (token !== null) return [{ ...common, token, kind: 'token' }];
  if (standard === 'sip-010') return [{ ...common, token: '1', kind: 'token' }];
  const requests: JobRequest[] = standard === 'sip-009' ? [{ ...common, token: '', kind: 'contract' }] : [];
  if (kind === 'update') requests.push({ ...common, token: '', kind: 'refresh', priority: PRIORITY.refresh });
  return requests;
}

/** Finds entries that the index no longer has, and creates jobs to read their tokens again. */
async function stepBack(options: FollowOptions): Promise<boolean> {
  const { db, index } = options;
  const last = await db.read(newest);
  if (
    !last ||
    last.seq < 0 ||
    (await index.read(async queries => isSame(await readTokenEvent(queries, last.seq), last)))
  )
    return false;
  const fork = await lastThatHolds(options, last);
  return db.write(async tx => {
    await lockJobs(tx);
    if (!isSame(await newest(tx), last)) return true;
    const gone = await tx.all<Seen>(
      'SELECT seq, block, tx_id, contract_id, token FROM metadata_cursor WHERE seq > ? ORDER BY seq',
      [fork],
    );
    for (const { contract_id: contractId, token, block } of gone) {
      const request: JobRequest = {
        contractId,
        token: token ?? '',
        kind: token === null ? 'refresh' : 'token',
        priority: PRIORITY.refresh,
        cause: `${WITHOUT}${rawHex(block)}`,
      };
      await enqueue(tx, request, { ...enqueueOptions(options, request), create: false });
    }
    await tx.run('DELETE FROM metadata_cursor WHERE seq > ?', [fork]);
    return true;
  });
}

/** The position of the newest entry seen that the index still has; -1 if the index has lost all of them. */
async function lastThatHolds({ db, index }: FollowOptions, newestSeen: Seen): Promise<number> {
  let above = newestSeen.seq + 1;
  for (;;) {
    const seen = await db.read(queries =>
      queries.all<Seen>(
        `SELECT seq, block, tx_id, contract_id, token FROM metadata_cursor
         WHERE seq >= 0 AND seq < ? ORDER BY seq DESC LIMIT ?`,
        [above, BATCH],
      ),
    );
    const oldest = seen.at(-1);
    if (!oldest) return -1;
    const events = await index.read(async queries => {
      const held: number[] = [];
      for (const entry of seen) if (isSame(await readTokenEvent(queries, entry.seq), entry)) held.push(entry.seq);
      return held;
    });
    const [highest] = events;
    if (highest !== undefined) return highest;
    above = oldest.seq;
  }
}

async function forgetOld(tx: DatabaseTransaction, from: number, count: number): Promise<void> {
  if (Math.floor(from / SPARSE) === Math.floor((from + count) / SPARSE)) return;
  await tx.run('DELETE FROM metadata_cursor WHERE seq >= 0 AND seq < ? AND seq % ? <> 0', [from - REMEMBERED, SPARSE]);
}

function isSame(a: Seen | undefined, b: Seen | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.seq === b.seq &&
    a.contract_id === b.contract_id &&
    a.token === b.token &&
    Buffer.compare(a.block, b.block) === 0 &&
    Buffer.compare(a.tx_id, b.tx_id) === 0
  );
}
