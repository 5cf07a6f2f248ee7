import type { Value } from './database.ts';

const MAX_VALUES = 512;

/** A part of a long list of values, as the right side of `IN`: `(?,?,?,?)` and its parameters. */
export interface InList {
  readonly list: string;
  readonly values: readonly Value[];
}

/** The values in parts that one statement takes, each padded to a power of two so that few statement texts serve all sizes. */
export function* inLists(all: readonly Value[]): Iterable<InList> {
  for (let start = 0; start < all.length; start += MAX_VALUES) {
    const values = all.slice(start, start + MAX_VALUES);
    while ((values.length & (values.length - 1)) !== 0) values.push(values[0] ?? null);
    yield { list: `(${values.map(() => '?').join(',')})`, values };
  }
}
