/** A day on a fast clock: no connection goes silent without either side knowing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { FastClock } from '../../../test/support/fast-clock.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { samplePrint } from '../../../test/support/sample-contracts.ts';
import { scale } from '../../../test/support/scale.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';
import { encodeClarityBuffer } from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';
import { DEFAULT_LIVE_LIMITS } from './limits.ts';

const { pingInterval, maxStall } = DEFAULT_LIVE_LIMITS;
/** Pings of a day; of some minutes in a short run. */
const PINGS = scale === 'short' ? 60 : (24 * 3_600_000) / pingInterval;
const HEARTBEAT_MS = 15_000;

/** Waits over turns of the event loop: a day has too many waits for pauses between two checks. */
async function soon(condition: () => boolean, otherwise: string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !condition(); await nextTurn())
    if (Date.now() > end) throw new Error(otherwise);
}

/**
 * A WebSocket that records the messages it receives. `answered` waits until the server has read everything sent before.
 */
async function open(t: TestContext, port: number, path: string, options: WebSocket.ClientOptions = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
  t.after(() => socket.terminate());
  const told: string[] = [];
  socket.on('message', data => told.push(String(data)));
  await once(socket, 'open');
  const answered = async (question: string, begin: string) => {
    socket.send(question);
    await soon(() => told.some(text => text.startsWith(begin)), `no response ${begin}`);
    told.splice(
      told.findIndex(text => text.startsWith(begin)),
      1,
    );
  };
  return { socket, told, answered };
}

const RPC = '/extended/v1/ws';
const SOCKET_IO = '/socket.io/?EIO=4&transport=websocket';
const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"event":"block"}}';

test('for a day all who answer are pinged, told that the stream lives, and hear on; who does not is disconnected at once', async t => {
  const clock = new FastClock(t);
  const { index, port, open: openStream } = await openLiveServer(t, openFreshOf.sqlite, { pingInterval });
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(index, chain, 1);
  const stream = await openStream();
  await stream.has('hello');
  const [rpc, deafRpc] = [await open(t, port, RPC), await open(t, port, RPC, { autoPong: false })];
  const [io, deafIo] = [await open(t, port, SOCKET_IO), await open(t, port, SOCKET_IO)];
  let pings = 0;
  rpc.socket.on('ping', () => pings++);
  let asked = 0;
  io.socket.on('message', data => {
    if (String(data) !== '2') return;
    asked++;
    io.socket.send('3');
  });
  for (const each of [io, deafIo]) await each.answered('40', '40');
  await rpc.answered(SUBSCRIBE, '{"jsonrpc":"2.0","id":1');
  await io.answered('420["subscribe","block"]', '430[null]');
  const closed = [deafRpc, deafIo].map(({ socket }) => once(socket, 'close'));
  for (let i = 1; i <= PINGS; i++) {
    clock.pass(pingInterval);
    await soon(() => pings >= i && asked >= i, `ping ${i} is missing`);
    // The server answers these after the pong.
    await rpc.answered(SUBSCRIBE, '{"jsonrpc":"2.0","id":1');
    await io.answered('420["subscribe","block"]', '430[null]');
    io.told.splice(0);
    if (i === 2) await Promise.all(closed);
    await stream.has('tip', Math.floor(clock.now / HEARTBEAT_MS));
  }
  assert.equal(pings, PINGS, 'one ping a client, whatever it listens to');
  for (const { socket } of [rpc, io]) assert.equal(socket.readyState, WebSocket.OPEN);
  await deliverBlocks(index, chain, 1, first);
  await stream.has('block');
  for (const { told } of [rpc, io])
    await until(() => told.some(text => text.includes('"height":2')), 'it hears no block');
});

test('a client of the stream that has read nothing for half a minute is disconnected', async t => {
  const clock = new FastClock(t);
  const queue = 100_000_000;
  const { index, open: openStream } = await openLiveServer(t, openFreshOf.sqlite, {
    softQueue: queue,
    hardQueue: queue,
    maxStall,
  });
  const chain = new ChainBuilder();
  const contract = `${accountAddress(9)}.vault`;
  const [first] = await deliverBlocks(index, chain, 1);
  const stalled = await openStream(`?topics=contract-log:${contract}`);
  await stalled.has('hello');
  stalled.response.pause();
  // More than the kernel takes.
  const printed = toHex(encodeClarityBuffer(new Uint8Array(900_000)));
  const txs = Array.from({ length: 12 }, (_, i) =>
    chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, i)]), { events: [samplePrint(contract, printed)] }),
  );
  await index.deliver(chain.block({ ...(first && { parent: first }), txs }).delivery);
  const quick = await openStream();
  await quick.has('hello');
  for (let seconds = 0; seconds <= 40; seconds++) {
    clock.pass(1000);
    await new Promise(resolve => setImmediate(resolve));
  }
  stalled.response.resume();
  await until(() => stalled.isOver, 'its connection stays');
  assert.ok(stalled.named('contract-log').length < 12, 'it was told all: the kernel takes more than is thought');
  assert.equal(quick.isOver, false);
});
