import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import { combinations } from '../cost/combinations.ts';
import fc from '../support/fast-check.ts';
import { requests } from '../support/requests.ts';
import { head, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import type { Target } from './target.ts';

/** The slowest of many combinations of parameters. */
async function slowestPaths({ server, paths }: Target, seed: number, count: number): Promise<string[]> {
  const document = (await server().get('/openapi.json')).body as unknown as OpenApiDocument;
  const tried = combinations(document, paths, { cases: 25 * count, seed });
  const timed: { readonly path: string; readonly ms: number }[] = [];
  for (const { path } of tried) {
    const begun = performance.now();
    await statusOf(server().port, path);
    timed.push({ path, ms: performance.now() - begun });
  }
  return timed
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ path }) => path);
}

/** Sends thousands of requests at once on each of several connections, then closes them. */
export async function pipelining(target: Target, { floodMs }: Size, seed: number): Promise<Finding[]> {
  const [slow = '/extended/v1/tx'] = await slowestPaths(target, seed, 1);
  for (const end = performance.now() + floodMs; performance.now() < end; ) {
    const sockets = await Promise.all(Array.from({ length: 4 }, () => open(target.server().port)));
    for (const socket of sockets) socket.resume().write(head(slow).repeat(2_000));
    await delay(300);
    for (const socket of sockets) socket.destroy();
  }
  return [];
}

/** Many clients send the slowest known requests without a pause. */
export async function slowUrls(target: Target, { floodMs }: Size, seed: number): Promise<Finding[]> {
  const slow = await slowestPaths(target, seed, 14);
  const end = performance.now() + floodMs;
  const times: number[] = [];
  const client = async (first: number) => {
    for (let i = first; performance.now() < end; i++) {
      await statusOf(target.server().port, `${slow[i % slow.length]}&n=${first}.${i}`);
      times.push(1);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, i) => client(i)));
  return [{ what: 'requests without any response', worst: times.length === 0 ? 1 : 0, bound: 0, unit: '' }];
}

/** Clients from many addresses request large pages and do not read them. */
export async function slowReaders(target: Target, { slowReaders: count, floodMs }: Size): Promise<Finding[]> {
  const port = target.server().port;
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = await open(port, `127.0.2.${1 + (i % 250)}`);
    socket.pause().write(head(`/openapi.json?reader=${i}`) + head(`/extended/v1/tx?limit=50&offset=${i}`));
    sockets.push(socket);
  }
  await delay(floodMs);
  const status = await statusOf(port, '/extended/v1/tx?limit=50&offset=3');
  for (const socket of sockets) socket.destroy();
  return [{ what: 'others who are refused', worst: status === 200 ? 0 : 1, bound: 0, unit: '' }];
}

/** Clients from many addresses repeatedly download whole lists; half of them read nothing. */
export async function wholeLists(target: Target, { slowReaders: count, floodMs }: Size): Promise<Finding[]> {
  const port = target.server().port;
  const lists = ['/extended/v3/transactions', '/extended/v2/blocks'];
  const end = performance.now() + floodMs;
  const client = async (number: number) => {
    for (let i = 0; performance.now() < end; i++) {
      const socket = await open(port, `127.0.3.${1 + (number % 60)}`);
      const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
      const form = i % 2 === 0 ? 'csv' : 'ndjson';
      socket.write(
        head(`${lists[number % lists.length]}?format=${form}&limit=${1 + (i % 50)}`, 'Connection: close\r\n'),
      );
      if (number % 2 === 0) socket.resume();
      else socket.pause();
      await Promise.race([closed, delay(Math.max(0, end - performance.now()))]);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, 120) }, (_, i) => client(i)));
  const status = await statusOf(port, '/extended/v1/tx?limit=50&offset=3');
  return [{ what: 'others who are refused', worst: status === 200 ? 0 : 1, bound: 0, unit: '' }];
}

/** Clients close the connection before or during their response. */
export async function abortedDownloads(target: Target, { abortedDownloads: count }: Size): Promise<Finding[]> {
  const port = target.server().port;
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const socket = await open(port);
      socket.write(head(left % 2 === 0 ? '/openapi.json' : `/extended/v1/tx?limit=50&offset=${left % 700}`));
      if (left % 3 > 0) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  return [];
}

/** Sends every kind of request that the OpenAPI document allows or forbids. */
export async function mixedRequests(target: Target, { mixedRequests: count }: Size, seed: number): Promise<Finding[]> {
  const document = (await target.server().get('/openapi.json')).body as unknown as OpenApiDocument;
  const port = target.server().port;
  const agent = new Agent({ keepAlive: true });
  let left = count;
  let failures = 0;
  const client = async (number: number) => {
    const drawn = fc.sample(requests(document, target.paths), { numRuns: 500, seed: seed + number });
    for (let i = 0; left-- > 0; i++) {
      const { path, method, body } = drawn[i % drawn.length] ?? { path: '/', method: 'get' };
      if (!isSendable(path)) continue;
      const status = await statusOf(port, path, agent, { method, body });
      if (status === 0 || (status >= 500 && status !== 503)) failures++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, i) => client(i)));
  agent.destroy();
  return [{ what: 'requests without a proper response', worst: failures, bound: 0, unit: '' }];
}

/** Whether Node's HTTP client can send a path. */
const isSendable = (path: string): boolean => path.startsWith('/') && /^[\x21-\x7e]*$/.test(path);

/** Requests that a proxy and this server may interpret differently. */
export async function twoHosts(target: Target): Promise<Finding[]> {
  let accepted = 0;
  for (const more of ['Host: y\r\n', 'host: x\r\n', 'HOST:\r\n']) {
    const socket = await open(target.server().port);
    socket.write(head('/extended', more));
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [unknown];
    if (!String(data).startsWith('HTTP/1.1 400')) accepted++;
    socket.destroy();
  }
  return [{ what: 'requests that are not a 400', worst: accepted, bound: 0, unit: '' }];
}
