import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutBitcoinBlocks } from './times.ts';

test('a number of Bitcoin blocks is a duration in a unit that a reader can imagine', () => {
  for (const [blocks, words] of [
    [1, 'about 10 minutes'],
    [6, 'about 1 hour'],
    [144, 'about 1 day'],
    [144 * 59, 'about 59 days'],
    [144 * 100, 'about 3 months'],
    [999_936, 'about 19 years'],
  ] as const)
    assert.equal(aboutBitcoinBlocks(blocks), words);
});
