import { pino } from 'pino';
import { isoTime } from '../../base/lib/time.ts';
import type { Queries } from '../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { readSetAside, summaryOfSetAside } from '../../ingest/indexer/set-aside.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { requireChain } from '../../operate/storage/known-chain.ts';
import { whileOnlyWriter } from '../../operate/storage/locks.ts';
import { openIndexToRead, openJournalToRead, openStorage } from '../../operate/storage/storage.ts';
import type { Options } from '../options/options.ts';

const PAGE = 200;
const EXIT_LEFT = 1;

/** `stacks-index set-aside` @returns the exit status */
export function setAside(options: Options, signal: AbortSignal): Promise<number> {
  return options.retry ? retry(options, signal) : list(options);
}

async function list(options: Options): Promise<number> {
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    try {
      await index.indexDb.read(printAll);
    } finally {
      await index.close();
    }
  } finally {
    await place.journalDb.close();
  }
  return 0;
}

async function printAll(queries: Queries): Promise<void> {
  for (let after = 0; ; ) {
    const page = await readSetAside(queries, after, PAGE);
    for (const { position, receivedAt, path, reason } of page) {
      // The sender of the event may have chosen parts of the reason.
      const text = reason.replaceAll(/\p{Cc}/gu, ' ');
      process.stdout.write(`${position}\t${isoTime(receivedAt / 1_000_000)}\t${path}\t${text}\n`);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.position;
  }
}

const LATE =
  'They were applied as if they had arrived now. `stacks-index reindex` applies them in their original order.';

async function retry(options: Options, signal: AbortSignal): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  let left = 0;
  await whileOnlyWriter(options, async () => {
    const chainId = await requireChain(options);
    const storage = await openStorage({ ...options, chainId });
    try {
      const indexer = new Indexer({
        db: storage.indexDb,
        journal: new Journal(storage.journalDb),
        chainId,
        schema: INDEX_SCHEMA,
        // Its log would repeat what is printed.
        logger: pino({ level: 'silent' }),
        burnForkDepth: options.burnForkDepth,
      });
      const applied = await indexer.retrySetAside(signal);
      left = (await storage.indexDb.read(summaryOfSetAside)).count;
      process.stdout.write(`${applied} applied, ${left} still set aside\n`);
      if (applied > 0) process.stdout.write(`${LATE}\n`);
    } finally {
      await storage.close();
    }
  });
  return left === 0 ? 0 : EXIT_LEFT;
}
