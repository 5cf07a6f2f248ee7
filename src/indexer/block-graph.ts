import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import { type BlockGraph, type KnownBlock, needsParent, replaces } from '../chain/fork-choice.ts';
import { hexBytes, toHex } from '../lib/hex.ts';
import type { Transaction } from '../store/database.ts';
import { deleteRows, insertRows, type RowOf, table, upsertRows } from '../store/table.ts';
import type { BurnBlockGraph } from './burn-graph.ts';

/** Every Stacks block ever delivered, canonical or not, in order of arrival. Only those are taken out that are set aside. */
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
    /** Consensus hash that the newest tenure change at or below it names; null without one, or while the parent is missing. */
    burn_view: 'bytes?',
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
    ['burn_view'],
    ['connected', 'height', 'arrival'],
  ],
});

/** The tip that is remembered at each burn view (docs/spec/fork-choice.md). What forks take back stays: it may win again. */
export const REMEMBERED_TIPS = table({
  name: 'remembered_tips',
  columns: { burn_hash: 'bytes', burn_height: 'int', known: 'int' },
  key: ['burn_hash'],
  indexes: [['burn_height']],
});

/** A block as it enters the graph; its burn view is the one that it names itself. */
export interface NewKnownBlock extends Omit<KnownBlock, 'arrival'> {
  readonly blockTime: number;
  readonly txCount: number;
  readonly parentMicroblock: readonly [hash: string, sequence: number] | null;
  readonly record: string;
}

/** A block that was kept and gives way: another has its identifier, or the place it claims. */
export interface Displaced {
  readonly journalSeq: number;
  readonly reason: string;
}

/** What the arrival of a block means to the graph. */
export type Arrival =
  | { readonly kind: 'known' }
  /** It cannot be where it says. */
  | { readonly kind: 'impossible'; readonly reason: string }
  /** `connected`: the blocks whose ancestors are all known by it, this one first; empty when its own are missing. */
  | { readonly kind: 'kept'; readonly connected: readonly KnownBlock[]; readonly displaced: readonly Displaced[] };

const FIELDS = [
  'arrival',
  'index_block_hash',
  'parent_index_block_hash',
  'block_hash',
  'height',
  'burn_block_hash',
  'burn_block_height',
  'burn_view',
  'journal_seq',
  'connected',
] as const;
const SELECTED = FIELDS.join(', ');
const SELECTED_OF_K = FIELDS.map(name => `k.${name}`).join(', ');
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
    burnView: row.burn_view && toHex(row.burn_view),
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
    // Of blocks that wait, several may claim one identifier: the one that finds its parent has it.
    return this.#tx.get<BlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ? ORDER BY connected DESC, arrival LIMIT 1`,
      [hexBytes(indexBlockHash)],
    );
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

  async burnViewOf({ burnView }: KnownBlock): Promise<KnownBurnBlock | undefined> {
    return burnView === null ? undefined : this.#burn.ofConsensusHash(burnView);
  }

  /** Connected blocks whose burn view this is, the lowest first, first seen first. */
  async connectedOfView({ consensusHash }: KnownBurnBlock): Promise<KnownBlock[]> {
    if (consensusHash === null) return [];
    const rows = await this.#tx.all<BlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE burn_view = ? AND connected = 1 ORDER BY height, arrival`,
      [hexBytes(consensusHash)],
    );
    return rows.map(toKnownBlock);
  }

  remember(block: KnownBlock, view: KnownBurnBlock): Promise<void> {
    const row = { burn_hash: hexBytes(view.hash), burn_height: view.height, known: block.arrival };
    return upsertRows(this.#tx, REMEMBERED_TIPS, [row]);
  }

  async rememberedAt(burnBlockHash: string): Promise<KnownBlock | undefined> {
    const row = await this.#tx.get<BlockRow>(
      `SELECT ${SELECTED_OF_K} FROM remembered_tips r JOIN known_blocks k ON k.arrival = r.known WHERE r.burn_hash = ?`,
      [hexBytes(burnBlockHash)],
    );
    return row && toKnownBlock(row);
  }

  /** Tips that canonical burn blocks up to this height remember, that of the highest first. */
  async *rememberedUpTo(burnHeight: number): AsyncIterable<KnownBlock> {
    for (let from: number | undefined = burnHeight; from !== undefined; ) {
      const rows: (BlockRow & { burn_height: number })[] = await this.#tx.all(
        `SELECT r.burn_height, ${SELECTED_OF_K}
           FROM remembered_tips r
           JOIN burn_blocks u ON u.hash = r.burn_hash AND u.canonical = 1
           JOIN known_blocks k ON k.arrival = r.known
          WHERE r.burn_height <= ? ORDER BY r.burn_height DESC LIMIT ${PAGE}`,
        [from],
      );
      for (const row of rows) yield toKnownBlock(row);
      const last = rows.at(-1);
      from = last && rows.length === PAGE ? last.burn_height - 1 : undefined;
    }
  }

  /** True when no canonical burn block above this height remembers a tip. */
  async remembersNoneAbove(burnHeight: number): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM remembered_tips r JOIN burn_blocks u ON u.hash = r.burn_hash AND u.canonical = 1
      WHERE r.burn_height > ? LIMIT 1`;
    return (await this.#tx.get(sql, [burnHeight])) === undefined;
  }

  async isCanonical(block: KnownBlock): Promise<boolean> {
    if (block.height < 1) return false;
    const row = await this.#tx.get('SELECT known FROM blocks WHERE seq = ?', [block.height - 1]);
    return row?.known === block.arrival;
  }

  /** The lowest height at which the canonical chain has a block whose election or burn view is not canonical any more. */
  async lowestUnsoundFrom(burnBlockHeight: number): Promise<number | undefined> {
    const [elected, seen] = await Promise.all([
      this.#lowestCanonical(
        'u.hash = k.burn_block_hash WHERE k.burn_block_height >= ? AND u.canonical = 0',
        burnBlockHeight,
      ),
      this.#lowestCanonical('u.consensus_hash = k.burn_view WHERE u.height >= ? AND u.canonical = 0', burnBlockHeight),
    ]);
    const lowest = Math.min(elected ?? Number.POSITIVE_INFINITY, seen ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(lowest) ? lowest : undefined;
  }

  async #lowestCanonical(joinedWith: string, burnBlockHeight: number): Promise<number | null | undefined> {
    const row = await this.#tx.get<{ height: number | null }>(
      `SELECT min(k.height) AS height
         FROM known_blocks k
         JOIN blocks b ON b.seq = k.height - 1 AND b.known = k.arrival
         JOIN burn_blocks u ON ${joinedWith}`,
      [burnBlockHeight],
    );
    return row?.height;
  }

  /** Adds a block where it can be, and connects it and what waited for it. */
  async add(block: NewKnownBlock): Promise<Arrival> {
    const [known, count, parent] = await Promise.all([
      this.#row(block.indexBlockHash),
      this.#tx.get<{ n: number | null }>('SELECT max(arrival) AS n FROM known_blocks'),
      this.#row(block.parentIndexBlockHash),
    ]);
    const reason = impossible(block, known, parent);
    if (reason !== undefined) return { kind: 'impossible', reason };
    if (known && isSamePlace(known, block)) return { kind: 'known' };
    const connected = !needsParent(block.height) || parent?.connected === 1;
    const inherited = needsParent(block.height) && parent?.connected === 1 ? parent.burn_view : null;
    const row: RowOf<typeof KNOWN_BLOCKS> = {
      arrival: (count?.n ?? -1) + 1,
      index_block_hash: hexBytes(block.indexBlockHash),
      parent_index_block_hash: hexBytes(block.parentIndexBlockHash),
      block_hash: hexBytes(block.blockHash),
      height: block.height,
      burn_block_hash: hexBytes(block.burnBlockHash),
      burn_block_height: block.burnBlockHeight,
      burn_view: block.burnView === null ? inherited : hexBytes(block.burnView),
      journal_seq: block.journalSeq,
      connected: connected ? 1 : 0,
      block_time: block.blockTime,
      tx_count: block.txCount,
      parent_microblock: block.parentMicroblock && JSON.stringify(block.parentMicroblock),
      record: block.record,
    };
    const stored = insertRows(this.#tx, KNOWN_BLOCKS, [row]);
    if (!connected) return stored.then(() => ({ kind: 'kept', connected: [], displaced: [] }));
    const displaced = known ? await this.#displaceRivals(row) : [];
    const [found] = await Promise.all([this.#connectFrom(toKnownBlock(row), displaced), stored]);
    return { kind: 'kept', connected: found, displaced };
  }

  /** Breadth first, so that a long gap that closes at once needs no deep recursion. Adds to `displaced`. */
  async #connectFrom(root: KnownBlock, displaced: Displaced[]): Promise<KnownBlock[]> {
    const connected = [root];
    for (let i = 0; i < connected.length; i++) {
      const parent = connected[i];
      if (!parent) break;
      for (const row of await this.#childrenOf(parent.indexBlockHash, 0)) {
        if (row.height === parent.height + 1) {
          const burnView = row.burn_view ?? (parent.burnView === null ? null : hexBytes(parent.burnView));
          await this.#tx.run('UPDATE known_blocks SET connected = 1, burn_view = ? WHERE arrival = ?', [
            burnView,
            row.arrival,
          ]);
          connected.push(toKnownBlock({ ...row, burn_view: burnView }));
          displaced.push(...(await this.#displaceRivals(row)));
        } else displaced.push(await this.#displace(row, wrongHeight(row, parent)));
      }
    }
    return connected.sort((a, b) => a.height - b.height || a.arrival - b.arrival);
  }

  #childrenOf(indexBlockHash: string, connected: 0 | 1): Promise<BlockRow[]> {
    return this.#tx.all<BlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE parent_index_block_hash = ? AND connected = ? ORDER BY arrival`,
      [hexBytes(indexBlockHash), connected],
    );
  }

  /** A block has found its place: others that claim its identifier have none. */
  async #displaceRivals({ index_block_hash, arrival }: BlockRow): Promise<Displaced[]> {
    const rivals = await this.#tx.all<BlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ? AND arrival <> ? AND connected = 0`,
      [index_block_hash, arrival],
    );
    const reason = `another block has the identifier ${toHex(index_block_hash)}, and its parent is known`;
    return Promise.all(rivals.map(row => this.#displace(row, reason)));
  }

  async #displace({ arrival, journal_seq }: BlockRow, reason: string): Promise<Displaced> {
    await deleteRows(this.#tx, KNOWN_BLOCKS, [{ arrival }]);
    return { journalSeq: journal_seq, reason };
  }

  /**
   * Takes out a block that cannot be applied: those that stand on it wait for it from now on.
   * @returns false when this entry brought no block that is kept, or one that is canonical
   */
  async takeOut(indexBlockHash: string, journalSeq: number): Promise<boolean> {
    const row = await this.#row(indexBlockHash);
    if (row?.journal_seq !== journalSeq || (await this.isCanonical(toKnownBlock(row)))) return false;
    await deleteRows(this.#tx, KNOWN_BLOCKS, [{ arrival: row.arrival }]);
    const lost = [row];
    const waiting = [indexBlockHash];
    for (let hash = waiting.shift(); hash !== undefined; hash = waiting.shift()) {
      for (const child of await this.#childrenOf(hash, 1)) {
        await this.#tx.run('UPDATE known_blocks SET connected = 0 WHERE arrival = ?', [child.arrival]);
        waiting.push(toHex(child.index_block_hash));
        lost.push(child);
      }
    }
    for (const { arrival, burn_view } of lost) await this.#forget(arrival, burn_view);
    return true;
  }

  /** Remembers the best that is left at the burn view of a block that is not connected any more. */
  async #forget(arrival: number, burnView: Uint8Array | null): Promise<void> {
    const view = burnView && (await this.#burn.ofConsensusHash(toHex(burnView)));
    const row =
      view &&
      (await this.#tx.get<{ known: number }>('SELECT known FROM remembered_tips WHERE burn_hash = ?', [
        hexBytes(view.hash),
      ]));
    if (!view || row?.known !== arrival) return;
    await deleteRows(this.#tx, REMEMBERED_TIPS, [{ burn_hash: hexBytes(view.hash) }]);
    let tip: KnownBlock | undefined;
    for (const block of await this.connectedOfView(view)) if (replaces(block, tip)) tip = block;
    if (tip) await this.remember(tip, view);
  }
}

/** Why a block cannot be where it says; undefined while nothing known speaks against it. */
function impossible(
  block: NewKnownBlock,
  known: BlockRow | undefined,
  parent: BlockRow | undefined,
): string | undefined {
  if (block.indexBlockHash === block.parentIndexBlockHash) return 'a block cannot be its own parent';
  if (known?.connected === 1 && !isSamePlace(known, block))
    return `block ${block.indexBlockHash} is known, with height ${known.height} and parent ${toHex(known.parent_index_block_hash)}`;
  // A parent that waits itself may not be what it says.
  if (parent?.connected === 1 && parent.height !== block.height - 1) return wrongHeight(block, parent);
  return undefined;
}

const wrongHeight = ({ height }: { height: number }, parent: { height: number }): string =>
  `a block of height ${height} cannot stand on one of height ${parent.height}`;

const isSamePlace = (row: BlockRow, { height, parentIndexBlockHash }: NewKnownBlock): boolean =>
  row.height === height && toHex(row.parent_index_block_hash) === parentIndexBlockHash;
