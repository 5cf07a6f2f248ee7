import type { Logger } from 'pino';
import type { Tip } from '../chain/tip.ts';
import { startBackgroundIndexer } from '../indexer/background.ts';
import { type IndexState, readState, tipOf } from '../indexer/index-state.ts';
import { readGaps, readPoxUnlockHeights } from '../indexer/status.ts';
import { lockStorage, openStorage, type Storage } from '../indexer/storage.ts';
import { Journal } from '../journal/journal.ts';
import { defaultEventServerLimits, startEventServer } from '../node/event-server.ts';
import { createApi } from '../resources/api.ts';
import { mempoolVersion } from '../resources/mempool/version.ts';
import type { Options } from './options.ts';
import { VERSION } from './version.ts';

export interface Running {
  readonly apiPort: number;
  /** 0 when no events are taken. */
  readonly eventPort: number;
  /** Rejects when the indexer fails: then the process should end, and be started again. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** Starts everything that `stacks-index serve` runs: event server, indexer thread and API. */
export async function startServing(options: Options, logger: Logger): Promise<Running> {
  const unlock = lockStorage(options);
  const storage = await openStorage(options);
  const journal = new Journal(storage.journalDb);
  const live = new LiveState(await storage.indexDb.read(readState));
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // whoever awaits it is told; nobody need to
  const indexer = startBackgroundIndexer({
    location: { data: options.data, database: options.database, chainId: options.chainId },
    chainId: options.chainId,
    logLevel: options.logLevel,
    onState: state => live.set(state),
    onFailure: fail,
  });
  const api = createApi({
    db: storage.indexDb,
    tip: live,
    mempool: { version: () => mempoolVersion(live.state) },
    status: { current: () => readStatus(storage, journal, live) },
    chainId: options.chainId,
    version: VERSION,
    logger,
  });
  const events =
    options.eventPort === 0 ? undefined : await startEvents(options, logger, journal, () => indexer.poke());
  await api.listen({ host: options.host, port: options.port });
  const address = api.server.address();
  const apiPort = typeof address === 'object' && address ? address.port : options.port;
  logger.info(
    {
      api: `${options.host}:${apiPort}`,
      events: events ? `${options.eventHost}:${events.port}` : null,
      height: live.current()?.height ?? 0,
    },
    'serving',
  );
  const close = async () => {
    await events?.close();
    await Promise.all([api.close(), indexer.stop()]);
    await storage.close();
    unlock();
  };
  return { apiPort, eventPort: events?.port ?? 0, failed, close };
}

function startEvents(options: Options, logger: Logger, journal: Journal, onNew: () => void) {
  const { eventHost: host, eventPort: port, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting } = options;
  return startEventServer({
    host,
    port,
    limits: { ...defaultEventServerLimits, maxBodyBytes, maxNesting, closeDeadlineMs: 3000 },
    logger,
    accept: async delivery => {
      if (await journal.accept(delivery)) onNew();
    },
  });
}

/** The newest state of the index, and the tip in it, in memory. */
class LiveState {
  state: IndexState;
  #tip: Tip | undefined;

  constructor(state: IndexState) {
    this.state = state;
    this.#tip = tipOf(state);
  }

  set(state: IndexState): void {
    this.state = state;
    this.#tip = tipOf(state);
  }

  current(): Tip | undefined {
    return this.#tip;
  }
}

async function readStatus(storage: Storage, journal: Journal, live: LiveState) {
  const journalPosition = await journal.length();
  const [gaps, poxUnlockHeights] = await storage.indexDb.read(
    async queries => [await readGaps(queries), await readPoxUnlockHeights(queries)] as const,
  );
  return { journalPosition, indexedPosition: live.state.position, gaps, poxUnlockHeights };
}
