import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { deleteRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';
import type { RebuiltBlock, RebuiltSummary } from '../chain/unapplied.ts';
import type { RebuiltOrigin } from '../node/events/rebuilt.ts';

/**
 * Blocks that no node has delivered: their payloads were rebuilt from the RPC of a node (docs/spec/rebuilt-blocks.md). When a node or an archive delivers
 * such a block, the delivery replaces the rebuilt one, and the row is removed. Rows have no undo.
 */
export const REBUILT_BLOCKS = table({
  name: 'rebuilt_blocks',
  columns: {
    /** Position of the entry in the journal. */
    position: 'int',
    /** Index block hash. */
    block: 'bytes',
    height: 'int',
    /** A or B: see the page above. */
    class: 'text',
    /** Names of the fields that are not known, separated by commas. */
    unknown: 'text',
  },
  key: ['position'],
  indexes: [['block']],
});

type RebuiltRow = RowOf<typeof REBUILT_BLOCKS>;

/** Records that a block of the index is a rebuilt one. */
export function noteRebuilt(
  tx: DatabaseTransaction,
  position: number,
  { indexBlockHash, height }: { readonly indexBlockHash: string; readonly height: number },
  { class: kind, unknown }: RebuiltOrigin,
): Promise<void> {
  const row = { position, block: hexBytes(indexBlockHash), height, class: kind, unknown: unknown.join(',') };
  return upsertRows(tx, REBUILT_BLOCKS, [row]);
}

/** Forgets a rebuilt block that the index does not hold any more. */
export function forgetRebuilt(tx: DatabaseTransaction, position: number): Promise<void> {
  return deleteRows(tx, REBUILT_BLOCKS, [{ position }]);
}

export async function isRebuilt(queries: Queries, position: number): Promise<boolean> {
  return (await queries.get('SELECT 1 AS found FROM rebuilt_blocks WHERE position = ?', [position])) !== undefined;
}

const COLUMNS = 'position, block, height, class, unknown';

/** Rebuilt blocks after a position, in the order of the journal. */
export async function readRebuilt(queries: Queries, after: number, limit: number): Promise<RebuiltBlock[]> {
  const sql = `SELECT ${COLUMNS} FROM rebuilt_blocks WHERE position > ? ORDER BY position LIMIT ?`;
  return (await queries.all<RebuiltRow>(sql, [after, limit])).map(toRebuilt);
}

/** How many rebuilt blocks there are, the newest entry, and which fields are unknown in at least one of them. */
export async function summaryOfRebuilt(queries: Queries): Promise<RebuiltSummary> {
  const newest = await queries.get<RebuiltRow>(`SELECT ${COLUMNS} FROM rebuilt_blocks ORDER BY position DESC LIMIT 1`);
  if (!newest) return { count: 0, newest: null, unknown: [] };
  const groups = await queries.all<{ readonly unknown: string; readonly count: number }>(
    'SELECT unknown, count(*) AS count FROM rebuilt_blocks GROUP BY unknown',
  );
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    newest: toRebuilt(newest),
    unknown: [...new Set(groups.flatMap(({ unknown }) => namesIn(unknown)))].sort(),
  };
}

const toRebuilt = ({ position, block, height, class: kind, unknown }: RebuiltRow): RebuiltBlock => ({
  ...{ position, height, class: kind },
  indexBlockHash: toHex(block),
  unknown: namesIn(unknown),
});

const namesIn = (list: string): string[] => list.split(',').filter(name => name !== '');
