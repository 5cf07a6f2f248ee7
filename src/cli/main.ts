import { type Logger, pino } from 'pino';
import { CopyRefused } from '../copy/errors.ts';
import { ArchiveError } from '../node/archive/row.ts';
import { IndexMismatch } from '../storage/chain-binding.ts';
import { DirectoryInUse, ReindexRunning } from '../storage/locks.ts';
import { UnfinishedCopy } from '../storage/unfinished-copy.ts';
import { isDatabaseError } from '../store/errors.ts';
import { copy } from './copy.ts';
import { exportJournal } from './export.ts';
import { helpText, isCommand } from './help.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { rebuildIndex } from './reindex.ts';
import { replay } from './replay.ts';
import { startServing } from './serve.ts';
import { verify } from './verify.ts';
import { VERSION } from './version.ts';

/** A clean end may take this long; then the process ends as it is, which loses nothing. */
const SHUTDOWN_MS = 4500;

/** Runs one command. @returns the exit code: 0 done, 1 failed or not sound, 2 called wrongly, 3 replayed with lines left out */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const options = readOptions(args, env);
    if (options.version) return print(`stacks-index ${VERSION}\n`);
    if (options.help || options.command === undefined) return print(helpText(options.command));
    if (!isCommand(options.command)) throw new UsageError(`there is no command ${options.command}`);
    return await run(options.command, options);
  } catch (error) {
    return explain(error);
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function run(command: string, options: Options): Promise<number> {
  const logger: Logger = pino({ level: options.logLevel });
  switch (command) {
    case 'serve':
      return serve(options, logger);
    case 'replay':
      if (options.operands.length === 0)
        throw new UsageError('replay takes one or more files: stacks-index replay FILE...');
      // A line per event would hide the progress bar.
      if (options.logLevel === 'info') logger.level = 'warn';
      return replay(options, logger, interrupted());
    case 'verify':
      refuseOperands(options);
      return verify(options, interrupted());
    case 'reindex':
      refuseOperands(options);
      if (options.logLevel === 'info') logger.level = 'warn';
      return rebuildIndex(options, logger, interrupted());
    case 'copy':
      return copy(options, interrupted());
    default:
      return exportJournal(options);
  }
}

function refuseOperands({ command, operands }: Options): void {
  if (operands.length > 0) throw new UsageError(`${command} takes no files; --data or --database says what is meant`);
}

async function serve(options: Options, logger: Logger): Promise<number> {
  if (options.operands.length > 0)
    throw new UsageError('serve takes no files; load archives with: stacks-index replay FILE...');
  const stop = interrupted();
  const running = await startServing(options, logger);
  try {
    await Promise.race([aborted(stop), running.failed]);
  } finally {
    logger.info('stopping');
    setTimeout(() => process.exit(stop.aborted ? 0 : 1), SHUTDOWN_MS).unref();
    await running.close();
  }
  return 0;
}

/** Resolves when the signal is given, or was given before. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Errors that say what to do about them. */
const EXPLAINED = [IndexMismatch, ArchiveError, DirectoryInUse, ReindexRunning, UnfinishedCopy, CopyRefused];

/** What went wrong, and what to do about it. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`stacks-index: ${error.message}\nTry: stacks-index --help\n`);
    return 2;
  }
  if (isDatabaseError(error) || EXPLAINED.some(kind => error instanceof kind)) {
    const { message, hint } = error as Error & { hint: string };
    process.stderr.write(`stacks-index: ${message}\n${hint}\n`);
    return 1;
  }
  if (isAddressInUse(error)) {
    process.stderr.write(
      `stacks-index: ${error.address}:${error.port} is in use.\nStop what listens there, or choose another --port or --event-port.\n`,
    );
    return 1;
  }
  process.stderr.write(`stacks-index: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

const isAddressInUse = (error: unknown): error is { address: string; port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
