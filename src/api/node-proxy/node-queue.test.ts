import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createClients } from '../http/clients.ts';
import { NodeFault } from './faults.ts';
import { NodeQueue } from './node-queue.ts';

const LONG = 600_000;

function open(maxNodeRequests: number, maxShare: number, maxWaitingForNode = 1000) {
  const { ledger } = createClients({ limits: { maxNodeRequests, maxShare, maxWaitingForNode } });
  return { ledger, queue: new NodeQueue(ledger) };
}

/** Whether a promise has settled by the next turn of the loop. */
const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise(resolve => setImmediate(resolve, 'later'));
  return (await Promise.race([promise.catch(() => undefined), later])) === 'later';
};

test('a client with its share waits, others do not', async () => {
  const { queue } = open(8, 1 / 4);
  const places = [await queue.enter('a', LONG), await queue.enter('a', LONG)];
  const third = queue.enter('a', LONG);
  assert.ok(await isPending(third));
  await queue.enter('b', LONG);
  places[0]?.release();
  assert.ok(!(await isPending(third)));
});

test('the clients take turns, however many requests each of them has waiting', async () => {
  const { queue } = open(1, 1);
  const order: string[] = [];
  const first = await queue.enter('z', LONG);
  const enter = async (client: string, name: string) => {
    const place = await queue.enter(client, LONG);
    order.push(name);
    place.release();
  };
  const all = [enter('a', 'a1'), enter('a', 'a2'), enter('a', 'a3'), enter('b', 'b1'), enter('c', 'c1')];
  first.release();
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('a request that waits ends at once with its signal, and in its time; both leave the queue', async () => {
  const { queue, ledger } = open(1, 1);
  await queue.enter('a', LONG);
  const gone = new AbortController();
  const left = queue.enter('a', LONG, gone.signal);
  const late = queue.enter('b', 20);
  assert.equal(ledger.held('waiting_for_node'), 2);
  gone.abort(new Error('left'));
  await assert.rejects(left, /left/);
  await assert.rejects(late, (error: unknown) => error instanceof NodeFault && error.failure === 'timeout');
  assert.equal(ledger.held('waiting_for_node'), 0);
});

test('too many waiting requests are a 429 for an address, a 503 for all', async () => {
  const { queue } = open(1, 1 / 2, 2);
  const gone = new AbortController();
  const enter = (client: string) => queue.enter(client, LONG, gone.signal);
  await enter('a');
  const waiting = [enter('a')];
  await assert.rejects(enter('a'), { statusCode: 429 });
  waiting.push(enter('b'));
  await assert.rejects(enter('c'), { statusCode: 503 });
  gone.abort();
  for (const each of waiting) await assert.rejects(each);
});

/** Clients that read responses. */
function readers(t: TestContext, queue: NodeQueue) {
  const state = { clock: 0 };
  t.mock.method(performance, 'now', () => state.clock);
  const destroyed: string[] = [];
  const read = async (client: string, name: string, taken: number, writableNeedDrain = true) => {
    const place = await queue.enter(client, LONG);
    const handle = { bytesWritten: 0, writeQueueSize: 0 };
    const destroy = () => {
      destroyed.push(name);
      place.release();
    };
    const socket = { writableLength: 0, _handle: handle };
    const response = Object.assign(new EventEmitter(), { writableNeedDrain, destroy, socket });
    const body = new Readable({ read: () => undefined }).resume();
    place.readBy(response as unknown as ServerResponse, body);
    handle.bytesWritten = taken;
    return {
      release: () => place.release(),
      pause: () => body.pause(),
      drain: () => body.resume() && response.emit('drain'),
    };
  };
  return { state, read, destroyed };
}

test('the slowest reader of the largest holder makes room for a client without a place; a slow node does not', async t => {
  const { queue, ledger } = open(4, 3 / 4);
  const { state, read, destroyed } = readers(t, queue);
  await read('a', 'of a slow node', 0, false);
  await read('a', 'slow', 1000);
  await read('a', 'fast', 9000);
  await read('b', 'alone', 0);
  const entering = queue.enter('c', LONG);
  assert.ok(await isPending(entering), 'nothing is known about the readers yet');
  state.clock = 5000;
  const place = await entering;
  assert.deepEqual(destroyed, ['slow']);
  assert.equal(ledger.heldBy('node_requests', 'a'), 2);
  place.release();
});

test('slow readers of as many addresses as there are places make room, too', async t => {
  const { queue } = open(3, 1 / 3);
  const { state, read, destroyed } = readers(t, queue);
  for (const [client, taken] of Object.entries({ a: 9000, b: 10, c: 8000 })) await read(client, client, taken);
  state.clock = 5000;
  await queue.enter('d', LONG);
  assert.deepEqual(destroyed, ['b']);
});

test('a quarter of the places is kept free of responses that wait for their readers', async t => {
  const { queue, ledger } = open(4, 1 / 4);
  const { state, read, destroyed } = readers(t, queue);
  const [a, b, c] = [await read('a', 'a', 9000), await read('b', 'b', 10), await read('c', 'c', 8000)];
  state.clock = 100;
  for (const reader of [a, b, c]) reader.pause();
  const d = await read('d', 'd', 9000);
  c.drain();
  d.pause();
  assert.deepEqual(destroyed, [], 'what is read on does not count');
  c.pause();
  assert.deepEqual(destroyed, ['b'], 'the slowest one ends at once');
  assert.equal(ledger.held('unread_from_node'), 3);
  await queue.enter('e', LONG);
  for (const reader of [a, c, d]) reader.release();
  assert.equal(ledger.held('unread_from_node'), 0);
});
