import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { onEveryEngine } from '../support/engines.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { type Measured, measured, type PageCost } from './measured.ts';
import { tooExpensive } from './rules.ts';

onEveryEngine((_engine, openFresh) => {
  test('a page costs the same at any length of the chain and of its list', async t => {
    const { results, document } = await measured(await openFresh(t));
    const problems = results.flatMap(result =>
      tooExpensive(result, EXCEPTIONS[result.request.name]).map(problem => `${result.request.name}: ${problem}`),
    );
    if (process.env.COST_TABLE) for (const result of results) t.diagnostic(line(result));
    assert.deepEqual(problems, []);
    assert.deepEqual(neverAsked(document, results), [], 'paths without a request');
    const names = new Set(results.map(({ request }) => request.name));
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter(name => !names.has(name)),
      [],
      'exceptions of no request',
    );
  });
});

/** Paths of the document that no request is for. The unversioned paths of metadata are other names for the same. */
function neverAsked({ paths }: OpenApiDocument, results: readonly Measured[]): string[] {
  const asked = results.map(({ request }) => request.path.replace(/\?.*/, ''));
  const patterns = Object.keys(paths).map(path => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return patterns
    .filter(({ path, pattern }) => !/^\/metadata(?!\/v1)/.test(path) && !asked.some(other => pattern.test(other)))
    .map(({ path }) => path);
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
