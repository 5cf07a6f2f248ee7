import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf, head, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import { LARGE, LARGE_SHARED, MARK } from './stand-in.ts';
import type { Target } from './target.ts';

const BROADCAST = '/v2/transactions';
const READ_ONLY = '/v2/contracts/call-read/ST000000000000000000002AMW42H/pox/get-pox-info';
/** Seconds within which another client must get its response from the node; without an attack it takes milliseconds. */
const PROMPT_S = 2;

const announced = (path: string, bytes: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Opens connections, which each send the beginning of a request. */
async function begin(port: number, count: number, addresses: number, text: (i: number) => string): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const socket = await open(port, addressOf(i, addresses));
      socket.write(text(i));
      return socket;
    }),
  );
}

/** The server needs up to this many milliseconds to read what was sent, even if a flood is shorter. */
const LEAST_MS = 500;
/** How long it may take to send everything, in milliseconds. */
const TAKING_MS = 10_000;

/** Waits until the server has taken what connections send, or has closed them. */
async function untilTaken(sockets: readonly Socket[], restMs: number): Promise<void> {
  const isTaken = ({ destroyed, writableLength }: Socket) => destroyed || writableLength === 0;
  for (const end = performance.now() + TAKING_MS; performance.now() < end && !sockets.every(isTaken); ) await delay(20);
  await delay(Math.max(restMs, LEAST_MS));
}

/** Checks the node's responses to another client during the attack. @param mayBeLate a 503 is judged like a delay, as it comes after the server had other work for 2 s */
async function others(port: number, mark: string, mayBeLate = false): Promise<Finding[]> {
  const begun = performance.now();
  const info = await statusOf(port, `/v2/info?${mark}=${begun}`);
  const call = await statusOf(port, READ_ONLY, false, {
    method: 'post',
    body: JSON.stringify({ sender: 'ST000000000000000000002AMW42H', arguments: [] }),
  });
  const sent = await statusOf(port, BROADCAST, false, { method: 'post', body: JSON.stringify({ tx: '00' }) });
  const seconds = (performance.now() - begun) / 1000;
  const withStatus = (...wanted: number[]) => [info, call, sent].filter(status => wanted.includes(status)).length;
  const refused = mayBeLate ? withStatus(429, 0) : withStatus(503, 429, 0);
  return [
    { what: 'requests of others that are refused', worst: refused, bound: 0, unit: '' },
    ...(mayBeLate ? [late(withStatus(503))] : []),
    { what: 'three requests of another client', worst: seconds, bound: 3 * PROMPT_S, unit: 's', isDelay: true },
  ];
}

const late = (count: number): Finding => ({
  what: 'requests of others that come too late',
  worst: count,
  bound: 0,
  unit: '',
  isDelay: true,
});

function hangUp(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** 140 requests that announce 900,000 bytes and send three, from one address and from several. */
export async function halfBodies({ server }: Target, { floodMs }: Size): Promise<Finding[]> {
  const { port } = server();
  const findings: Finding[] = [];
  for (const addresses of [1, 4, 200]) {
    const path = addresses === 4 ? READ_ONLY : '/v2/fees/transaction';
    const sockets = await begin(port, 140, addresses, () => `${announced(path, 900_000)}abc`);
    await untilTaken(sockets, floodMs / 6);
    findings.push(...(await others(port, 'half')));
    hangUp(sockets);
  }
  return worstOf(findings);
}

/** 135 clients that request 30 MB of the node and do not read them. */
export async function unreadResponses({ server }: Target, { floodMs }: Size): Promise<Finding[]> {
  const { port } = server();
  const findings: Finding[] = [];
  for (const addresses of [1, 4, 200]) {
    const path = addresses === 4 ? LARGE_SHARED : LARGE;
    const sockets = await begin(port, 135, addresses, i => head(`${path}?reader=${i}`));
    for (const socket of sockets) socket.pause();
    await untilTaken(sockets, floodMs / 4);
    findings.push(...(await others(port, 'unread', true)));
    hangUp(sockets);
  }
  return worstOf(findings);
}

/** Bytes of unfinished bodies that seven connections hold. */
const HELD_BYTES = 64 * 1024 * 1024;

/** Seven connections that hold 64 MiB of bodies together: each lacks its last byte. */
export async function unfinishedBodies({ server }: Target, { floodMs }: Size): Promise<Finding[]> {
  const { port } = server();
  const findings: Finding[] = [];
  const bytes = Math.floor(HELD_BYTES / 7);
  const body = Buffer.alloc(bytes, 0x61);
  for (const addresses of [1, 4, 7]) {
    const sockets = await begin(port, 7, addresses, () => announced(BROADCAST, bytes + 1));
    for (const socket of sockets) socket.write(body);
    await untilTaken(sockets, floodMs / 4);
    findings.push(...(await others(port, 'held')));
    hangUp(sockets);
  }
  return worstOf(findings);
}

/** One finding of each name: the worst. */
function worstOf(findings: readonly Finding[]): Finding[] {
  const worst = new Map<string, Finding>();
  for (const finding of findings)
    if (finding.worst >= (worst.get(finding.what)?.worst ?? 0)) worst.set(finding.what, finding);
  return [...worst.values()];
}

/** Headers by which a proxy may be made to mean another request or client than the node. */
const REWRITING = ['x-forwarded-host', 'x-original-url', 'x-rewrite-url', 'x-http-method-override', 'cookie'];

/** Sends headers that rewrite requests, which must not reach the node, and a tip in another spelling, whose pages must not be kept. */
export async function rewrittenRequests({ server, node }: Target): Promise<Finding[]> {
  const { port } = server();
  const { length: from } = await node.marked();
  const headers = REWRITING.map(name => `${name}: ${MARK}\r\n`).join('');
  const socket = await open(port);
  socket.resume().write(head(`/v2/accounts/ST000000000000000000002AMW42H?${MARK}`, headers));
  const path = `/v2/contracts/interface/ST000000000000000000002AMW42H/pox?${MARK}=1&tip=%6catest`;
  await statusOf(port, path);
  await statusOf(port, path);
  socket.destroy();
  const seen = (await node.marked()).slice(from);
  const passed = REWRITING.filter(name => seen.some(({ headers }) => headers[name] !== undefined));
  const requests = seen.filter(({ url }) => url.includes('interface')).length;
  return [
    { what: 'such headers that reach the node', worst: passed.length, bound: 0, unit: '' },
    { what: 'pages of the newest tip that are kept', worst: 2 - requests, bound: 0, unit: '' },
  ];
}

const ACCOUNT = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
/** Payments that one account gets in five minutes. */
const GIFTS = 5;

/** An account that requests the faucet's STX for the names of its contracts. */
export async function spelledAccounts({ server }: Target): Promise<Finding[]> {
  const { port } = server();
  let paid = 0;
  for (let i = 0; i < 2 * GIFTS; i++) {
    const name = i === 0 ? ACCOUNT : `${ACCOUNT}.c${i}`;
    const from = addressOf(i);
    const options = { method: 'post', from } as const;
    const status = await statusOf(port, `/extended/v1/faucets/stx?address=${name}`, false, options);
    if (status === 200) paid++;
  }
  return [{ what: 'payments to one account', worst: paid, bound: GIFTS, unit: '' }];
}
