import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type BlockFacts, hasOwnId, withoutTransactions } from '../chain/block-facts.ts';
import type { Workspace } from './workspace.ts';

/** Finds the canonical transactions among these ids (0x hex), each with its height. */
export type MinedHeights = (queries: Queries, txIds: Iterable<string>) => Promise<ReadonlyMap<string, number>>;

/** Ids above which those of applied blocks are forgotten, which needs a write: bounds the memory of a long replay. */
const MAX_APPLIED = 50_000;

/**
 * Leaves out transactions that the chain has already, in one transaction of the indexer (docs/spec/ingestion.md#duplicate-transactions).
 *
 * The ids of the next blocks are looked up together. A block none of whose ids was found then, or applied since, has no duplicates.
 * For any other block a query answers exactly: a fork or a streamed microblock makes ids suspect that have no duplicate.
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

  /** Looks up what the blocks that are likely to be applied next bring. */
  async ahead(blocks: readonly BlockFacts[]): Promise<void> {
    if (this.#applied.size > MAX_APPLIED) {
      await this.#workspace.spill();
      this.#applied.clear();
    }
    this.#ahead = new Set(blocks);
    this.#found = await this.#minedHeights(this.#tx, blocks.flatMap(ownIds));
  }

  /** The block as it is applied now, on the chain as it is: the same object where nothing is left out. */
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
