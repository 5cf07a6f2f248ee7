import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from './app-error.ts';
import { createLogger } from './logger.ts';

class Away extends AppError {
  override readonly name = 'Away';
  override readonly kind = 'operator';
}

/** The log line of an error, parsed. */
function lineOf(error: Error): Record<string, unknown> {
  let text = '';
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  createLogger({ level: 'info' }, destination).warn({ err: error }, 'failed');
  return JSON.parse(text).err;
}

test('an error with a hint is logged with its code, message and hint, and without a stack', () => {
  const error = new Away('no connection', { code: 'REFUSED', hint: 'Start the server.' });
  assert.deepEqual(lineOf(error), {
    type: 'Away',
    code: 'REFUSED',
    message: 'no connection',
    hint: 'Start the server.',
  });
});

test('an error without a hint is logged with its stack', () => {
  for (const error of [new Error('a defect'), new Away('no connection')])
    assert.match(String(lineOf(error).stack), /logger\.test/);
});
