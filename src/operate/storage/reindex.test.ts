import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleEvents } from '../../../test/crash/round.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import { scale } from '../../../test/support/scale.ts';
import { WrongNetwork } from '../../ingest/chain/witness.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import { SCHEMA_VERSION } from './chain-binding.ts';
import { currentGeneration, indexFile, openGeneration, removeGeneration } from './generations.ts';
import { lockStorage, ReindexRunning, whileReindexing } from './locks.ts';
import { type Reindexed, reindex } from './reindex.ts';
import { openJournal, openStorage } from './storage.ts';

const deliveries = sampleEvents().slice(0, scale === 'short' ? 220 : undefined);
/** Enough for some blocks. */
const few = deliveries.slice(0, scale === 'short' ? 20 : 50);
/** What one write of a build applies. */
const BATCH = 200;
/** Some batches of a build, and a part of another one. */
const most = deliveries.slice(0, (scale === 'short' ? 1 : 2) * BATCH + 10);

interface Run extends Reindexed {
  /** The reported positions, in order. */
  readonly positions: readonly number[];
}

interface Stop {
  readonly stopAfter?: number;
  readonly chainId?: number;
}

/** @param stopAfter stop as soon as this position is reached */
async function run(place: Place, { stopAfter = Number.POSITIVE_INFINITY, chainId }: Stop = {}): Promise<Run> {
  const journal = await openJournal(place);
  const stop = new AbortController();
  const positions: number[] = [];
  try {
    const result = await reindex({
      place: journal,
      chainId,
      logger: pino({ level: 'silent' }),
      onProgress: ({ position }) => {
        positions.push(position);
        if (position >= stopAfter) stop.abort();
      },
      signal: stop.signal,
    });
    return { ...result, positions };
  } finally {
    await journal.journalDb.close();
  }
}

async function generationOf(place: Place): Promise<number> {
  const journal = await openJournal(place);
  try {
    return await currentGeneration(journal);
  } finally {
    await journal.journalDb.close();
  }
}

/** Makes an index look as if this version had made it. */
const setVersion = (place: Place, generation: number, version: string): Promise<void> =>
  setMeta(place, generation, { name: 'schema_version', value: version });

async function setMeta(place: Place, generation: number, { name, value }: Record<'name' | 'value', string>) {
  const journal = await openJournal(place);
  const db = await openGeneration(journal, generation);
  await db.write(tx => tx.run('UPDATE meta SET value = ? WHERE name = ?', [value, name]));
  await db.close();
  await journal.journalDb.close();
}

/** Whether the index of this generation is there. */
async function exists(place: Place, generation: number): Promise<boolean> {
  if (place.database === undefined) return existsSync(indexFile(place.data, generation));
  const journal = await openJournal(place);
  const db = await openGeneration(journal, generation);
  try {
    const row = await db.read(queries =>
      queries.get<{ found: string | null }>(`SELECT CAST(to_regclass('txs') AS text) AS found`),
    );
    return typeof row?.found === 'string';
  } finally {
    await db.close();
    await journal.journalDb.close();
  }
}

onSqliteAtLeast((engine, openFresh) => {
  test(`the index that is built anew is the one before, row for row, as often as it is done (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const events = scale === 'short' ? deliveries.slice(0, 60) : deliveries;
    await deliverTo(place, events);
    const before = await dumpOf(place);
    for (const generation of [1, 2]) {
      const { finished, removedOld, state } = await run(place);
      assert.deepEqual([finished, removedOld, state.position], [true, true, events.length]);
      assert.equal(await generationOf(place), generation);
      assert.equal(await exists(place, generation - 1), false);
      assertSameTables(await dumpOf(place), before);
    }
    if (place.database === undefined)
      assert.deepEqual(
        readdirSync(place.data)
          .filter(file => file.startsWith('index'))
          .sort(),
        [`index.${SCHEMA_VERSION}-2.sqlite`, `index.current.${SCHEMA_VERSION}`],
      );
  });

  test(`a build that was stopped changes nothing, and the next one goes on where it was (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, most);
    const before = await dumpOf(place);
    const stopped = await run(place, { stopAfter: BATCH });
    assert.deepEqual([stopped.finished, stopped.positions], [false, [BATCH]]);
    assert.equal(await generationOf(place), 0);
    assertSameTables(await dumpOf(place), before);
    const done = await run(place);
    assert.deepEqual([done.finished, done.positions[0]], [true, Math.min(2 * BATCH, most.length)]);
    assertSameTables(await dumpOf(place), before);
  });

  test(`a build that another version began, or for another chain, is begun anew (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, most);
    await run(place, { stopAfter: most.length - 10 });
    await setVersion(place, 1, '1');
    assert.deepEqual((await run(place, { stopAfter: BATCH })).positions, [BATCH]);
    assert.equal((await run(place)).finished, true);
  });

  test(`what arrives in the journal between two attempts is in the new index (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, deliveries.slice(0, BATCH + 5));
    await run(place, { stopAfter: BATCH });
    await deliverTo(place, most);
    const before = await dumpOf(place);
    assert.equal((await run(place)).state.position, most.length);
    assertSameTables(await dumpOf(place), before);
  });

  test(`an index of the version before is refused with what to do, which mends it (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, few);
    const before = await dumpOf(place);
    await setVersion(place, 0, '1');
    await assert.rejects(
      openStorage(place),
      error => error instanceof IndexMismatch && /stacks-index reindex/.test(error.hint),
    );
    const { removedOld } = await run(place);
    assert.equal(removedOld, true);
    assertSameTables(await dumpOf(place), before);
  });

  test(`an index of a later version is refused, and can be built anew for this one (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, few);
    await setVersion(place, 0, '1000');
    await assert.rejects(
      openStorage(place),
      error => error instanceof IndexMismatch && /newer version/.test(error.hint),
    );
    await run(place);
    await (await openStorage(place)).close();
  });

  test(`an index that is in use is not removed (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, few);
    const unlock = lockStorage(place);
    const used = await openStorage(place);
    assert.equal((await run(place)).removedOld, false);
    assert.equal(await exists(place, 0), true);
    await used.indexDb.read(queries => queries.get('SELECT count(*) AS count FROM txs'));
    await used.close();
    unlock();
    assert.equal((await run(place)).removedOld, true);
    assert.equal(await exists(place, 0), false);
    assert.equal(await exists(place, 1), false);
  });
});

onEveryEngine((engine, openFresh) => {
  test(`a second build at the same time is refused, with what to do (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, deliveries.slice(0, 10));
    const journal = await openJournal(place);
    try {
      await whileReindexing(journal, async () => {
        await assert.rejects(run(place), error => error instanceof ReindexRunning && /Wait/.test(error.hint));
      });
      assert.equal((await run(place)).finished, true);
    } finally {
      await journal.journalDb.close();
    }
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`the chain is that of the index, where there is none that of the journal; a chain of which there is no event is refused (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, few);
    const before = await dumpOf(place);
    await run(place);
    assertSameTables(await dumpOf(place), before);
    const journal = await openJournal(place);
    await removeGeneration(journal, 1);
    await journal.journalDb.close();
    await run(place);
    assertSameTables(await dumpOf(place), before);
    const generation = await generationOf(place);
    await assert.rejects(
      run(place, { chainId: 5 }),
      error => error instanceof WrongNetwork && /--chain-id 0x80000000/.test(error.hint),
    );
    assert.equal(await generationOf(place), generation);
  });

  test(`an index that has the wrong chain is built anew for the one that the operator names (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, few);
    const before = await dumpOf(place);
    await setMeta(place, 0, { name: 'chain_id', value: '0x00000001' });
    await assert.rejects(
      openStorage(place),
      error => error instanceof IndexMismatch && /reindex --chain-id 0x80000000/.test(error.hint),
    );
    // The option that it had on its way here is not repeated: an index without a block would replace it.
    await assert.rejects(
      run(place),
      error => error instanceof WrongNetwork && /reindex --chain-id 0x80000000/.test(error.hint),
    );
    const { otherChain } = await run(place, { chainId: place.chainId });
    assert.equal(otherChain, place.chainId);
    assertSameTables(await dumpOf(place), before);
  });
});
