import { hexBytes } from '../../base/lib/hex.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { deleteRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';
import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import { type KnownBlock, replaces } from '../chain/fork-choice.ts';
import { type KnownBlockRow, SELECTED_OF_K, toKnownBlock } from './known-blocks.ts';

/** The tip that is remembered at each burn view (docs/spec/fork-choice.md). Tips that forks took back stay: they may win again. */
export const REMEMBERED_TIPS = table({
  name: 'remembered_tips',
  columns: { burn_hash: 'bytes', burn_height: 'int', known: 'int' },
  key: ['burn_hash'],
  indexes: [['burn_height']],
});

/**
 * Joins tips to their burn blocks. SQLite keeps the order of a CROSS JOIN; by its own choice it would begin with all canonical burn
 * blocks.
 */
const CANONICAL_TIPS = 'remembered_tips r CROSS JOIN burn_blocks u';
const IS_CANONICAL = 'u.hash = r.burn_hash AND u.canonical = 1';

const PAGE = 64;

/** The remembered tips in the database: at most one for each burn block. */
export class RememberedTips {
  readonly #tx: DatabaseTransaction;
  /** By burn block. Each block of a tenure replaces the previous one: only the last one need be written. */
  readonly #unwritten = new Map<string, RowOf<typeof REMEMBERED_TIPS>>();

  constructor(tx: DatabaseTransaction) {
    this.#tx = tx;
  }

  /** Remembers a block at its burn view, in place of an earlier one. */
  remember(block: KnownBlock, view: KnownBurnBlock): void {
    const row = { burn_hash: hexBytes(view.hash), burn_height: view.height, known: block.arrival };
    this.#unwritten.set(view.hash, row);
  }

  /** Writes the remembered tips. Call it before reading the table; the end of the transaction calls it too. */
  async write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const rows = [...this.#unwritten.values()];
    this.#unwritten.clear();
    await upsertRows(this.#tx, REMEMBERED_TIPS, rows);
  }

  async at(burnBlockHash: string): Promise<KnownBlock | undefined> {
    await this.write();
    const row = await this.#tx.get<KnownBlockRow>(
      `SELECT ${SELECTED_OF_K} FROM remembered_tips r JOIN known_blocks k ON k.arrival = r.known WHERE r.burn_hash = ?`,
      [hexBytes(burnBlockHash)],
    );
    return row && toKnownBlock(row);
  }

  /** Tips that canonical burn blocks up to this height remember, from the highest burn block down. */
  async *upTo(burnHeight: number): AsyncIterable<KnownBlock> {
    await this.write();
    for (let from: number | undefined = burnHeight; from !== undefined; ) {
      const rows: (KnownBlockRow & { burn_height: number })[] = await this.#tx.all(
        `SELECT r.burn_height, ${SELECTED_OF_K}
           FROM ${CANONICAL_TIPS} JOIN known_blocks k ON k.arrival = r.known
          WHERE ${IS_CANONICAL} AND r.burn_height <= ? ORDER BY r.burn_height DESC LIMIT ${PAGE}`,
        [from],
      );
      for (const row of rows) yield toKnownBlock(row);
      const last = rows.at(-1);
      from = last && rows.length === PAGE ? last.burn_height - 1 : undefined;
    }
  }

  /** True when no canonical burn block above this height remembers a tip. */
  async noneAbove(burnHeight: number): Promise<boolean> {
    await this.write();
    const sql = `SELECT 1 AS found FROM ${CANONICAL_TIPS} WHERE ${IS_CANONICAL} AND r.burn_height > ? LIMIT 1`;
    return (await this.#tx.get(sql, [burnHeight])) === undefined;
  }

  /** Forgets a block that is not connected any more, and remembers the best of those that are left at its burn view. */
  async forget(block: { readonly arrival: number }, view: KnownBurnBlock, left: readonly KnownBlock[]): Promise<void> {
    await this.write();
    const burnHash = hexBytes(view.hash);
    const row = await this.#tx.get<{ known: number }>('SELECT known FROM remembered_tips WHERE burn_hash = ?', [
      burnHash,
    ]);
    if (row?.known !== block.arrival) return;
    await deleteRows(this.#tx, REMEMBERED_TIPS, [{ burn_hash: burnHash }]);
    let tip: KnownBlock | undefined;
    for (const candidate of left) if (replaces(candidate, tip)) tip = candidate;
    if (tip) this.remember(tip, view);
  }

  /** Forgets the tip of a burn block that is removed. */
  async forgetAt(burnBlockHash: string): Promise<void> {
    this.#unwritten.delete(burnBlockHash);
    await deleteRows(this.#tx, REMEMBERED_TIPS, [{ burn_hash: hexBytes(burnBlockHash) }]);
  }
}

/** Forgets blocks that are not connected any more. */
export async function forgetTips({ blocks, tips }: Views, lost: readonly KnownBlock[]): Promise<void> {
  for (const block of lost) {
    const view = await blocks.burnViewOf(block);
    if (view) await tips.forget(block, view, await blocks.connectedOfView(view));
  }
}

interface Views {
  readonly tips: RememberedTips;
  readonly blocks: {
    readonly burnViewOf: (block: KnownBlock) => Promise<KnownBurnBlock | undefined>;
    readonly connectedOfView: (view: KnownBurnBlock) => Promise<readonly KnownBlock[]>;
  };
}
