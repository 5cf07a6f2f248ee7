import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { EVENTS_IN_PART, packEvents, unpackEvents } from './events.ts';

const text = anyText();
const amount = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String);
const action = fc.constantFrom('transfer' as const, 'mint' as const, 'burn' as const);
const party = fc.option(text);

const anyEvent = fc.oneof(
  fc.record({ kind: fc.constant('log' as const), contractId: text, topic: text, value: text }),
  fc.record({
    kind: fc.constant('stx_lock' as const),
    lockedAmount: amount,
    unlockHeight: fc.maxSafeNat(),
    address: text,
    contractId: party,
  }),
  fc.record({ kind: fc.constant('stx' as const), action, sender: party, recipient: party, amount, memo: party }),
  fc.record({ kind: fc.constant('ft' as const), action, sender: party, recipient: party, asset: text, amount }),
  fc.record({ kind: fc.constant('nft' as const), action, sender: party, recipient: party, asset: text, value: text }),
);

test('packed events are the same after unpacking, numbered in their order, and hold no NUL', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), found => {
      const events: EventFacts[] = found.map((event, index) => ({ index, ...event }));
      const packed = packEvents(events);
      assert.deepEqual(
        packed.flatMap((text, part) => unpackEvents(text, part)),
        events,
      );
      assert.ok(!packed.some(text => text.includes('\u0000')));
    }),
  );
});

test('a transaction without events takes no room', () => {
  assert.deepEqual(packEvents([]), []);
  assert.deepEqual(unpackEvents(null), []);
});

for (const count of [1, 199, 200, 201, 400, 1_000])
  test(`${count} events are in parts that are full, but for the last, and a part is read without those before it`, () => {
    const events = Array.from(
      { length: count },
      (_, index): EventFacts => ({
        ...{ index, kind: 'stx', action: 'mint', sender: null, recipient: 'a', amount: String(index), memo: null },
      }),
    );
    const parts = packEvents(events);
    assert.equal(parts.length, Math.ceil(count / EVENTS_IN_PART));
    for (const [part, text] of parts.entries())
      assert.deepEqual(unpackEvents(text, part), events.slice(part * EVENTS_IN_PART, (part + 1) * EVENTS_IN_PART));
  });
