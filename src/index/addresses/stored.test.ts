import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packEventCounts, readEventCounts } from './stored.ts';

const counts = (transfer: number, mint: number, burn: number) => ({ transfer, mint, burn });
const NONE = counts(0, 0, 0);

test('counts of events are stored as nine numbers: of STX, FT and NFT, each its transfers, mints and burns', () => {
  const all = { stx: counts(1, 2, 3), ft: counts(4, 5, 6), nft: counts(7, 8, 9) };
  assert.equal(packEventCounts(all), '1,2,3,4,5,6,7,8,9');
  assert.deepEqual(readEventCounts('1,2,3,4,5,6,7,8,9'), all);
});

test('a count of zero takes no digit, and none behind the last other count', () => {
  const cases = [
    { text: '1', counts: { stx: counts(1, 0, 0), ft: NONE, nft: NONE } },
    { text: ',,,10', counts: { stx: NONE, ft: counts(10, 0, 0), nft: NONE } },
    { text: ',2,,,,,,,300', counts: { stx: counts(0, 2, 0), ft: NONE, nft: counts(0, 0, 300) } },
    { text: '', counts: { stx: NONE, ft: NONE, nft: NONE } },
  ];
  for (const { text, counts } of cases) {
    assert.equal(packEventCounts(counts), text);
    assert.deepEqual(readEventCounts(text), counts);
  }
  assert.deepEqual(readEventCounts(null), { stx: NONE, ft: NONE, nft: NONE });
});
