import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { chainRequests } from '../chains/requests.ts';
import { openFreshOf } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { openTestIndex } from '../support/test-index.ts';
import { MODEL_ROUTES, routeOf } from './model.ts';

/**
 * What these tell does not follow from the chain: metadata from the web, responses of a node, constants, and the state of the server. What the
 * stream tells does, and is compared with what the other routes tell (test/properties/live.ts).
 */
const BESIDE_THE_CHAIN =
  /^\/metadata(\/|$)|^\/extended\/v3\/(stream|status$)|^\/v2\/|^\/extended\/v1\/(info\/|fee_rate$)|^\/extended$/;

/** Parameters without their names, which the document and the model give differently; versions of PoX are values of one. */
const bare = (template: string): string =>
  template.replaceAll(/\{\w+\}/g, '{}').replace(/^\/extended\/v1\/pox\d\//, '/extended/v1/{}/');

test('the model has every published route that tells of the chain, and no other', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const { paths } = (await index.get('/openapi.json')).body as OpenApiDocument;
  const published = Object.keys(paths).filter(path => !BESIDE_THE_CHAIN.test(path));
  const modelled = MODEL_ROUTES.map(({ template }) => bare(template));
  assert.deepEqual(
    published.map(bare).filter(path => !modelled.includes(path)),
    [],
    'routes that the model lacks',
  );
  assert.deepEqual(
    modelled.filter(template => !published.map(bare).includes(template)),
    [],
    'routes that are not published',
  );
});

test('random chains are asked about every route of the model', () => {
  const [plan] = fc.sample(chainPlans({ maxSteps: 10 }), { numRuns: 1, seed: 1 });
  assert.ok(plan);
  const asked = fc.sample(chainRequests(buildChain(plan)), { numRuns: 5000, seed: 1 });
  const known = new Set(asked.map(path => routeOf(path)?.route.template));
  assert.deepEqual(
    MODEL_ROUTES.map(({ template }) => template).filter(template => !known.has(template)),
    [],
  );
});
