import assert from 'node:assert/strict';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type ApiResponse, type Program, responseOf, runProgram } from '../crash/program.ts';
import { freePort } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import type { Cleanup } from './cleanup.ts';

/** A process that takes events; of several on one database, one is active. */
export interface Writer {
  readonly eventPort: number;
  isActive(): Promise<boolean>;
  /** The value of a metric without labels. */
  figure(name: string): Promise<number>;
  /** As kill -9. */
  kill(): Promise<void>;
  /** On the same ports again. Resolves when it is up, as the active one or in reserve. */
  start(): Promise<void>;
  output(): string;
}

export async function startWriter(database: readonly string[], cleanup: Cleanup): Promise<Writer> {
  const [eventPort, metricsPort] = [await freePort(), await freePort()];
  const ports = ['--event-port', String(eventPort), '--metrics-port', String(metricsPort)];
  const ask = (path: string) => responseOf(`http://127.0.0.1:${metricsPort}${path}`, {});
  const figure = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await ask('/metrics')).text)?.[1] ?? Number.NaN);
  let program: Program;
  cleanup.push(() => program.kill());
  const start = async () => {
    program = runProgram(['serve', '--mode', 'writeonly', ...database, ...ports]);
    await untilUp(program, () => ask('/livez'));
  };
  await start();
  return {
    eventPort,
    isActive: async () => (await figure('stacks_index_writer_active')) === 1,
    figure,
    kill: async () => void (await program.kill()),
    start,
    output: () => program.output(),
  };
}

/** A process that answers the API and writes nothing. */
export interface ApiNode {
  readonly port: number;
  get(path: string): Promise<ApiResponse>;
  output(): string;
  /** As kill -9. */
  kill(): Promise<void>;
}

export async function startApiNode(database: readonly string[], cleanup: Cleanup = []): Promise<ApiNode> {
  const port = await freePort();
  const program = runProgram(['serve', '--mode', 'readonly', ...database, '--port', String(port)]);
  cleanup.push(() => program.kill());
  const get = (path: string) => responseOf(`http://127.0.0.1:${port}${path}`, {});
  await untilUp(program, () => get('/readyz'));
  return { port, get, output: program.output, kill: async () => void (await program.kill()) };
}

async function untilUp(program: Program, probe: () => Promise<ApiResponse>): Promise<void> {
  let hasEnded = false;
  program.ended.then(() => {
    hasEnded = true;
  });
  await until(async () => hasEnded || (await probe()).status === 200, 'the process does not start', program);
  assert.ok(!hasEnded, program.output());
}

/** A node that has several observers, and goes on to the next one when an event is not taken. */
export interface Sender {
  /** Delivers in order, up to this event, each until it is acknowledged. */
  deliverTo(count: number): Promise<void>;
  /** How often an event was not taken. */
  refused(): number;
}

export function senderOf(events: readonly Delivery[], writers: readonly Writer[]): Sender {
  let next = 0;
  let turn = 0;
  let refused = 0;
  async function deliver({ path, body }: Delivery): Promise<void> {
    const init = { method: 'POST', body: Buffer.from(body) };
    const isTaken = async () => {
      const port = writers[turn % writers.length]?.eventPort;
      const { status, text } = await responseOf(`http://127.0.0.1:${port}${path}`, init);
      if (status === 200) return true;
      assert.ok(status === 503 || status === 0, `event ${next} was answered ${status}: ${text}`);
      refused++;
      turn++;
      return false;
    };
    await until(isTaken, `event ${next} is refused for ever`);
  }
  return {
    refused: () => refused,
    deliverTo: async count => {
      for (let event = events[next]; event !== undefined && next < count; event = events[next]) {
        await deliver(event);
        next++;
      }
    },
  };
}
