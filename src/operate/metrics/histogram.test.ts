import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import fc from '../../../test/support/fast-check.ts';
import { BOUNDS, TimeHistogram } from './histogram.ts';

const seconds = fc.oneof(fc.constantFrom(...BOUNDS), fc.double({ min: 0, max: 10, noNaN: true }));
const observations = fc.array(fc.tuple(seconds, fc.constantFrom('/a', '/b/:id', ''), fc.constantFrom('200', '404')));

test('observations read as a histogram of prom-client reads them, also those of two processes', async () => {
  await fc.assert(
    fc.asyncProperty(observations, observations, async (one, other) => {
      const registry = new Registry();
      const buckets = [...BOUNDS];
      const model = new Histogram({
        name: 'x',
        help: 'X',
        labelNames: ['route', 'status'],
        buckets,
        registers: [registry],
      });
      const histograms = [one, other].map(observed => {
        const histogram = new TimeHistogram('x', 'X', ['route', 'status']);
        for (const [value, route, status] of observed) histogram.observe(value, route, status);
        return [histogram.values()];
      });
      for (const [value, route, status] of [...one, ...other]) model.observe({ route, status }, value);
      const lines = (text: string) => text.split('\n').map(rounded).sort();
      assert.deepEqual(
        lines(await AggregatorRegistry.aggregate(histograms).metrics()),
        lines(await AggregatorRegistry.aggregate([await registry.getMetricsAsJSON()]).metrics()),
      );
    }),
  );
});

/** Sums are added in another order. */
const rounded = (line: string): string => line.replace(/(?<= )[\d.e+-]+$/, number => Number(number).toPrecision(9));
