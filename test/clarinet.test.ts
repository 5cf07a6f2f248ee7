/** The image, or its layout in a folder, with the environment and the commands of Clarinet's devnet. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { type Image, imageFor } from './container/image.ts';
import { responseOf } from './crash/program.ts';
import { sampleEvents } from './crash/round.ts';
import { freePort, startOwnPostgres } from './support/postgres.ts';
import { scale } from './support/scale.ts';
import { until } from './support/until.ts';

interface Api {
  readonly get: (path: string) => ReturnType<typeof responseOf>;
  readonly exec: (args: readonly string[]) => Promise<{ code: unknown; output: string }>;
  /** What it has logged. */
  readonly log: () => string;
  /** As `docker stop` does. @returns the exit status */
  readonly stop: () => Promise<unknown>;
}

interface Devnet {
  readonly image: Image;
  readonly nodePort?: number;
  readonly postgres?: Readonly<Record<string, string>>;
}

/** With PG_HOST emptied, as docs/operations.md recommends for a devnet without PostgreSQL. */
const NO_POSTGRES = {
  PG_HOST: '',
  PG_PORT: '5432',
  PG_USER: 'postgres',
  PG_PASSWORD: 'postgres',
  PG_DATABASE: 'stacks_api',
};

async function startContainer(t: TestContext, { image, nodePort, postgres = NO_POSTGRES }: Devnet): Promise<Api> {
  const port = await freePort();
  // What Clarinet sets, with ports that are free on this machine.
  const place = image.create({
    STACKS_CORE_RPC_HOST: '127.0.0.1',
    STACKS_CORE_RPC_PORT: String(nodePort ?? (await freePort())),
    STACKS_BLOCKCHAIN_API_HOST: '0.0.0.0',
    STACKS_BLOCKCHAIN_API_PORT: String(port),
    STACKS_BLOCKCHAIN_API_DB: 'pg',
    STACKS_CORE_EVENT_HOST: '0.0.0.0',
    STACKS_CORE_EVENT_PORT: String(await freePort()),
    STACKS_API_ENABLE_FT_METADATA: '1',
    V2_POX_MIN_AMOUNT_USTX: '90000000260',
    ...postgres,
    PG_SCHEMA: 'public',
    STACKS_CHAIN_ID: '2147483648',
    FAUCET_PRIVATE_KEY: `${'01'.repeat(32)}01`,
    NODE_ENV: 'development',
  });
  const server = place.run('stacks-index', ['serve']);
  const gone = once(server, 'close');
  const log = noted(server);
  t.after(async () => {
    place.signal(server, 'SIGKILL');
    await gone;
    place.remove();
  });
  return {
    get: path => responseOf(`http://127.0.0.1:${port}${path}`, {}),
    async exec(args) {
      const child = place.run('node', ['/app/lib/index.js', ...args]);
      const output = noted(child);
      const [code] = await once(child, 'close');
      return { code, output: output() };
    },
    log,
    async stop() {
      place.signal(server, 'SIGTERM');
      const [code] = await gone;
      return code;
    },
  };
}

/** @returns what it has written so far, to both streams */
function noted(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return () => output;
}

test('Clarinet imports and exports the events of a devnet while its API serves', async t => {
  if (scale === 'short') return t.skip('npm run test:all plays Clarinet');
  const directory = mkdtempSync(join(tmpdir(), 'clarinet-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const image = imageFor(directory);
  const events = sampleEvents().slice(0, 60);
  const archive = join(directory, 'events_cache.tsv');
  await writeArchive(archive, rowsOf(events));

  const first = await startContainer(t, { image });
  // The server may still be starting: the script does not wait for it.
  const imported = await first.exec(['import-events', '--file', archive, '--wipe-db']);
  assert.equal(imported.code, 0, imported.output);
  assert.match(imported.output, /^60 events imported, 0 skipped$/m);
  await until(async () => (await first.get('/extended')).body?.lag === 0, 'the events are not indexed');
  assert.equal((await first.get('/doc')).status, 200);

  const exported = join(directory, 'exported.tsv');
  const made = await first.exec(['export-events', '--file', exported, '--overwrite-file']);
  assert.equal(made.code, 0, made.output);
  const bodies = (file: string) =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split('\t').slice(2));
  assert.deepEqual(bodies(exported), bodies(archive));
  const { code, output } = await first.exec(['export-events', '--file', exported]);
  assert.equal(code, 1);
  assert.match(output, /--overwrite-file/);

  const again = await first.exec(['import-events', '--file', archive, '--wipe-db']);
  assert.equal(again.code, 1);
  assert.match(again.output, /start a new container/);
  assert.equal((await first.exec(['wipe'])).code, 2);
});

test('a devnet whose PostgreSQL and node come after the API begins where they come', async t => {
  if (scale === 'short') return t.skip('npm run test:all starts a PostgreSQL of its own');
  const postgres = await startOwnPostgres();
  if ('missing' in postgres) return t.skip(postgres.missing);
  t.after(() => postgres.stop());
  await postgres.interrupt('SIGINT');
  const directory = mkdtempSync(join(tmpdir(), 'clarinet-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const image = imageFor(directory);
  const { hostname, port, username, password, pathname } = new URL(postgres.url);
  const place = { PG_HOST: hostname, PG_PORT: port, PG_USER: username, PG_PASSWORD: password };
  const nodePort = await freePort();
  const devnet = { image, nodePort, postgres: { ...place, PG_DATABASE: pathname.slice(1) } };

  const stopped = await startContainer(t, devnet);
  const waits = (container: Api) => /database not available; trying again/.test(container.log());
  await until(() => waits(stopped), 'it does not look for its database');
  assert.equal(await stopped.stop(), 0, 'the first SIGTERM ends it');

  const container = await startContainer(t, devnet);
  await until(() => waits(container), 'it does not look for its database');
  const archive = join(directory, 'events_cache.tsv');
  await writeArchive(archive, rowsOf(sampleEvents().slice(0, 40)));
  const importing = container.exec(['import-events', '--file', archive, '--wipe-db']);
  await postgres.resume();
  const imported = await importing;
  assert.match(imported.output, /^40 events imported, 0 skipped$/m);
  await until(async () => (await container.get('/extended')).body?.lag === 0, 'the events are not indexed');

  assert.equal((await container.get('/doc')).status, 200);
  assert.equal((await container.get('/v2/info')).status, 502);
  const node = createServer((_request, response) => response.end('{"network_id":2147483648}'));
  node.listen(nodePort, '127.0.0.1');
  t.after(() => node.close());
  await until(async () => (await container.get('/v2/info')).status === 200, 'the node is not asked');
  const exported = join(directory, 'exported.tsv');
  const made = await container.exec(['export-events', '--file', exported, '--overwrite-file']);
  assert.equal(made.code, 0, made.output);
  assert.equal(readFileSync(exported, 'utf8').trim().split('\n').length, 40);
  assert.equal(await container.stop(), 0);
});

async function* rowsOf(events: Awaited<ReturnType<typeof sampleEvents>>) {
  for (const [i, event] of events.entries()) yield { id: i + 1, ...event };
}
