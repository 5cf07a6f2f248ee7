import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import { deleteRows, insertRows, type RowOf } from '../../base/store/table.ts';
import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import { type BlockGraph, type KnownBlock, needsParent } from '../chain/fork-choice.ts';
import { type Arrival, type Displaced, impossible, isSamePlace, type NewKnownBlock, wrongHeight } from './arrival.ts';
import type { BurnBlockGraph } from './burn-graph.ts';
import { KNOWN_BLOCKS, type KnownBlockRow, SELECTED, toKnownBlock } from './known-blocks.ts';

const PAGE = 64;

/** Most first blocks to compare an arriving block with: without false ones, a chain has one or two. */
const FIRST_BLOCKS = 1000;

/** Queries about the canonical chain, supplied by the projection that writes it (see IndexContents). */
export interface CanonicalBlocks {
  readonly isCanonical: (queries: Queries, block: Pick<KnownBlock, 'height' | 'arrival'>) => Promise<boolean>;
  /** The lowest height of a canonical block whose election or burn view is a burn block, of this height or above, that is not canonical. */
  readonly lowestUnsoundFrom: (queries: Queries, burnBlockHeight: number) => Promise<number | undefined>;
}

/** The block graph in the database. */
export class SqlBlockGraph implements BlockGraph {
  readonly #tx: DatabaseTransaction;
  readonly #burn: BurnBlockGraph;
  readonly #canonical: CanonicalBlocks;
  /** Rows of blocks that will probably be added next, and of their parents, by hash. */
  #ahead = new Map<string, KnownBlockRow | undefined>();
  #nextArrival: number | undefined;
  #isAnyWaiting: boolean | undefined;
  /** Connected blocks that need no parent, by the parent that they name. */
  #firstBlocks: ReadonlyMap<string, readonly KnownBlock[]> | undefined;
  /** Added blocks to write: one statement for many blocks costs half as much as a statement for each. */
  readonly #unwritten: RowOf<typeof KNOWN_BLOCKS>[] = [];

  constructor(tx: DatabaseTransaction, burn: BurnBlockGraph, canonical: CanonicalBlocks) {
    this.#tx = tx;
    this.#burn = burn;
    this.#canonical = canonical;
  }

  /** Writes the added blocks. Call it before reading the table; the end of the transaction calls it too. */
  async write(): Promise<void> {
    if (this.#unwritten.length > 0) await insertRows(this.#tx, KNOWN_BLOCKS, this.#unwritten.splice(0));
  }

  async block(indexBlockHash: string): Promise<KnownBlock | undefined> {
    const row = await this.#row(indexBlockHash);
    return row && toKnownBlock(row);
  }

  /** Loads the rows of blocks that will probably be added next, with one statement. */
  async ahead(blocks: readonly Pick<KnownBlock, 'indexBlockHash' | 'parentIndexBlockHash'>[]): Promise<void> {
    await this.write();
    const hashes = new Set(blocks.flatMap(block => [block.indexBlockHash, block.parentIndexBlockHash]));
    // The last row found has the identifier: see #row.
    const rows = await allIn<KnownBlockRow>(
      this.#tx,
      list => `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash IN ${list} ORDER BY connected, arrival DESC`,
      [...hashes].map(hexBytes),
    );
    this.#ahead = new Map([...hashes].map(hash => [hash, undefined]));
    for (const row of rows) this.#ahead.set(toHex(row.index_block_hash), row);
  }

  /** Drops cached rows, as a row was changed or removed. */
  #forget(): void {
    this.#ahead.clear();
    this.#nextArrival = undefined;
    this.#isAnyWaiting = undefined;
    this.#firstBlocks = undefined;
  }

  async #row(indexBlockHash: string): Promise<KnownBlockRow | undefined> {
    if (this.#ahead.has(indexBlockHash)) return this.#ahead.get(indexBlockHash);
    await this.write();
    // Several waiting blocks may claim one identifier: it belongs to the one whose parent is found.
    return this.#tx.get<KnownBlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ? ORDER BY connected DESC, arrival LIMIT 1`,
      [hexBytes(indexBlockHash)],
    );
  }

  async *connectedFromTheTop(): AsyncIterable<KnownBlock> {
    await this.write();
    let after: [height: number, arrival: number] = [Number.MAX_SAFE_INTEGER, 0];
    for (;;) {
      const rows: KnownBlockRow[] = await this.#tx.all<KnownBlockRow>(
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
    await this.write();
    // No condition or order that another index offers: SQLite would use that index and scan the whole chain.
    const rows = await this.#tx.all<KnownBlockRow>(`SELECT ${SELECTED} FROM known_blocks WHERE burn_view = ?`, [
      hexBytes(consensusHash),
    ]);
    return rows
      .filter(row => row.connected === 1)
      .map(toKnownBlock)
      .sort((a, b) => a.height - b.height || a.arrival - b.arrival);
  }

  isCanonical(block: KnownBlock): Promise<boolean> {
    return this.#canonical.isCanonical(this.#tx, block);
  }

  async lowestUnsoundFrom(burnBlockHeight: number): Promise<number | undefined> {
    await this.write();
    return this.#canonical.lowestUnsoundFrom(this.#tx, burnBlockHeight);
  }

  /** The arrival number of the next block. */
  async #arrival(): Promise<number> {
    if (this.#nextArrival === undefined) {
      await this.write();
      const row = await this.#tx.get<{ n: number | null }>('SELECT max(arrival) AS n FROM known_blocks');
      this.#nextArrival = (row?.n ?? -1) + 1;
    }
    return this.#nextArrival;
  }

  /** Whether any block waits for its parent. */
  async #anyWaiting(): Promise<boolean> {
    if (this.#isAnyWaiting === undefined) {
      await this.write();
      const waiting = await this.#tx.get('SELECT 1 AS found FROM known_blocks WHERE connected = 0 LIMIT 1');
      this.#isAnyWaiting = waiting !== undefined;
    }
    return this.#isAnyWaiting;
  }

  /**
   * Connected first blocks that name this block as their parent although its height is not one less: they arrived before it. Without
   * an ancestor of the block itself.
   */
  async firstBlocksAgainst(block: KnownBlock): Promise<readonly KnownBlock[]> {
    const found: KnownBlock[] = [];
    for (const first of (await this.#firstBlocksByParent()).get(block.indexBlockHash) ?? [])
      if (first.height !== block.height + 1 && !(await this.#standsOn(block, first))) found.push(first);
    return found;
  }

  async #firstBlocksByParent(): Promise<ReadonlyMap<string, readonly KnownBlock[]>> {
    if (this.#firstBlocks) return this.#firstBlocks;
    await this.write();
    const rows = await this.#tx.all<KnownBlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE connected = 1 AND height <= 1 ORDER BY height, arrival LIMIT ${FIRST_BLOCKS}`,
    );
    this.#firstBlocks = Map.groupBy(rows.map(toKnownBlock), ({ parentIndexBlockHash }) => parentIndexBlockHash);
    return this.#firstBlocks;
  }

  async #standsOn(block: KnownBlock, first: KnownBlock): Promise<boolean> {
    if (first.height === 0) return (await this.#standingOn(first)).length > 0;
    for (let below: KnownBlock | undefined = block; below; below = await this.block(below.parentIndexBlockHash)) {
      if (below.arrival === first.arrival) return true;
      if (await this.isCanonical(below)) return this.isCanonical(first);
      if (!needsParent(below.height)) return false;
    }
    return false;
  }

  /** Adds a block unless it is impossible, and connects it and the blocks that waited for it. */
  async add(block: NewKnownBlock): Promise<Arrival> {
    // One round trip reads the first blocks too.
    const [known, arrival, parent, isAnyWaiting] = await Promise.all([
      this.#row(block.indexBlockHash),
      this.#arrival(),
      this.#row(block.parentIndexBlockHash),
      this.#anyWaiting(),
      this.#firstBlocksByParent(),
    ]);
    const reason = impossible(block, known, parent);
    if (reason !== undefined) return { kind: 'impossible', reason };
    if (known && isSamePlace(known, block)) return { kind: 'known' };
    const connected = !needsParent(block.height) || parent?.connected === 1;
    const inherited = needsParent(block.height) && parent?.connected === 1 ? parent.burn_view : null;
    const row: RowOf<typeof KNOWN_BLOCKS> = {
      arrival,
      index_block_hash: hexBytes(block.indexBlockHash),
      parent_index_block_hash: hexBytes(block.parentIndexBlockHash),
      block_hash: hexBytes(block.blockHash),
      height: block.height,
      burn_block_hash: hexBytes(block.burnBlockHash),
      burn_block_height: block.burnBlockHeight,
      burn_view: block.burnView === null ? inherited : hexBytes(block.burnView),
      journal_seq: block.journalSeq,
      connected: connected ? 1 : 0,
      waits_for: connected ? null : hexBytes(block.parentIndexBlockHash),
      block_time: block.blockTime,
      tx_count: block.txCount,
      parent_microblock: block.parentMicroblock && JSON.stringify(block.parentMicroblock),
      record: block.record,
    };
    this.#unwritten.push(row);
    if (known) this.#forget();
    else this.#note(row);
    if (!connected) return { kind: 'kept', connected: [], displaced: [], lacksParent: parent === undefined };
    if (!isAnyWaiting) return { kind: 'kept', connected: [toKnownBlock(row)], displaced: [], lacksParent: false };
    await this.write();
    const displaced = known ? await this.#displaceRivals(row) : [];
    const found = await this.#connectFrom(toKnownBlock(row), displaced);
    return { kind: 'kept', connected: found, displaced, lacksParent: false };
  }

  /** Replaces the contents of a known block by those of another journal entry. Its place in the graph stays. */
  async rewrite(block: NewKnownBlock): Promise<void> {
    await this.write();
    this.#forget();
    const { burnBlockHash, burnBlockHeight, journalSeq, blockTime, txCount, record } = block;
    await this.#tx.run(
      `UPDATE known_blocks SET burn_block_hash = ?, burn_block_height = ?, journal_seq = ?, block_time = ?, tx_count = ?,
        record = ? WHERE index_block_hash = ? AND height = ? AND parent_index_block_hash = ?`,
      [
        ...[hexBytes(burnBlockHash), burnBlockHeight, journalSeq, blockTime, txCount, record],
        ...[hexBytes(block.indexBlockHash), block.height, hexBytes(block.parentIndexBlockHash)],
      ],
    );
  }

  #note(row: KnownBlockRow): void {
    this.#ahead.set(toHex(row.index_block_hash), row);
    this.#nextArrival = row.arrival + 1;
    this.#isAnyWaiting ||= row.connected === 0;
    if (row.connected === 1 && !needsParent(row.height)) this.#firstBlocks = undefined;
  }

  /** Breadth first, so that a long gap that closes at once needs no deep recursion. Adds to `displaced`. */
  async #connectFrom(root: KnownBlock, displaced: Displaced[]): Promise<KnownBlock[]> {
    const connected = [root];
    for (let i = 0; i < connected.length; i++) {
      const parent = connected[i];
      if (!parent) break;
      for (const row of await this.#waitingFor(parent.indexBlockHash)) {
        if (row.height === parent.height + 1) {
          this.#forget();
          const burnView = row.burn_view ?? (parent.burnView === null ? null : hexBytes(parent.burnView));
          await this.#tx.run(
            'UPDATE known_blocks SET connected = 1, waits_for = NULL, burn_view = ? WHERE arrival = ?',
            [burnView, row.arrival],
          );
          connected.push(toKnownBlock({ ...row, burn_view: burnView }));
          displaced.push(...(await this.#displaceRivals(row)));
        } else displaced.push(await this.#displace(row, wrongHeight(row, parent)));
      }
    }
    return connected.sort((a, b) => a.height - b.height || a.arrival - b.arrival);
  }

  #waitingFor(indexBlockHash: string): Promise<KnownBlockRow[]> {
    return this.#tx.all<KnownBlockRow>(`SELECT ${SELECTED} FROM known_blocks WHERE waits_for = ? ORDER BY arrival`, [
      hexBytes(indexBlockHash),
    ]);
  }

  #standingOn({ indexBlockHash, height }: KnownBlock): Promise<KnownBlockRow[]> {
    return this.#tx.all<KnownBlockRow>(
      `SELECT ${SELECTED} FROM known_blocks
        WHERE connected = 1 AND height = ? AND parent_index_block_hash = ? ORDER BY arrival`,
      [height + 1, hexBytes(indexBlockHash)],
    );
  }

  /** Removes the other blocks that claim the identifier of a block that is now connected. */
  async #displaceRivals({ index_block_hash, arrival }: KnownBlockRow): Promise<Displaced[]> {
    const rivals = await this.#tx.all<KnownBlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ? AND arrival <> ? AND connected = 0`,
      [index_block_hash, arrival],
    );
    const reason = `another block has the identifier ${toHex(index_block_hash)}, and its parent is known`;
    return Promise.all(rivals.map(row => this.#displace(row, reason)));
  }

  async #displace({ arrival, journal_seq }: KnownBlockRow, reason: string): Promise<Displaced> {
    this.#forget();
    await deleteRows(this.#tx, KNOWN_BLOCKS, [{ arrival }]);
    return { journalSeq: journal_seq, reason };
  }

  /**
   * Removes a block that cannot be applied; its children wait for it from now on.
   * @returns the blocks that are no longer connected; empty if the block of this entry is not kept, or is canonical
   */
  async takeOut(indexBlockHash: string, journalSeq: number): Promise<readonly KnownBlock[]> {
    await this.write();
    const row = await this.#row(indexBlockHash);
    const block = row && toKnownBlock(row);
    if (block?.journalSeq !== journalSeq || (await this.isCanonical(block))) return [];
    const lost = await this.disconnect(block);
    await this.remove(block);
    return lost;
  }

  /** Disconnects a block and those above it: each waits for its parent. @returns them, this one first */
  async disconnect(block: KnownBlock): Promise<readonly KnownBlock[]> {
    await this.write();
    this.#forget();
    const lost = [block];
    for (const below of lost) {
      await this.#tx.run(
        'UPDATE known_blocks SET connected = 0, waits_for = parent_index_block_hash WHERE arrival = ?',
        [below.arrival],
      );
      lost.push(...(await this.#standingOn(below)).map(toKnownBlock));
    }
    return lost;
  }

  /** Removes a block that is not connected. */
  async remove({ arrival }: KnownBlock): Promise<void> {
    this.#forget();
    await deleteRows(this.#tx, KNOWN_BLOCKS, [{ arrival }]);
  }
}
