import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Indexer, type IndexerInput } from '../src/indexer/indexer.ts';
import { openStorage } from '../src/indexer/storage.ts';
import { type Delivery, Journal } from '../src/journal/journal.ts';
import { readArchive } from '../src/node/archive/read.ts';
import { parseEvent } from '../src/node/events/parse.ts';

/**
 * How fast an archive becomes an index on SQLite: `npm run bench -- ingest ARCHIVE`. The ceiling is the same archive read
 * and parsed, in the same run. Sizes are those of the files on disk after the last commit.
 */
const chainId = Number(process.env.STACKS_CHAIN_ID ?? 0x80000000);

export async function benchIngest(archive: string): Promise<void> {
  const ceiling = await timed(() => readAndParse(archive));
  const directory = mkdtempSync(join(tmpdir(), 'stacks-bench-'));
  try {
    const ingest = await timed(() => ingestInto(directory, archive));
    const { txs, blocks } = ceiling.result;
    const bytes = readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
    const rate = (count: number, seconds: number) => `${Math.round(count / seconds)}/s`;
    console.log(`archive            ${archive}: ${blocks} blocks, ${txs} transactions`);
    console.log(
      `read and parse     ${ceiling.seconds.toFixed(2)} s, ${rate(txs, ceiling.seconds)} transactions (the ceiling)`,
    );
    console.log(
      `ingest             ${ingest.seconds.toFixed(2)} s, ${rate(txs, ingest.seconds)} transactions, ${rate(blocks, ingest.seconds)} blocks`,
    );
    console.log(`ratio to ceiling   ${(ceiling.seconds / ingest.seconds).toFixed(2)}`);
    console.log(
      `memory             ${Math.round(process.memoryUsage().rss / 1e6)} MB at the end, ${Math.round(process.resourceUsage().maxRSS / 1e3)} MB at most`,
    );
    console.log(
      `on disk            ${Math.round(bytes / 1e6)} MB, ${Math.round(bytes / txs)} bytes a transaction, journal included`,
    );
    for (const file of readdirSync(directory))
      console.log(`  ${file.padEnd(17)}${Math.round(statSync(join(directory, file)).size / txs)} bytes a transaction`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}

async function readAndParse(archive: string): Promise<{ txs: number; blocks: number }> {
  const counts = { txs: 0, blocks: 0 };
  for await (const row of readArchive(archive)) {
    const event = row.kind === 'event' ? parseEvent(row.path, row.body) : undefined;
    if (!event?.ok || event.value.path !== '/new_block') continue;
    counts.blocks++;
    counts.txs += event.value.block.transactions.length;
  }
  return counts;
}

const CHUNK = 400;

async function ingestInto(directory: string, archive: string): Promise<void> {
  const storage = await openStorage({ data: directory, database: undefined, chainId });
  const journal = new Journal(storage.journalDb);
  const indexer = new Indexer({
    db: storage.indexDb,
    journal,
    network: chainId === 1 ? 'mainnet' : 'testnet',
    logger: pino({ level: 'silent' }),
  });
  let chunk: (Delivery & Pick<IndexerInput, 'event'>)[] = [];
  const write = async () => {
    const entries = await journal.append(chunk);
    if (entries.length > 0) await indexer.apply(entries);
    chunk = [];
  };
  for await (const row of readArchive(archive)) {
    const event = row.kind === 'event' ? parseEvent(row.path, row.body) : undefined;
    if (row.kind === 'bad' || !event?.ok) continue;
    chunk.push({ path: row.path, receivedAt: row.receivedAt, body: row.body, event: event.value });
    if (chunk.length === CHUNK) await write();
  }
  await write();
  await storage.close();
}

if (process.argv[1] === import.meta.filename) {
  await benchIngest(process.argv[2] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz'));
}
