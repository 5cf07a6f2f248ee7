import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { type OpenFresh, openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace, type Place } from '../../../test/support/places.ts';
import { missingPostgres } from '../../../test/support/postgres.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { openStorage } from '../storage/storage.ts';
import { type StateHash, stateHash } from './state-hash.ts';

async function hashOf(place: Place): Promise<StateHash> {
  const storage = await openStorage(place);
  return storage.indexDb.read(index => stateHash(index)).finally(() => storage.close());
}

type Cleaned = Parameters<OpenFresh>[0] & object;

async function hashAfter(openFresh: OpenFresh, t: Cleaned, events: readonly Delivery[]): Promise<StateHash> {
  const place = await openPlace(openFresh, t);
  await deliverTo(place, events);
  return hashOf(place);
}

test('two indexes with other orphans, in another order of arrival, on the other engine, have the same state hash', {
  skip: missingPostgres(),
}, async t => {
  const { sqlite, postgres } = openFreshOf;
  const chain = new ChainBuilder();
  const main = chain.chain(5);
  const [first, second, third, ...rest] = main.map(({ delivery }) => delivery);
  assert.ok(first && second && third);
  const orphan = () => chain.chain(2, main[0]).map(({ delivery }) => delivery);
  const straight = [first, second, third, ...rest, ...orphan()];
  const forked = [...orphan(), third, first, ...orphan(), second, ...rest];
  const expected = await hashAfter(sqlite, t, straight);
  assert.match(expected.hash, /^1-[0-9a-f]{64}$/);
  assert.deepEqual(await hashAfter(postgres, t, forked), expected);
  assert.notEqual((await hashAfter(sqlite, t, straight.slice(0, 4))).hash, expected.hash);

  const sample = sampleEvents().slice(0, 80);
  assert.deepEqual(await hashAfter(postgres, t, sample), await hashAfter(sqlite, t, sample));
});

test('a changed record changes the state hash, and shows in its subject alone', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents().slice(0, 150));
  const before = await hashOf(place);
  const changes = {
    balances: `UPDATE accounts SET received = received || '0'`,
    blocks: `UPDATE known_blocks SET block_hash = index_block_hash WHERE arrival = (SELECT max(known) FROM blocks)`,
    events: `DELETE FROM tx_event_parts; UPDATE tx_bodies SET events = NULL`,
    owners: `INSERT INTO nft_owners VALUES ('a', x'00', 'b', 0, 0)`,
    names: `INSERT INTO namespaces VALUES (x'00', '1', 1)`,
  };
  const same = { ...before.subjects };
  for (const [subject, sql] of Object.entries(changes)) {
    const storage = await openStorage(place);
    for (const statement of sql.split('; ')) await storage.indexDb.write(tx => tx.run(statement));
    await storage.close();
    const { hash, subjects } = await hashOf(place);
    assert.notEqual(hash, before.hash);
    const key = subject as keyof typeof same;
    assert.notEqual(subjects[key], same[key], subject);
    assert.deepEqual({ ...subjects, [key]: '' }, { ...same, [key]: '' });
    Object.assign(same, { [key]: subjects[key] });
  }
});
