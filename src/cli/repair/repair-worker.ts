import { createLogger } from '../../base/lib/logger.ts';
import { retrying } from '../../base/store/retry.ts';
import { networkOf } from '../../ingest/chain/network.ts';
import { poxCyclesOf } from '../../ingest/chain/pox-cycles.ts';
import { diskFloor } from '../../ingest/journal/disk-floor.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { DEFAULT_NODE_ACCESS, RepairClient } from '../../operate/gaps/node/client.ts';
import { keepRepairing, type RepairOutcome } from '../../operate/gaps/node/keep-repairing.ts';
import { openIndexToRead, openJournal } from '../../operate/storage/storage.ts';
import { runInTurns } from '../threads/journal-turns.ts';
import type { RepairerData } from './repair-thread.ts';

/** Rebuilds missing blocks in a thread beside the one that serves requests. */
await runInTurns<RepairerData, RepairOutcome>(async (options, { signal, inTurn, report }) => {
  const { data, database, chainId, urls, delayMs, minFreeSpace } = options;
  const { nodeToken: token, nodeTimeout: timeoutMs, nodePause: pauseMs, nodeMaxBytes: maxBytes } = options;
  const logger = createLogger({ level: options.logLevel, base: { part: 'repair' } });
  const place = await retrying(() => openJournal({ data, database }), {
    signal,
    onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
  });
  const journal = new Journal(place.journalDb);
  const floor = diskFloor(data, database === undefined ? minFreeSpace : 0);
  const access = { ...DEFAULT_NODE_ACCESS, token, timeoutMs, pauseMs, maxBytes };
  try {
    await keepRepairing(
      {
        ...{ journalDb: place.journalDb, chainId, delayMs },
        openIndex: () => openIndexToRead(place),
        cycles: options.poxCycles ?? poxCyclesOf(networkOf(chainId)),
        clients: urls.map(url => new RepairClient({ ...access, url }, signal)),
      },
      {
        add: async deliveries => {
          await floor.check();
          await inTurn(journal, () => journal.append(deliveries));
        },
        onOutcome: report,
        logger,
        signal,
      },
    );
  } finally {
    await place.journalDb.close();
  }
});
