import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attackExchanges, MOVES, type Script } from '../../../test/attack/metadata/hostile-exchanges.ts';
import fc from '../../../test/support/fast-check.ts';
import { hostilePages } from '../../../test/support/fetcher.ts';
import { withDeadline } from '../../base/lib/deadline.ts';

const DOCUMENT_MS = 400;

async function assertSlotsComeBack(scripts: readonly Script[]): Promise<void> {
  const found = await attackExchanges({ scripts, fetches: 2, documentMs: DOCUMENT_MS });
  assert.equal(found.settled, 2 * scripts.length);
  assert.equal(found.lostSlots, 0);
}

test('every single thing that a server does gives its slots back', () =>
  assertSlotsComeBack(MOVES.map(move => [move])));

test('whatever a server does, in any order, every fetch settles and all slots come back', async () => {
  const script = fc.array(fc.constantFrom(...MOVES), { maxLength: 5 });
  await fc.assert(fc.asyncProperty(fc.array(script, { minLength: 8, maxLength: 8 }), assertSlotsComeBack), {
    numRuns: 8,
    endOnFailure: true,
  });
});

test('a change of protocols is an error at once, not a wait for the deadline', async () => {
  const { web, fetchPage } = await hostilePages();
  web.raw(socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n'));
  try {
    const { error } = await fetchPage('/', { limits: { documentMs: 600_000 } });
    assert.deepEqual([error?.reason, error?.kind], [107, 'transient']);
  } finally {
    await web.close();
  }
});

test('interim responses without end are an error at once', async () => {
  const { web, fetchPage } = await hostilePages();
  web.raw(socket => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
  try {
    const { error } = await fetchPage('/', { limits: { documentMs: 600_000 } });
    assert.match(error?.message ?? '', /interim responses/);
  } finally {
    await web.close();
  }
});

test('bytes around a body are counted like the body', async () => {
  const { web, fetchPage } = await hostilePages();
  web.raw(socket => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`${'1\r\n \r\n'.repeat(100_000)}`);
  });
  try {
    const { error } = await fetchPage('/', { limits: { documentMs: 600_000, documentBytes: 120_000 } });
    assert.equal(error?.reason, 101);
  } finally {
    await web.close();
  }
});

test('a deadline settles although its task never does', async () => {
  await assert.rejects(
    withDeadline(1, undefined, () => new Promise(() => {})),
    /took too long/,
  );
  const stop = new AbortController();
  const stopped = withDeadline(600_000, stop.signal, () => new Promise(() => {}));
  stop.abort(new Error('enough'));
  await assert.rejects(stopped, /enough/);
});
