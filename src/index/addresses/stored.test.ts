import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packEventCounts, readEventCounts } from './stored.ts';

test('counts of events are stored as nine numbers: of STX, FT and NFT, each its transfers, mints and burns', () => {
  const stx = { transfer: 1, mint: 2, burn: 3 };
  const ft = { transfer: 4, mint: 5, burn: 6 };
  const nft = { transfer: 7, mint: 8, burn: 9 };
  assert.equal(packEventCounts({ stx, ft, nft }), '[1,2,3,4,5,6,7,8,9]');
  assert.deepEqual(readEventCounts('[1,2,3,4,5,6,7,8,9]'), { stx, ft, nft });
});
