import type { Logger } from 'pino';
import { retrying } from '../../base/store/retry.ts';
import { otherNetwork } from '../../ingest/chain/witness.ts';
import { diskFloor } from '../../ingest/journal/disk-floor.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { lockStorage } from '../storage/locks.ts';
import { openJournal } from '../storage/storage.ts';
import { startEventPort } from './event-port.ts';
import { followTable } from './follow.ts';
import { largeBodiesInThread } from './large-bodies.ts';
import { ACCEPT_MS, type WriterOptions } from './writer.ts';

interface WaitingWriterParts {
  readonly logger: Logger;
  /** Ends the wait for an unreachable server. */
  readonly signal: AbortSignal;
  /** Archives for whose end events wait; undefined if the operator names none. */
  readonly archives: readonly string[] | undefined;
  /** A block is in the journal. */
  readonly onBlock: () => void;
  /** Events cannot be accepted, and a retry does not repair that. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Accepts events into the journal while they cannot be indexed, because the chain is unknown or the index is being rebuilt.
 * @throws DirectoryInUse, UnfinishedCopy, FatalDatabaseError; the error of the system if the port is in use
 */
export async function startWaitingWriter(
  options: Omit<WriterOptions, 'chainId' | 'isRecognised'> & { readonly chainId?: number | undefined },
  { logger, signal, archives, onBlock, onFailure }: WaitingWriterParts,
): Promise<{ close(): Promise<void> }> {
  const unlock = lockStorage(options);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closers.reverse()) await each();
    unlock();
  };
  try {
    const patiently = <T>(work: () => Promise<T>) =>
      retrying(work, {
        signal,
        onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
      });
    const { journalDb } = await patiently(() => openJournal(options, { writeTimeoutMs: ACCEPT_MS }));
    closers.push(() => journalDb.close());
    const journal = new Journal(journalDb, { maxWaitingBytes: options.maxWaitingBytes });
    if (archives) await patiently(() => journal.beginLoads(archives));
    const floor = diskFloor(options.data, options.database === undefined ? options.minFreeSpace : 0);
    if (options.follow !== undefined) {
      const following = followTable(
        { ...options, url: options.follow, chainId: options.chainId },
        {
          ...{ journal, journalDb, logger, onFailure },
          store: async write => {
            await floor.check();
            await write();
            onBlock();
          },
        },
      );
      closers.push(() => following.stop());
    }
    if (options.eventPort === 0) return { close };
    const { chainId } = options;
    const large = largeBodiesInThread({
      data: options.data,
      database: options.database,
      chainId,
      maxWaitingBytes: options.maxWaitingBytes,
      limits: { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting },
      writeTimeoutMs: ACCEPT_MS,
    });
    closers.push(() => large.close());
    const server = await startEventPort(options, {
      logger,
      onEvent: path => {
        if (path === '/new_block') onBlock();
      },
      known: NOTHING,
      ...(chainId !== undefined && { refuse: event => otherNetwork(event, chainId) }),
      accept: async delivery => {
        await floor.check();
        await journal.accept(delivery);
      },
      large: {
        check: large.check,
        accept: async () => {
          await floor.check();
          const entry = await large.store();
          if (entry) journal.storedElsewhere(entry);
        },
      },
    });
    closers.push(() => server.close());
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without an index there are no gaps. */
const NOTHING = { isKnown: async () => true, gaps: async () => [] };
