import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataError } from './errors.ts';

test('the message of an error is fit for a log line: one line, short, no invisible characters', () => {
  const { message } = metadataError('document', 'refused', 'permanent', `a\n\u202eb\u2028c\ud800${'y'.repeat(5000)}`);
  assert.match(message, /^a b c y/);
  assert.ok(message.length < 400 && message.isWellFormed());
});

test('an error about an image has the next number after that about a document', () => {
  for (const cause of ['tooLarge', 'timeout', 'unparsable', 'refused'] as const) {
    const document = metadataError('document', cause, 'permanent', '');
    assert.equal(metadataError('image', cause, 'permanent', '').reason, document.reason + 1);
  }
});
