/** The proxies of deploy/proxy, as the real programs run them in front of a server: TLS, streams, addresses of clients, ETags, reloads. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { runProgram, runServer, type Server } from './crash/program.ts';
import { freePort } from './support/postgres.ts';
import { scale } from './support/scale.ts';
import { PATIENCE_MS, until } from './support/until.ts';

const ROOT = join(import.meta.dirname, '..');
const SAMPLE = join(ROOT, 'examples/sample-chain.tsv.gz');
const HOST = 'api.example.com';
const PAGE = '/extended/v2/blocks?limit=3';

/** Where a proxy runs. */
interface Place {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
  readonly port: number;
  /** Of the API behind it. */
  readonly apiPort: number;
}

/** A program that can be the proxy. */
interface Proxy {
  readonly name: string;
  /** Writes its configuration from the file of deploy/proxy. @returns the arguments that start it and that reload it */
  readonly configure: (
    place: Place,
  ) => Promise<{ readonly start: readonly string[]; readonly reload: readonly string[] }>;
}

const configurationOf = (file: string): string => readFileSync(join(ROOT, 'deploy/proxy', file), 'utf8');

const NGINX: Proxy = {
  name: 'nginx',
  async configure({ folder, certificate, key, port, apiPort }) {
    const plainPort = await freePort();
    const site = configurationOf('nginx.conf')
      .replaceAll('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll(/^ +listen \[::\].*\n/gm, '')
      .replaceAll('/etc/ssl/stacks-index/certificate.pem', certificate)
      .replaceAll('/etc/ssl/stacks-index/key.pem', key)
      .replaceAll('/var/cache/nginx', folder)
      .replaceAll('127.0.0.1:3999', `127.0.0.1:${apiPort}`);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${join(folder, name)};`,
    );
    const file = join(folder, 'nginx.conf');
    const main = `daemon off; user root; pid ${join(folder, 'nginx.pid')}; error_log stderr; events {}`;
    writeFileSync(file, `${main}\nhttp { access_log off; ${places.join(' ')}\n${site}\n}\n`);
    return { start: ['-c', file], reload: ['-c', file, '-s', 'reload'] };
  },
};

const CADDY: Proxy = {
  name: 'caddy',
  async configure({ folder, certificate, key, port, apiPort }) {
    const adminPort = await freePort();
    const text = configurationOf('Caddyfile')
      .replace('{\n\tservers', `{\n\tadmin 127.0.0.1:${adminPort}\n\tauto_https off\n\tservers`)
      .replace(`${HOST} {`, `https://${HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`)
      .replace('127.0.0.1:3999', `127.0.0.1:${apiPort}`);
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, text);
    const config = ['--config', file, '--adapter', 'caddyfile'];
    // --force: without a change there is no reload.
    return {
      start: ['run', ...config],
      reload: ['reload', '--force', '--address', `127.0.0.1:${adminPort}`, ...config],
    };
  },
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends a request through a proxy. @param from the address of the client, one of this machine */
async function open(port: number, path: string, from: string, headers: Readonly<Record<string, string>> = {}) {
  const sent = request({
    host: '127.0.0.1',
    servername: HOST,
    port,
    path,
    localAddress: from,
    headers: { host: HOST, ...headers },
    rejectUnauthorized: false,
    agent: false,
    timeout: PATIENCE_MS,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, close: () => void sent.destroy() };
}

async function get(port: number, path: string, from = '127.0.0.9', headers = {}): Promise<Answer> {
  const { response } = await open(port, path, from, headers);
  const body = await buffer(response);
  return { status: response.statusCode, headers: response.headers, body: body.toString() };
}

/** A stream with what it has sent so far. */
async function openStream(t: TestContext, port: number, from: string, headers = {}) {
  const { response, close } = await open(port, '/extended/v3/stream?heartbeat=5', from, headers);
  t.after(close);
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  return { status: response.statusCode, close, text: () => text, hasEnded: () => response.readableEnded };
}

const beats = (text: string): number => text.split('event: tip').length;

for (const proxy of [NGINX, CADDY])
  describe(proxy.name, () => {
    let folder: string;
    let server: Server | undefined;
    let started: ChildProcess | undefined;
    let port: number;
    let reload: readonly string[];
    let missing: string | undefined;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), `stacks-${proxy.name}-`));
      if (scale === 'short') missing = 'npm run test:all runs proxies';
      else if (spawnSync(proxy.name, ['-v']).error) missing = `not installed: ${proxy.name}`;
      if (missing !== undefined) return;
      const data = join(folder, 'data');
      assert.equal((await runProgram(['replay', SAMPLE, '--data', data]).ended).code, 0);
      server = await runServer([
        '--data',
        data,
        '--trust-proxy',
        '127.0.0.1/32',
        '--max-live-clients-per-address',
        '1',
      ]);
      assert.ok(await server.ready, server.output());
      const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
      const made = spawnSync('openssl', [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`],
        ...['-addext', `subjectAltName=DNS:${HOST}`, '-keyout', key, '-out', certificate],
      ]);
      assert.equal(made.status, 0, String(made.stderr));
      port = await freePort();
      const home = join(folder, 'home');
      mkdirSync(home, { recursive: true });
      const configured = await proxy.configure({ folder, certificate, key, port, apiPort: server.port });
      reload = configured.reload;
      started = spawn(proxy.name, configured.start, { env: { ...process.env, HOME: home }, stdio: 'ignore' });
      const isUp = () =>
        get(port, '/extended').then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(isUp, `${proxy.name} does not start`);
    });
    after(async () => {
      const gone = started && once(started, 'exit');
      started?.kill('SIGTERM');
      await gone;
      await server?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    const proxied = (name: string, body: (t: TestContext) => Promise<void>) =>
      test(`${name} (${proxy.name})`, async t => {
        if (missing !== undefined) return t.skip(missing);
        await body(t);
      });

    proxied('a page has the ETag of the API, and a client that has it gets a 304', async () => {
      const first = await get(port, PAGE);
      assert.equal(first.status, 200);
      const { etag = '' } = first.headers;
      assert.notEqual(etag, '');
      const again = await get(port, PAGE, '127.0.0.9', { 'if-none-match': etag });
      assert.deepEqual([again.status, again.body], [304, '']);
      if (proxy === NGINX) assert.match(String((await get(port, PAGE)).headers['x-cache-status']), /HIT|REVALIDATED/);
      const wrong = await get(port, '/extended/v2/blocks?limit=x');
      assert.equal(wrong.status, 400);
    });

    proxied('clients count by their own address, whatever they write into X-Forwarded-For', async t => {
      const one = await openStream(t, port, '127.0.0.2');
      const other = await openStream(t, port, '127.0.0.3');
      assert.deepEqual([one.status, other.status], [200, 200]);
      const second = await openStream(t, port, '127.0.0.2', { 'x-forwarded-for': '203.0.113.7' });
      assert.equal(second.status, 429);
    });

    proxied('a stream sends at once, and goes on across a reload of the proxy', async t => {
      const stream = await openStream(t, port, '127.0.0.4');
      await until(() => stream.text().includes('event: hello'), 'the beginning of the stream is held back');
      const loaded = spawnSync(proxy.name, reload, { encoding: 'utf8' });
      assert.equal(loaded.status, 0, loaded.stderr);
      const before = beats(stream.text());
      await until(() => beats(stream.text()) > before + 1 || stream.hasEnded(), 'no heartbeat after a reload');
      assert.ok(!stream.hasEnded(), 'the reload ended the stream');
      assert.equal((await get(port, PAGE)).status, 200);
    });

    proxied('a WebSocket passes', async t => {
      const headers = { host: HOST };
      const options = { headers, servername: HOST, rejectUnauthorized: false, localAddress: '127.0.0.5' };
      const socket = new WebSocket(`wss://127.0.0.1:${port}/extended/v1/ws`, options);
      t.after(() => socket.terminate());
      await once(socket, 'open');
      socket.send('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"event":"block"}}');
      const [message] = await once(socket, 'message');
      assert.deepEqual(JSON.parse(String(message)).id, 1);
    });
  });
