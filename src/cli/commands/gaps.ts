import { basename } from 'node:path';
import { pino } from 'pino';
import { isoTime } from '../../base/lib/time.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { WrongNetwork } from '../../ingest/chain/witness.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { GapSearch } from '../../operate/gaps/archive.ts';
import { type MissingBlock, missingBlocks, receivedAt } from '../../operate/gaps/missing.ts';
import { requireChain } from '../../operate/storage/known-chain.ts';
import { whileOnlyWriter } from '../../operate/storage/locks.ts';
import { openIndexToRead, openJournalToRead, openStorage } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { type Counts, deliveriesOf } from '../replay/rows.ts';
import { requireSources, sourcesOf } from '../replay/sources.ts';

const EXIT_LEFT = 1;

/** `stacks-index gaps [repair ARCHIVE...]` @returns the exit status: 0 if no block is missing */
export function gaps(options: Options, signal: AbortSignal): Promise<number> {
  const [action, ...archives] = options.operands;
  if (action === undefined) return list(options);
  if (action !== 'repair') throw new UsageError(`gaps knows no action ${JSON.stringify(action)}`, 'gaps');
  if (archives.length === 0) throw new UsageError('gaps repair needs an archive, a URL or a database', 'gaps');
  return repair({ ...options, operands: archives }, signal);
}

async function list(options: Options): Promise<number> {
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    try {
      const missing = await index.indexDb.read(missingBlocks);
      for (const block of missing) {
        const since = await place.journalDb.read(queries => receivedAt(queries, block.firstPosition));
        process.stdout.write(`${lineOf(block)}\t${since === undefined ? '' : isoTime(since / 1_000_000)}\n`);
      }
      process.stderr.write(missing.length === 0 ? 'No block is missing.\n' : CURES);
      return missing.length === 0 ? 0 : EXIT_LEFT;
    } finally {
      await index.close();
    }
  } finally {
    await place.journalDb.close();
  }
}

const lineOf = ({ height, indexBlockHash, blocks, transactions }: MissingBlock): string =>
  `${height}\t${indexBlockHash}\t${blocks}\t${transactions}`;

const CURES = `Each line is a block that was never delivered: height, index block hash, how many blocks and transactions wait for it, since when.
How to get them, the best way first (docs/mainnet.md#missing-blocks):
  1. another archive of events, or the export of another index: stacks-index gaps repair ARCHIVE|URL
  2. the database of another observer of events: stacks-index gaps repair postgres://user:password@host:5432/name
  3. a second node that starts from a snapshot below the gap, with this index as its observer: it sends every block above again
`;

async function repair(options: Options, signal: AbortSignal): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  await requireSources(options, signal);
  let status = 0;
  await whileOnlyWriter(options, async () => {
    const chainId = await requireChain(options);
    const storage = await openStorage({ ...options, chainId });
    try {
      const missing = await storage.indexDb.read(missingBlocks);
      if (missing.length === 0) {
        process.stdout.write('No block is missing.\n');
        return;
      }
      const limits = { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting };
      const search = new GapSearch(storage.indexDb, missing, limits);
      for (const { name, progress, rows } of sourcesOf(options, signal)) {
        const bar = new ProgressBar(basename(name));
        let count = 0;
        const share = () => progress.bytesRead / Math.max(progress.bytesTotal, progress.bytesRead, 1);
        await search.search(rows(), () => bar.update(share(), `${++count} events searched`));
        bar.finish(`${count} events searched`);
        if (signal.aborted) break;
      }
      const found = signal.aborted ? [] : search.found();
      const counts: Counts = { read: 0, added: 0, bad: new Map() };
      const deliveries = deliveriesOf(found, options, counts, chainId);
      if (counts.refused) throw new WrongNetwork(counts.refused.error);
      const journal = new Journal(storage.journalDb);
      await journal.append(deliveries);
      const { burnForkDepth } = options;
      const indexer = new Indexer({
        db: storage.indexDb,
        journal,
        chainId,
        burnForkDepth,
        schema: INDEX_SCHEMA,
        logger: pino({ level: 'silent' }),
      });
      await indexer.catchUp(undefined, signal);
      const left = await storage.indexDb.read(missingBlocks);
      const blocks = found.filter(({ path }) => path === '/new_block').length;
      process.stdout.write(
        `${blocks} blocks and ${found.length - blocks} other events added; ${left.length} blocks are still missing\n`,
      );
      for (const block of left) process.stdout.write(`${lineOf(block)}\n`);
      status = left.length === 0 ? 0 : EXIT_LEFT;
    } finally {
      await storage.close();
    }
  });
  return status;
}
