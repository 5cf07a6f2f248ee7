import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopTurns } from './loop-turns.ts';

/** LoopTurns on a clock that only work moves. */
function clocked() {
  let time = 0;
  const holds: string[] = [];
  const work = (ms: number) => {
    time += ms;
  };
  const turns = new LoopTurns({ now: () => time, onHold: (by, ms) => holds.push(`${by} ${ms}`) });
  return { turns, holds, work, elapsed: () => time };
}

const turnsOfLoop = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await nextTurn();
};

test('work begins at once while the turn has time left', () => {
  const { turns, work } = clocked();
  const begun: string[] = [];
  const begin = (name: string, ms: number) =>
    turns.begin(name, 'x', () => {
      begun.push(name);
      work(ms);
    });
  begin('a', 4);
  begin('b', 7);
  begin('c', 1);
  assert.deepEqual(begun, ['a', 'b']);
});

test('in later turns clients take turns, whatever each of them has waiting', async () => {
  const { turns, work } = clocked();
  const begun: string[] = [];
  const begin = (client: string, n: number) =>
    turns.begin('r', client, () => {
      begun.push(`${client}${n}`);
      work(20);
    });
  for (const n of [1, 2, 3, 4]) begin('greedy', n);
  begin('other', 1);
  await turnsOfLoop(12);
  assert.deepEqual(begun, ['greedy1', 'greedy2', 'other1', 'greedy3', 'greedy4']);
});

test('short work that waited begins together, until the time of a turn is spent', async () => {
  const { turns, work, elapsed } = clocked();
  const begunBy = (client: string) => turns.begin('r', client, () => work(4));
  turns.begin('r', 'x', () => work(20));
  for (const client of ['a', 'b', 'c', 'd', 'e']) begunBy(client);
  const begun: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const before = elapsed();
    await nextTurn();
    begun.push((elapsed() - before) / 4);
  }
  assert.deepEqual(begun, [3, 2, 0, 0, 0]);
});

test('a loop pauses when its time is spent, and others get their turns', async () => {
  const { turns, work } = clocked();
  const order: string[] = [];
  const loop = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      await turns.pause(name);
      order.push(name);
      work(5);
    }
  };
  const loops = Promise.all([loop('a'), loop('b')]);
  turns.begin('r', 'client', () => {
    order.push('request');
  });
  await loops;
  assert.deepEqual(order, ['request', 'a', 'b', 'a', 'b', 'a', 'b']);
});

test('while requests wait, loops go on as well', async () => {
  const { turns, work } = clocked();
  let pieces = 0;
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      await turns.pause('loop');
      pieces++;
      work(4);
    }
  })();
  const requests = Promise.withResolvers<void>();
  for (let i = 0; i < 100; i++) turns.begin('r', 'client', () => work(1));
  turns.begin('r', 'client', () => requests.resolve());
  await requests.promise;
  const during = pieces;
  isOver = true;
  await loop;
  assert.ok(during >= 8 && during <= 12, String(during));
});

test('while requests wait for a database, a loop leaves 10 ms between its pieces', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let time = 0;
  let isAwaited = true;
  const turns = new LoopTurns({ now: () => time, isAwaited: () => isAwaited });
  let pieces = 0;
  const loop = (async () => {
    while (pieces < 5) {
      await turns.pause('loop');
      pieces++;
      time += 5;
    }
  })();
  const after = async (ms: number) => {
    time += ms;
    t.mock.timers.tick(ms);
    await turnsOfLoop(12);
    return pieces;
  };
  assert.equal(await after(0), 2);
  assert.equal(await after(8), 2);
  assert.equal(await after(2), 3);
  isAwaited = false;
  assert.equal(await after(10), 5);
  await loop;
});

test('a long turn is reported under the name of the work that took most of it', async () => {
  const { turns, holds, work } = clocked();
  turns.begin('short', 'x', () => work(5));
  turns.begin('long', 'x', () => work(60));
  await turnsOfLoop(2);
  turns.begin('short', 'x', () => work(50));
  await turnsOfLoop(2);
  assert.deepEqual(holds, ['long 65']);
});

test('work gets the time at which it begins', async () => {
  const { turns, work, elapsed } = clocked();
  const began: number[] = [];
  const begin = () =>
    turns.begin('r', 'x', at => {
      began.push(at);
      work(15);
    });
  begin();
  begin();
  assert.deepEqual(began, [0]);
  await turnsOfLoop(12);
  assert.deepEqual(began, [0, 15]);
  assert.equal(elapsed(), 30);
});
