import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function queueOf(...items: readonly string[]): FairQueue<string, string> {
  const queue = new FairQueue<string, string>();
  for (const item of items) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string, string>): string[] {
  const order: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) order.push(next);
  return order;
}

test('clients take turns, whatever each of them has waiting', () => {
  const queue = queueOf('A1', 'A2', 'A3', 'B1', 'C1', 'B2');
  assert.deepEqual(drain(queue), ['A1', 'B1', 'C1', 'A2', 'B2', 'A3']);
  assert.equal(queue.isEmpty, true);
});

test('items that are taken out do not come, and a client without items does not wait', () => {
  const queue = queueOf('A1', 'A2', 'B1');
  queue.remove('A', 'A1');
  queue.remove('B', 'B1');
  queue.remove('B', 'B1');
  assert.equal(queue.has('B'), false);
  assert.deepEqual(drain(queue), ['A2']);
});

test('an offer goes to the first item of each client until all refuse', () => {
  const queue = queueOf('A1', 'A2', 'B1', 'C1', 'C2');
  const accepted: string[] = [];
  queue.offer((client, item) => {
    const accepts = client !== 'B' && accepted.length < 3;
    if (accepts) accepted.push(item);
    return accepts;
  });
  assert.deepEqual(accepted, ['A1', 'C1', 'A2']);
  assert.deepEqual(drain(queue), ['B1', 'C2']);
});
