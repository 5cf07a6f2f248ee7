import { moduleBeside } from '../../base/lib/module-beside.ts';
import type { RepairOutcome } from '../../operate/gaps/node/keep-repairing.ts';
import type { JournalAdderParts } from '../../operate/serving/archive-load.ts';
import type { Options } from '../options/options.ts';
import { type Stoppable, startJournalThread } from '../threads/journal-thread.ts';

/** Data for the start of the thread; plain data. */
export interface RepairerData
  extends Pick<
    Options,
    | 'data'
    | 'database'
    | 'nodeToken'
    | 'nodeTimeout'
    | 'nodePause'
    | 'nodeMaxBytes'
    | 'poxCycles'
    | 'minFreeSpace'
    | 'logLevel'
  > {
  readonly chainId: number;
  /** URLs of the nodes. */
  readonly urls: readonly string[];
  /** How long a gap must have lasted, in ms. */
  readonly delayMs: number;
}

/** Starts the thread that rebuilds missing blocks; undefined without --repair-gaps. */
export function gapRepairing(
  options: Options & { readonly chainId: number },
  onOutcome: (outcome: RepairOutcome) => void,
): ((parts: JournalAdderParts) => Stoppable) | undefined {
  if (!options.repairGaps) return undefined;
  const { data, database, nodeToken, nodeTimeout, nodePause, nodeMaxBytes, poxCycles, minFreeSpace } = options;
  const { logLevel, chainId, node: urls = [], repairDelay: delayMs } = options;
  const workerData: RepairerData = {
    ...{ data, database, nodeToken, nodeTimeout, nodePause, nodeMaxBytes, poxCycles, minFreeSpace },
    ...{ logLevel, chainId, urls, delayMs },
  };
  return parts =>
    startJournalThread<RepairOutcome>(moduleBeside('repair-worker', import.meta.url), workerData, parts, outcome =>
      onOutcome(outcome),
    );
}
