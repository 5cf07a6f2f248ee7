import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference, type Recorded } from './recording.ts';

const RECORDED: Recorded = {
  path: '/extended/v2/blocks',
  status: 200,
  body: {
    limit: 2,
    total: 2,
    results: [
      { height: 2, txs: ['0x02'] },
      { height: 1, txs: [] },
    ],
  },
};
const [SECOND, FIRST] = [
  { height: 2, txs: ['0x02'] },
  { height: 1, txs: [] },
];

const PLANTED: Readonly<Record<string, readonly [place: string, body: object]>> = {
  'another value': ['.results[1].height:', { limit: 2, total: 2, results: [SECOND, { ...FIRST, height: 3 }] }],
  'a field that is missing': ['.limit:', { total: 2, results: [SECOND, FIRST] }],
  'a field that was not recorded': ['.offset:', { limit: 2, total: 2, offset: 0, results: [SECOND, FIRST] }],
  'another order': ['.results[0].height:', { limit: 2, total: 2, results: [FIRST, SECOND] }],
  'a list without its end': ['.results[1]:', { limit: 2, total: 2, results: [SECOND] }],
  'a list in place of an object': ['.results[0]:', { limit: 2, total: 2, results: [[], FIRST] }],
};

test('a response that is the recorded one but for the order of its fields has no difference', () => {
  assert.equal(difference(RECORDED, 200, { results: [SECOND, FIRST], total: 2, limit: 2 }), undefined);
});

for (const [what, [place, body]] of Object.entries(PLANTED))
  test(`a response that differs from the recorded one by ${what} differs at its place`, () => {
    assert.equal(difference(RECORDED, 200, body)?.startsWith(place), true, difference(RECORDED, 200, body));
  });
