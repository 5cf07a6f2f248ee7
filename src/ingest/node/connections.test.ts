import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleBurnBlock } from '../../../test/support/event-bodies.ts';
import { defaultEventServerLimits, startEventServer } from './event-server.ts';

const HOUR = 3_600_000;

/** Whatever is answered here is not answered because a time limit has closed a connection. */
async function startPatient(t: { after(hook: () => Promise<void>): void }) {
  const accepted: string[] = [];
  const server = await startEventServer({
    host: '127.0.0.1',
    port: 0,
    limits: { ...defaultEventServerLimits, headersTimeoutMs: HOUR, requestTimeoutMs: HOUR, closeDeadlineMs: 0 },
    logger: pino({ level: 'silent' }),
    accept: async ({ path }) => void accepted.push(path),
  });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  const open = async (text: string, localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}); // the server may close it
    sockets.push(socket);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  };
  return { accepted, open };
}

const body = JSON.stringify(sampleBurnBlock);
const head = `POST /new_burn_block HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;

/** Resolves with the first line of the response; '' if the connection is closed without one. */
async function responseOn(socket: Socket): Promise<string> {
  const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
  return String(data).split('\r\n', 1)[0] ?? '';
}

/** Strangers of many addresses, each with as many connections as it may have. */
async function strangers(open: (text: string, from: string) => Promise<Socket>, count: number, text: string) {
  for (let i = 0; i < count; i++) await open(text, `127.0.1.${1 + Math.floor(i / 20)}`);
}

for (const [what, text] of [
  ['say nothing', ''],
  ['never end their headers', 'POST /new_block HTTP/1.1\r\nHost: x\r\n'],
  ['never end their bodies', 'POST /new_block HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{'],
] as const) {
  test(`300 strangers that ${what} do not keep a node from its acknowledgement`, async t => {
    const { accepted, open } = await startPatient(t);
    await strangers(open, 300, text);
    const node = await open(head + body);
    assert.equal(await responseOn(node), 'HTTP/1.1 200 OK');
    assert.deepEqual(accepted, ['/new_burn_block']);
  });

  test(`a node that shares its address with strangers that ${what} is acknowledged too`, async t => {
    const { open } = await startPatient(t);
    for (let i = 0; i < 120; i++) await open(text);
    assert.equal(await responseOn(await open(head + body)), 'HTTP/1.1 200 OK');
  });
}

test('a node that is sending a body keeps its connection while silent strangers come', async t => {
  const { open } = await startPatient(t);
  const node = await open(head + body.slice(0, 10));
  await strangers(open, 150, '');
  node.write(body.slice(10));
  assert.equal(await responseOn(node), 'HTTP/1.1 200 OK');
});

test('of one address only so many connections stay open', async t => {
  const { open } = await startPatient(t);
  const all = [];
  for (let i = 0; i < 60; i++) all.push(await open(''));
  const kept = defaultEventServerLimits.maxConnectionsPerAddress;
  // The oldest are closed first.
  await Promise.all(all.slice(0, -kept).map(gone));
  assert.ok(all.slice(-kept).every(socket => !socket.closed));
});

const gone = async (socket: Socket): Promise<void> => {
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
};
