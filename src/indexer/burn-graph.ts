import type { BurnGraph, KnownBurnBlock } from '../chain/burn-chain.ts';
import { hexBytes, toHex } from '../lib/hex.ts';
import type { Transaction } from '../store/database.ts';
import { deleteRows, insertRows, type RowOf, table } from '../store/table.ts';

/** Every burn block ever announced, canonical or not; only those are taken out that are set aside. */
export const BURN_BLOCKS = table({
  name: 'burn_blocks',
  columns: { hash: 'bytes', height: 'int', parent_hash: 'bytes?', canonical: 'int', journal_seq: 'int' },
  key: ['hash'],
  indexes: [['canonical', 'height']],
});

type BurnRow = RowOf<typeof BURN_BLOCKS>;

const FIELDS = 'hash, height, parent_hash, canonical, journal_seq';

const toKnownBurnBlock = (row: BurnRow): KnownBurnBlock => ({
  hash: toHex(row.hash),
  height: row.height,
  parentHash: row.parent_hash && toHex(row.parent_hash),
  journalSeq: row.journal_seq,
});

/** The burn chain in the database. */
export class BurnBlockGraph implements BurnGraph {
  readonly #tx: Transaction;
  /** Viability of burn blocks seen lately: all blocks of a tenure share one. Emptied whenever the burn chain moves. */
  readonly #viable = new Map<string, boolean>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async block(hash: string): Promise<KnownBurnBlock | undefined> {
    const row = await this.#row(hash);
    return row && toKnownBurnBlock(row);
  }

  #row(hash: string): Promise<BurnRow | undefined> {
    return this.#tx.get<BurnRow>(`SELECT ${FIELDS} FROM burn_blocks WHERE hash = ?`, [hexBytes(hash)]);
  }

  async isCanonical(hash: string): Promise<boolean> {
    return (await this.#row(hash))?.canonical === 1;
  }

  /** True when the burn block is canonical, or was never announced. */
  async isViable(hash: string): Promise<boolean> {
    let viable = this.#viable.get(hash);
    if (viable === undefined) {
      viable = (await this.#row(hash))?.canonical !== 0;
      this.#viable.set(hash, viable);
    }
    return viable;
  }

  async canonicalFrom(height: number): Promise<readonly KnownBurnBlock[]> {
    const rows = await this.#tx.all<BurnRow>(
      `SELECT ${FIELDS} FROM burn_blocks WHERE canonical = 1 AND height >= ? ORDER BY height DESC`,
      [height],
    );
    return rows.map(toKnownBurnBlock);
  }

  async firstHeight(): Promise<number | undefined> {
    const row = await this.#tx.get<{ height: number | null }>(
      'SELECT min(height) AS height FROM burn_blocks WHERE canonical = 1',
    );
    return row?.height ?? undefined;
  }

  /** Adds a block that is not known; it becomes canonical when the indexer applies it. */
  async add(block: KnownBurnBlock): Promise<void> {
    const row = {
      hash: hexBytes(block.hash),
      height: block.height,
      parent_hash: block.parentHash === null ? null : hexBytes(block.parentHash),
      canonical: 0,
      journal_seq: block.journalSeq,
    };
    await insertRows(this.#tx, BURN_BLOCKS, [row]);
    this.#viable.clear();
  }

  /** Takes out a block that cannot be applied. @returns false when this entry brought no block that is kept, or a canonical one */
  async takeOut(hash: string, journalSeq: number): Promise<boolean> {
    const row = await this.#row(hash);
    if (row?.journal_seq !== journalSeq || row.canonical === 1) return false;
    await deleteRows(this.#tx, BURN_BLOCKS, [{ hash: row.hash }]);
    this.#viable.clear();
    return true;
  }

  async mark(block: KnownBurnBlock, canonical: boolean): Promise<void> {
    await this.#tx.run('UPDATE burn_blocks SET canonical = ? WHERE hash = ?', [
      canonical ? 1 : 0,
      hexBytes(block.hash),
    ]);
    this.#viable.clear();
  }
}
