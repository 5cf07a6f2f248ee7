import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lockStorage } from '../src/operate/storage/locks.ts';
import { callProgram } from './support/call-program.ts';
import { sampleBurnBlock } from './support/event-bodies.ts';
import { freePort } from './support/postgres.ts';
import { atLength } from './support/scale.ts';
import { until } from './support/until.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'bin/stacks-index');
const archive = join(root, 'examples/sample-chain.tsv.gz');
/** The events of the sample chain. */
const LINES = gunzipSync(readFileSync(archive)).toString().trim().split('\n');
const TESTNET = ['--chain-id', '0x80000000'];

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-cli-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The program as a user calls it. */
const run = (...args: string[]) =>
  spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, STACKS_CHAIN_ID: undefined } });

/** A command in this process: for what it does, and not how it is started. */
const call = (...args: string[]) => callProgram(args);

/** The first events of the sample chain, which a directory has for all tests. */
const FIRST_60 = LINES.slice(0, 60);
const HEIGHT_OF_FIRST_60 = 13;

let replayed: string;
before(async () => {
  replayed = mkdtempSync(join(tmpdir(), 'stacks-replayed-'));
  const part = join(replayed, 'part.tsv');
  writeFileSync(part, FIRST_60.join('\n'));
  const { code, stderr } = await call('replay', part, '--data', replayed, ...TESTNET);
  assert.equal(code, 0, stderr);
});
after(() => rmSync(replayed, { recursive: true, force: true }));

/** A directory with the first events of the sample chain, which the program has replayed once for all tests. */
function replayedDirectory(t: TestContext): string {
  const data = join(temporary(t), 'data');
  cpSync(replayed, data, { recursive: true });
  return data;
}

/** An archive with the first events of the sample chain. */
function archiveOf(t: TestContext, events: number): string {
  const file = join(temporary(t), 'part.tsv');
  writeFileSync(file, LINES.slice(0, events).join('\n'));
  return file;
}

interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  get(path: string): Promise<{ status: number; body: { [key: string]: unknown } }>;
  /** Sends the signal to end; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The program, which ends with the test, and with all tests when they are interrupted. */
function start(t: TestContext, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(program, args);
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  t.after(() => {
    end();
    process.off('exit', end);
  });
  return child;
}

async function serve(t: TestContext, data: string, ...args: string[]): Promise<Served> {
  const port = await freePort();
  const child = start(t, [
    'serve',
    '--data',
    data,
    ...TESTNET,
    '--port',
    String(port),
    '--log-level',
    'error',
    ...args,
  ]);
  const url = `http://127.0.0.1:${port}`;
  await untilServing(url, child);
  return {
    url,
    process: child,
    get: async path => {
      const response = await fetch(url + path);
      return { status: response.status, body: (await response.json()) as { [key: string]: unknown } };
    },
    stop: async (signal = 'SIGTERM') => {
      const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)));
      child.kill(signal);
      return ended;
    },
  };
}

function untilServing(url: string, child: ChildProcess): Promise<true> {
  const isServing = () => {
    assert.equal(child.exitCode, null, 'the process ended');
    return fetch(`${url}/extended`).then(
      response => response.ok,
      () => false,
    );
  };
  return until(isServing, 'it does not serve');
}

test('the program explains itself', async () => {
  assert.match((await call('--help')).stdout, /serve[\s\S]*replay ARCHIVE[\s\S]*export FILE/);
  assert.match((await call('serve', '--help')).stdout, /events_observer[\s\S]*events_keys/);
  assert.match(run('--version').stdout, /^stacks-index \d+\.\d+\.\d+(-dev)?\n$/);
});

test('a wrong call ends with 2 and says what to do', async () => {
  const hint = /stacks-index: .*\n(.*\n)*Try: stacks-index( serve| replay)? --help/;
  for (const args of [
    ['frobnicate'],
    ['serve', '--port', '99999'],
    ['serve', '--chain-id', 'x'],
    ['replay'],
    ['serve', '--nope'],
  ]) {
    const called = await call(...args);
    assert.equal(called.code, 2, args.join(' '));
    assert.match(called.stderr, hint);
  }
});

test('a replayed directory is mixed with no other chain, served also without an event server, and written by one process at a time; SIGTERM ends it whatever connections are open', async t => {
  const data = replayedDirectory(t);
  const other = run('replay', archive, '--data', data, '--chain-id', '0x00000001'); // it holds the directory until it exits
  assert.equal(other.status, 1);
  assert.match(other.stderr, /holds chain 0x80000000[\s\S]*--chain-id 0x80000000/);
  const served = await serve(t, data, '--event-port', '0');
  assert.equal((await served.get('/extended/v2/blocks/latest')).body.height, HEIGHT_OF_FIRST_60);
  const second = await call('replay', archive, '--data', data, ...TESTNET);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /in use by another process/);
  const silent = connect(Number(new URL(served.url).port), '127.0.0.1');
  await once(silent, 'connect');
  assert.equal(await served.stop(), 0);
  silent.destroy();
});

for (const workers of ['1', '2'])
  test(`with ${workers} process(es) that answer, a slow page shows in the log, the metrics and its headers`, {
    skip: atLength,
  }, async t => {
    const data = replayedDirectory(t);
    const metricsPort = String(await freePort());
    const timing = [
      '--log-slow-ms',
      '0',
      '--server-timing',
      'on',
      '--metrics-port',
      metricsPort,
      '--log-level',
      'warn',
    ];
    const served = await serve(t, data, '--event-port', '0', '--workers', workers, ...timing);
    assert.ok(served.process.stdout);
    const log = text(served.process.stdout);
    const response = await fetch(`${served.url}/extended/v2/blocks/10/transactions?limit=3`);
    assert.match(
      response.headers.get('server-timing') ?? '',
      /db;dur=[\d.]+;desc="[1-9]\d* statements, [1-9]\d* rows"/,
    );
    const route = '/extended/v2/blocks/:height_or_hash/transactions';
    const hasRoute = () =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
        async metrics => (await metrics.text()).includes(`stacks_index_statement_seconds_count{route="${route}"}`),
        () => false, // workers serve before the metrics do
      );
    await until(hasRoute, 'the histogram does not have the route');
    await served.stop();
    const line = (await log).split('\n').find(each => each.includes(`"route":"${route}"`));
    const { parameters, statements } = JSON.parse(line ?? '{}');
    assert.equal(parameters.limit, 3);
    assert.ok(statements.length > 0);
  });

/** Posts events of the sample chain, as a node does: the next when the one before is acknowledged. */
async function post(lines: readonly string[], eventPort: number): Promise<void> {
  for (const line of lines) {
    const [, , path, payload] = line.split('\t');
    const body = payload?.replaceAll('\\\\', '\\') ?? '';
    const response = await fetch(`http://127.0.0.1:${eventPort}${path}`, { method: 'POST', body });
    assert.equal(response.status, 200, await response.text());
  }
}

async function untilIndexed(served: Served): Promise<{ [key: string]: unknown }> {
  await until(async () => (await served.get('/extended')).body.lag === 0, 'the index does not catch up');
  return (await served.get('/extended')).body;
}

test('events posted to a running server are answered by its API; what was acknowledged survives a kill, and is indexed after a restart', {
  skip: atLength,
}, async t => {
  const data = join(temporary(t), 'data');
  const eventPort = await freePort();
  const served = await serve(t, data, '--event-port', String(eventPort));
  const heightOf = async (server: Served) =>
    ((await untilIndexed(server)).chain_tip as { block_height: number }).block_height;
  await post(LINES.slice(0, 60), eventPort);
  assert.equal(await heightOf(served), HEIGHT_OF_FIRST_60);
  const more = LINES.slice(60, 120);
  await post(more, eventPort);
  await served.stop('SIGKILL');
  const again = await serve(t, data, '--event-port', '0');
  assert.equal(await heightOf(again), HEIGHT_OF_FIRST_60 + more.filter(line => line.includes('\t/new_block\t')).length);
  assert.equal(await again.stop(), 0);
});

test('a replay that was cut short goes on where it was, and makes the same index', async t => {
  const directory = temporary(t);
  const data = join(directory, 'data');
  assert.equal((await call('replay', archiveOf(t, 60), '--data', data, ...TESTNET)).code, 0);
  assert.equal((await call('replay', archiveOf(t, 120), '--data', data, ...TESTNET)).code, 0);
  const exported = join(directory, 'export.tsv');
  assert.equal((await call('export', exported, '--data', data)).code, 0);
  assert.equal(readFileSync(exported, 'utf8').trim().split('\n').length, 120);
  const nowhere = join(directory, 'nowhere');
  assert.equal((await call('export', exported, '--data', nowhere)).code, 1);
  assert.equal(existsSync(nowhere), false, 'an export creates nothing');
});

test('a broken line in the middle is named; the rest is kept, or refused with --strict', async t => {
  const directory = temporary(t);
  const lines = LINES.slice(0, 60);
  const broken = join(directory, 'broken.tsv');
  writeFileSync(broken, [...lines.slice(0, 40), '41\tnot a time\t/new_block\t{', ...lines.slice(40)].join('\n'));
  const kept = await call('replay', broken, '--data', join(directory, 'kept'), ...TESTNET);
  assert.equal(kept.code, 3);
  assert.match(kept.stderr, /broken\.tsv:41: not a time/);
  assert.match(kept.stderr, new RegExp(`height ${HEIGHT_OF_FIRST_60}`));
  const refused = await call('replay', broken, '--strict', '--data', join(directory, 'refused'), ...TESTNET);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /broken\.tsv:41: not a time/);
});

test('a payload in the middle that is no valid event is named by its line', async t => {
  const directory = temporary(t);
  const lines = LINES.slice(0, 60);
  const broken = join(directory, 'broken.tsv');
  writeFileSync(
    broken,
    [...lines.slice(0, 40), '41\t2026-11-19 06:00:00+00\t/new_block\t{"block_hash": 5}', ...lines.slice(40)].join('\n'),
  );
  const kept = await call('replay', broken, '--data', join(directory, 'kept'), ...TESTNET);
  assert.equal(kept.code, 3);
  assert.match(kept.stderr, /broken\.tsv:41: block_hash/);
});

test('one process may replay and then serve, as the demo does', { skip: atLength }, async t => {
  const directory = temporary(t);
  const data = join(directory, 'data');
  const port = String(await freePort());
  const place = ['--data', data, ...TESTNET, '--log-level', 'error'];
  const both = `
    import { main } from ${JSON.stringify(join(root, 'src/cli/main.ts'))};
    console.log(await main(${JSON.stringify(['replay', archiveOf(t, 60), ...place])}, process.env));
    await main(${JSON.stringify(['serve', ...place, '--port', port, '--event-port', '0'])}, process.env);`;
  const script = join(directory, 'both.mjs');
  writeFileSync(script, both);
  const child = spawn(process.execPath, [script], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await untilServing(`http://127.0.0.1:${port}`, child);
});

test('a port that is taken is named, and the process ends', async t => {
  const busy = createServer().listen(0, '127.0.0.1');
  t.after(() => busy.close());
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const ports = ['--port', String(port), '--event-port', '0'];
  const { status, stderr } = run('serve', '--data', join(temporary(t), 'data'), ...TESTNET, ...ports);
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`:${port} is already in use`));
});

test('an archive that is missing or damaged is named with what to do', async t => {
  const directory = temporary(t);
  const missing = await call('replay', join(directory, 'nothing.tsv'), '--data', join(directory, 'data'), ...TESTNET);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /cannot be read/);
  const cut = join(directory, 'cut.tsv.gz');
  writeFileSync(cut, readFileSync(archive).subarray(0, 200_000));
  const damaged = await call('replay', cut, '--data', join(directory, 'data'), ...TESTNET);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /is damaged or incomplete after line \d+/);
});

/** A server that accepts connections and never responds. */
async function startSilent(t: TestContext) {
  const connections: Socket[] = [];
  const server = createServer(socket => connections.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of connections) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, isAwaited: () => connections.length > 0 };
}

const nobody = async () => ({ port: await freePort(), isAwaited: (log: string) => log.includes('trying again') });

for (const [what, listen] of [
  ['refuses connections', nobody],
  ['does not answer', startSilent],
] as const) {
  test(`one SIGTERM ends a server that waits for a PostgreSQL which ${what}`, {
    skip: listen === nobody && atLength,
  }, async t => {
    const { port, isAwaited } = await listen(t);
    const database = `postgres://nobody@127.0.0.1:${port}/none`;
    const ports = ['--port', String(await freePort()), '--event-port', String(await freePort())];
    const child = start(t, ['serve', '--database', database, ...ports]);
    let log = '';
    child.stdout.on('data', data => {
      log += data;
    });
    await until(() => isAwaited(log), 'it does not wait for the database');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await ended;
    assert.equal(code, 0, log);
  });
}

test('set-aside names what cannot be applied; replay, verify and reindex go on without it', async t => {
  const data = temporary(t);
  const lines = LINES.slice(0, 60);
  const blocks = lines.filter(line => line.includes('\t/new_block\t'));
  const [id = '', at = '', path = '', body = ''] = (blocks.at(-1) ?? '').split('\t');
  const { index_block_hash: tip, ...block } = JSON.parse(body);
  const hash = `0x${'ab'.repeat(32)}`;
  const forged = { ...block, block_height: 1, index_block_hash: hash, block_hash: hash, parent_index_block_hash: tip };
  const events = join(data, 'events.tsv');
  writeFileSync(events, [...lines, [Number(id) + 1000, at, path, JSON.stringify(forged)].join('\t'), ''].join('\n'));
  const command = (...args: string[]) => call(...args, '--data', data, ...TESTNET);

  assert.equal((await command('replay', events)).code, 0);
  const listed = await command('set-aside');
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^\d+\t\S+Z\t\/new_block\ta block of height 1 cannot stand on one of height \d+\n$/);
  const retried = await command('set-aside', '--retry');
  assert.equal(retried.stdout, '0 applied, 1 still set aside\n', retried.stderr);
  assert.equal(retried.code, 1);
  assert.equal((await command('verify')).code, 0);
  assert.equal((await command('reindex')).code, 0);
  assert.equal((await command('set-aside')).stdout, listed.stdout);
});

test('below the floor of free space events get 503 with the reason, and nothing is stored', {
  skip: atLength,
}, async t => {
  const [eventPort, metricsPort] = [await freePort(), await freePort()];
  const ports = ['--event-port', String(eventPort), '--metrics-port', String(metricsPort)];
  const server = await serve(t, temporary(t), ...ports, '--min-free-space', String(Number.MAX_SAFE_INTEGER));
  const body = JSON.stringify({ ...sampleBurnBlock });
  const response = await fetch(`http://127.0.0.1:${eventPort}/new_burn_block`, { method: 'POST', body });
  assert.equal(response.status, 503);
  const refusal = (await response.json()) as { message: string; hint: string };
  assert.match(refusal.message, /free bytes, fewer than/);
  assert.match(refusal.hint, /--min-free-space/);
  const ready = await fetch(`http://127.0.0.1:${metricsPort}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /free bytes/);
  assert.equal((await server.get('/extended')).body.lag, 0);
});

test('a command that fails before it starts says why and what to do, and leaves no directory', async t => {
  const home = temporary(t);
  const data = join(home, 'made/data');
  const busy = createServer().listen(0, '127.0.0.1');
  t.after(() => busy.close());
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const ports = (name: string) =>
    ['port', 'event-port', 'metrics-port'].flatMap(each => [`--${each}`, each === name ? String(port) : '0']);
  const readme = join(import.meta.dirname, '../README.md');
  const failing: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['replay', join(home, 'nowhere.tsv')], /nowhere\.tsv cannot be read: no such file or directory\n.*exists/],
    [
      ['replay', readme],
      /README\.md is not an event archive: there is no event after line \d+: line 1: .*\n.*four columns/,
    ],
    [['serve', ...ports('event-port')], /127\.0\.0\.1:\d+ is already in use\.\n.*--event-port/],
    [['serve', ...ports('metrics-port')], /127\.0\.0\.1:\d+ is already in use\.\n.*--metrics-port/],
    [['verify'], /made\/data does not exist\n.*--data/],
    [['reindex'], /made\/data does not exist\n/],
    [['set-aside', '--retry'], /made\/data does not exist\n/],
  ];
  for (const [args, says] of failing) {
    const { code, stderr } = await call(...args, '--data', data, '--log-level', 'silent');
    assert.deepEqual([code, says.test(stderr)], [1, true], `${args.join(' ')}: ${stderr}`);
    assert.deepEqual(readdirSync(home), [], args.join(' '));
  }
});

test('an export names the directory that is missing', async t => {
  const { code, stderr } = await call('export', join(temporary(t), 'nodir/x.tsv'), '--data', replayed);
  assert.equal(code, 1);
  assert.match(stderr, /\/nodir: no such file or directory\n/);
  assert.doesNotMatch(stderr, /partial/);
});

test('what to do about a directory in use depends on what was typed', async t => {
  const data = replayedDirectory(t);
  const unlock = lockStorage({ data, database: undefined });
  t.after(unlock);
  const hint = async (typed: 'demo' | undefined, ...args: string[]) => {
    const command = [...args, '--data', data, ...TESTNET, '--log-level', 'silent'];
    const { code, stderr } = await callProgram(command, { typed });
    assert.equal(code, 1, stderr);
    const [what = '', toDo = ''] = stderr.split('\n');
    assert.match(what, /is in use by another process$/);
    return toDo;
  };
  assert.match(await hint(undefined, 'serve'), /--data.*--mode readonly/);
  assert.match(await hint(undefined, 'replay', archive), /meanwhile.*sends again/);
  assert.doesNotMatch(await hint('demo', 'replay', archive), /--data/);
});

test('where the system lets no directory be made, a command says so', {
  skip: !existsSync('/proc/self') && 'this system has no /proc',
}, async () => {
  const { code, stderr } = await call('serve', '--data', '/proc/nope', '--log-level', 'silent');
  assert.equal(code, 1);
  assert.match(stderr, /\/proc\/nope cannot be written: no such file or directory\n.*--data/);
});

const withoutDevFull = !existsSync('/dev/full') && 'this system has no /dev/full';

test('a server whose log cannot be written serves, and stops on a signal', { skip: withoutDevFull }, async t => {
  const port = await freePort();
  const log = openSync('/dev/full', 'w');
  t.after(() => closeSync(log));
  const data = replayedDirectory(t);
  const child = spawn(program, ['serve', '--data', data, ...TESTNET, '--port', String(port), '--event-port', '0'], {
    stdio: ['ignore', log, 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await untilServing(`http://127.0.0.1:${port}`, child);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('output that cannot be written is a failure, with a message unless its reader has left', {
  skip: withoutDevFull,
}, t => {
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  for (const args of [['--help'], ['journal', '--data', replayed]]) {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
    assert.equal(stderr, 'stacks-index: standard output cannot be written: no space left on device\n');
    assert.equal(status, 1);
  }
  // The reader ends first.
  const script = 'exec 3> >(:); wait $!; "$@" >&3; echo "$?" >&2';
  const left = spawnSync('bash', ['-c', script, 'bash', program, 'journal', '--data', replayed]);
  assert.equal(String(left.stderr), '1\n');
});

test('an export or a snapshot replaces no database and nothing that is no file, and follows links', {
  skip: withoutDevFull,
}, async t => {
  const directory = temporary(t);
  const data = replayedDirectory(t);
  const journal = readFileSync(join(data, 'journal.sqlite'));
  symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'));
  for (const command of [['export'], ['snapshot', 'create']])
    for (const [file, message] of [
      [join(data, 'journal.sqlite'), /is a database: it is not replaced/],
      ['/dev/full', /is no file: it cannot be replaced/],
      [directory, /is no file/],
      [join(directory, 'dangling'), /is no file/],
    ] as const) {
      const { code, stderr } = await call(...command, file, '--data', data);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  assert.deepEqual(readFileSync(join(data, 'journal.sqlite')), journal);
  writeFileSync(join(directory, 'old.tsv'), 'old');
  symlinkSync('old.tsv', join(directory, 'link.tsv'));
  assert.equal((await call('export', join(directory, 'link.tsv'), '--data', data)).code, 0);
  assert.equal(readFileSync(join(directory, 'old.tsv'), 'utf8').trim().split('\n').length, FIRST_60.length);
  assert.ok(lstatSync(join(directory, 'link.tsv')).isSymbolicLink());
});

test('an export to a full disk names the directory, and leaves no part of the file', t => {
  const directory = temporary(t);
  const args = ['export', join(directory, 'chain.tsv'), '--data', replayed];
  const { status, stderr } = spawnSync('bash', ['-c', 'ulimit -f 100; exec "$@"', 'bash', program, ...args]);
  assert.equal(status, 1);
  assert.match(
    String(stderr),
    /stacks-index: \S+: file too large\nCheck that the path exists, .* the disk has room\.\n$/,
  );
  assert.ok(String(stderr).includes(`${directory}: file too large`));
  assert.deepEqual(readdirSync(directory), []);
});
