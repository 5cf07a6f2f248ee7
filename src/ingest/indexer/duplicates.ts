import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type BlockFacts, hasOwnId, withoutTransactions } from '../chain/block-facts.ts';
import type { Workspace } from './workspace.ts';

/** Finds the canonical transactions among these ids (0x hex), each with its height. */
export type MinedHeights = (queries: Queries, txIds: Iterable<string>) => Promise<ReadonlyMap<string, number>>;

/** Ids of applied blocks above which the blocks are written and the ids dropped: bounds the memory of a long replay. */
const MAX_APPLIED = 50_000;

/**
 * Removes transactions that the chain has already from blocks, within one transaction of the indexer (docs/spec/ingestion.md#duplicate-transactions).
 *
 * One query looks up the ids of the next blocks. A block has no duplicates if that query found none of its ids, and no block applied since
 * has any. For any other block an exact query follows, as forks and streamed microblocks cause false hits.
 */
export class Duplicates {
  readonly #tx: DatabaseTransaction;
  readonly #workspace: Workspace;
  readonly #minedHeights: MinedHeights;
  #ahead: ReadonlySet<BlockFacts> = new Set();
  #found: ReadonlyMap<string, number> = new Map();
  readonly #applied = new Set<string>();

  constructor(tx: DatabaseTransaction, workspace: Workspace, minedHeights: MinedHeights) {
    this.#tx = tx;
    this.#workspace = workspace;
    this.#minedHeights = minedHeights;
  }

  /** Looks up the transactions of the blocks that will probably be applied next. */
  async ahead(blocks: readonly BlockFacts[]): Promise<void> {
    if (this.#applied.size > MAX_APPLIED) {
      await this.#workspace.spill();
      this.#applied.clear();
    }
    this.#ahead = new Set(blocks);
    this.#found = await this.#minedHeights(this.#tx, blocks.flatMap(ownIds));
  }

  /** The block without duplicates, for the chain as it is now; the same object if it has none. */
  async leaveOut(block: BlockFacts): Promise<BlockFacts> {
    const ids = ownIds(block);
    const suspect = this.#ahead.has(block) ? ids.filter(id => this.#found.has(id) || this.#applied.has(id)) : ids;
    const mined = suspect.length > 0 ? await this.#minedNow(suspect) : NOTHING;
    for (const id of ids) this.#applied.add(id);
    return mined.size > 0 ? withoutTransactions(block, mined) : block;
  }

  async #minedNow(ids: readonly string[]): Promise<ReadonlySet<string>> {
    await this.#workspace.spill();
    return new Set((await this.#minedHeights(this.#tx, ids)).keys());
  }
}

const NOTHING: ReadonlySet<string> = new Set();

const ownIds = ({ txs }: BlockFacts): string[] => txs.filter(hasOwnId).map(({ txId }) => txId);
