import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DEFAULT_METADATA_LIMITS } from '../limits.ts';
import { createHostGate, type HostGate, type Turn } from './host-gate.ts';

const limits = { ...DEFAULT_METADATA_LIMITS, hostConcurrency: 2, hostRequestsPerSecond: 5, hostWaitMs: 10_000 };

/** Time passes only when the test advances it. */
function withClock(context: TestContext): (ms: number) => Promise<void> {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  return async ms => {
    await settled();
    context.mock.timers.tick(ms);
    await settled();
  };
}
const settled = () => new Promise(resolve => setImmediate(resolve));

/** Enters the gate, and records when it may send and the turn that it gets. */
function entering(gate: HostGate, host: string, turns: Turn[], signal?: AbortSignal): Promise<unknown> {
  return gate.enter(host, signal).then(turn => turns.push(turn));
}
const leave = (turn: Turn | undefined) => turn && 'leave' in turn && turn.leave();

test('two requests at a time go to a host, begun a fifth of a second apart', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits });
  const turns: Turn[] = [];
  for (let request = 0; request < 4; request++) entering(gate, 'a', turns);
  await pass(0);
  assert.equal(turns.length, 1);
  await pass(199);
  assert.equal(turns.length, 1);
  await pass(1);
  assert.equal(turns.length, 2);
  await pass(1000);
  assert.equal(turns.length, 2); // both still run
  leave(turns[0]);
  leave(turns[0]); // counts once
  await pass(0);
  assert.equal(turns.length, 3);
  leave(turns[1]);
  await pass(200);
  assert.equal(turns.length, 4);
  assert.ok(turns.every(turn => 'leave' in turn));
});

test('hosts do not wait for each other', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits });
  const turns: Turn[] = [];
  for (const host of ['a', 'b', 'c', 'd']) entering(gate, host, turns);
  await pass(0);
  assert.equal(turns.length, 4);
});

test('who waits too long is put off', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits: { ...limits, hostConcurrency: 1 } });
  const turns: Turn[] = [];
  entering(gate, 'a', turns);
  entering(gate, 'a', turns);
  await pass(10_000);
  assert.deepEqual(turns[1], { retryAfterMs: 10_000 });
});

test('a blocked host is not asked, not by those who wait already, until the block ends', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits: { ...limits, hostConcurrency: 1 } });
  const turns: Turn[] = [];
  entering(gate, 'a', turns);
  entering(gate, 'a', turns);
  await pass(0);
  await gate.block('a', 7000);
  leave(turns[0]);
  entering(gate, 'a', turns);
  await pass(0);
  assert.deepEqual(turns.slice(1), [{ retryAfterMs: 7000 }, { retryAfterMs: 7000 }]);
  await pass(6999);
  assert.deepEqual(await gate.enter('a'), { retryAfterMs: 1 });
  await pass(1);
  entering(gate, 'a', turns);
  await pass(0);
  assert.ok('leave' in (turns[3] ?? {}));
});

test('blocks are stored, and those of other processes are heard of', async context => {
  const pass = withClock(context);
  const stored = new Map([['b', 60_000]]);
  const blocks = {
    load: async (host: string) => stored.get(host) ?? 0,
    store: async (host: string, until: number) => void stored.set(host, until),
  };
  const gate = createHostGate({ limits, blocks });
  await gate.block('a', 5000);
  assert.equal(stored.get('a'), 5000);
  assert.deepEqual(await gate.enter('b'), { retryAfterMs: 60_000 });
  const turns: Turn[] = [];
  entering(gate, 'c', turns);
  await pass(0);
  leave(turns[0]);
  stored.set('c', 90_000);
  await pass(30_000);
  assert.deepEqual(await gate.enter('c'), { retryAfterMs: 60_000 });
});

test('waiting ends when the signal is aborted, and the turn goes to the next', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits: { ...limits, hostConcurrency: 1 } });
  const turns: Turn[] = [];
  entering(gate, 'a', turns);
  const stop = new AbortController();
  const stopped = assert.rejects(gate.enter('a', stop.signal), /enough/);
  entering(gate, 'a', turns);
  await pass(500);
  stop.abort(new Error('enough'));
  await stopped;
  leave(turns[0]);
  await pass(0);
  assert.equal(turns.length, 2);
  await assert.rejects(gate.enter('a', stop.signal), /enough/);
});

test('a host that fails three times in a row is unhealthy for a minute', async context => {
  const pass = withClock(context);
  const gate = createHostGate({ limits });
  gate.failed('a');
  gate.failed('a');
  gate.succeeded('a');
  gate.failed('a');
  gate.failed('a');
  assert.equal(gate.healthy('a'), true);
  gate.failed('a');
  assert.equal(gate.healthy('a'), false);
  await pass(60_001);
  assert.equal(gate.healthy('a'), true);
});

test('a clock of its own decides about blocks', async () => {
  let now = 1_000_000;
  const gate = createHostGate({ limits, now: () => now });
  await gate.block('a', 1000);
  assert.deepEqual(await gate.enter('a'), { retryAfterMs: 1000 });
  now += 1000;
  assert.ok('leave' in (await gate.enter('a')));
});

test('many thousand hosts are not all remembered, but every block is', async () => {
  let now = 0;
  const gate = createHostGate({ limits, now: () => now });
  await gate.block('blocked', 3_600_000);
  for (let host = 0; host < 5000; host++) {
    leave(await gate.enter(`host-${host}`));
    now += 1000;
  }
  assert.ok('retryAfterMs' in (await gate.enter('blocked')) === now < 3_600_000);
});
