import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tip } from '../../ingest/chain/tip.ts';
import { createServer } from './server.ts';

const tipAt = (height: number): Tip => ({
  height,
  indexBlockHash: `0x${height}`,
  blockHash: '0xb1',
  burnBlockHeight: 90,
  microblockHash: null,
  microblockSequence: null,
});

/** A chain to which a block is added in the middle of the first responses, and a route that reads it twice. */
function chainThatGrows(blocks: number) {
  let height = 7;
  let asked = 0;
  const api = createServer({ version: '0', tip: tipOf(() => height) });
  api.get('/twice', { config: { cache: 'tip' } }, async () => {
    const first = height;
    if (asked++ < blocks) height++;
    await Promise.resolve();
    return JSON.stringify([first, height]);
  });
  return { ask: () => api.inject('/twice'), asked: () => asked };
}

/** Returns the same object until the tip changes. */
function tipOf(heightNow: () => number) {
  let tip = tipAt(heightNow());
  return {
    current: () => {
      if (tip.height !== heightNow()) tip = tipAt(heightNow());
      return tip;
    },
  };
}

test('a response that was made while the tip moved is made again, and its headers name what it shows', async () => {
  const { ask, asked } = chainThatGrows(1);
  const { body, headers } = await ask();
  assert.deepEqual([JSON.parse(body), headers['x-stacks-tip-height'], asked()], [[8, 8], '8', 2]);
});

test('a response is made once while nothing moves', async () => {
  const { ask, asked } = chainThatGrows(0);
  assert.equal((await ask()).headers['x-stacks-tip-height'], '7');
  assert.equal(asked(), 1);
});

test('blocks that arrive without end hold nobody up', async () => {
  const { ask, asked } = chainThatGrows(100);
  assert.equal((await ask()).statusCode, 200);
  assert.equal(asked(), 3);
});
