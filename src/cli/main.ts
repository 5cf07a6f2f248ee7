import type { Logger } from 'pino';
import { AppError, systemMessage } from '../base/lib/app-error.ts';
import { createLogger } from '../base/lib/logger.ts';
import { RetryableDatabaseError } from '../base/store/errors.ts';
import { DirectoryInUse } from '../operate/storage/directory-in-use.ts';
import { adviceInUse, advicePortInUse, type Typed } from './advice.ts';
import type { Running, ServeOptions } from './commands/serve.ts';
import { parseCommandLine } from './options/command-line.ts';
import { type Options, optionsOf } from './options/options.ts';

/** Time for a clean shutdown, in ms. After it the process exits at once, which loses nothing. */
const SHUTDOWN_MS = 4500;

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/**
 * Runs one command.
 * @param by the text that the user typed, if not the command itself; advice refers to it
 * @returns the exit status: 0 success, 1 failure or findings, 2 wrong usage, 3 replayed with lines skipped
 */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv, by?: Typed): Promise<number> {
  let typed: Typed = by ?? 'serve';
  const interruption = interruptionOf();
  try {
    const line = parseCommandLine(args);
    if (line.kind === 'command') {
      typed = by ?? line.command;
      const withChain = (chainId: number) => optionsOf(line, { ...env, STACKS_CHAIN_ID: String(chainId) });
      return await run(optionsOf(line, env), interruption.listen, withChain);
    }
    process.stdout.write(line.text);
    return 0;
  } catch (error) {
    return explain(error, typed);
  } finally {
    interruption.stopListening();
  }
}

/** Loads only the modules that a command needs: a start takes a quarter of the time of loading everything. */
async function run(
  options: Options,
  interrupted: () => AbortSignal,
  withChain: (chainId: number) => Options,
): Promise<number> {
  const logger: Logger = createLogger({ level: options.logLevel });
  switch (options.command) {
    case 'serve':
      return serve(options, logger, interrupted(), withChain);
    case 'replay':
      return (await import('./commands/replay.ts')).replay(options, besideProgress(logger), interrupted());
    case 'verify':
      return (await import('./commands/verify.ts')).verify(options, interrupted());
    case 'reindex':
      return (await import('./commands/reindex.ts')).rebuildIndex(options, besideProgress(logger), interrupted());
    case 'drop-old':
      return (await import('./commands/drop-old.ts')).dropOld(options);
    case 'set-aside':
      return (await import('./commands/set-aside.ts')).setAside(options, interrupted());
    case 'gaps':
      return (await import('./commands/gaps.ts')).gaps(options, interrupted());
    case 'journal':
      return (await import('./commands/journal.ts')).journal(options, interrupted());
    case 'export':
      return options.list === undefined
        ? (await import('./commands/export.ts')).exportJournal(options, interrupted())
        : (await import('./commands/export-lists.ts')).exportLists(options, interrupted());
    case 'copy':
      return (await import('./commands/copy.ts')).copy(options, interrupted());
    case 'snapshot':
      return (await import('./commands/snapshot.ts')).snapshot(options, interrupted());
    case 'hooks':
      return (await import('./commands/hooks.ts')).hooks(options);
    case 'compare':
      return (await import('./commands/compare.ts')).compare(options, besideProgress(logger), interrupted());
    case 'estimate':
      return (await import('./commands/estimate.ts')).estimate(options, interrupted());
    default:
      return options.command satisfies never;
  }
}

/** A log line per event would hide the progress bar. */
function besideProgress(logger: Logger): Logger {
  if (logger.level === 'info') logger.level = 'warn';
  return logger;
}

async function serve(
  given: Options,
  logger: Logger,
  stop: AbortSignal,
  withChain: (chainId: number) => Options,
): Promise<number> {
  if (given.replay !== undefined && given.replay.length > 0)
    (await import('./replay/sources.ts')).requireRepeatable(given.replay);
  // Also limits a start, which may wait for a database.
  stop.addEventListener('abort', () => setTimeout(() => process.exit(0), SHUTDOWN_MS).unref());
  if (given.snapshot !== undefined && given.mode !== 'readonly') {
    const { restoreIfEmpty } = await import('./snapshot/restore-url.ts');
    await restoreIfEmpty(given.snapshot, given, stop).catch(error => {
      if (!stop.aborted) throw error;
    });
    if (stop.aborted) return 0;
  }
  const [{ startServing }, { rememberDirectory }] = await Promise.all([
    import('./commands/serve.ts'),
    import('../operate/storage/fresh-directory.ts'),
  ]);
  const takeBack = given.mode === 'readonly' ? () => {} : rememberDirectory(given);
  let running: Running;
  try {
    const options = await withKnownChain(given, logger, stop, withChain);
    if (options === undefined) return 0;
    const { waitForRebuild } = await import('./wait-for-rebuild.ts');
    await waitForRebuild(options, logger, stop);
    if (stop.aborted) return 0;
    running = await startServing(options, logger, stop);
  } catch (error) {
    takeBack();
    if (!(stop.aborted && error instanceof RetryableDatabaseError)) throw error;
    logger.info('stopped before the database was available');
    return 0;
  }
  try {
    await Promise.race([aborted(stop), running.failed]);
  } finally {
    logger.info('stopping');
    if (!stop.aborted) setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    await running.close();
  }
  return 0;
}

/** Options with the chain: the one that the operator names, or that of the stored data, or of the first witness that arrives. Undefined when `stop` comes first. */
async function withKnownChain(
  given: Options,
  logger: Logger,
  stop: AbortSignal,
  withChain: (chainId: number) => Options,
): Promise<ServeOptions | undefined> {
  const { requireStoredChain, waitForChain } = await import('./wait-for-chain.ts');
  if (given.chainId !== undefined) {
    if (given.mode !== 'readonly') await requireStoredChain(given);
    return { ...given, chainId: given.chainId };
  }
  const chainId = await waitForChain(given, logger, stop);
  return chainId === undefined ? undefined : { ...withChain(chainId), chainId, isRecognised: true };
}

/** Resolves when the signal is aborted, or at once if it already is. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** SIGINT and SIGTERM as an AbortSignal, for commands that end in order. They end any other command at once. */
function interruptionOf() {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  return {
    listen: () => {
      for (const signal of signals) process.once(signal, abort);
      return controller.signal;
    },
    stopListening: () => {
      for (const signal of signals) process.off(signal, abort);
    },
  };
}

/** Prints what went wrong and what to do about it. @returns the exit status */
function explain(error: unknown, typed: Typed): number {
  const [what, advice] = error instanceof AppError ? textsOf(error, typed) : textsOfOther(error, typed);
  process.stderr.write(`stacks-index: ${what}\n${advice ? `${advice}\n` : ''}`);
  return error instanceof AppError && error.kind === 'usage' ? EXIT_USAGE : EXIT_FAILURE;
}

type Texts = readonly [what: string, advice?: string];

function textsOf(error: AppError, typed: Typed): Texts {
  switch (error.kind) {
    case 'usage':
    case 'operator':
    case 'retry':
    case 'response':
      return [error.message, error instanceof DirectoryInUse ? adviceInUse(typed) : error.hint];
    case 'caller':
      return [stackOf(error)];
    default:
      return error.kind satisfies never;
  }
}

function textsOfOther(error: unknown, typed: Typed): Texts {
  if (isAddressInUse(error)) return [`${error.address}:${error.port} is already in use.`, advicePortInUse(typed)];
  if (isFileError(error)) {
    const advice = 'Check that the path exists, that this user may read and write there, and that the disk has room.';
    return [`${error.path}: ${systemMessage(error)}`, advice];
  }
  return [error instanceof Error ? stackOf(error) : String(error)];
}

const stackOf = (error: Error): string => error.stack ?? error.message;

const isFileError = (error: unknown): error is { path: string } =>
  error instanceof Error && 'errno' in error && 'path' in error && typeof error.path === 'string';

const isAddressInUse = (error: unknown): error is { address: string; port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
