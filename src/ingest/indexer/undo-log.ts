import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { fromHex, hexBytes, toHex } from '../../base/lib/hex.ts';
import type { DatabaseTransaction, SqlValue } from '../../base/store/database.ts';
import { keyFrom, type RowOf, rowFrom } from '../../base/store/table.ts';
import { type ChainName, LISTS, type ListKind, UNDO_LOG } from './tables.ts';
import type { UndoRecord } from './workspace.ts';

/** An applied block, or the last of several that share a record: its place in the stack of applied blocks (the first has depth 0), and its undo records. */
export interface AppliedBlock {
  readonly depth: number;
  /** Number of blocks that the records take back together. */
  readonly units: number;
  /** Hash of the block, 0x hex. */
  readonly block: string;
  readonly records: readonly UndoRecord[];
}

/** The applied blocks of a chain, as a stack: blocks are applied on top and taken back from the top. */
export class UndoLog {
  readonly #tx: DatabaseTransaction;
  readonly #chain: ChainName;

  constructor(tx: DatabaseTransaction, chain: ChainName) {
    this.#tx = tx;
    this.#chain = chain;
  }

  /** Number of applied blocks. */
  async depth(): Promise<number> {
    const row = await this.#tx.get<{ top: number | null }>('SELECT max(depth) AS top FROM undo_log WHERE chain = ?', [
      this.#chain,
    ]);
    return (row?.top ?? -1) + 1;
  }

  async top(): Promise<AppliedBlock | undefined> {
    const row = await this.#tx.get<RowOf<typeof UNDO_LOG, 'depth' | 'units' | 'block' | 'record'>>(
      'SELECT depth, units, block, record FROM undo_log WHERE chain = ? ORDER BY depth DESC LIMIT 1',
      [this.#chain],
    );
    return row && { ...row, block: toHex(row.block), records: decodeRecords(row.record) };
  }

  /** The row to insert for a block applied at this depth, or for several (`units`) that end with it. */
  row(depth: number, block: string, records: readonly UndoRecord[], units = 1): RowOf<typeof UNDO_LOG> {
    return { chain: this.#chain, depth, units, block: hexBytes(block), record: encodeRecords(records) };
  }

  async remove(depth: number): Promise<void> {
    await this.#tx.run(`DELETE FROM ${UNDO_LOG.name} WHERE chain = ? AND depth = ?`, [this.#chain, depth]);
  }
}

/** Length of a list before the unit of these records; undefined if the unit did not change the list. */
export function lengthBefore(records: readonly UndoRecord[], kind: ListKind, name = ''): number | undefined {
  for (const { table, key, previous } of records) {
    if (table !== LISTS.name) continue;
    const list = keyFrom(LISTS, key);
    if (list.kind === kind.code && list.name === name) return previous ? rowFrom(LISTS, previous).length : 0;
  }
  return undefined;
}

type JsonValue = string | number | null | readonly [hex: string];
const toJson = (value: SqlValue): JsonValue => (value instanceof Uint8Array ? [toHex(value)] : value);
const fromJson = (value: JsonValue): SqlValue =>
  Array.isArray(value) ? (fromHex(value[0]) ?? null) : (value as SqlValue);

/** Most rows have no bytes, and are JSON without conversion. */
const plainRow = (row: readonly SqlValue[]): readonly JsonValue[] =>
  row.some(value => value instanceof Uint8Array) ? row.map(toJson) : (row as readonly (string | number | null)[]);

/** Higher levels take more time and save no space. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The records of one table: previous rows; for rows that did not exist, only the key, with which every row begins. */
type PlainTable = readonly [table: string, keyColumns: number, ...rows: (readonly JsonValue[])[]];

function encodeRecords(records: readonly UndoRecord[]): Uint8Array {
  const plain: PlainTable[] = [];
  for (const [table, touched] of Map.groupBy(records, record => record.table)) {
    const rows = touched.map(({ key, previous }) => plainRow(previous ?? key));
    plain.push([table, touched[0]?.key.length ?? 0, ...rows]);
  }
  return zstdCompressSync(JSON.stringify(plain), FAST);
}

export function decodeRecords(bytes: Uint8Array): UndoRecord[] {
  const plain = JSON.parse(zstdDecompressSync(bytes).toString()) as PlainTable[];
  return plain.flatMap(([table, keyColumns, ...rows]) =>
    rows.map(plainRow => {
      const row = plainRow.map(fromJson);
      // A state table always has columns beside its key.
      return { table, key: row.slice(0, keyColumns), previous: row.length > keyColumns ? row : null };
    }),
  );
}
