import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOf } from '../../src/api/http/openapi/document.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { BESIDE_THE_CHAIN, chainRequests, isBesideTheChain, NOT_MODELLED } from '../chains/requests.ts';
import fc from '../support/fast-check.ts';
import { apiDocument, operationFinder } from '../support/operations.ts';
import { MODEL_ROUTES } from './model.ts';

const A_REASON = 'a reason in BESIDE_THE_CHAIN of test/chains/requests.ts';
const WRITE_RESPONSE = `compute their responses in test/model/responses/ (MODEL_ROUTES lists its files), or give them ${A_REASON}`;

/** Parameters without their names, which the document and the model give differently; versions of PoX are values of one. */
const bare = (template: string): string =>
  template.replaceAll(/\{\w+\}/g, '{}').replace(/^\/extended\/v1\/pox\d\//, '/extended/v1/{}/');

test('the model has every published route that tells of the chain, and no other', async () => {
  const published = operationsOf(await apiDocument())
    .filter(({ operation }) => !isBesideTheChain(operation.operationId))
    .map(({ path }) => path);
  const modelled = MODEL_ROUTES.map(({ template }) => bare(template));
  assert.deepEqual(
    published.map(bare).filter(path => !modelled.includes(path)),
    [],
    `routes that the model lacks: ${WRITE_RESPONSE}`,
  );
  assert.deepEqual(
    modelled.filter(template => !published.map(bare).includes(template)),
    [],
    'routes of the model that are not published: remove them from test/model/responses/',
  );
});

test('random chains request every operation of the document that follows from the chain', async () => {
  const [plan] = fc.sample(chainPlans({ maxSteps: 10 }), { numRuns: 1, seed: 1 });
  assert.ok(plan);
  const document = await apiDocument();
  const operationOf = operationFinder(document);
  const requests = fc.sample(chainRequests(buildChain(plan), document), { numRuns: 5000, seed: 1 });
  const requested = new Set(requests.map(path => operationOf(path)?.operation.operationId));
  const names = operationsOf(document).map(({ operation }) => operation.operationId);
  const parameters = operationsOf(document).flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters.flatMap(({ name }) => [name, `${operationId}.${name}`]),
  );
  assert.deepEqual(
    Object.keys(NOT_MODELLED).filter(name => !parameters.includes(name)),
    [],
    'parameters of NOT_MODELLED that do not exist: remove them',
  );
  assert.deepEqual(
    names.filter(name => !requested.has(name) && !isBesideTheChain(name)),
    [],
    `operations that random chains never request: a POST is not drawn, so give it ${A_REASON}`,
  );
  assert.deepEqual(
    BESIDE_THE_CHAIN.filter(([operations]) => !names.some(name => operations.test(name))),
    [],
    'reasons of BESIDE_THE_CHAIN for operations that do not exist: remove them',
  );
});
