import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_SCHEMA } from '../../../index/index-schema.ts';
import { CHECKS } from '../checks.ts';
import { REFERENCES } from './references.ts';

test('the length of every list is recounted by a check', () => {
  const recounted = new Set(CHECKS.flatMap(({ recounts = [] }) => recounts));
  assert.deepEqual(
    INDEX_SCHEMA.lists.filter(kind => !recounted.has(kind)).map(({ code }) => code),
    [],
    'codes of lists that no check names',
  );
});

test('every list whose entries stand for transactions is checked', () => {
  const entries = new Set(INDEX_SCHEMA.lists.filter(({ named }) => named).map(kind => kind.entries));
  const ofTransactions = [...entries].filter(({ columns }) => 'tx' in columns);
  assert.ok(ofTransactions.length > 5, `only ${ofTransactions.length} tables were found`);
  const checked = new Set(REFERENCES.filter(({ column }) => column === 'tx').map(({ from }) => from));
  assert.deepEqual(
    ofTransactions.filter(table => !checked.has(table)).map(({ name }) => name),
    [],
  );
});
