import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { startApiWorkers } from './api-workers.ts';

/** A worker that does nothing but live. */
const WORKER = `process.send({ kind: 'listening', port: 1 }); process.on('message', () => undefined);`;

/** Stops this process for so many milliseconds, in which it handles no event of its children. */
const stop = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Waits until a process that was killed has closed its connections; its parent does not know yet. */
function untilKilled(pid: number): void {
  const state = `/proc/${pid}/stat`;
  if (!existsSync(state)) return void stop(1000);
  // The last of its threads closes them.
  while (!/\) [ZX] /.test(readFileSync(state, 'utf8')) || readdirSync(`/proc/${pid}/task`).length > 1) stop(10);
}

test('workers are closed without an error although one that is sent a message has gone', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const exec = join(directory, 'worker.cjs');
  writeFileSync(exec, WORKER);
  cluster.setupPrimary({ exec, execArgv: [] });
  const lines: { readonly msg: string; readonly apiWorker: number }[] = [];
  const logger = pino({}, { write: line => lines.push(JSON.parse(line)) });
  const workers = await startApiWorkers({ count: 1, chainId: 1, logger, onMessage: () => undefined });
  const pid =
    lines.find(({ msg }) => msg === 'API worker is listening')?.apiWorker ?? assert.fail('it does not listen');
  process.kill(pid, 'SIGKILL');
  untilKilled(pid);
  workers.send({ kind: 'journal' });
  await workers.close();
  assert.ok(lines.some(({ msg }) => msg === 'API worker is unreachable'));
});
