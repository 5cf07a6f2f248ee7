import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { lockAt } from '../../api/records/addresses/balance.ts';
import { addLockEvent, type LockEvent, type LocksByPoxVersion, type PoxVersion } from './locks.ts';
import { packLocks, readLocks } from './stored.ts';

const NOT_FORCED: readonly (number | null)[] = [null, null, null, null];

/** An event of the block of this burn height; its id is its Stacks height. */
const event = (height: number, unlockHeight: number, more: Partial<LockEvent> = {}): LockEvent => ({
  txId: `0x${height}`,
  locked: '100',
  unlockHeight,
  height,
  burnHeight: height,
  ends: false,
  ...more,
});

const locksOf = (version: PoxVersion, ...events: LockEvent[]): LocksByPoxVersion =>
  events.reduce<LocksByPoxVersion>((locks, next) => addLockEvent(locks, version, next, next.burnHeight), {});

test('a lock is in force up to the burn height of its end, that height included', () => {
  const locks = locksOf(4, event(1, 20));
  assert.equal(lockAt(locks, 20, NOT_FORCED)?.txId, '0x1');
  assert.equal(lockAt(locks, 21, NOT_FORCED), undefined);
});

test('the newest of the locks that are in force counts; when it ends before an older one, the older one is back', () => {
  const locks = locksOf(4, event(1, 20), event(2, 15));
  assert.equal(lockAt(locks, 15, NOT_FORCED)?.txId, '0x2');
  assert.equal(lockAt(locks, 16, NOT_FORCED)?.txId, '0x1');
});

test('an unlock clears the lock of its own and of earlier versions once its height is past', () => {
  const before = addLockEvent(locksOf(1, event(1, 50)), 3, event(2, 50), 2);
  const after = addLockEvent(before, 3, event(3, 5, { ends: true }), 10);
  assert.equal(lockAt(before, 10, NOT_FORCED)?.txId, '0x2');
  assert.equal(lockAt(after, 10, NOT_FORCED), undefined);
  assert.equal(lockAt(addLockEvent(after, 4, event(4, 60), 11), 12, NOT_FORCED)?.txId, '0x4');
});

test('a later version overrides an earlier one whichever event is newer', () => {
  const locks = addLockEvent(locksOf(4, event(1, 50)), 1, event(2, 60), 2);
  assert.equal(lockAt(locks, 10, NOT_FORCED)?.txId, '0x1');
  assert.equal(lockAt(locks, 55, NOT_FORCED)?.txId, '0x2');
});

test('locks of a version end at its forced height where that is known; 0 means that it is not', () => {
  for (const version of [1, 2, 3, 4] as const) {
    const forcedAt = (height: number) => NOT_FORCED.with(version - 1, height);
    const locks = locksOf(version, event(1, 50));
    assert.equal(lockAt(locks, 30, forcedAt(30))?.txId, '0x1');
    assert.equal(lockAt(locks, 31, forcedAt(30)), undefined);
    assert.equal(lockAt(locks, 31, forcedAt(0))?.txId, '0x1');
  }
});

test('what an account can pile up is bounded', () => {
  const events = Array.from({ length: 500 }, (_, i) => event(i, 10_000 - i, { burnHeight: 5 }));
  assert.ok((locksOf(4, ...events)[4]?.length ?? 0) <= 32);
});

test('packed locks are the same after unpacking', () => {
  const locks = addLockEvent(locksOf(2, event(1, 50), event(2, 40, { ends: true })), 4, event(3, 60), 3);
  assert.deepEqual(readLocks(packLocks(locks)), locks);
  assert.deepEqual(readLocks(packLocks({})), {});
});

test('leaving out what is moot never changes the response', () => {
  const steps = fc.array(
    fc.record({
      version: fc.constantFrom<PoxVersion>(1, 2, 3, 4, 5),
      term: fc.integer({ min: -5, max: 20 }),
      wait: fc.integer({ min: 0, max: 4 }),
      ends: fc.boolean(),
    }),
    { maxLength: 30 },
  );
  const check = fc.property(steps, fc.integer({ min: 0, max: 30 }), (history, later) => {
    let kept: LocksByPoxVersion = {};
    const all: Record<number, LockEvent[]> = {};
    let burnHeight = 100;
    for (const [i, { version, term, wait, ends }] of history.entries()) {
      burnHeight += wait;
      const next = event(i, burnHeight + term, { burnHeight, ends });
      kept = addLockEvent(kept, version, next, burnHeight);
      all[version] = [...(all[version] ?? []), next];
    }
    assert.deepEqual(
      lockAt(kept, burnHeight + later, NOT_FORCED)?.txId,
      lockAt(all, burnHeight + later, NOT_FORCED)?.txId,
    );
  });
  fc.assert(check, { numRuns: 2_000 });
});

test('of PoX 5 the newest lock event decides, alone', () => {
  const steps: readonly (readonly [burnHeight: number, locked: string, until: number])[] = [
    [963_000, '60000000000', 968_450],
    [963_100, '70000000000', 970_550],
    [963_200, '70000000000', 964_250],
    [964_300, '30000000000', 989_450],
  ];
  const shown = (locks: LocksByPoxVersion, burnHeight: number) => {
    const lock = lockAt(locks, burnHeight, [1, 2, 3, 4]);
    return lock ? [lock.locked, lock.unlockHeight] : ['0', 0];
  };
  let locks: LocksByPoxVersion = locksOf(4, event(1, 2_000_000));
  assert.deepEqual(shown(locks, 963_000), ['0', 0]);
  for (const [burnHeight, locked, until] of steps) {
    locks = addLockEvent(locks, 5, event(burnHeight, until, { locked }), burnHeight);
    assert.deepEqual(shown(locks, burnHeight), [locked, until]);
    assert.deepEqual(shown(locks, until), [locked, until]);
    assert.deepEqual(shown(locks, until + 1), ['0', 0]);
  }
});

test('a lock of PoX 5 in force wins over those of earlier versions, which are back when it ends only as long as they last', () => {
  const locks = addLockEvent(locksOf(4, event(1, 50)), 5, event(2, 20), 2);
  assert.equal(lockAt(locks, 20, NOT_FORCED)?.txId, '0x2');
  assert.equal(lockAt(locks, 21, NOT_FORCED)?.txId, '0x1');
  assert.equal(lockAt(locks, 21, [1, 2, 3, 4]), undefined);
});
