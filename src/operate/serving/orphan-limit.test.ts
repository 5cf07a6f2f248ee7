import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotAccepted } from '../../ingest/node/event-server.ts';
import { orphanLimit } from './orphan-limit.ts';

type Event = Parameters<ReturnType<typeof orphanLimit>['check']>[0];

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
/** A block, as far as the limit looks at it. */
const block = (n: number, parent: number, height = n): Event =>
  ({
    path: '/new_block',
    block: { index_block_hash: hash(n), parent_index_block_hash: hash(parent), block_height: height },
  }) as Event;

/** An index that knows some blocks, and some gaps. */
function openLimit(most: number) {
  const blocks = new Set<string>();
  const gaps: string[] = [];
  let [time, asked] = [0, 0];
  const limit = orphanLimit(
    most,
    {
      isKnown: async known => {
        asked++;
        return blocks.has(known);
      },
      gaps: async () => gaps.map(missingParent => ({ height: 2, missingParent })),
    },
    () => time,
  );
  return {
    check: limit.check,
    blocks,
    gaps,
    asked: () => asked,
    wait: () => {
      time += 1_000;
    },
  };
}

test('so many orphans are accepted, those of a parent that is missing already too, and no more', async () => {
  const { check } = openLimit(3);
  for (const n of [10, 20, 30]) await check(block(n, n - 1));
  await check(block(11, 9));
  await assert.rejects(check(block(40, 39)), NotAccepted);
});

test('a node that began in the middle of the chain is accepted from its first block on', async () => {
  const { check, asked } = openLimit(1);
  await check(block(1000, 999));
  const before = asked();
  for (let n = 1001; n < 1200; n++) await check(block(n, n - 1));
  assert.equal(asked(), before, 'the index is not asked about blocks on those that were accepted');
});

test('blocks on the chain are accepted whatever is missing', async () => {
  const { check, blocks } = openLimit(1);
  blocks.add(hash(500));
  await check(block(10, 9));
  await assert.rejects(check(block(20, 19)), NotAccepted);
  await check(block(1, 0, 1));
  await check(block(501, 500));
});

test('what the index has as gaps counts, also after a start anew; a gap that has closed does not', async () => {
  const { check, gaps, blocks, wait } = openLimit(2);
  gaps.push(hash(9), hash(19));
  await check(block(10, 9));
  await assert.rejects(check(block(30, 29)), NotAccepted);
  wait();
  gaps.pop();
  await check(block(30, 29));
  blocks.add(hash(29));
  wait();
  await check(block(40, 39));
});

test('other events are not looked at', async () => {
  const { check, asked } = openLimit(0);
  await check({ path: 'acknowledged', original: '/x' });
  assert.equal(asked(), 0);
});
