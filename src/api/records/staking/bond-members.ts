import type { Queries, Table } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { BOND_ALLOWANCES, BOND_POSITIONS, type STAKING_BONDS } from '../../../index/staking/tables.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { type EventPlace, eventCursor, type IsListed, startOfEventCursor } from '../../paging/event-cursors.ts';
import { seekPage } from '../../paging/seek-page.ts';

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
    table: BOND_ALLOWANCES,
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
    table: BOND_POSITIONS,
    columns: 'tx, event_index, staker, signer, l1_outputs, sats, ustx',
    count: 'registered',
  });

interface Source {
  readonly table: Table;
  readonly columns: string;
  /** The column of the bond with the length of the list. */
  readonly count: keyof RowOf<typeof STAKING_BONDS, 'allowed' | 'registered'>;
}

/** Rows of one transaction are many: one call may write a whole allowlist. So a cursor has the event, too (docs/spec/cursors.md#places-of-events). */
async function newestFirst<Row extends EventPlace & { readonly [name: string]: string | number | null }>(
  queries: Queries,
  bond: number,
  { limit, cursor }: Query,
  { table, columns, count }: Source,
): Promise<CursorPage<Row>> {
  const read = (where: string, order: 'ASC' | 'DESC', at: EventPlace, rows: number) =>
    queries.all<Row>(
      `SELECT ${columns} FROM ${table.name} WHERE bond_index = ? AND (tx, event_index) ${where} (?, ?)
        ORDER BY tx ${order}, event_index ${order} LIMIT ?`,
      [bond, at.tx, at.event_index, rows],
    );
  const length = await queries.get<{ length: number }>(
    `SELECT ${count} AS length FROM staking_bonds WHERE bond_index = ?`,
    [bond],
  );
  const isListed: IsListed = async (tx, last) => {
    const sql = `SELECT 1 AS one FROM ${table.name} WHERE bond_index = ? AND tx = ? AND event_index <= ? LIMIT 1`;
    return (await queries.get(sql, [bond, tx, last])) !== undefined;
  };
  const start = cursor === undefined ? NEWEST : await startOfEventCursor(queries, cursor, isListed);
  return seekPage<Row>(
    {
      total: length?.length ?? 0,
      cursor: row => eventCursor(queries, row),
      from: rows => read('<=', 'DESC', start, rows),
      before: (row, rows) => read('>', 'ASC', row ?? OLDEST, rows),
    },
    limit,
  );
}

const NEWEST: EventPlace = { tx: Number.MAX_SAFE_INTEGER, event_index: 0 };
const OLDEST: EventPlace = { tx: -1, event_index: 0 };
