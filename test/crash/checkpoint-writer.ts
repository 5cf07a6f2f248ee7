import { createHash } from 'node:crypto';
import { checkpointInThread } from '../../src/base/store/sqlite-checkpointer.ts';
import { openSqliteHandle } from '../../src/base/store/sqlite-handle.ts';
import { table } from '../../src/base/store/table.ts';
import { seededRandom } from './random.ts';

/*
 * A program to be killed: `node checkpoint-writer.ts FILE` writes transactions for ever and prints the number of each that is
 * committed. Transaction n replaces what some slots hold, chosen by n, so that all that must be in the file follows from n.
 */

export const SLOTS = table({
  name: 'slots',
  columns: { slot: 'int', written_by: 'int', data: 'bytes' },
  key: ['slot'],
});
const SLOT_COUNT = 4000;
const SLOTS_A_TRANSACTION = 300;
/** Short enough that the WAL starts over many times a second. */
const LONG_WAL_PAGES = 2000;

/** The slots that transaction n replaces. */
export function slotsOf(n: number): ReadonlySet<number> {
  const random = seededRandom(n);
  return new Set(Array.from({ length: SLOTS_A_TRANSACTION }, () => random.int(1, SLOT_COUNT)));
}

/** What transaction n writes into a slot: about a page. */
export function dataOf(slot: number, n: number): Buffer {
  return Buffer.alloc(3500, createHash('sha256').update(`${slot} ${n}`).digest());
}

async function writeForEver(file: string): Promise<never> {
  const writer = openSqliteHandle(file, 'writer', { durability: 'normal' });
  writer.exec('CREATE TABLE IF NOT EXISTS slots (slot INTEGER PRIMARY KEY, written_by INTEGER, data BLOB) STRICT');
  const last = await writer.queries.get<{ n: number | null }>('SELECT max(written_by) AS n FROM slots');
  const checkpointer = checkpointInThread(writer, { file, durability: 'normal', longWalPages: LONG_WAL_PAGES });
  for (let n = (last?.n ?? 0) + 1; ; n++) {
    await checkpointer.beforeWrite();
    writer.beginWrite();
    await writer.queries.upsertMany(
      SLOTS,
      [...slotsOf(n)].map(slot => [slot, n, dataOf(slot, n)]),
    );
    writer.commit();
    checkpointer.afterWrite();
    process.stdout.write(`${n} ${writer.wal().pages}\n`);
  }
}

// Not awaited: tests load this file with `require`, which takes no module that waits.
if (import.meta.main) void writeForEver(process.argv[2] ?? '');
