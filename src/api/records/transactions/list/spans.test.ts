import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../../test/support/fast-check.ts';
import type { Span } from '../../../../base/lib/span.ts';
import { joined, totalLength, without } from './spans.ts';

const LENGTH = 30;

/** Spans in order, made of positions that a list of booleans picks; some touch, some are empty. */
const spans = fc.array(fc.boolean(), { minLength: LENGTH, maxLength: LENGTH }).map(picked => {
  const result: Span[] = [];
  for (const [at, isIn] of picked.entries()) result.push({ from: at, to: isIn ? at + 1 : at });
  return result;
});

const positionsIn = (all: readonly Span[]): number[] =>
  Array.from({ length: LENGTH }, (_, at) => at).filter(at => all.some(({ from, to }) => from <= at && at < to));

const assertFewest = (all: readonly Span[]) => {
  for (const [i, { from, to }] of all.entries()) assert.ok(from < to && from > (all[i - 1]?.to ?? -1));
};

test('joined spans have the same positions, and none is empty or touches the next', () => {
  fc.assert(
    fc.property(spans, all => {
      assert.deepEqual(positionsIn(joined(all)), positionsIn(all));
      assertFewest(joined(all));
      assert.equal(totalLength(joined(all)), positionsIn(all).length);
    }),
  );
});

test('what spans have without others are the positions that only they have', () => {
  fc.assert(
    fc.property(spans, spans, (all, others) => {
      const left = without(joined(all), joined(others));
      const taken = new Set(positionsIn(others));
      assert.deepEqual(
        positionsIn(left),
        positionsIn(all).filter(at => !taken.has(at)),
      );
      assertFewest(left);
    }),
  );
});
