import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { deleteRows, insertRows, type RowOf, table } from '../../base/store/table.ts';
import type { BurnGraph, KnownBurnBlock } from '../chain/burn-chain.ts';

/** Every burn block ever announced, canonical or not, except those that were set aside. */
export const BURN_BLOCKS = table({
  name: 'burn_blocks',
  columns: {
    hash: 'bytes',
    height: 'int',
    parent_hash: 'bytes?',
    /** Tenure changes name their burn view by it. */
    consensus_hash: 'bytes?',
    canonical: 'int',
    journal_seq: 'int',
  },
  key: ['hash'],
  indexes: [['canonical', 'height'], ['consensus_hash']],
});

type BurnRow = RowOf<typeof BURN_BLOCKS>;

const FIELDS = 'hash, height, parent_hash, consensus_hash, canonical, journal_seq';

const toKnownBurnBlock = (row: BurnRow): KnownBurnBlock => ({
  hash: toHex(row.hash),
  height: row.height,
  parentHash: row.parent_hash && toHex(row.parent_hash),
  consensusHash: row.consensus_hash && toHex(row.consensus_hash),
  journalSeq: row.journal_seq,
});

/** The burn chain in the database. */
export class BurnBlockGraph implements BurnGraph {
  readonly #tx: DatabaseTransaction;
  /** Recently read burn blocks, by hash and by consensus hash: all blocks of a tenure share one. Emptied whenever the burn chain moves. */
  readonly #seen = new Map<string, BurnRow | undefined>();

  constructor(tx: DatabaseTransaction) {
    this.#tx = tx;
  }

  async block(hash: string): Promise<KnownBurnBlock | undefined> {
    const row = await this.#row(hash);
    return row && toKnownBurnBlock(row);
  }

  /** The first burn block that was announced with a consensus hash. */
  async ofConsensusHash(consensusHash: string): Promise<KnownBurnBlock | undefined> {
    const row = await this.#find('consensus_hash', consensusHash);
    return row && toKnownBurnBlock(row);
  }

  #row(hash: string): Promise<BurnRow | undefined> {
    return this.#find('hash', hash);
  }

  async #find(column: 'hash' | 'consensus_hash', value: string): Promise<BurnRow | undefined> {
    if (this.#seen.has(value)) return this.#seen.get(value);
    const sql = `SELECT ${FIELDS} FROM burn_blocks WHERE ${column} = ? ORDER BY journal_seq LIMIT 1`;
    const row = await this.#tx.get<BurnRow>(sql, [hexBytes(value)]);
    this.#seen.set(value, row);
    return row;
  }

  async isCanonical(hash: string): Promise<boolean> {
    return (await this.#row(hash))?.canonical === 1;
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

  /** Adds a new block; it becomes canonical when the indexer applies it. */
  async add(block: KnownBurnBlock): Promise<void> {
    const row = {
      hash: hexBytes(block.hash),
      height: block.height,
      parent_hash: block.parentHash === null ? null : hexBytes(block.parentHash),
      consensus_hash: block.consensusHash === null ? null : hexBytes(block.consensusHash),
      canonical: 0,
      journal_seq: block.journalSeq,
    };
    await insertRows(this.#tx, BURN_BLOCKS, [row]);
    this.#seen.clear();
  }

  /** Removes a block that cannot be applied. @returns false if the block of this entry is not kept, or is canonical */
  async takeOut(hash: string, journalSeq: number): Promise<boolean> {
    const row = await this.#row(hash);
    if (row?.journal_seq !== journalSeq || row.canonical === 1) return false;
    await deleteRows(this.#tx, BURN_BLOCKS, [{ hash: row.hash }]);
    this.#seen.clear();
    return true;
  }

  async mark(block: KnownBurnBlock, canonical: boolean): Promise<void> {
    await this.#tx.run('UPDATE burn_blocks SET canonical = ? WHERE hash = ?', [
      canonical ? 1 : 0,
      hexBytes(block.hash),
    ]);
    this.#seen.clear();
  }
}
