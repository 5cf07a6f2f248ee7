import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClients } from './clients.ts';
import { UnreadWatch } from './unread.ts';

const ADDRESS = '192.0.2.1';

/** A watch over clients each of which names what it has not read. */
function watching() {
  const clients = createClients({ limits: { maxUnsentBytes: 1000, maxUnsentBytesPerClient: 400, maxShare: 1 } });
  const watch = new UnreadWatch(clients, { hardQueue: 300 });
  const open = (address: string) => {
    const reader = { address, bytes: 0, read: 0, isDropped: false };
    const unread = watch.watch({
      address,
      unread: () => reader.bytes,
      taken: () => reader.read,
      drop: () => {
        reader.isDropped = true;
        unread.release();
      },
    });
    return Object.assign(reader, { unread });
  };
  return { clients, watch, open };
}

test('what 20 clients of one address leave unread is never more than its share', () => {
  const { clients, open } = watching();
  const readers = Array.from({ length: 20 }, () => open(ADDRESS));
  for (const reader of readers) reader.bytes = 50;
  assert.deepEqual(
    readers.map(({ unread }) => unread.fits()),
    readers.map((_, i) => i < 8),
  );
  assert.equal(clients.ledger.heldBy('unsent_bytes', ADDRESS), 400);
  // What a client has read, another one may leave unread.
  for (const reader of readers.slice(0, 2)) {
    reader.bytes = 0;
    assert.ok(reader.unread.fits());
  }
  assert.ok(readers[19]?.unread.fits());
  for (const { unread } of readers) unread.release();
  assert.equal(clients.ledger.held('unsent_bytes'), 0);
  assert.equal(readers[19]?.unread.fits(), false, 'one that has left counts again');
});

test('a client has its own limit, and counts each second although nothing is written to it', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { clients, watch, open } = watching();
  const [large, quiet, other] = [open(ADDRESS), open(ADDRESS), open('192.0.2.2')];
  large.bytes = 301;
  assert.equal(large.unread.fits(), false);
  large.bytes = 300;
  assert.equal(large.unread.fits(), true);
  [quiet.bytes, other.bytes] = [200, 200];
  t.mock.timers.tick(1000);
  assert.deepEqual([large.isDropped, quiet.isDropped, other.isDropped], [false, true, false]);
  assert.equal(clients.ledger.held('unsent_bytes'), 500);
  watch.close();
});
