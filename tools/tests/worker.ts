/**
 * A process that runs test files, one after another, as its parent names them (run-files.ts). Each file is a suite of its own, so what it registers
 * (`before`, `afterEach`) concerns no other file, and nothing of a file is loaded before the file in front of it has ended: tests of one
 * cannot keep the event loop from what another has begun.
 */
import { once } from 'node:events';
import { createRequire, flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { cpuSeconds } from './cpu-seconds.ts';
import type { Order, Report } from './messages.ts';
import { opened, resources, TURNS } from './open-resources.ts';
import { reported } from './reporter.ts';

/** Between two looks at what a file has left open: it may be about to close. */
const PAUSE_MS = 20;

const send = (report: Report): void => void process.send?.(report);
const require = createRequire(import.meta.url);

// The parent ends a run by a signal. Programs and servers that tests have started end as this process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
// A parent that was killed.
process.on('disconnect', () => process.exit(130));
// node:test listens to both too, and names the test if it knows it.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => send({ kind: 'error', text: inspect(error) }));

process.on('message', (order: Order) => {
  if (order.kind === 'run') return void runFile(order.file);
  process.removeAllListeners('disconnect');
  process.removeAllListeners('message');
  process.disconnect();
});
const atFirst = resources();

async function runFile(file: string): Promise<void> {
  const begun = cpuSeconds() ?? 0;
  send({ kind: 'started', file });
  const isReported = once(reported, file);
  void describe(file, () => importing(file));
  await isReported;
  // A promise that was rejected in the last turn is reported in this one.
  await nextTurn();
  await untilClosed();
  // Node.js writes what it has compiled when a process ends. Programs that tests start need it before this one does.
  flushCompileCache();
  send({ kind: 'ended', residentBytes: process.memoryUsage.rss(), cpuSeconds: (cpuSeconds() ?? 0) - begun });
}

/** Imports a file, which declares its tests. None of them and no hook runs before it resolves, so what is open then was opened by the import. */
async function importing(file: string): Promise<void> {
  const before = resources();
  // In the first turn, so that what the file declares belongs to this suite.
  require(resolve(file));
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  const left = opened(before);
  if (left.length > 0) send({ kind: 'error', text: `its import left open: ${left.join(', ')}` });
}

/** A file ends when nothing of it keeps the process alive. If that never comes, the watchdog of the parent fires. */
async function untilClosed(): Promise<void> {
  let said = '';
  for (let open = opened(atFirst); open.length > 0; open = opened(atFirst)) {
    if (open.join() !== said) send({ kind: 'open', resources: open });
    said = open.join();
    await delay(PAUSE_MS);
  }
}
