import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FatalDatabaseError, isDatabaseError, RetryableDatabaseError, revivedError } from './errors.ts';

test('an error that lost its class between threads gets it back, with its hint', () => {
  for (const error of [
    new FatalDatabaseError('SCHEMA', 'no such table'),
    new RetryableDatabaseError('BUSY', 'locked', { hint: 'Wait.' }),
  ]) {
    const { name, code, hint, message } = error;
    const revived = revivedError(Object.assign(new Error(message), { name, code, hint }));
    assert.ok(isDatabaseError(revived));
    assert.equal(revived.constructor, error.constructor);
    assert.deepEqual([revived.code, revived.hint, revived.message], [code, hint, message]);
  }
});

test('any other error stays what it is', () => {
  for (const error of [new TypeError('a defect'), Object.assign(new Error('x'), { hint: 5 }), 'text', undefined])
    assert.equal(revivedError(error), error);
});
