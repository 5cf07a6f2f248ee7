import { moduleBeside } from '../../base/lib/module-beside.ts';
import type { ArchiveLoading, JournalAdderParts } from '../../operate/serving/archive-load.ts';
import type { Options } from '../options/options.ts';
import { loadNameOf } from '../replay/sources.ts';
import { type Stoppable, startJournalThread } from '../threads/journal-thread.ts';
import type { LoadOptions } from './load.ts';

/** Data for the start of the thread. */
export interface LoaderData {
  readonly task:
    | { readonly kind: 'load'; readonly chainId: number; readonly isRecognised: boolean }
    /** Finds the network of the archives, and stores nothing. */
    | { readonly kind: 'recognise' };
  readonly options: LoadOptions;
  readonly logLevel: string;
}

/** Report of the thread: the recognised chain. */
export interface LoaderReport {
  readonly chainId: number;
}

/** The archives of the command line, and the thread that loads them. */
export const archiveLoading = (
  options: Options & { readonly chainId: number; readonly isRecognised?: boolean },
): ArchiveLoading => ({
  sources: options.replay?.map(loadNameOf),
  start: parts => {
    const { chainId, isRecognised = false } = options;
    return startThread(options, { kind: 'load', chainId, isRecognised }, parts);
  },
});

interface RecogniserParts {
  readonly onChain: (chainId: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Finds the network of the archives of the command line, in a thread. */
export const startRecogniser = (options: Options, { onChain, onFailure }: RecogniserParts): Stoppable =>
  startThread(options, { kind: 'recognise' }, { inTurn: work => work(), onJournal: () => {}, onFailure }, onChain);

function startThread(
  given: Options,
  task: LoaderData['task'],
  parts: JournalAdderParts,
  onChain: RecogniserParts['onChain'] = () => {},
): Stoppable {
  const { data, database, maxEventBytes, maxEventNesting, zstdWindowLog, allowPrivate, minFreeSpace } = given;
  const { replay: archives = [], logLevel } = given;
  const options = {
    ...{ data, database, maxEventBytes, maxEventNesting, zstdWindowLog, allowPrivate, minFreeSpace },
    archives,
  };
  const workerData: LoaderData = { task, options, logLevel };
  return startJournalThread<LoaderReport>(
    moduleBeside('load-worker', import.meta.url),
    workerData,
    parts,
    ({ chainId }) => onChain(chainId),
  );
}
