import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { responseOf, runServer, type Server, untilIndexed } from '../crash/program.ts';
import { callProgram } from '../support/call-program.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { announced } from '../support/pending-transactions.ts';
import { journalLength, openPlace } from '../support/places.ts';
import { freePort } from '../support/postgres.ts';
import { scale } from '../support/scale.ts';
import { until } from '../support/until.ts';

/** No option names the chain. */
const UNNAMED: readonly string[] = [];
const [MAINNET, TESTNET] = [1, 0x80000000];

const [ours, theirs] = [new ChainBuilder('ours', TESTNET), new ChainBuilder('theirs', MAINNET)];
const [first, second] = ours.chain(2);
const foreign = theirs.block();
assert.ok(first && second);

async function waits(server: Server): Promise<void> {
  await until(async () => (await server.get('/livez')).status === 200, 'it does not start', server);
  for (const path of ['/extended', '/extended/v3/blocks', '/explorer', '/nothing']) {
    const { status, body, retryAfter } = await server.get(path);
    assert.deepEqual([status, body?.code, Number(retryAfter) > 0], [503, 'NO_CHAIN_YET', true], path);
  }
}

const tipOf = async (server: Server): Promise<unknown> => {
  const { body } = await server.get('/extended');
  return (body?.chain_tip as { readonly block_height?: number } | undefined)?.block_height;
};

/** The event port may open after the API. */
const accepts = (server: Server, event: Delivery) =>
  until(async () => (await server.post(event)).status === 200, 'it takes no events', server);

onSqliteAtLeast((engine, openFresh) => {
  test(`serve waits for a block that names the network, then serves it and refuses others, without a restart (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const metricsPort = await freePort();
    const probe = (path: string) => responseOf(`http://127.0.0.1:${metricsPort}${path}`, {});
    const start = async (...args: string[]) => {
      const server = await runServer([...place.args, ...args], {}, UNNAMED);
      t.after(() => server.kill());
      return server;
    };
    const server = await start(
      '--metrics-port',
      String(metricsPort),
      ...(engine === 'sqlite' && scale === 'all' ? ['--workers', '2'] : []),
    );
    await waits(server);
    // Other processes, which learn of the chain from the database.
    const others = engine === 'sqlite' ? [] : [await start('--mode', 'readonly')];
    if (engine === 'postgres' && scale === 'all') others.push(await start());
    for (const other of others) await waits(other);
    assert.deepEqual([(await probe('/livez')).status, (await probe('/readyz')).status], [200, 503]);

    const unnamed = [first.burn.delivery, announced(theirs.transfer())];
    for (const event of unnamed) await accepts(server, event);
    await waits(server);
    assert.equal(await journalLength(place), 2, 'what was acknowledged is in the journal');
    assert.equal((await server.post(first.delivery)).status, 200);
    for (const each of [server, ...others]) {
      await until(async () => (await tipOf(each)) === 1, 'it does not serve the chain', each);
      await untilIndexed(each);
    }

    for (const [what, event] of [
      ['the transaction 0x[0-9a-f]+ of the block', foreign.delivery],
      ['a pending transaction', announced(theirs.transfer())],
    ] as const) {
      const { status, body } = await server.post(event);
      assert.deepEqual([status, body?.code], [400, 'wrong_network']);
      assert.match(String(body?.message), new RegExp(`${what} is of chain 0x00000001, not of 0x80000000`));
      assert.match(String(body?.hint), /--chain-id 0x00000001/);
    }
    // The metrics port opens last.
    await until(async () => (await probe('/metrics')).status === 200, 'it has no metrics', server);
    assert.match((await probe('/metrics')).text, /^stacks_index_wrong_network_events_total 2$/m);
    assert.equal((await server.post(second.delivery)).status, 200);
    await until(async () => (await tipOf(server)) === 2, 'it does not go on', server);
    assert.equal(await journalLength(place), 4, 'what was refused is not in the journal');
    // The pending transaction of the other network, which came before the network was known.
    const { body } = await server.get('/extended');
    assert.equal((body?.set_aside as { readonly count: number } | undefined)?.count, 1);
    for (const each of [server, ...others]) assert.equal((await each.kill('SIGTERM')).code, 0, each.output());

    const again = await callProgram(['serve', ...place.args, '--port', '0', '--event-port', '0', '--chain-id', '0x1']);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /this index holds chain 0x80000000, not 0x00000001/);
  });

  test(`a signal ends a process that waits for a chain, and what it has acknowledged stays (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const server = await runServer(place.args, {}, UNNAMED);
    t.after(() => server.kill());
    await waits(server);
    await accepts(server, first.burn.delivery);
    const signal = scale === 'all' ? 'SIGTERM' : 'SIGKILL';
    const { code } = await server.kill(signal);
    assert.equal(code, signal === 'SIGTERM' ? 0 : null);
    assert.equal(await journalLength(place), 1);
    for (const args of [['verify'], ['reindex']]) {
      const { code, output } = await callProgram([...args, ...place.args]);
      assert.equal(code, 1, output);
      assert.match(
        output,
        args[0] === 'verify'
          ? /there is a journal, but no index of it yet\n.*reindex/
          : /no event identifies its network\n.*--chain-id/,
      );
    }
  });
});
