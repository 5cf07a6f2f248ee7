import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenApiDocument, operationsOf } from '../../src/api/http/openapi/document.ts';
import { onEveryEngine } from '../support/engines.ts';
import { casesOf, scale } from '../support/scale.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { type Measured, measured, type PageCost } from './measured.ts';
import { tooExpensive } from './rules.ts';

/** The short form always draws the same requests; at length each run draws others. */
const seed = Number(process.env.PROPERTY_SEED ?? (scale === 'short' ? 1 : Date.now() % 2 ** 31));

onEveryEngine((engine, openFresh) => {
  test('a page costs the same at any length of the chain and of its list', async t => {
    const { results, document } = await measured(await openFresh(t), { cases: casesOf('COST_CASES', engine), seed });
    t.diagnostic(`${results.length} requests (PROPERTY_SEED=${seed})`);
    const operationOf = operations(document);
    const used = new Set<string>();
    const problems = results.flatMap(result => {
      const { name, path } = result.request;
      const operation = operationOf(path);
      const exception = EXCEPTIONS[operation]?.(new URLSearchParams(path.split('?')[1]));
      if (exception) used.add(operation);
      return tooExpensive(result, exception).map(problem => `${name}: ${problem}`);
    });
    if (process.env.COST_TABLE) for (const result of results) t.diagnostic(line(result));
    assert.deepEqual(problems, []);
    assert.deepEqual(neverAsked(document, results), [], 'operations without a request');
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter(operation => !used.has(operation)),
      [],
      'exceptions of no request',
    );
  });
});

/** What has no page to compare: a constant, and a stream, which has no end (getStreamEvents reads the same log). */
const WITHOUT_PAGES: ReadonlySet<string> = new Set(['fetchFeeRate', 'streamEvents']);

/** Operations that no request is for. The unversioned paths of metadata are other names for the same. */
function neverAsked(document: OpenApiDocument, results: readonly Measured[]): string[] {
  const operationOf = operations(document);
  const asked = new Set(results.map(({ request }) => operationOf(request.path)));
  return operationsOf(document)
    .map(({ operation }) => operation.operationId)
    .filter(name => !name.endsWith('Unversioned') && !WITHOUT_PAGES.has(name) && !asked.has(name));
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);

/** The operation of a GET: of two paths that fit, the one with fewer parameters. */
function operations(document: OpenApiDocument): (path: string) => string {
  const known = operationsOf(document)
    .filter(({ method }) => method === 'get')
    .map(({ path, operation: { operationId: name } }) => ({
      pattern: patternOf(path),
      name,
      parameters: path.split('{').length,
    }))
    .sort((a, b) => a.parameters - b.parameters);
  return path => known.find(({ pattern }) => pattern.test(path.replace(/\?.*/, '')))?.name ?? '';
}

/** Statements, rows, rows looked at and pages: in the short chain, in the long one, on the last page there. */
function line({ request, small, large, deep }: Measured): string {
  const cell = (page: PageCost | undefined) => {
    if (!page) return '-';
    const { statements, rows, scanned, buffers } = page.cost;
    return `${statements}/${rows}/${scanned}/${buffers}`;
  };
  return `${request.name.padEnd(40)} ${[small, large, deep].map(page => cell(page).padEnd(18)).join(' ')}`;
}
