/**
 * Measures how fast an index is built from an archive: `npm run bench -- ingest ARCHIVE [--database URL]`. The ceiling is the time to only read and parse the
 * archive, measured in the same run. Sizes are those of the files, or tables, after the last commit.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ingestArchive } from './ingest-archive.ts';
import { freshPlace } from './place.ts';
import { printFigures, saveTables } from './report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { database: { type: 'string' }, json: { type: 'string' } },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/** A chain has small blocks if their mean number of transactions is below this. */
const SMALL_BLOCK = 4;
/** The most bytes for a small block, or for a transaction in a larger block. */
const GOAL_BYTES = 3000;

const place = await freshPlace(values.database);
try {
  const result = await ingestArchive(archive, place);
  const { transactions, blocks, seconds, ceilingSeconds, whole, firstTenth, lastTenth, rows, bytes } = result;
  const rounded = (value: number, digits = 0) => Number(value.toFixed(digits));
  const table = printFigures(`Ingest (${place.engine})`, [
    ['transactions', transactions],
    ['blocks', blocks],
    ['read and parse alone, tx/s', rounded(transactions / ceilingSeconds)],
    ['tx/s', rounded(whole.perSecond)],
    ['blocks/s', rounded(blocks / seconds)],
    ['rows/s', rounded(rows / seconds)],
    ['of ceiling', String(rounded(ceilingSeconds / seconds, 2))],
    ['CPU us/tx', rounded(whole.cpuMicros)],
    ['CPU us/block', rounded((whole.cpuMicros * transactions) / blocks)],
    ['first tenth, tx/s', rounded(firstTenth.perSecond)],
    ['last tenth, tx/s', rounded(lastTenth.perSecond)],
    ['most memory, MB', rounded(result.maxResidentBytes / 1e6)],
    ['index, bytes/tx', rounded(bytes.index / transactions)],
    ['journal, bytes/tx', rounded(bytes.journal / transactions)],
    ['index, bytes/block', rounded(bytes.index / blocks)],
    ['journal, bytes/block', rounded(bytes.journal / blocks)],
  ]);
  const stored = bytes.index + bytes.journal;
  const goal =
    transactions < SMALL_BLOCK * blocks
      ? { what: 'index and journal, bytes a small block', figure: stored / blocks, most: GOAL_BYTES }
      : { what: 'index and journal, bytes a transaction', figure: stored / transactions, most: GOAL_BYTES };
  saveTables(values.json, [{ ...table, goals: [goal] }]);
} finally {
  await place.remove();
}
process.exit(0);
