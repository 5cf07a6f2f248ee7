import { type BlockGraph, type KnownBlock, needsParent } from '../chain/fork-choice.ts';
import { hexBytes, toHex } from '../lib/hex.ts';
import type { Transaction } from '../store/database.ts';
import { insertRows, type RowOf, table } from '../store/table.ts';
import type { BurnBlockGraph } from './burn-graph.ts';

/** Every Stacks block ever delivered, canonical or not, in order of arrival. Nothing is ever taken out. */
export const KNOWN_BLOCKS = table({
  name: 'known_blocks',
  columns: {
    arrival: 'int',
    index_block_hash: 'bytes',
    parent_index_block_hash: 'bytes',
    block_hash: 'bytes',
    height: 'int',
    burn_block_hash: 'bytes',
    burn_block_height: 'int',
    journal_seq: 'int',
    /** 1 when all ancestors down to height 1 are known. */
    connected: 'int',
    /** Raw time of the block, for averages over a burn block (getBurnBlock). */
    block_time: 'int',
    tx_count: 'int',
    /** The microblock it builds on, as JSON [hash, sequence]; null without. */
    parent_microblock: 'text?',
    /** The block as getBlock serves it; `canonical` is always true in it. */
    record: 'text',
  },
  key: ['arrival'],
  indexes: [
    ['index_block_hash'],
    ['parent_index_block_hash'],
    ['block_hash'],
    ['burn_block_hash'],
    ['burn_block_height'],
    ['connected', 'height', 'arrival'],
  ],
});

/** A block as it enters the graph. */
export interface NewKnownBlock extends Omit<KnownBlock, 'arrival'> {
  readonly blockTime: number;
  readonly txCount: number;
  readonly parentMicroblock: readonly [hash: string, sequence: number] | null;
  readonly record: string;
}

const FIELDS = [
  'arrival',
  'index_block_hash',
  'parent_index_block_hash',
  'block_hash',
  'height',
  'burn_block_hash',
  'burn_block_height',
  'journal_seq',
  'connected',
] as const;
const SELECTED = FIELDS.join(', ');
type BlockRow = RowOf<typeof KNOWN_BLOCKS, (typeof FIELDS)[number]>;

const PAGE = 64;

function toKnownBlock(row: BlockRow): KnownBlock {
  return {
    indexBlockHash: toHex(row.index_block_hash),
    parentIndexBlockHash: toHex(row.parent_index_block_hash),
    blockHash: toHex(row.block_hash),
    height: row.height,
    burnBlockHash: toHex(row.burn_block_hash),
    burnBlockHeight: row.burn_block_height,
    arrival: row.arrival,
    journalSeq: row.journal_seq,
  };
}

/** The block graph in the database. Which of its blocks are canonical, the table `blocks` says (resources/blocks). */
export class SqlBlockGraph implements BlockGraph {
  readonly #tx: Transaction;
  readonly #burn: BurnBlockGraph;

  constructor(tx: Transaction, burn: BurnBlockGraph) {
    this.#tx = tx;
    this.#burn = burn;
  }

  async block(indexBlockHash: string): Promise<KnownBlock | undefined> {
    const row = await this.#row(indexBlockHash);
    return row && toKnownBlock(row);
  }

  #row(indexBlockHash: string): Promise<BlockRow | undefined> {
    return this.#tx.get<BlockRow>(`SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ?`, [
      hexBytes(indexBlockHash),
    ]);
  }

  async *connectedFromTheTop(): AsyncIterable<KnownBlock> {
    let after: [height: number, arrival: number] = [Number.MAX_SAFE_INTEGER, 0];
    for (;;) {
      const rows: BlockRow[] = await this.#tx.all<BlockRow>(
        `SELECT ${SELECTED} FROM known_blocks
          WHERE connected = 1 AND height >= 1 AND (height < ? OR (height = ? AND arrival > ?))
          ORDER BY height DESC, arrival ASC LIMIT ${PAGE}`,
        [after[0], after[0], after[1]],
      );
      for (const row of rows) yield toKnownBlock(row);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = [last.height, last.arrival];
    }
  }

  burnBlockIsViable(burnBlockHash: string): Promise<boolean> {
    return this.#burn.isViable(burnBlockHash);
  }

  async isCanonical(block: KnownBlock): Promise<boolean> {
    if (block.height < 1) return false;
    const row = await this.#tx.get('SELECT known FROM blocks WHERE seq = ?', [block.height - 1]);
    return row?.known === block.arrival;
  }

  /** The lowest height at which the canonical chain has a block of a burn block that is not viable any more. */
  async lowestUnsoundFrom(burnBlockHeight: number): Promise<number | undefined> {
    const row = await this.#tx.get<{ height: number | null }>(
      `SELECT min(k.height) AS height
         FROM known_blocks k
         JOIN blocks b ON b.seq = k.height - 1 AND b.known = k.arrival
         JOIN burn_blocks u ON u.hash = k.burn_block_hash
        WHERE k.burn_block_height >= ? AND u.canonical = 0`,
      [burnBlockHeight],
    );
    return row?.height ?? undefined;
  }

  /**
   * Adds a block, and connects it and what waited for it.
   * @returns the blocks that became connected, parents first; empty when the block's own ancestors are missing; undefined when it is known.
   */
  async add(block: NewKnownBlock): Promise<KnownBlock[] | undefined> {
    const [known, count, connected] = await Promise.all([
      this.#row(block.indexBlockHash),
      this.#tx.get<{ n: number | null }>('SELECT max(arrival) AS n FROM known_blocks'),
      !needsParent(block.height) || this.#parentIsConnected(block),
    ]);
    if (known) return undefined;
    const arrival = (count?.n ?? -1) + 1;
    const row: RowOf<typeof KNOWN_BLOCKS> = {
      arrival,
      index_block_hash: hexBytes(block.indexBlockHash),
      parent_index_block_hash: hexBytes(block.parentIndexBlockHash),
      block_hash: hexBytes(block.blockHash),
      height: block.height,
      burn_block_hash: hexBytes(block.burnBlockHash),
      burn_block_height: block.burnBlockHeight,
      journal_seq: block.journalSeq,
      connected: connected ? 1 : 0,
      block_time: block.blockTime,
      tx_count: block.txCount,
      parent_microblock: block.parentMicroblock && JSON.stringify(block.parentMicroblock),
      record: block.record,
    };
    const stored = insertRows(this.#tx, KNOWN_BLOCKS, [row]);
    if (!connected) return stored.then(() => []);
    const [found] = await Promise.all([this.#connectFrom(toKnownBlock(row)), stored]);
    return found;
  }

  async #parentIsConnected(block: Pick<KnownBlock, 'parentIndexBlockHash' | 'height'>): Promise<boolean> {
    const parent = await this.#row(block.parentIndexBlockHash);
    return parent !== undefined && parent.connected === 1 && parent.height === block.height - 1;
  }

  /** Breadth first, so that a long gap that closes at once needs no deep recursion. */
  async #connectFrom(root: KnownBlock): Promise<KnownBlock[]> {
    const connected = [root];
    for (let i = 0; i < connected.length; i++) {
      const parent = connected[i];
      if (!parent) break;
      const waiting = await this.#tx.all<BlockRow>(
        `SELECT ${SELECTED} FROM known_blocks WHERE parent_index_block_hash = ? AND connected = 0 AND height = ?`,
        [hexBytes(parent.indexBlockHash), parent.height + 1],
      );
      for (const row of waiting) {
        await this.#tx.run('UPDATE known_blocks SET connected = 1 WHERE arrival = ?', [row.arrival]);
        connected.push(toKnownBlock(row));
      }
    }
    return connected;
  }
}
