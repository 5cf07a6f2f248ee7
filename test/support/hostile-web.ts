import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { crc32, deflateSync, gzipSync } from 'node:zlib';

export interface HostileWeb {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or `https:`. */
  readonly origin: string;
  /** The requests, in order. */
  readonly requests: readonly IncomingMessage[];
  /** Connections that were made, also those without a request. */
  readonly connections: () => number;
  /** Sockets that are open now. */
  readonly open: () => number;
  /** From now on every new connection is handled by this, not as HTTP, once a request has come. */
  raw(handler: (socket: Socket) => void): void;
  close(): Promise<void>;
}

export type Page = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => void;

/** A web server that behaves as badly as strangers' servers may: `PAGES`, and what a test adds. Other paths are 404. */
export async function startHostileWeb(
  more: Readonly<Record<string, Page>> = {},
  certificate?: Certificate,
): Promise<HostileWeb> {
  const pages: Record<string, Page> = { ...PAGES, ...more };
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let raw: ((socket: Socket) => void) | undefined;
  const respond: RequestListener = (request, response) => {
    requests.push(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://any');
    const page = Object.hasOwn(pages, pathname) ? pages[pathname] : undefined;
    if (page) page(request, response, searchParams);
    else response.writeHead(404).end('no such page');
  };
  const server = certificate ? createSecureServer(certificate, respond) : createServer(respond);
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    const handler = raw;
    if (!handler) return;
    socket.removeAllListeners('data').once('data', () => handler(socket));
    socket.resume();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    raw: handler => {
      raw = handler;
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A page with a status, headers and a body. */
export const page =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Page =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** A page that declares the type JSON. */
export const jsonPage = (body: unknown): Page => page(JSON.stringify(body), { 'content-type': 'application/json' });

export const redirectTo = (location: string, status = 302): Page => page('', { location }, status);

/** Sends a byte now and then, for ever. */
const drip: Page = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  const timer = setInterval(() => response.write(' '), 50);
  response.once('close', () => clearInterval(timer));
};

/** A body of so many bytes, `?bytes=`, announced or not. */
const sized =
  (announce: boolean): Page =>
  (_, response, query) => {
    const body = Buffer.alloc(Number(query.get('bytes')), ' ');
    response.writeHead(200, announce ? { 'content-length': String(body.length) } : {});
    response.write(body.subarray(0, body.length / 2));
    response.end(body.subarray(body.length / 2));
  };

const rateLimited: Page = (_, response, query) => {
  const after = query.get('after');
  response.writeHead(Number(query.get('status') ?? 429), after === null ? {} : { 'retry-after': after }).end();
};

export const PAGES: Readonly<Record<string, Page>> = {
  '/good.json': jsonPage({ sip: 16, name: 'Good', image: 'ipfs://x/{id}.png' }),
  '/status': (_, response, query) => void response.writeHead(Number(query.get('code'))).end('{"name":"no"}'),
  '/to': (_, response, query) => void response.writeHead(302, { location: query.get('url') ?? '' }).end(),
  '/relative': redirectTo('good.json'),
  '/loop': redirectTo('/loop'),
  '/slow-loop': (_, response) => void setTimeout(() => response.writeHead(302, { location: '/slow-loop' }).end(), 800),
  '/rate-limited': rateLimited,
  '/drip': drip,
  '/silent': () => {},
  '/reset': request => void request.socket.resetAndDestroy(),
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"name":');
    setImmediate(() => response.destroy());
  },
  '/sized': sized(true),
  '/sized-unannounced': sized(false),
  '/large.json': (_, response) => void response.end(`{"name":"${'x'.repeat(10_000_000)}"}`),
  '/html': page('<!doctype html><title>Sorry</title>', { 'content-type': 'text/html' }),
  '/odd-type': page('{"name":"Odd"}', { 'content-type': 'image/png; charset=klingon' }),
  '/empty': page('', {}, 204),
  '/gzip.json': page(gzipSync('{"name":"Zipped"}'), { 'content-encoding': 'gzip' }),
  '/zipped': (_, response, query) => {
    const body = gzipSync(Buffer.alloc(Number(query.get('bytes')), ' '));
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  },
  '/false-gzip.json': page('{"name":"Not zipped"}', { 'content-encoding': 'gzip' }),
  '/zstd.json': page('{"name":"?"}', { 'content-encoding': 'zstd' }),
  '/bomb.json': (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
  // The header of a gzip file with a name of two million letters: nothing comes out of it.
  '/no-end-of-name.json': (_, response) => {
    const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.concat([header, Buffer.alloc(2_000_000, 'x')]));
  },
  '/nul.json': page('{"name":"a\\u0000b","properties":{"p":"c\\u0000"}}'),
  '/surrogate.json': page('{"name":"a\\ud800b","description":"\\udc00"}'),
  '/locales.json': jsonPage({
    name: 'A',
    localization: { uri: '/locale/{locale}.json', default: 'en', locales: ['en', 'es', 'es', 'de'] },
  }),
  '/deep.json': page('['.repeat(999_999)),
  '/huge.png': (_, response) => void response.end(pngClaiming(30_000, 30_000)),
  '/script.svg': page(
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>while(true);</script><rect width="8" height="8"/></svg>',
    { 'content-type': 'image/svg+xml' },
  ),
};

/** A PNG whose header claims so many pixels, with hardly any data. */
export const pngClaiming = (width: number, height: number): Buffer => png(width, height, 2, Buffer.alloc(100_000));

/** By their edge: to compress a large one takes longer than to draw it. */
const blackPngs = new Map<number, Buffer>();

/** A black picture of so many pixels, complete: a thousandth of its size when it is decoded. */
export function blackPng(edge: number): Buffer {
  const known = blackPngs.get(edge) ?? png(edge, edge, 0, Buffer.alloc(edge * (edge + 1)));
  blackPngs.set(edge, known);
  return known;
}

function png(width: number, height: number, colourType: 0 | 2, lines: Uint8Array): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, colourType, 0, 0, 0], 8); // 8 bits, grey or RGB
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const data = chunk('IDAT', deflateSync(lines));
  return Buffer.concat([signature, chunk('IHDR', size), data, chunk('IEND', Buffer.alloc(0))]);
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for `name` that only its own key vouches for; a reason instead, where the machine cannot make one. */
export function selfSigned(name: string): Certificate | string {
  const { status, stdout, error } = spawnSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat([
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
      '-keyout',
      '-',
      '-out',
      '-',
    ]),
    { encoding: 'utf8' },
  );
  if (status !== 0) return `openssl cannot make a certificate: ${error?.message ?? `status ${status}`}`;
  const part = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----[^]+?-----END ${kind}-----`).exec(stdout)?.[0] ?? '';
  return { key: part('PRIVATE KEY'), cert: part('CERTIFICATE') };
}
