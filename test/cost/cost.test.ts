import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../support/engines.ts';
import { casesOf, scale } from '../support/scale.ts';
import { asOfBlock, EXCEPTIONS } from './exceptions.ts';
import { type Measured, measured, type PageCost } from './measured.ts';
import { LENGTHS, ONLY_BY_HAND } from './requests/by-hand.ts';
import { tooExpensive } from './rules.ts';

/** The short form always draws the same requests; at length each run draws others. */
const seed = Number(process.env.PROPERTY_SEED ?? (scale === 'short' ? 1 : Date.now() % 2 ** 31));

onSqliteAtLeast((engine, openFresh) => {
  test('a page costs the same at any length of the chain and of its list', async t => {
    const results = await measured(await openFresh(t), { cases: casesOf('COST_CASES', engine), seed });
    t.diagnostic(`${results.length} requests (PROPERTY_SEED=${seed})`);
    const used = new Set<string>();
    const problems = results.flatMap(result => {
      const { operationId, path } = result.request;
      const query = new URLSearchParams(path.split('?')[1]);
      const usual = EXCEPTIONS[operationId]?.(query);
      if (usual) used.add(operationId);
      const exception = query.has('at') ? asOfBlock(operationId, usual) : usual;
      return tooExpensive(result, exception).map(problem => `${operationId}: ${problem}`);
    });
    if (process.env.COST_TABLE) for (const result of results) t.diagnostic(line(result));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter(operation => !used.has(operation)),
      [],
      'exceptions of no request',
    );
    const requested = new Set(results.map(({ request }) => request.operationId));
    assert.deepEqual(
      [...Object.keys(LENGTHS), ...ONLY_BY_HAND].filter(name => !requested.has(name)),
      [],
      'operations of test/cost/requests/by-hand.ts that no request is to',
    );
  });
});

/** Statements, rows, rows looked at and pages: in the short chain, in the long one, on the last page there. */
function line({ request, small, large, deep }: Measured): string {
  const cell = (page: PageCost | undefined) => {
    if (!page) return '-';
    const { statements, rows, scanned, buffers } = page.cost;
    return `${statements}/${rows}/${scanned}/${buffers}`;
  };
  return `${request.operationId.padEnd(40)} ${[small, large, deep].map(page => cell(page).padEnd(18)).join(' ')} ${request.path}`;
}
