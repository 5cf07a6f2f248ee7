import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { LISTS, ListKind } from '../../ingest/indexer/tables.ts';
import { type Finding, wrong } from './check.ts';
import { pagedRows } from './pages.ts';
import type { SpillingMap } from './spilling-map.ts';

/** The key under which the entries of a list are counted. */
export const lengthKey = ({ code }: ListKind, name: string): string => `${code} ${name}`;

/** Compares the lengths of all lists of these kinds with what was counted under their keys, and uses that up. */
export async function* compareLengths(
  counts: SpillingMap,
  kinds: readonly ListKind[],
  index: Queries,
): AsyncIterable<Finding> {
  for (const kind of kinds)
    for await (const { name, length } of pagedRows<RowOf<typeof LISTS, 'name' | 'length'>>(index, {
      sql: `SELECT name, length FROM (SELECT name, length FROM lists WHERE kind = ${kind.code}) AS of_kind`,
      key: ['name'],
    })) {
      const counted = Number((await counts.take(lengthKey(kind, name))) ?? 0);
      if (counted !== length)
        yield wrong(`lists: kind ${kind.code} "${name}" has length ${length}, a recount gives ${counted}`);
    }
  for await (const [list, counted] of counts.entries())
    yield wrong(`lists: kind ${list} is not in the directory, a recount gives ${counted}`);
}
