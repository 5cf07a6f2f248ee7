import type { KNOWN_BLOCKS } from '../../indexer/known-blocks.ts';
import type { List } from '../../indexer/lists.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { OuterRowOf, RowOf } from '../../store/table.ts';
import { comparePlaces, type Place, placeOf } from '../blocks/place.ts';
import { canonicalHeights, countBlocks } from '../blocks/queries.ts';
import type { TXS } from '../transactions/tables.ts';
import type { ADDRESS_TXS } from './tables.ts';

const FORM = /^(0x(?:[0-9a-f]{64})?):([0-9]{1,10}):([0-9]{1,10})$/;

/** The index block hash of what no block has yet. */
const NO_BLOCK = '0x';

/** The index block hash of the block of a transaction `t`. It is looked up for each row: as a join, PostgreSQL may read all blocks for three. */
export const BLOCK_HASH_OF_T = `(SELECT k.index_block_hash FROM blocks b JOIN known_blocks k ON k.arrival = b.known WHERE b.seq = t.height - 1)`;

/** A transaction with BLOCK_HASH_OF_T. */
export type PlacedRow = RowOf<typeof TXS, 'height' | 'record'> & OuterRowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>;

/** The cursor of the page that begins with a transaction (docs/spec/addresses.md#cursors). */
export function cursorOf(row: PlacedRow): string {
  const [, sequence, index] = placeOf(row);
  const hash = row.index_block_hash === null ? NO_BLOCK : toHex(row.index_block_hash);
  return `${hash}:${sequence}:${index}`;
}

/** The cursors of the pages that begin with these entries of a list, by position. */
export async function cursorsAt(
  queries: Queries,
  list: List,
  positions: readonly number[],
): Promise<Map<number, string>> {
  const inside = positions.filter(position => position >= 0 && position < list.length);
  if (inside.length === 0) return new Map();
  const rows = await queries.all<PlacedRow & RowOf<typeof ADDRESS_TXS, 'seq'>>(
    `SELECT e.seq, t.height, t.record, ${BLOCK_HASH_OF_T} AS index_block_hash
       FROM address_txs e JOIN txs t ON t.seq = e.tx
      WHERE e.list = ? AND e.seq IN (${inside.map(() => '?').join(', ')})`,
    [list.id, ...inside],
  );
  return new Map(rows.map(row => [row.seq, cursorOf(row)]));
}

/** The newest position in a list of the transaction that a cursor names; undefined when it is not in the list. */
export async function positionOfCursor(queries: Queries, list: List, cursor: string): Promise<number | undefined> {
  const [, hash, sequence, index] = FORM.exec(cursor.toLowerCase()) ?? [];
  if (hash === undefined) return undefined;
  const height =
    hash === NO_BLOCK ? (await countBlocks(queries)) + 1 : (await canonicalHeights(queries, [hash])).get(hash);
  if (height === undefined) return undefined;
  const wanted: Place = [height, Number(sequence), Number(index)];
  // Entries are in the order of the chain: a few lookups find one among millions.
  let [from, to, found]: [number, number, number | undefined] = [0, list.length, undefined];
  while (from < to) {
    const middle = (from + to) >> 1;
    const order = comparePlaces(await placeAt(queries, list, middle), wanted);
    if (order === 0) found = middle;
    if (order <= 0) from = middle + 1;
    else to = middle;
  }
  return found;
}

async function placeAt(queries: Queries, list: List, position: number): Promise<Place> {
  const row = await queries.get<RowOf<typeof TXS, 'height' | 'record'>>(
    'SELECT t.height, t.record FROM address_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq = ?',
    [list.id, position],
  );
  if (!row) throw new Error(`list ${list.id} has no entry ${position}`);
  return placeOf(row);
}
