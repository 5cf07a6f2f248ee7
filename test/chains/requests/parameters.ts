import fc from '../../support/fast-check.ts';

/** Requests, some of them more frequent than others. */
export type Requests = fc.MaybeWeightedArbitrary<string>[];

/** A path with its query, which may be empty. */
export const on = (path: fc.Arbitrary<string>, query: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(path, query).map(([start, rest]) => (rest ? `${start}?${rest}` : start));

/** A path with a value in place of each asterisk. */
export const at = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map(values => values.reduce((path, value) => path.replace('*', () => value), template));

/** Parts of a query that are there or not, joined. */
export const query = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map(part => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: part })))
    .map(values => values.filter(Boolean).join('&'));

export const named = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  values.map(value => `${name}=${encodeURIComponent(value)}`);

export const numbers = (name: string, max: number, min = 0): fc.Arbitrary<string> =>
  named(name, fc.integer({ min, max }).map(String));

export const flag = (name: string): fc.Arbitrary<string> => named(name, fc.constantFrom('true', 'false'));

export const unanchored = query(flag('unanchored'));

export const pageParts = (maxLimit: number) => [numbers('limit', maxLimit, 1), numbers('offset', 12)];

export const pageQuery = (maxLimit: number): fc.Arbitrary<string> => query(...pageParts(maxLimit));

/** A page from a cursor. */
export const cursorPages = (maxLimit: number, cursor: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(numbers('limit', maxLimit, 1), named('cursor', cursor));

/** Pages of what events made. */
export const eventPages = (height: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  cursorPages(
    50,
    fc
      .tuple(height, fc.constantFrom(0, 2147483647), fc.nat(3), fc.constantFrom('', ':0', ':1', ':2', ':1:1'))
      .map(([height, sequence, index, rest]) => `${height}:${sequence}:${index}${rest}`),
  );
