/**
 * Compares the cost of a page as of a block with the same page without `at`: `npm run bench -- past ARCHIVE [--data DIR] [--share 0.9]`. Both are measured in
 * turn, in one process with their client (batches.ts). With `--data` it measures the index in that directory. No URL is requested twice, as the newest pages of
 * some routes are ready bodies.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toHex } from '../src/base/lib/hex.ts';
import { CANONICAL } from '../src/index/blocks/canonical-chain.ts';
import { apiDocument, operationFinder } from '../test/support/operations.ts';
import { openBatches } from './batches.ts';
import { nextPath } from './load.ts';
import type { Place } from './place.ts';
import { quantileOf, saveTables, TablePrinter } from './report.ts';
import { type Scenario, withQuery } from './scenarios/scenario.ts';
import { type Served, serveThere } from './served.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    /** For each page. */
    seconds: { type: 'string', default: '0.5' },
    /** The share of the chain below the block, 0 to 1. */
    share: { type: 'string', default: '0.9' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const seconds = Number(values.seconds);

/** Bounds of the median and of every page. */
const GOALS = { median: 1.5, any: 3 };

/** The number of paths of a scenario that are tried, as some are for records above the block. */
const TRIED = 40;

const batches = openBatches();
const served = await serveThere(values.data, archive);
try {
  await measureAll(served);
} finally {
  batches.close();
  await served.running.close();
  await served.place.remove();
}
process.exit(0);

async function measureAll({ place, running, pages, transactions }: Served): Promise<void> {
  const { apiPort } = running;
  const block = await hashAt(place, Number(values.share));
  const printer = new TablePrinter(
    `Pages as of a block (${transactions} transactions, at ${values.share} of the chain)`,
    [
      { key: 'page', title: 'page' },
      { key: 'now', title: 'now us', digits: 1 },
      { key: 'past', title: 'past us', digits: 1 },
      { key: 'times', title: 'x now', digits: 2 },
      { key: 'failures', title: '' },
    ],
  );
  const isAsked = await takesAt();
  const pairs: { readonly name: string; readonly now: readonly string[]; readonly past: readonly string[] }[] = [];
  for (const { name, paths } of pages)
    if (name.includes(values.only) && isAsked(paths[0])) pairs.push({ name, ...(await pairOf(apiPort, paths, block)) });
  const found = pairs.filter(({ now }) => now.length > 0);
  const measure = (paths: Scenario['paths'], time: number) =>
    batches.measure(apiPort, () => nextPath({ paths, cold: true }), time);
  // The first tens of thousands of requests mostly measure compilation, so these warm up.
  for (const { now, past } of found) for (const paths of [now, past]) await measure(paths, seconds / 4);
  const ratios: number[] = [];
  for (const { name, now, past } of found) {
    const [today, then] = [await measure(now, seconds), await measure(past, seconds)];
    const times = then.cpuMicros / today.cpuMicros;
    ratios.push(times);
    printer.add({
      ...{ page: name, now: today.cpuMicros, past: then.cpuMicros, times },
      failures: today.failures + then.failures > 0 ? '!! not all are 200' : null,
    });
  }
  printer.note('us: CPU of the process for a request, without its client.');
  printer.goal('CPU of a page as of a block, in pages without: median', quantileOf(ratios, 0.5), GOALS.median);
  printer.goal('CPU of a page as of a block, in pages without: of any', Math.max(...ratios), GOALS.any);
  printer.note(
    `Median ${quantileOf(ratios, 0.5).toFixed(2)}, greatest ${Math.max(...ratios).toFixed(2)}, of ${ratios.length} pages.`,
  );
  saveTables(values.json, [printer.table]);
}

/** The paths that also exist as of the block: without `at`, and with it. */
async function pairOf(port: number, paths: readonly string[], block: string) {
  const now: string[] = [];
  const past: string[] = [];
  for (const path of paths.slice(0, TRIED)) {
    const then = withQuery(path, `at=${block}`);
    const response = await fetch(`http://127.0.0.1:${port}${then}`);
    await response.arrayBuffer();
    if (response.status !== 200) continue;
    now.push(path);
    past.push(then);
  }
  return { now, past };
}

/** Whether the route of a path takes `at`. */
async function takesAt(): Promise<(path: string | undefined) => boolean> {
  const operationOf = operationFinder(await apiDocument());
  return path => {
    const parameters = path === undefined ? undefined : operationOf(path)?.operation.parameters;
    return parameters?.some(({ name }) => name === 'at') ?? false;
  };
}

/** The index block hash of the block above this share of the chain. */
async function hashAt(place: Place, share: number): Promise<string> {
  const { indexDb, close } = await place.open();
  const row = await indexDb.read(queries =>
    queries.get<{ index_block_hash: Uint8Array }>(
      `SELECT k.index_block_hash FROM ${CANONICAL} WHERE b.seq <= (SELECT max(seq) FROM blocks) * CAST(? AS bigint) / 1000 ORDER BY b.seq DESC LIMIT 1`,
      [Math.round(share * 1000)],
    ),
  );
  await close();
  if (!row) throw new Error('the archive has no blocks');
  return toHex(row.index_block_hash);
}
