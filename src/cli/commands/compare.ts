import type { Logger } from 'pino';
import { summaryOfRebuilt } from '../../ingest/indexer/rebuilt-blocks.ts';
import { compareServers, UnknownRoutes } from '../../operate/compare/compare.ts';
import { differingRequests, reportOf } from '../../operate/compare/report.ts';
import { type ComparisonTerms, readComparison, saveComparison } from '../../operate/compare/saved-comparison.ts';
import { askerOf } from '../../operate/compare/server.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';
import { requireChain } from '../../operate/storage/known-chain.ts';
import { openIndexToRead, openJournalToRead } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { startServing } from './serve.ts';

const EXIT_DIFFERENT = 1;
/** Pauses up to this length, which the other server demands, are not shown. */
const SILENT_MS = 5_000;

/** `stacks-index compare --with URL` @returns the exit status: 0 if no response differs, else 1 */
export async function compare(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  const { with: server, state, rate, samples, routes = [] } = options;
  if (server === undefined) throw new UsageError('compare needs --with', 'compare');
  await (await openJournalToRead(options)).journalDb.close(); // fails if there is no journal, for which serving would wait
  const chainId = await requireChain(options);
  const terms: ComparisonTerms = { with: withoutPassword(server), chainId, routes, samples };
  const saved = state === undefined ? undefined : await readComparison(state, terms);
  const serving = await startServing({ ...options, chainId, ...READING }, logger, signal);
  const bar = new ProgressBar('compare');
  try {
    const comparison = await compareServers({
      ours: askerOf(`http://${READING.host}:${serving.apiPort}`, { signal }),
      theirs: askerOf(server, { signal, rate, onPause: sayPause }),
      routes,
      samples,
      random: Math.random,
      onProgress: (done, of) => bar.update(done / of, `${done} of ${of}`),
      signal,
      ...(state !== undefined && { saved, save: comparison => saveComparison(state, terms, comparison) }),
    });
    bar.clear();
    process.stdout.write(reportOf(comparison, { server: terms.with, state }));
    process.stdout.write(await rebuiltNote(options));
    return comparison.isFinished && differingRequests(comparison) === 0 ? 0 : EXIT_DIFFERENT;
  } catch (error) {
    if (error instanceof UnknownRoutes)
      throw new UsageError(`--routes: ${error.message}; docs/api.md and /doc of the API list all routes`, 'compare');
    if (!signal.aborted) throw error;
    process.stderr.write('\nStopped before anything was compared.\n');
    return EXIT_DIFFERENT;
  } finally {
    await serving.close();
  }
}

/** A sentence if this index holds blocks that no node has delivered: they may cause differences. */
async function rebuiltNote(options: Options): Promise<string> {
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    const rebuilt = await index.indexDb.read(summaryOfRebuilt).finally(() => index.close());
    return rebuilt.count === 0 ? '' : `note  ${rebuiltText(rebuilt)}\n`;
  } finally {
    await place.journalDb.close();
  }
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/$/, '');
}

function sayPause({ status, ms }: { readonly status: number; readonly ms: number }): void {
  if (ms < SILENT_MS) return;
  process.stderr.write(
    `\nThe other server limits requests (status ${status}): the next one follows in ${Math.ceil(ms / 1000)} s.\n`,
  );
}

/** Options for serving this index to this process alone. It only reads, so other processes may serve or write the index meanwhile. */
const READING = {
  mode: 'readonly',
  host: '127.0.0.1',
  port: 0,
  eventPort: 0,
  metricsPort: 0,
  workers: 1,
  nodeProxySettings: undefined,
  faucet: undefined,
} as const satisfies Partial<Options>;
