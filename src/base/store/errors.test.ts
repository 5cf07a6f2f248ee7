import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { AppError } from '../lib/app-error.ts';
import { FatalDatabaseError, RetryableDatabaseError, revivedError } from './errors.ts';

const FILE = new URL('./errors.ts', import.meta.url).href;
const DEADLINE = new URL('../lib/deadline.ts', import.meta.url).href;

/** What another thread throws, as it arrives here. */
async function thrownInThread(file: string, expression: string): Promise<unknown> {
  const code = `import(${JSON.stringify(file)}).then(own => setImmediate(() => { throw ${expression}; }))`;
  const [error] = await once(new Worker(code, { eval: true }), 'error');
  return error;
}

test('an error of a database that another thread throws has its class again, with its code and hint', async () => {
  for (const [expression, error] of [
    ["new own.FatalDatabaseError('SCHEMA', 'no such table')", new FatalDatabaseError('SCHEMA', 'no such table')],
    [
      "new own.RetryableDatabaseError('BUSY', 'locked', { hint: 'Wait.' })",
      new RetryableDatabaseError('BUSY', 'locked', { hint: 'Wait.' }),
    ],
  ] as const) {
    const revived = revivedError(await thrownInThread(FILE, expression));
    assert.ok(revived instanceof AppError);
    assert.equal(revived.constructor, error.constructor);
    assert.deepEqual([revived.code, revived.hint, revived.message], [error.code, error.hint, error.message]);
  }
});

test('any other error of the program that another thread throws has its name and kind, and is an AppError again', async () => {
  const revived = revivedError(await thrownInThread(DEADLINE, "new own.DeadlineError('late')"));
  assert.ok(revived instanceof AppError);
  const { name, kind, message, code, statusCode, hint } = revived;
  assert.deepEqual(
    [name, kind, message, code, statusCode, hint],
    ['DeadlineError', 'caller', 'late', undefined, undefined, ''],
  );
});

test('any other error stays what it is', () => {
  const strangers = [
    new TypeError('a defect'),
    Object.assign(new Error('x'), { kind: 5, hint: 'y' }),
    'text',
    undefined,
  ];
  for (const error of [...strangers, new FatalDatabaseError('CLOSED', 'closed')])
    assert.equal(revivedError(error), error);
});
