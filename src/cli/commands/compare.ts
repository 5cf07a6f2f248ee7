import type { Logger } from 'pino';
import { compareServers, UnknownRoutes } from '../../operate/compare/compare.ts';
import { findingsOf, reportOf } from '../../operate/compare/report.ts';
import { askerOf } from '../../operate/compare/server.ts';
import { requireChain } from '../../operate/storage/known-chain.ts';
import { openJournalToRead } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { startServing } from './serve.ts';

const EXIT_DIFFERENT = 1;

/** `stacks-index compare --with URL` @returns the exit status: 0 if no response differs, else 1 */
export async function compare(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  if (options.with === undefined) throw new UsageError('compare needs --with', 'compare');
  await (await openJournalToRead(options)).journalDb.close(); // serving would wait for it
  const chainId = await requireChain(options);
  const serving = await startServing({ ...options, chainId, ...READING }, logger, signal);
  const bar = new ProgressBar('compare');
  try {
    const comparison = await compareServers({
      ours: askerOf(`http://${READING.host}:${serving.apiPort}`, signal),
      theirs: askerOf(options.with, signal),
      routes: options.routes ?? [],
      samples: options.samples,
      random: Math.random,
      onProgress: (done, of) => bar.update(done / of, `${done} of ${of}`),
      signal,
    });
    bar.clear();
    process.stdout.write(reportOf(comparison));
    return findingsOf(comparison) === 0 ? 0 : EXIT_DIFFERENT;
  } catch (error) {
    if (error instanceof UnknownRoutes)
      throw new UsageError(`--routes: ${error.message}; docs/api.md and /doc of the API list all routes`, 'compare');
    if (!signal.aborted) throw error;
    process.stderr.write('\nStopped.\n');
    return EXIT_DIFFERENT;
  } finally {
    await serving.close();
  }
}

/** This index, served to this process alone. It is only read, so it may be served or written by others meanwhile. */
const READING = {
  mode: 'readonly',
  host: '127.0.0.1',
  port: 0,
  eventPort: 0,
  metricsPort: 0,
  workers: 1,
  node: undefined,
  faucet: undefined,
} as const satisfies Partial<Options>;
