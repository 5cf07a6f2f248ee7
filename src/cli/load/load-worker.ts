import { createLogger } from '../../base/lib/logger.ts';
import type { Database } from '../../base/store/database.ts';
import { retrying } from '../../base/store/retry.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { lookForChain } from '../../operate/storage/known-chain.ts';
import { openJournal, openStorage } from '../../operate/storage/storage.ts';
import { clearUnproven, markUnproven, readUnproven, type UnprovenLoad } from '../../operate/storage/unproven-load.ts';
import { runInTurns } from '../threads/journal-turns.ts';
import { loadArchives, recogniseChain } from './load.ts';
import type { LoaderData, LoaderReport } from './load-thread.ts';

/** Reads archives in a thread beside the one that serves requests. */
await runInTurns<LoaderData, LoaderReport>(async ({ task, options, logLevel }, { signal, inTurn, report }) => {
  const logger = createLogger({ level: logLevel, base: { part: 'replay' } });
  const patiently = <T>(work: () => Promise<T>): Promise<T> =>
    retrying(work, { signal, onFailure: error => logger.warn({ err: error }, 'database not available; trying again') });

  if (task.kind === 'recognise') {
    const chainId = await recogniseChain(options, { logger, signal });
    if (chainId !== undefined) report({ chainId });
    return;
  }
  const { data, database } = options;
  const { chainId, isRecognised } = task;

  const withIndex = <T>(work: (indexDb: Database) => Promise<T>): Promise<T> =>
    patiently(async () => {
      const storage = await openStorage({ data, database, chainId, isRecognised });
      return work(storage.indexDb).finally(() => storage.close());
    });
  const onProof = (unproven: UnprovenLoad | undefined) =>
    withIndex(indexDb => (unproven ? markUnproven(indexDb, unproven) : clearUnproven(indexDb)));
  const isUnproven = async () => (await withIndex(indexDb => indexDb.read(readUnproven))) !== undefined;

  const { journalDb } = await patiently(() => openJournal({ data, database }));
  const journal = new Journal(journalDb);
  try {
    await loadArchives(options, {
      ...{ journalDb, chainId, logger, signal, onProof, isUnproven },
      isUnwitnessed: async () => !isRecognised && (await lookForChain({ data, database })).chainId === undefined,
      inTurn: work => inTurn(journal, work),
    });
  } finally {
    await journalDb.close();
  }
});
