/**
 * Trees of counts: for each type and measure, how many pending transactions have a value that begins with certain bytes.
 *
 *     fees 3000 (0x0bb8) and 200 (0xc8), each after the number of its bytes:  02 0b b8   01 c8
 *     root: 1 → 1, 2 → 1     below 01: c8 → 1     below 02: 0b → 1     below 02 0b: b8 → 1
 *
 * Bytes sort like the values, so a walk from the root down finds the value of a rank, and a transaction changes as many counts as its value has bytes.
 */
import type { DatabaseTransaction, Queries, SqlValue } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { TX_TYPES, type TxType } from '../transactions/tables.ts';
import type { MEMPOOL_COUNTS, PENDING_TXS } from './tables.ts';

/** The counted types, in emitted order. No other type is pending, except reports of microblocks. */
export const COUNTED_TYPES = ['token_transfer', 'smart_contract', 'contract_call'] as const satisfies readonly TxType[];
export type CountedType = (typeof COUNTED_TYPES)[number];

/** The counted measures of each type, in emitted order. */
export const MEASURES = ['fee', 'size', 'receipt_time', 'chain_height'] as const;
export type Measure = (typeof MEASURES)[number];

/** The columns that are counted. */
type CountedRow = RowOf<typeof PENDING_TXS, 'type' | 'streamed' | Measure>;

/** A count, and its place in the tree. */
export type CountedNode = RowOf<typeof MEMPOOL_COUNTS>;

/** The parent of the first bytes of all values. */
export const rootOf = (type: CountedType, measure: Measure): Uint8Array =>
  Uint8Array.of(TX_TYPES[type], MEASURES.indexOf(measure));

/** The value whose bytes end below a root. @param bytes after those of the root, whole */
export const valueOfBytes = (bytes: Uint8Array): bigint =>
  BigInt(`0x0${Buffer.from(bytes.subarray(1)).toString('hex')}`);

/** Whether these bytes, after those of a root, are a whole value: the first byte is the number of bytes that follow. */
export const isWholeValue = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes.length === 1 + (bytes[0] ?? 0);

/** The counts to which a transaction of these columns adds 1; empty for a type that is not counted. */
export const nodesOf = (row: CountedRow): CountedNode[] => placesOf(row).map(place => nodeAt(place, 1));

/** The counts of a transaction as bytes of root and value, in a text with one character per byte. The last byte is that of the count itself. */
function placesOf(row: CountedRow): string[] {
  const type = COUNTED_TYPES.find(name => TX_TYPES[name] === row.type);
  if (type === undefined || row.streamed === 1) return [];
  const places: string[] = [];
  for (const [i, measure] of MEASURES.entries()) {
    const digits = digitsOf(row[measure]);
    let place = String.fromCharCode(TX_TYPES[type], i);
    for (const byte of [digits.length, ...digits]) {
      place += String.fromCharCode(byte);
      places.push(place);
    }
  }
  return places;
}

/** The bytes of a value, the highest first; none for zero. */
function digitsOf(value: number | Uint8Array): Uint8Array | readonly number[] {
  if (typeof value !== 'number') {
    const first = value.findIndex(byte => byte !== 0);
    return first < 0 ? [] : value.subarray(first);
  }
  const digits: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 0x100)) digits.unshift(rest % 0x100);
  return digits;
}

const nodeAt = (place: string, n: number): CountedNode => ({
  parent: Buffer.from(place.slice(0, -1), 'latin1'),
  byte: place.charCodeAt(place.length - 1),
  n,
});

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Rows that one statement writes. */
const ROWS_AT_ONCE = 500;

/** Adds these transactions to the counts, and removes those that they replace. */
export async function writeCounts(
  tx: DatabaseTransaction,
  before: readonly CountedRow[],
  now: readonly CountedRow[],
): Promise<void> {
  const changes = new Map<string, number>();
  for (const [rows, sign] of [
    [before, -1],
    [now, 1],
  ] as const)
    for (const place of rows.flatMap(placesOf)) changes.set(place, (changes.get(place) ?? 0) + sign);
  const changed = [...changes].flatMap(([place, n]) => (n === 0 ? [] : nodeAt(place, n)));
  for (let start = 0; start < changed.length; start += ROWS_AT_ONCE) {
    const rows = changed.slice(start, start + ROWS_AT_ONCE);
    await tx.run(
      `INSERT INTO mempool_counts (parent, byte, n) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}
        ON CONFLICT (parent, byte) DO UPDATE SET n = mempool_counts.n + excluded.n`,
      rows.flatMap(({ parent, byte, n }): SqlValue[] => [parent, byte, n]),
    );
  }
  const emptied = new Map(changed.flatMap(({ parent, n }) => (n < 0 ? [[hexOf(parent), parent] as const] : [])));
  await deleteEmpty(tx, [...emptied.values()]);
}

async function deleteEmpty(tx: DatabaseTransaction, parents: readonly Uint8Array[]): Promise<void> {
  for (let start = 0; start < parents.length; start += ROWS_AT_ONCE) {
    const part = parents.slice(start, start + ROWS_AT_ONCE);
    await tx.run(`DELETE FROM mempool_counts WHERE n = 0 AND parent IN (${part.map(() => '?').join(', ')})`, part);
  }
}

/** The counts below these parents, by parent as hex. */
export async function countsBelow(
  queries: Queries,
  parents: readonly Uint8Array[],
): Promise<ReadonlyMap<string, readonly CountedNode[]>> {
  const rows = await allIn<CountedNode>(
    queries,
    list => `SELECT parent, byte, n FROM mempool_counts WHERE parent IN ${list}`,
    parents,
  );
  return Map.groupBy(rows, ({ parent }) => hexOf(parent));
}
