import type { PoxEventOf } from '../../codec/index.ts';
import { findList } from '../../indexer/lists.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import { allIn } from '../../store/in-list.ts';
import type { RowOf } from '../../store/table.ts';
import { storableHeight } from './heights.ts';
import { DELEGATIONS_TO_POOL, delegationList, type POX_DELEGATIONS, type POX_EVENTS } from './tables.ts';

/** Which delegations are asked for (docs/spec/pox.md#pool-members). */
export interface DelegationQuery {
  /** `pox-2`, `pox-3` or `pox-4`. */
  readonly contract: string;
  readonly pool: string;
  /** Made above this Stacks height, and up to that one. */
  readonly afterHeight: number;
  readonly upToHeight: number;
  /** Delegations that end at or below this burn height are over. */
  readonly burnHeight: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Of each stacker the newest delegation to the pool, or revocation of one, that was in force; then without those that are
 * a revocation. The place in the list and the kind are one number, so that the newest is its maximum. Reads the events of
 * this pool only, from the index alone.
 */
const IN_FORCE = `
  SELECT max(seq * 2 + revoked) AS newest FROM pox_delegations
   WHERE list = ? AND height > ? AND height <= ? AND (until_burn_height IS NULL OR until_burn_height > ?)
   GROUP BY stacker HAVING max(seq * 2 + revoked) % 2 = 0`;

/** A page of delegations, newest first, as JSON texts; and how many there are. */
export async function delegationsTo(
  queries: Queries,
  query: DelegationQuery,
): Promise<{ total: number; records: string[] }> {
  const list = await findList(queries, DELEGATIONS_TO_POOL, delegationList(query.contract, query.pool));
  if (!list) return { total: 0, records: [] };
  const params = [list.id, query.afterHeight, query.upToHeight, query.burnHeight];
  const newest = await queries.all<{ newest: number; n: number }>(
    `SELECT newest, count(*) OVER () AS n FROM (${IN_FORCE}) members ORDER BY newest DESC LIMIT ? OFFSET ?`,
    [...params, query.limit, query.offset],
  );
  const total = newest[0]?.n ?? (await count(queries, params));
  const places = newest.map(row => row.newest / 2);
  return { total, records: await recordsAt(queries, list.id, places) };
}

/** For a page that has none of them. */
async function count(queries: Queries, params: readonly number[]): Promise<number> {
  return (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM (${IN_FORCE}) members`, params))?.n ?? 0;
}

/** In two statements: what PostgreSQL takes a list for, slicedEntries tells. */
async function recordsAt(queries: Queries, list: number, places: readonly number[]): Promise<string[]> {
  const delegations = await allIn<RowOf<typeof POX_DELEGATIONS, 'event'>>(
    queries,
    seqs => `SELECT event FROM pox_delegations WHERE list = ? AND seq IN ${seqs} ORDER BY seq DESC`,
    places,
    [list],
  );
  const events = await allIn<EventRow>(
    queries,
    seqs => `SELECT tx_id, height, event FROM pox_events WHERE seq IN ${seqs} ORDER BY seq DESC`,
    delegations.map(({ event }) => event),
  );
  return events.map(delegationRecord);
}

/** A delegation, of which the print always tells. */
type EventRow = RowOf<typeof POX_EVENTS, 'tx_id' | 'height'> & { readonly event: string };

/** As stored: numbers of the event are decimal text. */
type Stored<T> = {
  readonly [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : Stored<T[K]>;
};

/** A member of the pool, in emitted order. */
function delegationRecord(row: EventRow): string {
  const { stacker, poxAddr, data } = JSON.parse(row.event) as Stored<PoxEventOf<'delegate-stx'>>;
  const until = data.unlockBurnHeight === null ? 0 : storableHeight(BigInt(data.unlockBurnHeight));
  return JSON.stringify({
    stacker,
    amount_ustx: data.amountUstx,
    block_height: row.height,
    tx_id: toHex(row.tx_id),
    ...(poxAddr === null ? {} : { pox_addr: poxAddr }),
    ...(until === 0 ? {} : { burn_block_unlock_height: until }),
  });
}
