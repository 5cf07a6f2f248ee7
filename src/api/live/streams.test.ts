import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { TestEventSource } from '../../../test/support/event-source.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { LogClient } from '../../../test/support/log-client.ts';
import { announced, transferOf } from '../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { samplePrint } from '../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { until } from '../../../test/support/until.ts';
import { encodeClarityBuffer } from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';

const PATH = '/extended/v3/stream';

const heights = (source: TestEventSource): number[] => source.named('block').map(({ data }) => data.block.height);

onSqliteAtLeast((engine, openFresh) => {
  test(`a client is greeted at the tip, then told of each block in order (${engine})`, async t => {
    const { index, open } = await openLiveServer(t, openFresh);
    const chain = new ChainBuilder();
    const [first] = await deliverBlocks(index, chain, 1);
    const source = await open();
    const [hello] = await source.has('hello');
    assert.equal(source.response.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(source.response.headers['cache-control'], 'no-store');
    assert.equal(source.response.headers['x-accel-buffering'], 'no');
    assert.deepEqual(hello?.data.tip, { height: 1, index_hash: first?.indexHash });
    assert.deepEqual(hello?.data.topics, ['block']);
    assert.equal(hello?.id, `1.${first?.indexHash.slice(2, 12)}.4`);
    await deliverBlocks(index, chain, 3, first);
    await source.has('block', 3);
    assert.deepEqual(heights(source), [2, 3, 4]);
  });

  test(`a client that dies in a block and comes back after a fork of three blocks is told what to take back, then the new fork (${engine})`, async t => {
    const { index, open } = await openLiveServer(t, openFresh);
    const chain = new ChainBuilder();
    const principal = accountAddress(10);
    const topics = `?topics=block,principal:${principal},balance:${principal}`;
    const [first, second] = await deliverBlocks(index, chain, 2);
    assert.ok(first && second);
    const client = new LogClient();
    const before = await open(`${topics}&after=0.0000000000.4`);
    await before.has('block-end', 2);
    const pay = () => chain.transfer({ from: 10, amount: 5 });
    const fork = [chain.block({ parent: second, txs: [chain.coinbase(), pay(), pay()] })];
    for (let i = 0; i < 2; i++)
      fork.push(chain.block({ parent: fork.at(-1) ?? second, txs: [chain.coinbase(), pay()] }));
    await index.deliver(...fork.map(({ delivery }) => delivery));
    await before.has('block-end', 5);
    before.close();
    // The client stops within block 3 and misses all later events.
    const within = before.told.findIndex(({ event, data }) => event === 'principal-tx' && data.block.height === 3) + 1;
    for (const told of before.told.slice(1, within)) client.apply(told);
    assert.equal(client.height, 3);
    const other: BuiltBlock[] = [];
    for (let i = 0; i < 4; i++) other.push(chain.block({ parent: other.at(-1) ?? second }));
    await index.deliver(...other.map(({ delivery }) => delivery));
    const after = await open(topics, { 'last-event-id': client.token ?? '' });
    await after.has('block-end', 4);
    client.comeBack();
    for (const told of after.told.filter(({ event }) => event !== 'hello' && event !== 'tip')) client.apply(told);
    assert.equal(client.rollbacks, 1);
    const [rollback] = after.named('rollback');
    assert.deepEqual(rollback?.data.fork_point, { height: 2, index_hash: second.indexHash });
    assert.deepEqual(
      client.hashes,
      [first, second, ...other].map(({ indexHash }) => indexHash),
    );
    const { body } = await index.get(`/extended/v1/address/${principal}/stx`);
    assert.equal((client.balance(principal) as { balance: string }).balance, body.balance);
  });

  test(`who listens to the mempool is told what arrives and what is dropped, not what is mined (${engine})`, async t => {
    const { index, open } = await openLiveServer(t, openFresh);
    const chain = new ChainBuilder();
    const [first] = await deliverBlocks(index, chain, 1);
    const source = await open('?topics=mempool');
    const full = await open('?topics=mempool&payload=full');
    await source.has('hello');
    await full.has('hello');
    assert.ok(first);
    const transfer = transferOf();
    // The feed knows the earlier mempool only after its first scan.
    await index.deliver(announced(transferOf({ nonce: 9 })));
    await until(async () => {
      await index.deliver(announced(transfer), chain.block({ parent: first }).delivery);
      return true;
    }, 'never');
    const [told] = await source.has('mempool');
    const [whole] = await full.has('mempool');
    assert.equal(whole?.data.tx.tx_status, 'pending');
    assert.equal(told?.data.tx_id, whole?.data.tx.tx_id);
    assert.equal(told?.data.tx, undefined);
    assert.match(told?.id ?? '', /m\d+$/);
  });
});

test('topics, tokens and Accept that are wrong are refused before anything is sent', async t => {
  const { index } = await openLiveServer(t, openFreshOf.sqlite);
  const status = async (query: string, accept = 'text/event-stream') =>
    (await index.get(PATH + query, { accept })).status;
  const { status: bad, body } = await index.get(`${PATH}?topics=block,foo,principal:SP1&topics=tx:12`, {
    accept: '*/*',
  });
  assert.equal(bad, 400);
  assert.match(body.message, /"foo", "principal:SP1", "tx:12"/);
  assert.equal(await status('?after=1'), 400);
  assert.equal(await status('?heartbeat=4'), 400);
  assert.equal(await status('?payload=some'), 400);
  assert.equal(await status(`?topics=${Array.from({ length: 101 }, () => 'block').join(',')}`), 400);
  assert.equal(await status('', 'application/json'), 406);
  assert.equal(await status('', 'text/event-stream;q=0'), 406);
});

test('more streams of an address than it may have are refused with 429, more than the process takes with 503', async t => {
  const limits = { maxStreamsPerAddress: 2, maxStreams: 3 };
  const { index, open } = await openLiveServer(t, openFreshOf.sqlite, limits);
  const [one] = [await open(), await open()];
  const third = await open();
  assert.equal(third.response.statusCode, 429);
  assert.equal(third.response.headers['retry-after'], '10');
  one?.close();
  await until(async () => {
    const again = await open();
    return again.response.statusCode === 200;
  }, 'the place of a client that left is never free');
  assert.equal((await index.get(PATH, { accept: '*/*', 'x-forwarded-for': '1.2.3.4' })).status, 429);
});

test('a token that is unknown or too old is answered by a gap that says where the stream goes on', async t => {
  const { index, open } = await openLiveServer(t, openFreshOf.sqlite, { maxReplayBlocks: 3, maxTokenWait: 100 });
  const chain = new ChainBuilder();
  const all = await deliverBlocks(index, chain, 6);
  const token = (i: number) => `${i + 1}.${all[i]?.indexHash.slice(2, 12)}.4`;
  const old = await open(`?after=${token(0)}`);
  const [gap] = await old.has('gap');
  assert.deepEqual(gap?.data, { reason: 'expired', resume_from: { height: 6, index_hash: all[5]?.indexHash } });
  assert.equal(gap?.id, token(5));
  const unknown = await open('?after=3.0123456789.4');
  assert.equal((await unknown.has('gap'))[0]?.data.reason, 'unknown');
  const [hello] = await unknown.has('hello');
  assert.equal(hello?.data.earliest_id, token(2));
  const within = await open(`?after=${hello?.data.earliest_id}`);
  await within.has('block', 3);
  await deliverBlocks(index, chain, 1, all[5]);
  for (const source of [old, unknown, within])
    await until(() => heights(source).at(-1) === 7, 'the stream does not go on');
  assert.equal(within.named('gap').length, 0);
});

test('a token of a block that another process knows already is continued as soon as this one knows it', async t => {
  const { index, open } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [, second] = await deliverBlocks(index, chain, 2);
  assert.ok(second);
  const third = chain.block({ parent: second });
  const after = `3.${third.indexHash.slice(2, 12)}.4`;
  const early = await open(`?after=${after}`);
  await early.has('hello');
  const { body } = await index.get(`${PATH}/events?after=${after}`);
  assert.deepEqual([body.events, body.next, body.at_tip, body.tip.height], [[], after, true, 2]);
  await index.deliver(third.delivery);
  await deliverBlocks(index, chain, 1, third);
  await early.has('block');
  assert.deepEqual(
    early.told.filter(({ event }) => event !== 'tip').map(({ event }) => event),
    ['hello', 'block'],
  );
  const far = `${4 + 11}.0123456789.4`;
  assert.equal((await index.get(`${PATH}/events?after=${far}`)).body.events[0].data.reason, 'unknown');
});

test('a boot block that comes late has everything told again: block 1 is another one under the same hash', async t => {
  const { index, open } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const boot = chain.bootBlock([chain.deploy('pox', 'stack', 0), chain.transfer({ from: 0, to: 10 })]);
  const first = chain.block({ parent: boot });
  const blocks = [first, ...chain.chain(2, first)];
  await index.deliver(...blocks.map(({ delivery }) => delivery));
  const principal = accountAddress(10);
  const topics = `?topics=block,principal:${principal},balance:${principal}`;
  const clients = await Promise.all([0, 1].map(() => open(`${topics}&after=0.0000000000.4`)));
  for (const each of clients) await each.has('block-end', 3);
  const [stays, leaves] = clients;
  leaves?.close();
  await index.deliver(boot.delivery);
  await deliverBlocks(index, chain, 1, blocks.at(-1));
  const back = await open(topics, { 'last-event-id': leaves?.lastEventId ?? '' });
  for (const [source, known] of [
    [stays, []],
    [back, leaves?.told ?? []],
  ] as const) {
    assert.ok(source);
    await until(() => heights(source).at(-1) === 4, 'block 4 is not told');
    await source.has('block-end', source === back ? 4 : 7);
    const client = new LogClient();
    for (const told of [...known, ...source.told].filter(({ event }) => event !== 'hello' && event !== 'tip'))
      client.apply(told);
    assert.equal(client.rollbacks, 1);
    assert.equal(client.height, 4);
    const { body } = await index.get(`/extended/v2/addresses/${principal}/transactions`);
    assert.deepEqual(
      client.events('principal-tx').map(({ data }) => data.tx_id),
      body.results.map(({ tx }: { tx: { tx_id: string } }) => tx.tx_id).toReversed(),
    );
    assert.ok(client.events('principal-tx').length > 0);
    const { body: stx } = await index.get(`/extended/v1/address/${principal}/stx`);
    assert.equal((client.balance(principal) as { balance: string }).balance, stx.balance);
  }
});

test('a client that does not read is disconnected with overflow, holds nobody up, and resumes by its last id', async t => {
  const limits = { softQueue: 2_000, hardQueue: 4_000 };
  const { index, open } = await openLiveServer(t, openFreshOf.sqlite, limits);
  const chain = new ChainBuilder();
  const contract = `${accountAddress(9)}.vault`;
  let [last] = await deliverBlocks(index, chain, 1);
  const slow = await open(`?topics=contract-log:${contract}`);
  const quick = await open('?topics=block');
  await slow.has('hello');
  slow.response.pause();
  // More than the kernel takes.
  const printed = encodeClarityBuffer(new Uint8Array(300_000));
  for (let i = 0; i < 30; i++) {
    const call = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, i)]), {
      events: [samplePrint(contract, toHex(printed))],
    });
    last = chain.block({ ...(last && { parent: last }), txs: [call] });
    await index.deliver(last.delivery);
    await until(() => heights(quick).at(-1) === last?.height, 'the other client waits');
  }
  slow.response.resume();
  await slow.has('overflow');
  await until(() => slow.isOver, 'its connection stays');
  const told = slow.named('contract-log').length;
  assert.ok(told < 30);
  const resumed = await open(`?topics=contract-log:${contract}`, { 'last-event-id': slow.lastEventId ?? '' });
  await resumed.has('contract-log', 30 - told);
});

test('a server that stops says goodbye, and when to come back', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const { port, close } = await index.listen();
  const source = await TestEventSource.open(port, PATH);
  await source.has('hello');
  await close();
  assert.equal((await source.has('bye'))[0]?.data.reason, 'shutdown');
  await until(() => source.isOver, 'the connection stays');
});
