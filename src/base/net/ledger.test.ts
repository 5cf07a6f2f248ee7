import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { type Closable, type Holding, Ledger, type LedgerEvents } from './ledger.ts';

const ledgerOf = (total: number, perAddress: number, events?: LedgerEvents, replacesOwn = false) =>
  new Ledger({ things: { total, perAddress, replacesOwn } }, events);

const held = (result: Holding | string): Holding => (typeof result === 'string' ? assert.fail(result) : result);

test('an address gets its share of a resource and no more', () => {
  const ledger = ledgerOf(100, 25);
  const holding = held(ledger.hold('things', 'a', 20));
  assert.equal(ledger.hold('things', 'a', 6), 'address');
  assert.equal(holding.add(6), 'address');
  assert.equal(holding.add(5), undefined);
  held(ledger.hold('things', 'b', 25));
  holding.release();
  holding.release();
  assert.equal(holding.add(1), 'total');
  assert.equal(ledger.held('things'), 25);
  assert.equal(ledger.heldBy('things', 'a'), 0);
});

test('a trusted proxy has no share of its own, but counts in the total', () => {
  const ledger = ledgerOf(100, 25);
  held(ledger.hold('things', undefined, 80));
  held(ledger.hold('things', 'a', 20));
  assert.equal(ledger.hold('things', undefined, 1), 'total');
});

test('when all is held, the slowest holding of the largest holder makes room for a smaller one', () => {
  const ended: string[] = [];
  const closable = (name: string, progress: number | undefined): Closable => ({
    progress: () => progress,
    close: () => ended.push(name),
  });
  const ledger = ledgerOf(10, 6);
  held(ledger.hold('things', 'large', 2, closable('protected', undefined)));
  held(ledger.hold('things', 'large', 2, closable('fast', 9)));
  held(ledger.hold('things', 'large', 2, closable('slow', 1)));
  held(ledger.hold('things', 'small', 2, closable('small', 0)));
  held(ledger.hold('things', 'other', 2));
  held(ledger.hold('things', 'new', 1));
  assert.deepEqual(ended, ['slow']);
  assert.equal(ledger.heldBy('things', 'large'), 4);
});

test('a holder of the most does not push out a smaller one', () => {
  const ledger = ledgerOf(10, 8);
  held(ledger.hold('things', 'large', 8, { progress: () => 1, close: () => assert.fail() }));
  held(ledger.hold('things', 'small', 2, { progress: () => 0, close: () => assert.fail() }));
  assert.equal(ledger.hold('things', 'large', 1), 'address');
  assert.equal(ledger.hold('things', 'new', 9), 'address');
});

test('where a resource allows it, a client replaces the slowest holding of its own address', () => {
  let closed = 0;
  const ledger = ledgerOf(10, 2, {}, true);
  held(ledger.hold('things', 'a', 1, { progress: () => 2, close: () => assert.fail() }));
  held(ledger.hold('things', 'a', 1, { progress: () => 1, close: () => closed++ }));
  held(ledger.hold('things', 'a', 1));
  assert.equal(closed, 1);
});

test('where every address holds the same, a client replaces its own slowest holding', () => {
  let closed = 0;
  const ledger = ledgerOf(4, 3, {}, true);
  for (const address of ['a', 'b'])
    for (const progress of [1, 2])
      held(ledger.hold('things', address, 1, { progress: () => progress, close: () => closed++ }));
  held(ledger.hold('things', 'b', 1));
  assert.equal(closed, 1);
  assert.deepEqual([ledger.heldBy('things', 'a'), ledger.heldBy('things', 'b')], [2, 2]);
});

test('an address that holds its full share for a minute is reported once', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const reported: string[] = [];
  const ledger = ledgerOf(10, 2, { onFullShare: (resource, address) => reported.push(`${resource} ${address}`) });
  const holding = held(ledger.hold('things', 'a', 2));
  mock.timers.tick(59_000);
  holding.add(-1);
  holding.add(1);
  mock.timers.tick(59_000);
  assert.deepEqual(reported, []);
  mock.timers.tick(2_000);
  mock.timers.tick(120_000);
  assert.deepEqual(reported, ['things a']);
  mock.timers.reset();
});

test('whatever clients take and give back, no limit is passed and nothing stays counted', () => {
  const step = fc.record({
    address: fc.constantFrom('a', 'b', 'c', undefined),
    amount: fc.integer({ min: 0, max: 6 }),
    kind: fc.constantFrom('hold', 'grow', 'shrink', 'release'),
    progress: fc.option(fc.nat(5), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const ledger = ledgerOf(20, 8);
      const holdings: { readonly holding: Holding; readonly address: string | undefined; amount: number }[] = [];
      for (const { address, amount, kind, progress } of steps) {
        const some = holdings[amount % Math.max(1, holdings.length)];
        if (kind === 'hold') {
          const known = { address, amount };
          const close = () => {
            const at = holdings.indexOf(record);
            if (at >= 0) holdings.splice(at, 1);
          };
          const result = ledger.hold('things', address, amount, { progress: () => progress, close });
          if (typeof result === 'string') continue;
          const record = { ...known, holding: result };
          holdings.push(record);
        } else if (some && kind === 'grow' && some.holding.add(amount) === undefined) some.amount += amount;
        else if (some && kind === 'shrink' && some.holding.add(-Math.min(amount, some.amount)) === undefined)
          some.amount -= Math.min(amount, some.amount);
        else if (some && kind === 'release') {
          some.holding.release();
          holdings.splice(holdings.indexOf(some), 1);
        }
        const sum = (of?: string) =>
          holdings.filter(each => of === undefined || each.address === of).reduce((all, each) => all + each.amount, 0);
        assert.equal(ledger.held('things'), sum());
        assert.ok(sum() <= 20);
        for (const each of ['a', 'b', 'c']) {
          assert.equal(ledger.heldBy('things', each), sum(each));
          assert.ok(sum(each) <= 8);
        }
      }
    }),
  );
});
