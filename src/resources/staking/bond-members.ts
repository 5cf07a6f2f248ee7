import type { CursorPage } from '../../http/cursor-page.ts';
import { seekPage } from '../../http/seek-page.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { endOfCursor, placeCursors } from '../blocks/chain-cursors.ts';
import { comparePlaces, countUpTo, type Place, placesOf } from '../blocks/place.ts';
import type { BOND_ALLOWANCES, BOND_POSITIONS, STAKING_BONDS } from './tables.ts';

/** `height:microblock sequence:index`, as lists of transactions have, and the event (docs/spec/cursors.md#places-of-events). */
export const EVENT_CURSOR = '^[0-9]+(:[0-9]+){2,4}$';

/** A row that a print made: where that is. */
interface Made {
  readonly tx: number;
  readonly event_index: number;
}

export type AllowanceRow = RowOf<typeof BOND_ALLOWANCES, 'tx' | 'event_index' | 'staker' | 'max_sats'>;
export type RegistrationRow = RowOf<
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
    table: 'bond_allowances',
    columns: 'tx, event_index, staker, max_sats',
    count: 'allowed',
  });

/** Who registered for a bond, the newest first. */
export const pageOfRegistrations = (
  queries: Queries,
  bond: number,
  query: Query,
): Promise<CursorPage<RegistrationRow>> =>
  newestFirst<RegistrationRow>(queries, bond, query, {
    table: 'bond_positions',
    columns: 'tx, event_index, staker, signer, l1_outputs, sats, ustx',
    count: 'registered',
  });

interface Source {
  readonly table: string;
  readonly columns: string;
  /** Where the bond has the length of the list. */
  readonly count: keyof RowOf<typeof STAKING_BONDS, 'allowed' | 'registered'>;
}

/** Rows of one transaction are many: one call may write a whole allowlist. So a cursor has the event, too (docs/spec/cursors.md#places-of-events). */
async function newestFirst<Row extends Made & { readonly [name: string]: string | number | null }>(
  queries: Queries,
  bond: number,
  { limit, cursor }: Query,
  { table, columns, count }: Source,
): Promise<CursorPage<Row>> {
  const read = (where: string, order: 'ASC' | 'DESC', at: Made, rows: number) =>
    queries.all<Row>(
      `SELECT ${columns} FROM ${table} WHERE bond_index = ? AND (tx, event_index) ${where} (?, ?)
        ORDER BY tx ${order}, event_index ${order} LIMIT ?`,
      [bond, at.tx, at.event_index, rows],
    );
  const length = await queries.get<{ length: number }>(
    `SELECT ${count} AS length FROM staking_bonds WHERE bond_index = ?`,
    [bond],
  );
  const start = cursor === undefined ? NEWEST : await startOfCursor(queries, bond, cursor, table);
  return seekPage<Row>(
    {
      total: length?.length ?? 0,
      cursor: row => cursorOf(queries, row),
      from: rows => read('<=', 'DESC', start, rows),
      before: (row, rows) => read('>', 'ASC', row ?? OLDEST, rows),
    },
    limit,
  );
}

const NEWEST: Made = { tx: Number.MAX_SAFE_INTEGER, event_index: 0 };
const OLDEST: Made = { tx: -1, event_index: 0 };

async function cursorOf(queries: Queries, { tx, event_index }: Made): Promise<string> {
  const place = (await placesOf(queries, [tx])).get(tx);
  if (!place) throw new Error(`transaction ${tx} is not there`);
  const [cursor = ''] = await placeCursors(queries, [{ tx, place }]);
  const [height, sequence, index, ...further] = cursor.split(':');
  return [height, sequence, index, event_index, ...further].join(':');
}

/** The first row that a cursor leads to, or where it would be. */
async function startOfCursor(queries: Queries, bond: number, cursor: string, table: string): Promise<Made> {
  const numbers = cursor.split(':').map(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER));
  const [height = 0, sequence = 0, index = 0, event, further = 0] = numbers;
  if (event === undefined) {
    const isListed = async (tx: number): Promise<boolean> =>
      (await queries.get(`SELECT 1 AS one FROM ${table} WHERE bond_index = ? AND tx = ? LIMIT 1`, [bond, tx])) !==
      undefined;
    return { tx: (await endOfCursor(queries, cursor, isListed)) - 1, event_index: Number.MAX_SAFE_INTEGER };
  }
  const wanted: Place = [height, sequence, index];
  const tx = (await countUpTo(queries, wanted)) - 1 - further;
  const place = (await placesOf(queries, [tx])).get(tx);
  const isThere = place !== undefined && comparePlaces(place, wanted) === 0;
  return { tx, event_index: isThere ? event : Number.MAX_SAFE_INTEGER };
}
