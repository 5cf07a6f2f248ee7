import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_SCHEMA } from '../index-schema.ts';
import { CHECKS } from './checks.ts';
import { RECOUNTED } from './list-lengths.ts';
import { REFERENCES } from './references.ts';

/** Lists by name whose lengths another check recounts, by their code. */
const RECOUNTED_BY: Readonly<Record<number, string>> = {
  23: 'past balances',
  53: 'stacking operations',
  54: 'stacking operations',
};

/** Lists by name that may lose their last entry unnoticed: no check recounts them. */
const NOT_RECOUNTED: ReadonlySet<number> = new Set([22, 27, 31, 33, 51, 52, 61, 63, 65, 80]);

test('the length of every list by name is recounted, unless it is named here', () => {
  const counted = new Set([...RECOUNTED.map(({ code }) => code), ...Object.keys(RECOUNTED_BY).map(Number)]);
  const named = INDEX_SCHEMA.lists.filter(({ named }) => named).map(({ code }) => code);
  assert.deepEqual(
    named.filter(code => !counted.has(code) && !NOT_RECOUNTED.has(code)),
    [],
    'codes of lists that src/verify/list-lengths.ts lacks',
  );
  assert.deepEqual(
    [...NOT_RECOUNTED].filter(code => counted.has(code) || !named.includes(code)),
    [],
  );
  for (const check of Object.values(RECOUNTED_BY)) assert.ok(CHECKS.some(({ name }) => name === check));
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
