import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { storableHeight } from '../../../base/store/values.ts';
import { readStoredDelegation } from '../../../index/pox/stored.ts';
import {
  DELEGATIONS_TO_POOL,
  delegationList,
  type POX_DELEGATIONS,
  type POX_EVENTS,
} from '../../../index/pox/tables.ts';
import { findList, type List } from '../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/** Selects delegations (docs/spec/pox.md#pool-members). */
interface DelegationQuery {
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

/** A page of delegations, newest first, as JSON texts; and how many there are. Reads the events of the pool, from the budget. */
export async function delegationsTo(
  queries: Queries,
  query: DelegationQuery,
  budget: RowBudget,
): Promise<{ total: number; records: string[] }> {
  const list = await findList(queries, DELEGATIONS_TO_POOL, delegationList(query.contract, query.pool));
  if (!list) return { total: 0, records: [] };
  const places = await delegationsInForce(queries, list, query, budget);
  const page = places.slice(query.offset, query.offset + query.limit);
  return { total: places.length, records: await recordsAt(queries, list.id, page) };
}

/**
 * For each stacker, the newest delegation to the pool or revocation that was in force; then revocations are left out.
 * @returns places in the list, the newest first
 */
async function delegationsInForce(
  queries: Queries,
  { id, length }: List,
  { afterHeight, upToHeight, burnHeight }: DelegationQuery,
  budget: RowBudget,
): Promise<number[]> {
  budget.require(length);
  const stackers = new Set<string>();
  const places: number[] = [];
  for (let to = length; to > 0; ) {
    const from = to - (await budget.take(to));
    const rows = await queries.all<RowOf<typeof POX_DELEGATIONS, 'seq' | 'stacker' | 'revoked'>>(
      `SELECT seq, stacker, revoked FROM pox_delegations
        WHERE list = ? AND seq >= ? AND seq < ? AND height > ? AND height <= ?
          AND (until_burn_height IS NULL OR until_burn_height > ?) ORDER BY seq DESC`,
      [id, from, to, afterHeight, upToHeight, burnHeight],
    );
    for (const { seq, stacker, revoked } of rows) {
      if (!stackers.has(stacker) && revoked === 0) places.push(seq);
      stackers.add(stacker);
    }
    to = from;
  }
  return places;
}

/** Two statements, as PostgreSQL misjudges the length of a list (see slicedEntries). */
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

/** A delegation, which always has a print. */
type EventRow = RowOf<typeof POX_EVENTS, 'tx_id' | 'height'> & { readonly event: string };

/** A member of the pool, in emitted order. */
function delegationRecord(row: EventRow): string {
  const { stacker, poxAddr, data } = readStoredDelegation(row.event);
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
