import { basename } from 'node:path';
import { isoTime } from '../../base/lib/time.ts';
import type { Database } from '../../base/store/database.ts';
import { networkOf } from '../../ingest/chain/network.ts';
import { poxCyclesOf } from '../../ingest/chain/pox-cycles.ts';
import { WrongNetwork } from '../../ingest/chain/witness.ts';
import { readRebuilt } from '../../ingest/indexer/rebuilt-blocks.ts';
import { GapSearch } from '../../operate/gaps/archive.ts';
import { type MissingBlock, missingBlocks, receivedAt } from '../../operate/gaps/missing.ts';
import { DEFAULT_NODE_ACCESS, RepairClient } from '../../operate/gaps/node/client.ts';
import { repairFromNodes } from '../../operate/gaps/node/repair.ts';
import { refuseWaitingEvents } from '../../operate/storage/events-waiting.ts';
import { openIndexToRead, openJournalToRead } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { type RepairPlace, withRepairPlace } from '../repair/repair-place.ts';
import { type Counts, deliveriesOf } from '../replay/rows.ts';
import type { ReplaySource } from '../replay/source.ts';
import { requireSources, sourcesOf } from '../replay/sources.ts';

const EXIT_LEFT = 1;

/** `stacks-index gaps [repair ARCHIVE...|repair --node URL]` @returns the exit status: 0 if no block is missing */
export function gaps(options: Options, signal: AbortSignal): Promise<number> {
  const [action, ...archives] = options.operands;
  if (action === undefined) return options.rebuilt ? listRebuilt(options) : list(options);
  if (action !== 'repair') throw new UsageError(`gaps knows no action ${JSON.stringify(action)}`, 'gaps');
  const { node = [] } = options;
  if (node.length > 0 && archives.length > 0)
    throw new UsageError('gaps repair takes archives or --node, not both', 'gaps');
  if (node.length > 0)
    return repairWith(options, signal, (missing, place) => fromNodes(options, signal, missing, place));
  if (archives.length === 0) throw new UsageError('gaps repair needs an archive, a URL, a database or --node', 'gaps');
  const named = { ...options, operands: archives };
  return repair(named, signal);
}

function list(options: Options): Promise<number> {
  return reading(options, async (index, journal) => {
    const missing = await index.read(missingBlocks);
    for (const block of missing) {
      const since = await journal.read(queries => receivedAt(queries, block.firstPosition));
      process.stdout.write(`${lineOf(block)}\t${since === undefined ? '' : isoTime(since / 1_000_000)}\n`);
    }
    process.stderr.write(missing.length === 0 ? 'No block is missing.\n' : CURES);
    return missing.length === 0 ? 0 : EXIT_LEFT;
  });
}

const PAGE = 1000;

function listRebuilt(options: Options): Promise<number> {
  return reading(options, async index => {
    for (let after = 0; ; ) {
      const page = await index.read(queries => readRebuilt(queries, after, PAGE));
      for (const { height, indexBlockHash, class: kind, unknown } of page)
        process.stdout.write(`${height}\t${indexBlockHash}\t${kind}\t${unknown.join(',')}\n`);
      after = page.at(-1)?.position ?? after;
      if (page.length < PAGE) return 0;
    }
  });
}

async function reading(
  options: Options,
  read: (index: Database, journal: Database) => Promise<number>,
): Promise<number> {
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    return await read(index.indexDb, place.journalDb).finally(() => index.close());
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
  3. the RPC of a node, which most blocks of epoch 3 and later can be rebuilt from: stacks-index gaps repair --node http://host:20443
  4. a second node that starts from a snapshot below the gap, with this index as its observer: it sends every block above again
`;

async function repair(options: Options, signal: AbortSignal): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  const tables = await requireSources(options, signal);
  const sources = sourcesOf(options, signal, { tables });
  return repairWith(options, signal, (missing, place) => fromArchives({ sources, missing }, options, signal, place));
}

/** @param work adds the blocks that it can get to the journal, and returns a sentence about them */
async function repairWith(
  options: Options,
  signal: AbortSignal,
  work: (missing: readonly MissingBlock[], place: RepairPlace) => Promise<string>,
): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close();
  let status = 0;
  await withRepairPlace(options, signal, async place => {
    const missing = await place.indexDb.read(missingBlocks);
    if (missing.length === 0) {
      process.stdout.write('No block is missing.\n');
      return;
    }
    await refuseWaitingEvents(place.journalDb);
    const done = await work(missing, place).catch(async error => {
      await place.catchUp(); // entries that were added so far stay
      throw error;
    });
    const isApplied = await place.catchUp();
    const left = await place.indexDb.read(missingBlocks);
    process.stdout.write(
      isApplied
        ? `${done}; ${left.length} blocks are still missing\n`
        : `${done}; the server has not applied them yet: stacks-index gaps lists what is missing then\n`,
    );
    if (isApplied) for (const block of left) process.stdout.write(`${lineOf(block)}\n`);
    status = isApplied && left.length === 0 ? 0 : EXIT_LEFT;
  });
  return status;
}

async function fromArchives(
  { sources, missing }: { readonly sources: readonly ReplaySource[]; readonly missing: readonly MissingBlock[] },
  options: Options,
  signal: AbortSignal,
  { indexDb, add, chainId }: RepairPlace,
): Promise<string> {
  const limits = { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting };
  const search = new GapSearch(indexDb, missing, limits);
  for (const { name, progress, rows } of sources) {
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
  await add(deliveries);
  const blocks = found.filter(({ path }) => path === '/new_block').length;
  return `${blocks} blocks and ${found.length - blocks} other events added`;
}

async function fromNodes(
  options: Options,
  signal: AbortSignal,
  missing: readonly MissingBlock[],
  place: RepairPlace,
): Promise<string> {
  const { node = [], nodeToken: token, nodeTimeout: timeoutMs, nodePause: pauseMs, nodeMaxBytes: maxBytes } = options;
  const clients = node.map(
    url => new RepairClient({ ...DEFAULT_NODE_ACCESS, url, token, timeoutMs, pauseMs, maxBytes }, signal),
  );
  const cycles = options.poxCycles ?? poxCyclesOf(networkOf(place.chainId));
  let rebuilt = 0;
  try {
    for await (const attempt of repairFromNodes(missing, { ...place, cycles, accept: options.accept, clients })) {
      const { height, indexBlockHash, class: kind, reason } = attempt;
      process.stdout.write(`${[height, indexBlockHash, kind, ...(reason === undefined ? [] : [reason])].join('\t')}\n`);
      if (kind !== 'C') rebuilt++;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return `${rebuilt} blocks rebuilt`;
}
