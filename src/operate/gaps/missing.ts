import { toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import type { JOURNAL } from '../../ingest/journal/entries.ts';

/** A block that was never delivered, although blocks above it were. */
export interface MissingBlock {
  readonly height: number;
  /** `0x` and lower-case hex. */
  readonly indexBlockHash: string;
  /** Number of delivered blocks that wait for it, at any distance, and of their transactions. */
  readonly blocks: number;
  readonly transactions: number;
  /** Journal position of the first of these blocks that arrived. */
  readonly firstPosition: number;
}

type WaitingRow = RowOf<
  typeof KNOWN_BLOCKS,
  'index_block_hash' | 'parent_index_block_hash' | 'height' | 'journal_seq' | 'tx_count' | 'arrival'
>;

const PAGE = 1000;

/** All missing parents, the lowest first. Reads each block that waits once, in pages. */
export async function missingBlocks(queries: Queries): Promise<MissingBlock[]> {
  const missing = new Map<string, MissingBlock>();
  /** The missing block for each waiting block. */
  const rootOf = new Map<string, string>();
  for await (const { index_block_hash: own, parent_index_block_hash: above, ...row } of waiting(queries)) {
    const [hash, parent] = [toHex(own), toHex(above)];
    const root = rootOf.get(`${row.height - 1} ${parent}`) ?? parent;
    rootOf.set(`${row.height} ${hash}`, root);
    const before = missing.get(root);
    missing.set(root, {
      height: before?.height ?? row.height - 1,
      indexBlockHash: root,
      blocks: (before?.blocks ?? 0) + 1,
      transactions: (before?.transactions ?? 0) + row.tx_count,
      firstPosition: Math.min(before?.firstPosition ?? row.journal_seq, row.journal_seq),
    });
  }
  return [...missing.values()];
}

async function* waiting(queries: Queries): AsyncIterable<WaitingRow> {
  let after: [height: number, arrival: number] = [-1, -1];
  for (;;) {
    const rows = await queries.all<WaitingRow>(
      `SELECT index_block_hash, parent_index_block_hash, height, journal_seq, tx_count, arrival FROM known_blocks
        WHERE connected = 0 AND (height > ? OR (height = ? AND arrival > ?))
        ORDER BY height, arrival LIMIT ${PAGE}`,
      [after[0], after[0], after[1]],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last.height, last.arrival];
  }
}

/** When an entry of the journal was received, in microseconds since 1970. */
export async function receivedAt(journal: Queries, position: number): Promise<number | undefined> {
  const sql = 'SELECT received_at FROM journal WHERE seq = ?';
  return (await journal.get<RowOf<typeof JOURNAL, 'received_at'>>(sql, [position]))?.received_at;
}
