import { type Logger, pino } from 'pino';
import { CopyRefused } from '../copy/errors.ts';
import { ArchiveError } from '../node/archive/row.ts';
import { IndexMismatch } from '../storage/chain-binding.ts';
import { DirectoryInUse, ReindexRunning, WriterRunning } from '../storage/locks.ts';
import { UnfinishedCopy } from '../storage/unfinished-copy.ts';
import { isDatabaseError, RetryableDatabaseError } from '../store/errors.ts';
import { parseCommandLine } from './command-line.ts';
import { copy } from './copy.ts';
import { exportJournal } from './export.ts';
import { type Options, optionsOf, UsageError } from './options.ts';
import { rebuildIndex } from './reindex.ts';
import { replay } from './replay.ts';
import { startServing } from './serve.ts';
import { setAside } from './set-aside.ts';
import { verify } from './verify.ts';

/** Time for a clean shutdown, in ms. After it the process exits at once, which loses nothing. */
const SHUTDOWN_MS = 4500;

/** Runs one command. @returns the exit status: 0 success, 1 failure or findings, 2 wrong usage, 3 replayed with lines skipped */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const line = parseCommandLine(args);
    if (line.kind === 'command') return await run(optionsOf(line, env));
    process.stdout.write(line.text);
    return 0;
  } catch (error) {
    return explain(error);
  }
}

async function run(options: Options): Promise<number> {
  const logger: Logger = pino({ level: options.logLevel });
  switch (options.command) {
    case 'serve':
      return serve(options, logger);
    case 'replay':
      return replay(options, besideProgress(logger), interrupted());
    case 'verify':
      return verify(options, interrupted());
    case 'reindex':
      return rebuildIndex(options, besideProgress(logger), interrupted());
    case 'set-aside':
      return setAside(options, interrupted());
    case 'export':
      return exportJournal(options);
    case 'copy':
      return copy(options, interrupted());
  }
}

/** A log line per event would hide the progress bar. */
function besideProgress(logger: Logger): Logger {
  if (logger.level === 'info') logger.level = 'warn';
  return logger;
}

async function serve(options: Options, logger: Logger): Promise<number> {
  const stop = interrupted();
  // Also of a start: it may wait for a database.
  stop.addEventListener('abort', () => setTimeout(() => process.exit(0), SHUTDOWN_MS).unref());
  const running = await startServing(options, logger, stop).catch(error => {
    if (!(stop.aborted && error instanceof RetryableDatabaseError)) throw error;
    logger.info('stopped before the database was available');
  });
  if (!running) return 0;
  try {
    await Promise.race([aborted(stop), running.failed]);
  } finally {
    logger.info('stopping');
    if (!stop.aborted) setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    await running.close();
  }
  return 0;
}

/** Resolves when the signal is aborted, also if it already is. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Errors with a hint that says what to do about them. */
const EXPLAINED = [
  IndexMismatch,
  ArchiveError,
  DirectoryInUse,
  ReindexRunning,
  WriterRunning,
  UnfinishedCopy,
  CopyRefused,
];

/** Says what went wrong and what to do about it. @returns the exit status */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(
      `stacks-index: ${error.message}\nTry: ${['stacks-index', error.command, '--help'].filter(Boolean).join(' ')}\n`,
    );
    return 2;
  }
  if (isDatabaseError(error) || EXPLAINED.some(kind => error instanceof kind)) {
    const { message, hint } = error as Error & { hint: string };
    process.stderr.write(`stacks-index: ${message}\n${hint}\n`);
    return 1;
  }
  if (isAddressInUse(error)) {
    process.stderr.write(
      `stacks-index: ${error.address}:${error.port} is already in use.\nStop the program that listens there, or choose another --port, --event-port or --metrics-port.\n`,
    );
    return 1;
  }
  process.stderr.write(`stacks-index: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

const isAddressInUse = (error: unknown): error is { address: string; port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
