import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, type OpenApiDocument, operationsOf } from '../../src/api/http/openapi/document.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { chainRequests } from '../chains/requests.ts';
import { openFreshOf } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { openTestIndex } from '../support/test-index.ts';
import { MODEL_ROUTES } from './model.ts';

/** Operations whose responses do not follow from the chain alone, with the reason. The model lacks them, and random chains do not request them. */
const BESIDE_THE_CHAIN: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^(getStatus|getServerStatus)$/, 'the state of the server'],
  [/^(streamEvents|getStreamEvents)$/, 'test/properties/live.ts compares the stream with the other routes'],
  [/^(getNetworkBlockTimes|getNetworkBlockTimeByNetwork|fetchFeeRate)$/, 'constants'],
  [/^(getNamespacePrice|getNamePrice)$/, 'the node responds'],
  [
    /^(get(Nft|Sft|Ft)Metadata|getFungibleTokens|getFtLookalikes|searchTokens|getMetadataStatus)(Unversioned)?$/,
    'metadata from the web',
  ],
];

const isBesideTheChain = (name: string): boolean => BESIDE_THE_CHAIN.some(([operations]) => operations.test(name));

/** Parameters without their names, which the document and the model give differently; versions of PoX are values of one. */
const bare = (template: string): string =>
  template.replaceAll(/\{\w+\}/g, '{}').replace(/^\/extended\/v1\/pox\d\//, '/extended/v1/{}/');

test('the model has every published route that tells of the chain, and no other', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const published = operationsOf((await index.get('/openapi.json')).body as OpenApiDocument)
    .filter(({ operation }) => !isBesideTheChain(operation.operationId))
    .map(({ path }) => path);
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

test('random chains request every operation of the document that follows from the chain', async t => {
  const [plan] = fc.sample(chainPlans({ maxSteps: 10 }), { numRuns: 1, seed: 1 });
  assert.ok(plan);
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const operations = operationsOf((await index.get('/openapi.json')).body as OpenApiDocument);
  const requests = fc.sample(chainRequests(buildChain(plan)), { numRuns: 5000, seed: 1 });
  const requested = new Set(requests.map(path => operationOf(operations, path)));
  const names = operations.map(({ operation }) => operation.operationId);
  assert.deepEqual(
    names.filter(name => !requested.has(name) && !isBesideTheChain(name)),
    [],
    'operations that test/chains/requests/ does not request: add them there, or a reason here',
  );
  assert.deepEqual(
    BESIDE_THE_CHAIN.filter(([operations]) => !names.some(name => operations.test(name) && !requested.has(name))),
    [],
    'reasons for operations that are requested, or that do not exist',
  );
});

/** The operation of a GET: of the templates that fit, the one with the fewest parameters. */
function operationOf(operations: readonly Entry[], path: string): string | undefined {
  const [bare = ''] = path.split('?');
  const fitting = operations.filter(
    ({ path: template, method }) =>
      method === 'get' && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
  const [first] = fitting.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  return first?.operation.operationId;
}
