import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { parseLocation } from '../../src/base/store/open.ts';
import { replay as replayCommand } from '../../src/cli/commands/replay.ts';
import { parseCommandLine } from '../../src/cli/options/command-line.ts';
import { optionsOf } from '../../src/cli/options/options.ts';
import { readBinding } from '../../src/operate/storage/chain-binding.ts';
import { openStorage } from '../../src/operate/storage/storage.ts';
import { callProgram } from '../support/call-program.ts';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { onSqliteAtLeast, openFreshOf } from '../support/engines.ts';
import { deliverTo, dumpOf, journalLength, openPlace, type Place } from '../support/places.ts';
import { archiveOf } from './archives.ts';

const MAINNET = '0x00000001';
const TESTNET = '0x80000000';
const CUSTOM = '0x12345678';

const eventsOf = (blocks: readonly BuiltBlock[]) => blocks.flatMap(({ burn, delivery }) => [burn.delivery, delivery]);
const chainOf = (chainId: string, length = 3) => new ChainBuilder(chainId, Number(chainId)).chain(length);

const replay = (place: Place, files: readonly string[], chainId?: string) =>
  callProgram(['replay', ...files, ...place.args, ...(chainId === undefined ? [] : ['--chain-id', chainId])]);

/** What the directory or the database has, beside an empty schema. */
async function isEmpty({ data, database }: Place): Promise<boolean> {
  if (database === undefined) return !existsSync(`${data}/journal.sqlite`);
  const location = parseLocation({ database });
  assert.ok(location.kind === 'postgres');
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  const sql = 'SELECT count(*) AS count FROM pg_tables WHERE starts_with(schemaname, $1)';
  const { rows } = await client.query<{ count: string }>(sql, [location.schema]);
  await client.end();
  return Number(rows[0]?.count) === 0;
}

/** How many events are stored, and the chain that the index names. */
async function stored(place: Place) {
  const events = await journalLength(place);
  const storage = await openStorage({ ...place, isRecognised: true });
  const { chainId } = await storage.indexDb.read(readBinding);
  await storage.close();
  return { events, chainId };
}

test('a pipe, which can be read only once, is loaded by the network of its first witness, or refused where the operator names another', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  const file = archiveOf(t, eventsOf(chainOf(TESTNET)));
  const load = async (chainId?: string) => {
    // One for each load: a reader that is not closed yet would take what is written for the next one.
    const pipe = `${file}.${chainId ?? 'unnamed'}.pipe`;
    execFileSync('mkfifo', [pipe]);
    const written = writeFile(pipe, await readFile(file)).catch(() => undefined); // a reader that refuses it closes the pipe
    const result = await replay(place, [pipe], chainId);
    await written;
    return result;
  };
  const refused = await load(MAINNET);
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.stderr, new RegExp(`--chain-id ${TESTNET}`));
  assert.equal(await journalLength(place), 0);
  const unnamed = await load();
  assert.equal(unnamed.code, 0, unnamed.output);
  assert.deepEqual(await stored(place), { events: 6, chainId: Number(TESTNET) });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`replay of another network's archive ends with status 1, names the chain id to use, and leaves nothing (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const chain = eventsOf(chainOf(TESTNET));
    const file = archiveOf(t, chain);
    for (const chainId of [MAINNET, CUSTOM]) {
      const { code, output } = await replay(place, [file], chainId);
      assert.equal(code, 1, output);
      assert.match(output, new RegExp(`events.tsv:2: the transaction 0x.* of chain 0x80000000, not of ${chainId}`));
      assert.match(output, /Use --chain-id 0x80000000/);
      assert.ok(await isEmpty(place), 'nothing is left behind');
    }
  });

  test(`replay without --chain-id takes the chain of the archive, also one of its own, and keeps it (${engine})`, async t => {
    for (const chainId of [TESTNET, CUSTOM]) {
      const place = await openPlace(openFresh, t);
      const chain = chainOf(chainId, 4);
      const [file, more] = [archiveOf(t, eventsOf(chain.slice(0, 2))), archiveOf(t, eventsOf(chain))];
      for (const each of [file, more]) assert.equal((await replay(place, [each])).code, 0);
      assert.deepEqual(await stored({ ...place, chainId: Number(chainId) }), { events: 8, chainId: Number(chainId) });
      const { code, output } = await replay(place, [more], MAINNET);
      assert.equal(code, 1);
      assert.match(output, new RegExp(`this index holds chain ${chainId}, not ${MAINNET}`));
      const verified = await callProgram(['verify', ...place.args]);
      assert.equal(verified.code, 0, verified.output);
    }
  });

  test(`an archive of two networks leaves nothing in an empty index, also where the other one is pending or late (${engine})`, async t => {
    const [ours, theirs] = [chainOf(TESTNET, 2), chainOf(MAINNET, 1)];
    const pending = new ChainBuilder('pending', Number(MAINNET)).transfer();
    const announced = { ...ours[0]?.delivery, path: '/new_mempool_tx', receivedAt: 1 };
    const late = [{ ...announced, body: Buffer.from(JSON.stringify([pending.body.raw_tx])) }, theirs[0]?.delivery];
    for (const foreign of late) {
      if (!foreign) continue;
      const place = await openPlace(openFresh, t);
      const mixed = archiveOf(t, [...eventsOf(ours), foreign]);
      for (const chainId of [undefined, TESTNET]) {
        const { code, output } = await replay(place, [mixed], chainId);
        assert.equal(code, 1, output);
        assert.match(output, /events.tsv:5: .* of chain 0x00000001, not of 0x80000000/);
        assert.ok(await isEmpty(place), 'nothing is left behind');
      }
    }
  });

  test(`an index that has data keeps it, and gets nothing from the refused line on (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const [first, second, third, ...rest] = chainOf(TESTNET, 5);
    assert.ok(first && second && third);
    assert.equal((await replay(place, [archiveOf(t, eventsOf([first, second]))])).code, 0);
    const foreign = chainOf(MAINNET, 1).map(({ delivery }) => delivery);
    const { code, output } = await replay(place, [archiveOf(t, [...eventsOf([third]), ...foreign, ...eventsOf(rest)])]);
    assert.equal(code, 1, output);
    assert.match(output, /events.tsv:3: /);
    assert.deepEqual(await stored(place), { events: 6, chainId: Number(TESTNET) });
    assert.equal((await dumpOf(place)).blocks?.length, 3);
  });

  test(`a refused replay leaves an index without a chain as it was: the right chain id works afterwards (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const chain = chainOf(TESTNET, 2);
    const unnamed = archiveOf(
      t,
      chain.map(({ burn }) => burn.delivery),
    );
    assert.equal((await replay(place, [unnamed])).code, 0);
    const file = archiveOf(t, eventsOf(chain));
    assert.equal((await replay(place, [file], MAINNET)).code, 1);
    const right = await replay(place, [file], TESTNET);
    assert.equal(right.code, 0, right.output);
    assert.deepEqual(await stored(place), { events: 4, chainId: Number(TESTNET) });
  });

  test(`lines that cannot be read are named where no line says which network it is, and --strict stops (${engine})`, async t => {
    const [first, ...rest] = chainOf(TESTNET, 3).map(({ burn }) => burn.delivery);
    assert.ok(first);
    const file = archiveOf(t, [first, { ...first, body: Buffer.from('{}') }, ...rest]);
    for (const [options, code, events] of [
      [[], 3, 3],
      [['--strict'], 1, 0],
    ] as const) {
      const place = await openPlace(openFresh, t);
      const called = await callProgram(['replay', file, ...place.args, ...options]);
      assert.equal(called.code, code, called.output);
      assert.match(called.stderr, /events.tsv:2: /);
      assert.equal(await journalLength(place), events);
    }
  });

  test(`a signal during the search for the network ends a replay, which leaves nothing (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const file = archiveOf(t, eventsOf(chainOf(TESTNET, 2)));
    for (const chain of [[], ['--chain-id', TESTNET]]) {
      const line = parseCommandLine(['replay', file, ...place.args, ...chain]);
      assert.ok(line.kind === 'command');
      const logger = pino({ level: 'silent' });
      assert.equal(await replayCommand(optionsOf(line, {}), logger, AbortSignal.abort()), 0);
      assert.ok(await isEmpty(place), 'nothing is left behind');
    }
  });

  test(`verify finds an index that names a network of which it has no block, and the way out builds the right one (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo({ ...place, chainId: Number(MAINNET) }, eventsOf(chainOf(TESTNET)));
    const { code, output } = await callProgram(['verify', ...place.args]);
    assert.equal(code, 1, output);
    assert.match(
      output,
      /no block is of chain 0x00000001, .* set aside, is of chain 0x80000000\n.*reindex --chain-id 0x80000000/,
    );
    assert.equal((await callProgram(['reindex', ...place.args])).code, 1);
    assert.equal((await callProgram(['reindex', ...place.args, '--chain-id', TESTNET])).code, 0);
    const verified = await callProgram(['verify', ...place.args]);
    assert.equal(verified.code, 0, verified.output);
  });

  test(`events that name no network wait in the journal, and are checked when one comes (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const foreign = new ChainBuilder('pending', Number(MAINNET)).transfer();
    const chain = chainOf(TESTNET, 2);
    const waiting = [
      ...chain.map(({ burn }) => burn.delivery),
      { path: '/new_mempool_tx', receivedAt: 1, body: Buffer.from(JSON.stringify([foreign.body.raw_tx])) },
    ];
    const first = await replay(place, [archiveOf(t, waiting)]);
    assert.equal(first.code, 0, first.output);
    assert.match(first.output, /no transaction identifies its network/);
    assert.equal(
      (
        await replay(place, [
          archiveOf(
            t,
            chain.map(({ delivery }) => delivery),
          ),
        ])
      ).code,
      0,
    );
    assert.deepEqual(await stored(place), { events: 5, chainId: Number(TESTNET) });
    const { output } = await callProgram(['set-aside', ...place.args]);
    assert.match(output, /a pending transaction is of chain 0x00000001, not of 0x80000000/);
    assert.equal(output.trim().split('\n').length, 1);
  });
});
