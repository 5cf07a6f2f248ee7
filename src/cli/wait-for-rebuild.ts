import type { Logger } from 'pino';
import { FatalDatabaseError } from '../base/store/errors.ts';
import { retrying } from '../base/store/retry.ts';
import type { WaitingFor } from '../operate/serving/waiting-api.ts';
import { SCHEMA_VERSION } from '../operate/storage/chain-binding.ts';
import { indexToRebuild } from '../operate/storage/other-indexes.ts';
import { startRebuild } from '../operate/storage/rebuild-thread.ts';
import { NothingStored, openJournalToRead } from '../operate/storage/storage.ts';
import type { ServeOptions } from './commands/serve.ts';
import { startWaiting } from './waiting.ts';

/**
 * Builds a new index if only an older release has one. Meanwhile events go into the journal, and the API responds 503 with the progress. Does nothing if this
 * release has an index, if nothing is stored, and in a process that only reads, which waits for the writer.
 * @throws IndexMismatch if the journal lacks payloads, or a newer release has made the index: then nothing has changed
 */
export async function waitForRebuild(options: ServeOptions, logger: Logger, stop: AbortSignal): Promise<void> {
  if (options.mode === 'readonly') return;
  const old = await retrying(() => versionToReplace(options), {
    signal: stop,
    onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
  });
  if (old === undefined) return;
  const { data, database, chainId, burnForkDepth, logLevel } = options;
  const began = Date.now();
  let first: number | undefined;
  let state: Extract<WaitingFor, { kind: 'rebuild' }> = {
    ...{ kind: 'rebuild', indexed: 0, events: 0, height: 0, estimatedEnd: undefined },
  };
  const { promise: failed, reject: onFailure } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const closeWaiting = await startWaiting(options, {
    ...{ logger, signal: stop, waitingFor: () => state, onBlock: () => {}, onFailure },
    metrics: async () => rebuildMetrics(state),
    ready: () => Promise.reject(new Error('the index is built anew')),
  });
  logger.warn(
    { from: old, to: SCHEMA_VERSION },
    'building the index anew: it is of an older release. The API responds 503 until then. Next time run `stacks-index reindex` of the new release first, while the old one serves: then there is no pause',
  );
  const location = { data, database, chainId };
  const rebuild = startRebuild({ location, burnForkDepth, logLevel }, ({ indexed, events, height }) => {
    first ??= indexed;
    const perEvent = indexed > first ? (Date.now() - began) / (indexed - first) : undefined;
    const estimatedEnd = perEvent === undefined ? undefined : Date.now() + perEvent * (events - indexed);
    state = { kind: 'rebuild', indexed, events, height, estimatedEnd };
  });
  try {
    const stopped = new Promise<void>(resolve => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([rebuild.ended, failed, stopped]);
  } finally {
    await rebuild.stop();
    await closeWaiting();
  }
  if (!stop.aborted)
    logger.info({ height: state.height }, 'the index is built; `stacks-index drop-old` frees the space of the old one');
}

/** The schema version of an index of an older release, if this one has none. @throws IndexMismatch if this one cannot build its own */
async function versionToReplace(options: ServeOptions): Promise<number | undefined> {
  try {
    const place = await openJournalToRead(options);
    try {
      return (await indexToRebuild(place))?.schemaVersion;
    } finally {
      await place.journalDb.close();
    }
  } catch (error) {
    // Opening the place for writing reports the problem later, with advice.
    if (error instanceof NothingStored || error instanceof FatalDatabaseError) return undefined;
    throw error;
  }
}

/** The metrics of a process that builds an index: it has no others. */
export const rebuildMetrics = ({ indexed, events }: { readonly indexed: number; readonly events: number }): string =>
  [
    '# HELP stacks_index_up 1 when the index can be read',
    '# TYPE stacks_index_up gauge',
    'stacks_index_up 0',
    '# HELP stacks_index_rebuild_progress Part of the events that a new index has, while serve builds it',
    '# TYPE stacks_index_rebuild_progress gauge',
    `stacks_index_rebuild_progress ${events === 0 ? 0 : indexed / events}`,
    '',
  ].join('\n');
