import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type BOND_ALLOWANCES,
  type BOND_POSITIONS,
  PAST_BOND_POSITIONS,
  type STAKING_BONDS,
} from '../../../index/staking/tables.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { type EventPlace, eventCursor, type IsListed, startOfEventCursor } from '../../paging/event-cursors.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { findBond } from './bonds.ts';

type AllowanceRow = RowOf<typeof BOND_ALLOWANCES, 'tx' | 'event_index' | 'staker' | 'max_sats'>;
type RegistrationRow = RowOf<
  typeof BOND_POSITIONS,
  'tx' | 'event_index' | 'staker' | 'signer' | 'l1_outputs' | 'sats' | 'ustx'
>;

interface Query {
  readonly limit: number;
  readonly cursor?: string;
}

/** The allowlist of a bond, the newest entry first. */
export const pageOfAllowances = (queries: Queries, bond: number, query: Query): Promise<CursorPage<AllowanceRow>> =>
  newestFirst<AllowanceRow>(queries, bond, query, {
    isChanged: false,
    columns: 'tx, event_index, staker, max_sats',
    count: 'allowed',
  });

/** The registrations of a bond, the newest first. */
export const pageOfRegistrations = (
  queries: Queries,
  bond: number,
  query: Query,
): Promise<CursorPage<RegistrationRow>> =>
  newestFirst<RegistrationRow>(queries, bond, query, {
    isChanged: true,
    columns: 'tx, event_index, staker, signer, l1_outputs, sats, ustx',
    count: 'registered',
  });

interface Source {
  /** Whether rows change: false for allowances, which are written once; true for positions. */
  readonly isChanged: boolean;
  readonly columns: string;
  /** The column of the bond with the length of the list. */
  readonly count: keyof RowOf<typeof STAKING_BONDS, 'allowed' | 'registered'>;
}

/** A page, the newest first. One call may write a whole allowlist, so a cursor has the event, too (docs/spec/cursors.md#places-of-events). */
async function newestFirst<Row extends EventPlace & { readonly [name: string]: string | number | null }>(
  queries: Queries,
  bond: number,
  { limit, cursor }: Query,
  { isChanged, columns, count }: Source,
): Promise<CursorPage<Row>> {
  const from = isChanged ? rowsAsOf(PAST_BOND_POSITIONS, queries) : 'bond_allowances';
  const end = endOfTransactions(queries);
  const read = (where: string, order: 'ASC' | 'DESC', at: EventPlace, rows: number) =>
    queries.all<Row>(
      `SELECT ${columns} FROM ${from} m WHERE bond_index = ? AND (tx, event_index) ${where} (?, ?) AND tx < ?
        ORDER BY tx ${order}, event_index ${order} LIMIT ?`,
      [bond, at.tx, at.event_index, end, rows],
    );
  const isListed: IsListed = async (tx, last) => {
    const sql = `SELECT 1 AS one FROM ${from} m WHERE bond_index = ? AND tx = ? AND event_index <= ? LIMIT 1`;
    return tx < end && (await queries.get(sql, [bond, tx, last])) !== undefined;
  };
  const start = cursor === undefined ? NEWEST : await startOfEventCursor(queries, cursor, isListed);
  return seekPage<Row>(
    {
      total: (await findBond(queries, bond))?.[count] ?? 0,
      cursor: row => eventCursor(queries, row),
      from: rows => read('<=', 'DESC', start, rows),
      before: (row, rows) => read('>', 'ASC', row ?? OLDEST, rows),
    },
    limit,
  );
}

const NEWEST: EventPlace = { tx: Number.MAX_SAFE_INTEGER, event_index: 0 };
const OLDEST: EventPlace = { tx: -1, event_index: 0 };
