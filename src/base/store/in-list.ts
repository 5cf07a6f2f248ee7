import type { Queries, Row, SqlValue } from './database.ts';

const MAX_VALUES = 512;

/** A part of a long list of values, as the right side of `IN`: `(?,?,?,?)` and its parameters. */
interface InList {
  readonly list: string;
  readonly values: readonly SqlValue[];
}

/** The values in parts that one statement takes, each padded to a power of two so that few statement texts serve all sizes. */
export function* inLists(all: readonly SqlValue[]): Iterable<InList> {
  for (let start = 0; start < all.length; start += MAX_VALUES) {
    const values = all.slice(start, start + MAX_VALUES);
    while ((values.length & (values.length - 1)) !== 0) values.push(values[0] ?? null);
    yield { list: `(${values.map(() => '?').join(',')})`, values };
  }
}

/**
 * The rows that a statement finds for a long list of values: part by part, each in the order that the statement gives it.
 * @param sql makes the statement of the right side of its `IN`, whose parameters are the last ones
 * @param before the parameters that come before those
 */
export async function allIn<R extends Row>(
  queries: Queries,
  sql: (list: string) => string,
  values: readonly SqlValue[],
  before: readonly SqlValue[] = [],
): Promise<R[]> {
  const rows: R[] = [];
  for (const part of inLists(values))
    for (const row of await queries.all<R>(sql(part.list), [...before, ...part.values])) rows.push(row);
  return rows;
}
