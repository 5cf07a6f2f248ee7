/** The layout of the image in a folder, with the environment and the commands of Clarinet's devnet. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeArchive } from '../src/node/archive/write.ts';
import { answerOf } from './crash/program.ts';
import { sampleEvents } from './crash/round.ts';
import { freePort } from './support/postgres.ts';
import { until } from './support/until.ts';

const ROOT = join(import.meta.dirname, '..');

/** What the Dockerfile copies to /app. */
function imageIn(directory: string): string {
  const app = join(directory, 'app');
  mkdirSync(app);
  cpSync(join(ROOT, 'package.json'), join(app, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  const folders = Array.from(
    readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^COPY (\w+) \1$/gm),
    ([, name = '']) => name,
  );
  for (const folder of folders)
    cpSync(join(ROOT, folder), join(app, folder), { recursive: true, filter: path => !path.endsWith('.test.ts') });
  return app;
}

interface Container {
  readonly get: (path: string) => ReturnType<typeof answerOf>;
  readonly exec: (args: readonly string[]) => Promise<{ code: unknown; output: string }>;
}

async function startContainer(t: TestContext, directory: string, app: string, name: string): Promise<Container> {
  const port = await freePort();
  // What Clarinet sets, with PG_HOST emptied as docs/operations.md says, and ports that are free on this machine.
  const env = {
    PATH: process.env.PATH,
    STACKS_INDEX_DATA: join(directory, name),
    STACKS_CORE_RPC_HOST: '127.0.0.1',
    STACKS_CORE_RPC_PORT: String(await freePort()),
    STACKS_BLOCKCHAIN_API_HOST: '0.0.0.0',
    STACKS_BLOCKCHAIN_API_PORT: String(port),
    STACKS_BLOCKCHAIN_API_DB: 'pg',
    STACKS_CORE_EVENT_HOST: '0.0.0.0',
    STACKS_CORE_EVENT_PORT: String(await freePort()),
    STACKS_API_ENABLE_FT_METADATA: '1',
    V2_POX_MIN_AMOUNT_USTX: '90000000260',
    PG_HOST: '',
    PG_PORT: '5432',
    PG_USER: 'postgres',
    PG_PASSWORD: 'postgres',
    PG_DATABASE: 'stacks_api',
    PG_SCHEMA: 'public',
    STACKS_CHAIN_ID: '2147483648',
    NODE_ENV: 'development',
  };
  const run = (args: readonly string[]): ChildProcess => spawn(process.execPath, [...args], { env });
  const server = run([join(app, 'src/cli/bin.ts'), 'serve']);
  const gone = once(server, 'close');
  t.after(async () => {
    server.kill('SIGKILL');
    await gone;
  });
  return {
    get: path => answerOf(`http://127.0.0.1:${port}${path}`, {}),
    async exec(args) {
      const child = run([join(app, 'lib/index.js'), ...args]);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      const [code] = await once(child, 'close');
      return { code, output };
    },
  };
}

test('Clarinet imports and exports the events of a devnet while its API serves', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'clarinet-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const app = imageIn(directory);
  const events = (await sampleEvents()).slice(0, 60);
  const archive = join(directory, 'events_cache.tsv');
  await writeArchive(archive, rowsOf(events));

  const first = await startContainer(t, directory, app, 'first');
  // The server may still be starting: nobody waits for it.
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

async function* rowsOf(events: Awaited<ReturnType<typeof sampleEvents>>) {
  for (const [i, event] of events.entries()) yield { id: i + 1, ...event };
}
