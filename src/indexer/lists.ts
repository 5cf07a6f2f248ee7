import type { Queries } from '../store/database.ts';
import type { RowOf } from '../store/table.ts';
import type { LISTS, ListKind } from './tables.ts';

/** A list as it is now. */
export type List = RowOf<typeof LISTS, 'id' | 'length'>;

/** The list of this kind and name; undefined when it has no entries. */
export async function findList(queries: Queries, kind: ListKind, name: string): Promise<List | undefined> {
  return queries.get<List>('SELECT id, length FROM lists WHERE kind = ? AND name = ?', [kind.code, name]);
}

/** A slice of a list by position: `order` desc counts from the newest. */
export interface Slice {
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Positions [from, to) that a slice of a list of this length covers. */
export function positionsOf({ order, offset, limit }: Slice, length: number): { from: number; to: number } {
  const start = Math.min(offset, length);
  const end = Math.min(start + limit, length);
  return order === 'asc' ? { from: start, to: end } : { from: length - end, to: length - start };
}
