import { join } from 'node:path';
import { readArchive } from '../src/ingest/node/archive/read.ts';
import type { ArchivedEvent } from '../src/ingest/node/archive/row.ts';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { parseEvent } from '../src/ingest/node/events/parse.ts';

export interface ArchiveCounts {
  readonly blocks: number;
  readonly transactions: number;
}

/** Only reads and parses an archive, up to a number of transactions. Ingest cannot be faster than this. */
export async function countArchive(archive: string, limit = Number.POSITIVE_INFINITY): Promise<ArchiveCounts> {
  let blocks = 0;
  let transactions = 0;
  for await (const { size } of sizedEvents(archive)) {
    if (transactions >= limit) break;
    blocks += size === undefined ? 0 : 1;
    transactions += size ?? 0;
  }
  return { blocks, transactions };
}

/**
 * Cuts an archive after certain numbers of transactions.
 * @param ends of the parts, ascending; what follows the last one is left out
 * @returns the files, in `directory`
 */
export async function cutArchive(archive: string, ends: readonly number[], directory: string): Promise<string[]> {
  const events = sizedEvents(archive);
  let transactions = 0;
  async function* until(end: number): AsyncGenerator<ArchivedEvent> {
    while (transactions < end) {
      const next = await events.next();
      if (next.done) return;
      transactions += next.value.size ?? 0;
      yield next.value.event;
    }
  }
  const files: string[] = [];
  for (const end of ends) {
    const file = join(directory, `part-${files.length}.tsv`);
    await writeArchive(file, until(end));
    files.push(file);
  }
  await events.return(undefined);
  return files;
}

interface SizedEvent {
  readonly event: ArchivedEvent;
  /** Transactions of a block; undefined for any other event. */
  readonly size: number | undefined;
}

async function* sizedEvents(archive: string): AsyncGenerator<SizedEvent, undefined> {
  for await (const row of readArchive(archive)) {
    if (row.kind === 'bad') continue;
    const event = parseEvent(row.path, row.body);
    const isBlock = event.ok && event.value.path === '/new_block';
    yield { event: row, size: isBlock ? event.value.block.transactions.length : undefined };
  }
}
