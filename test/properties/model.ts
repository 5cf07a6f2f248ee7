import assert from 'node:assert/strict';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { chainRequests } from '../chains/requests.ts';
import { modelResponse, routeOf } from '../model/model.ts';
import fc from '../support/fast-check.ts';
import { apiDocument } from '../support/operations.ts';
import type { TestIndex } from '../support/test-index.ts';

const REQUESTS = 40;

async function cases() {
  const document = await apiDocument();
  return chainPlans({ maxSteps: 30 }).chain(plan => {
    const requests = chainRequests(buildChain(plan), document);
    return fc
      .array(requests, { minLength: REQUESTS, maxLength: REQUESTS, size: 'max' })
      .map(paths => ({ plan, paths }));
  });
}

/** Asked when half of the events are there, and when all are. Of errors only the status is compared. */
export const model = defineProperty({
  file: 'model',
  rule: 'requests about the chain are answered as the naive model answers them',
  cases,
  hold: async (bench, { plan, paths }) => {
    const sent = buildChain(plan).sent.map(({ delivery }) => delivery);
    const on = await bench.openIndex();
    const half = sent.length >> 1;
    await on.deliver(sent.slice(0, half), plan.batch);
    await compare(on.index, sent.slice(0, half), paths.slice(0, REQUESTS / 4));
    await on.deliver(sent.slice(half), plan.batch);
    await compare(on.index, sent, paths);
  },
});

async function compare(index: TestIndex, deliveries: readonly Delivery[], paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const route = routeOf(path)?.route;
    if (!route) continue;
    const expected = modelResponse(deliveries, path);
    const actual = await index.get(path);
    assert.equal(actual.status, expected.status, `status of ${path}`);
    if (actual.status >= 400) continue;
    const { normalise = (body: unknown) => body } = route;
    assert.deepEqual(normalise(actual.body), normalise(expected.body), path);
  }
}
