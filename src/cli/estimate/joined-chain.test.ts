import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JoinedChain } from './joined-chain.ts';

const hash = (name: number): string => `0x${String(name).padStart(64, '0')}`;

const row = (height: number, own: number, parent: number) => ({
  ...{ kind: 'event' as const, line: 1, id: 1, receivedAt: 0, path: '/new_block' },
  body: Buffer.from(
    JSON.stringify({
      block_height: height,
      index_block_hash: hash(own),
      parent_index_block_hash: hash(parent),
      events: [{ block_height: 'é' }],
    }),
  ),
});

const placed = (chain: JoinedChain, height: number, own: number, parent: number) => {
  const { body } = chain.add(row(height, own, parent));
  const { block_height, parent_index_block_hash, ...rest } = JSON.parse(body.toString('utf8'));
  assert.deepEqual(rest, { index_block_hash: hash(own), events: [{ block_height: 'é' }] });
  return [block_height, Number(parent_index_block_hash.slice(2))];
};

test('blocks of places that are apart become one chain, and forks stay forks', () => {
  const chain = new JoinedChain();
  assert.deepEqual(placed(chain, 0, 100, 99), [0, 99]);
  assert.deepEqual(placed(chain, 1, 101, 100), [1, 100]);
  // Another place: its first block has a sibling, whose branch goes on.
  assert.deepEqual(placed(chain, 500, 200, 199), [2, 101]);
  assert.deepEqual(placed(chain, 500, 201, 199), [2, 101]);
  assert.deepEqual(placed(chain, 501, 202, 201), [3, 201]);
  assert.deepEqual(placed(chain, 900, 300, 299), [4, 202]);
  assert.equal(chain.height, 4);
});

test('a row that is no block, or belongs where it is, stays the same object', () => {
  const chain = new JoinedChain();
  const [first, second] = [row(1, 1, 0), row(2, 2, 1)];
  const other = { ...row(3, 3, 9), path: '/new_mempool_tx' };
  const bad = { kind: 'bad' as const, line: 1, reason: 'cut off' };
  assert.deepEqual(
    [chain.add(first), chain.add(second), chain.add(other), chain.add(bad)],
    [first, second, other, bad],
  );
  assert.equal(chain.add(second), second);
});
