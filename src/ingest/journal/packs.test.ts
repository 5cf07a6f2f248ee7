import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { droppedPack, identitiesIn } from './dropped.ts';
import { type Delivery, release } from './entries.ts';
import { payloadIdentity } from './identity.ts';
import { Journal } from './journal.ts';
import { PACKED_TOGETHER, StoredPayloads, storedPayloads } from './packs.ts';

const deliveryOf = (body: Uint8Array): Delivery => ({ path: '/new_block', receivedAt: 1, body });
const bodiesOf = (count: number, name = 'event'): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`{"${name}":${i}}`));

test('payloads come back as they were: none, one, many, empty ones and large ones', () => {
  const large = Buffer.alloc(200_000, 'large');
  const cases = [
    [],
    bodiesOf(1),
    bodiesOf(40),
    [Buffer.of(), Buffer.of(), ...bodiesOf(3)],
    [large, large, ...bodiesOf(2), large],
  ];
  for (const bodies of cases) {
    const stored = storedPayloads(bodies);
    assert.equal(stored.length, bodies.length);
    const payloads = new StoredPayloads();
    for (const [i, payload] of stored.entries()) {
      payloads.pass({ seq: 7 + i, payload });
      assert.deepEqual(Buffer.from(payloads.body(7 + i)), Buffer.from(bodies[i] ?? ''));
    }
  }
});

test('a payload whose pack is damaged, cut off or missing is refused', () => {
  const [pack = Buffer.of()] = storedPayloads(bodiesOf(4));
  const bodyOf = (seq: number, payload: Uint8Array): Uint8Array => {
    const payloads = new StoredPayloads();
    payloads.pass({ seq: 1, payload });
    return payloads.body(seq);
  };
  assert.equal(Buffer.from(bodyOf(4, pack)).toString(), '{"event":3}');
  assert.throws(() => bodyOf(5, pack));
  assert.throws(() => bodyOf(1, pack.subarray(0, -5)));
  assert.throws(() => bodyOf(1, Buffer.from('01ff', 'hex')));
  assert.throws(() => bodyOf(1, Buffer.of()));
});

test('a dropped payload is no empty one: reading it names the state, and a program that knows no such state fails', () => {
  const identities = bodiesOf(3).flatMap(body => payloadIdentity('/new_mempool_tx', body)?.digest ?? []);
  const pack = droppedPack(identities);
  assert.deepEqual(identitiesIn(pack).map(String), identities.map(String));
  const payloads = new StoredPayloads();
  payloads.pass({ seq: 7, payload: pack });
  for (const seq of [7, 8, 9]) {
    if (seq > 7) payloads.pass({ seq, payload: Buffer.of() });
    assert.equal(payloads.isDropped, true);
    assert.throws(() => payloads.body(seq), {
      code: 'PAYLOAD_DROPPED',
      message: new RegExp(`entry ${seq} was dropped`),
    });
  }
  assert.throws(() => zstdDecompressSync(pack));
  for (const damaged of [pack.subarray(0, -1), pack.subarray(0, 1), Buffer.of(1, 2)])
    assert.throws(() => identitiesIn(damaged), /damaged/);
});

test('what identifies a payload is a hash where it has one, else its content, in whatever bytes', () => {
  const identity = (path: string, text: string) => {
    const found = payloadIdentity(path, Buffer.from(text));
    return found && Buffer.from(found.digest).toString('hex');
  };
  const hash = `0x${'ab'.repeat(32)}`;
  const block = identity('/new_block', `{"index_block_hash":"${hash}","height":1}`);
  assert.equal(block, identity('/new_block', `{ "height": 2, "index_block_hash": "${hash}" }`));
  assert.notEqual(block, identity('/new_block', `{"index_block_hash":"0x${'ac'.repeat(32)}"}`));
  assert.equal(identity('/new_block', '{"index_block_hash":"0x12"}'), undefined);
  for (const text of ['[]', 'null', '{', '']) assert.equal(identity('/new_burn_block', text), undefined);
  assert.equal(identity('/attachments/new', '[{"a":1,"b":[2]}]'), identity('/attachments/new', '[ {"b":[2],"a":1} ]'));
  assert.notEqual(identity('/new_microblocks', '{"a":1}'), identity('/attachments/new', '{"a":1}'));
  assert.equal(identity('/new_microblocks', '['.repeat(100_000)), undefined);
});

onEveryEngine((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`any part of a journal is read as it was written, whatever was appended together (${engine})`, async () => {
    const journal = new Journal(await emptyDatabase());
    const parts = [2, 1, PACKED_TOGETHER + 3, 1, PACKED_TOGETHER].map((count, i) => bodiesOf(count, `part${i}`));
    for (const bodies of parts) await journal.append(bodies.map(deliveryOf));
    const expected = parts.flat().map(body => Buffer.from(body).toString());
    for (let position = 0; position <= expected.length; position++) {
      for (const limit of [1, 5, 100]) {
        const entries = await journal.readAfter(position, limit);
        assert.deepEqual(
          entries.map(({ seq, body }) => [seq, Buffer.from(body).toString()]),
          expected.slice(position, position + limit).map((body, i) => [position + i + 1, body]),
        );
      }
    }
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a body of many megabytes is in memory only while it is read (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const journal = new Journal(database);
    await journal.append([Buffer.alloc(17_000_000, 'large'), Buffer.from('small')].map(deliveryOf));
    const [large, small] = await journal.readAfter(0, 2);
    assert.ok(large && small);
    for (let look = 0; look < 2; look++) {
      const body: Uint8Array = large.body;
      assert.ok(Buffer.from(body.buffer, 0, 20).equals(Buffer.from('largelargelargelarge')));
      assert.equal(body.length, 17_000_000);
      release(body);
      assert.equal(body.length, 0);
    }
    assert.deepEqual([large.isReadAnew, small.isReadAnew], [true, undefined]);
    assert.equal(small.body, small.body);
  });
});

test('a large payload is decompressed into a buffer of its size, so that it is in memory once', () => {
  for (const size of [70_000, 300_000, 5_000_000]) {
    const [payload = new Uint8Array()] = storedPayloads([Buffer.alloc(size, 'some text')]);
    const payloads = new StoredPayloads();
    payloads.pass({ seq: 1, payload });
    assert.equal(payloads.body(1).buffer.byteLength, size);
  }
});
