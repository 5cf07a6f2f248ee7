import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { announced } from '../../../test/support/pending-transactions.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import { TESTNET } from '../../../test/support/test-index.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { bindChain, readBinding } from '../../operate/storage/chain-binding.ts';
import { openStorage } from '../../operate/storage/storage.ts';
import type { Delivery } from '../journal/entries.ts';
import { Journal } from '../journal/journal.ts';
import { Indexer } from './indexer.ts';
import { readSetAside } from './set-aside.ts';

const MAINNET = 1;

/** Applies deliveries to an index that names no chain yet. @returns the chain it names then, and why events were set aside */
async function recognised(place: Place, deliveries: readonly Delivery[]) {
  const location = { ...place, isRecognised: true };
  const { tip } = await deliverTo(location, deliveries);
  const { indexDb, close } = await openStorage(location);
  const { chainId } = await indexDb.read(readBinding);
  const setAside = await indexDb.read(queries => readSetAside(queries, 0, 10));
  await close();
  return { chainId, tip: tip?.height, reasons: setAside.map(({ reason }) => reason) };
}

onEveryEngine((engine, openFresh) => {
  test(`chain id and block are one transaction: a failure in the middle leaves neither (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const storage = await openStorage({ ...place, isRecognised: true });
    t.after(() => storage.close());
    const { journalDb, indexDb } = storage;
    const journal = new Journal(journalDb);
    const block = new ChainBuilder('atomic').block();
    await journal.append([block.burn.delivery, block.delivery]);
    let failure: Error | undefined = new Error('the last statement fails');
    const db: typeof indexDb = Object.create(indexDb, {
      write: {
        value: <T>(work: Parameters<typeof indexDb.write<T>>[0]) =>
          indexDb.write<T>(async tx => {
            const result = await work(tx);
            if (failure) throw failure;
            return result;
          }),
      },
    });
    const logger = pino({ level: 'silent' });
    const indexer = new Indexer({ db, journal, chainId: TESTNET, schema: INDEX_SCHEMA, logger });
    await assert.rejects(indexer.catchUp(), failure);
    assert.equal((await indexDb.read(readBinding)).chainId, undefined);
    failure = undefined;
    assert.equal((await indexer.catchUp()).tip?.height, 1);
    assert.equal((await indexDb.read(readBinding)).chainId, TESTNET, 'it does not believe that it has written it');
  });

  test(`of two processes that bind an index to different chains the second is refused, and writes nothing (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const storage = await openStorage({ ...place, isRecognised: true });
    t.after(() => storage.close());
    const { journalDb, indexDb: db } = storage;
    const journal = new Journal(journalDb);
    const logger = pino({ level: 'silent' });
    const indexer = new Indexer({ db, journal, chainId: TESTNET, schema: INDEX_SCHEMA, logger });
    await bindChain(db, MAINNET);
    const block = new ChainBuilder('second').block();
    await journal.append([block.burn.delivery, block.delivery]);
    await assert.rejects(indexer.catchUp(), { name: 'IndexMismatch', message: /holds chain 0x00000001/ });
    assert.deepEqual([(await db.read(readBinding)).chainId, (await indexer.state()).position], [MAINNET, 0]);
    await assert.rejects(bindChain(db, TESTNET, { isRecognised: true }), { name: 'IndexMismatch' });
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`the chain id comes with the first block that has a witness, not before (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const boot = new ChainBuilder('boot', 0).bootBlock();
    assert.equal((await recognised(place, [boot.burn.delivery, boot.delivery])).chainId, undefined);
    const block = new ChainBuilder('network').block({ parent: boot, fields: { block_height: 1 } });
    const { chainId, tip } = await recognised(place, [block.burn.delivery, block.delivery]);
    assert.deepEqual([chainId, tip], [TESTNET, 1]);
  });

  test(`a block that is set aside does not bring the chain id (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const boot = new ChainBuilder('boot', 0).bootBlock();
    const block = new ChainBuilder('impossible').block({ parent: boot, fields: { block_height: 5 } });
    const { chainId, reasons } = await recognised(place, [boot.burn.delivery, boot.delivery, block.delivery]);
    assert.equal(chainId, undefined);
    assert.match(reasons.join(), /cannot stand on/);
  });

  test(`what is of another network is set aside, and the index is as if it had never come (${engine})`, async t => {
    const [mixed, honest] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const other = new ChainBuilder('other', MAINNET);
    const foreign = other.block();
    const chain = new ChainBuilder('honest').chain(3);
    const deliveries = chain.flatMap(({ burn, delivery }) => [burn.delivery, delivery]);
    const { tip, reasons } = await recognised(mixed, [
      ...deliveries.slice(0, 2),
      foreign.delivery,
      announced(other.transfer()),
      ...deliveries.slice(2),
    ]);
    assert.equal(tip, 3);
    assert.equal(reasons.length, 2);
    for (const reason of reasons) assert.match(reason, /is of chain 0x00000001, not of 0x80000000/);
    await recognised(honest, deliveries);
    const tablesOf = (place: Place) => canonicalTables({ dump: () => dumpOf(place) });
    assertSameTables(await tablesOf(mixed), await tablesOf(honest));
  });
});
