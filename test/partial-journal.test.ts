import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { upsertRows } from '../src/base/store/table.ts';
import { servingOptions, startServing } from '../src/cli/commands/serve.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { INDEX_SCHEMA } from '../src/index/index-schema.ts';
import { Indexer } from '../src/ingest/indexer/indexer.ts';
import type { Delivery } from '../src/ingest/journal/entries.ts';
import { Journal } from '../src/ingest/journal/journal.ts';
import { JOURNAL_FORMAT, readDropped } from '../src/ingest/journal/journal-format.ts';
import { openJournal, openJournalToRead, openStorage } from '../src/operate/storage/storage.ts';
import { sampleEvents } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { assertSameTables } from './support/chain-assertions.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { archiveOf, asOtherToolWrites } from './support/other-archive.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import { atLength, scale } from './support/scale.ts';
import { until } from './support/until.ts';

const events = sampleEvents().slice(0, scale === 'short' ? 60 : undefined);
/** So many were loaded from an archive, which packs them together; a node has delivered the others, each alone. */
const LOADED = Math.floor(events.length / 2);

const command = (place: Place, ...args: string[]) => callProgram([...args, ...place.args, '--chain-id', '0x80000000']);

async function acceptAll(place: Place, deliveries: readonly Delivery[]): Promise<void> {
  const storage = await openStorage(place);
  try {
    const journal = new Journal(storage.journalDb);
    for (const delivery of deliveries) await journal.accept(delivery);
    const { chainId } = place;
    const logger = pino({ level: 'silent' });
    await new Indexer({ db: storage.indexDb, journal, chainId, schema: INDEX_SCHEMA, logger }).catchUp();
  } finally {
    await storage.close();
  }
}

/** An index of which as many payloads are dropped as may be. @returns how many */
async function partial(place: Place): Promise<number> {
  await deliverTo(place, events.slice(0, LOADED));
  await acceptAll(place, events.slice(LOADED));
  const { code, output } = await command(place, 'journal', 'drop', '--below', '100000', '--burn-fork-depth', '1');
  assert.equal(code, 0, output);
  return Number(/^(\d+) payloads dropped/.exec(output)?.[1]);
}

onSqliteAtLeast((engine, openFresh) => {
  test(`an index rebuilt from an archive that another tool wrote is the same, once it has all that was dropped (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const dropped = await partial(place);
    assert.ok(dropped > LOADED / 2, `only ${dropped} were dropped`);
    const before = await dumpOf(place);
    const refused = await command(place, 'reindex');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /payloads of \d+ journal entries were dropped: no index can be built[\s\S]*--archive/);

    const other = events.map(asOtherToolWrites);
    const blocks = other.filter(({ path }) => path === '/new_block');
    const [, , , lacking] = blocks;
    const incomplete = await archiveOf(
      t,
      other.filter(event => event !== lacking),
    );
    const missing = await command(place, 'reindex', '--archive', incomplete);
    assert.equal(missing.code, 1, missing.output);
    assert.equal(missing.stdout, `${other.indexOf(lacking as Delivery) + 1}\n`);
    assert.match(missing.stderr, /1 payloads were dropped, and no archive had them/);
    assertSameTables(await dumpOf(place), before, 'after an archive that lacks a block');

    const rebuilt = await command(place, 'reindex', '--archive', await archiveOf(t, [lacking as Delivery]));
    assert.equal(rebuilt.code, 0, rebuilt.output);
    assertSameTables(await dumpOf(place), before);
    // The journal is as partial as before, and takes what comes next.
    assert.match((await command(place, 'journal')).stdout, new RegExp(`dropped: {2}${dropped}\n`));
    assert.match((await command(place, 'reindex')).stderr, /--archive/);
  });

  test(`what needs all payloads says so, and the rest works (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await partial(place);
    const verified = await command(place, 'verify');
    assert.equal(verified.code, 0, verified.output);
    assert.match(verified.stdout, /^part {2}known blocks: .*; \d+ rows were not compared/m);
    assert.match(
      verified.stdout,
      /^part {2}supply: not checked to its end: the payload of journal entry \d+ was dropped/m,
    );
    assert.match(verified.stdout, /^sound as far as the journal goes/m);
    const exported = await command(place, 'export', `${place.data}/never.tsv`);
    assert.equal(exported.code, 1);
    assert.match(exported.stderr, /an archive without them would be incomplete/);
    const replayed = await command(place, 'replay', await archiveOf(t, events));
    assert.equal(replayed.code, 0, replayed.output);
    assert.equal((await command(place, 'set-aside', '--retry')).code, 0);
    assert.match((await command(place, 'journal')).stdout, new RegExp(`^entries: {2}${events.length}\n`));
  });

  test(`a journal that is loaded with --journal recent is as partial as one whose payloads are dropped later (${engine})`, async t => {
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const archive = await archiveOf(t, events);
    const args = ['--burn-fork-depth', '1'];
    assert.equal((await command(place, 'replay', archive, '--journal', 'recent', ...args)).code, 0);
    assert.equal((await command(whole, 'replay', archive, ...args)).code, 0);
    assert.match((await command(whole, 'journal')).stdout, /dropped: {2}0\n/);
    assertSameTables(await dumpOf(place), await dumpOf(whole));
    assert.equal((await command(whole, 'journal', 'drop', '--below', '100000', ...args)).code, 0);
    const shown = await command(place, 'journal');
    assert.match(shown.stdout, /dropped: {2}[1-9]/);
    assert.equal((await command(whole, 'journal')).stdout.split('\n')[1], shown.stdout.split('\n')[1]);
  });

  test(`serve --replay with --journal recent makes the index of the whole, and drops what a load beforehand would (${engine})`, {
    skip: atLength,
  }, async t => {
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const archive = await archiveOf(t, events);
    const args = ['--journal', 'recent', '--burn-fork-depth', '1'];
    assert.equal((await command(whole, 'replay', archive, ...args)).code, 0);
    const serve = ['serve', '--mode', 'writeonly', '--event-port', '0', '--log-level', 'silent', '--replay', archive];
    const options = readOptions([...serve, ...args, ...place.args, '--chain-id', '0x80000000'], {});
    const running = await startServing(servingOptions(options), pino({ level: 'silent' }));
    // Opened once: the worker looks every 15 s for payloads to drop.
    const { journalDb } = await openJournalToRead(place);
    const journal = new Journal(journalDb);
    const isLoaded = async () =>
      (await journal.length()) === events.length && (await readDropped(journalDb)).dropped > 0;
    await until(isLoaded, 'it does not load or drop').finally(() => Promise.all([journalDb.close(), running.close()]));
    await deliverTo(place, []);
    assertSameTables(await dumpOf(place), await dumpOf(whole));
    const rest = ['journal', 'drop', '--below', '100000', '--burn-fork-depth', '1'];
    for (const each of [place, whole]) assert.equal((await command(each, ...rest)).code, 0);
    assert.equal((await command(place, 'journal')).stdout, (await command(whole, 'journal')).stdout);
  });

  test(`copies and snapshots keep a partial journal as it is (${engine})`, async t => {
    const [place, restored] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const dropped = await partial(place);
    const directory = dirname(await archiveOf(t, []));
    const file = join(directory, 'partial.snapshot');
    assert.equal((await command(place, 'snapshot', 'create', file)).code, 0);
    assert.equal((await command(restored, 'snapshot', 'restore', file)).code, 0);
    const copied = await callProgram(['copy', '--from', place.database ?? place.data, '--to', join(directory, 'copy')]);
    assert.equal(copied.code, 0, copied.output);
    for (const args of [restored.args, ['--data', join(directory, 'copy')]]) {
      assert.match((await callProgram(['journal', ...args])).stdout, new RegExp(`dropped: {2}${dropped}\n`));
      assert.match((await callProgram(['reindex', ...args])).stderr, /--archive/);
    }
  });

  test(`journal explains what it cannot do (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events.slice(0, 20));
    for (const [args, expected] of [
      [['journal', 'burn'], /knows no action "burn"/],
      [['journal', 'drop'], /needs --below HEIGHT/],
      [['journal', '--below', '5'], /--below belongs to journal drop/],
      [['journal', 'drop', '--below', '0'], /--below must be a whole number from 1/],
    ] as const) {
      const { code, stderr } = await command(place, ...args);
      assert.equal(code, 2);
      assert.match(stderr, expected);
    }
    assert.match((await command(place, 'journal', 'drop', '--below', '5')).stdout, /^0 payloads dropped/);
  });

  test(`a journal of a format that this program does not know is refused by every command (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events.slice(0, 20));
    const { journalDb } = await openJournal(place);
    await journalDb.write(tx =>
      upsertRows(tx, JOURNAL_FORMAT, [{ name: 'journal', format: 3, dropped: 0, complete_from: 1 }]),
    );
    await journalDb.close();
    for (const args of [
      ['serve'],
      ['verify'],
      ['reindex'],
      ['export', 'x.tsv'],
      ['snapshot', 'create', 'x'],
      ['gaps'],
    ]) {
      const { code, stderr } = await command(place, ...args);
      assert.equal(code, 1, args.join(' '));
      assert.match(stderr, /journal has format 3; this program reads formats up to 2\nRun a newer version/);
    }
  });
});
