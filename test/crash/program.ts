import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../support/postgres.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/bin.ts');
const TESTNET: readonly string[] = ['--chain-id', '0x80000000'];
/** As in bin/stacks-index, which this does without: it checks the version of Node.js at every start. */
const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  '--require',
  join(import.meta.dirname, '../../bin/resolve.cjs'),
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
];

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The program as a user runs it: a process of its own. */
export interface Program {
  readonly pid: number | undefined;
  readonly ended: Promise<Ended>;
  /** What it has written so far, to both streams. */
  output(): string;
  /** Resolves as soon as it has written the text; to false when it ended before. */
  says(text: string): Promise<boolean>;
  /** Sends a signal. Resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Further variables of the environment of a program. */
export type Environment = Readonly<Record<string, string>>;

/**
 * Runs one command. It does not outlive this process.
 * @param chain the option that names the network; by default that of the sample chain
 */
export function runProgram(args: readonly string[], environment: Environment = {}, chain = TESTNET): Program {
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN, ...args, ...chain], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  const wrote = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-200_000);
      wrote.emit('text');
    });
  }
  const ended = endOf(child).finally(() => process.off('exit', end));
  const says = async (text: string) => {
    const isOver = ended.then(() => true);
    while (!output.includes(text)) if ((await Promise.race([once(wrote, 'text'), isOver])) === true) break;
    return output.includes(text);
  };
  return {
    pid: child.pid,
    ended,
    output: () => output,
    says,
    kill: (signal = 'SIGKILL') => {
      child.kill(signal);
      return ended;
    },
  };
}

const endOf = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

/** `serve`, from its start on. */
export interface Server extends Program {
  readonly port: number;
  readonly eventPort: number;
  /** Resolves when it takes requests and events; false when it ended before. */
  readonly ready: Promise<boolean>;
  /** Posts one event as a node does. @returns the status, 0 when there was no response */
  post(event: { readonly path: string; readonly body: Uint8Array }): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
}

/** `status` is 0 when there was no response. */
export interface ApiResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** Undefined when it is not JSON. */
  readonly body: { readonly [key: string]: unknown } | undefined;
}

/** Starts `serve` on free ports. @param chain see `runProgram` */
export async function runServer(
  args: readonly string[],
  environment?: Environment,
  chain?: readonly string[],
): Promise<Server> {
  const port = await freePort();
  const eventPort = await freePort();
  const ports = ['--port', String(port), '--event-port', String(eventPort)];
  const program = runProgram(['serve', ...args, ...ports], environment, chain);
  const ask = (to: number, path: string, init: RequestInit = {}) => responseOf(`http://127.0.0.1:${to}${path}`, init);
  const ready = program.says('"serving"');
  ready.catch(() => undefined); // waiting callers are informed
  return {
    ...program,
    port,
    eventPort,
    ready,
    post: ({ path, body }) => ask(eventPort, path, { method: 'POST', body: Buffer.from(body) }),
    get: path => ask(port, path),
  };
}

/** One request. `status` is 0 when there was no response. */
export async function responseOf(url: string, init: RequestInit): Promise<ApiResponse> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text, body: parsed(text) };
  } catch (error) {
    return { status: 0, retryAfter: null, text: String(error), body: undefined };
  }
}

function parsed(text: string): ApiResponse['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits until a server has indexed all that it was given. */
export function untilIndexed(server: Server): Promise<true> {
  return until(async () => (await server.get('/extended')).body?.lag === 0, 'the index does not catch up', server);
}
