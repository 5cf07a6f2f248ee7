import type { Table } from '../../base/store/database.ts';
import type { BlockFacts } from '../chain/block-facts.ts';
import type { CanonicalBlocks } from './block-graph.ts';
import { BURN_BLOCKS } from './burn-graph.ts';
import type { MinedHeights } from './duplicates.ts';
import { KNOWN_BLOCKS } from './known-blocks.ts';
import { ORPHANED_BLOCKS } from './orphaned-blocks.ts';
import type { BurnProjection, Projection } from './projection.ts';
import { REBUILT_BLOCKS } from './rebuilt-blocks.ts';
import { REMEMBERED_TIPS } from './remembered-tips.ts';
import { SET_ASIDE } from './set-aside.ts';
import { STREAMED_TXS } from './streamed-txs.ts';
import { LIST_COUNTERS, LISTS, type ListKind, META, UNDO_LOG } from './tables.ts';

/** What resources keep in the index. */
interface IndexContents {
  /** They write each unit of the Stacks chain, and run their hooks, in this order. */
  readonly projections: readonly Projection[];
  /** They write each burn block, in this order. */
  readonly burnProjections: readonly BurnProjection[];
  /** Data of a block to store when it arrives, even if it is never applied, in addition to the indexer's own. */
  readonly blockRecord: (block: BlockFacts) => Uint8Array;
  /** Reads the canonical chain, which one of the projections writes. */
  readonly canonicalBlocks: CanonicalBlocks;
  /** Finds canonical transactions, which one of the projections writes. */
  readonly minedHeights: MinedHeights;
}

/** Everything that an index consists of. */
export interface IndexSchema extends IndexContents {
  /** The tables whose rows undo restores. */
  readonly stateTables: readonly Table[];
  readonly lists: readonly ListKind[];
  /** Every table, each once: those of the indexer itself, then those of the resources. docs/storage.md describes them. */
  readonly tables: readonly Table[];
}

const OWN_TABLES: readonly Table[] = [
  META,
  LISTS,
  LIST_COUNTERS,
  UNDO_LOG,
  KNOWN_BLOCKS,
  ORPHANED_BLOCKS,
  BURN_BLOCKS,
  REMEMBERED_TIPS,
  STREAMED_TXS,
  SET_ASIDE,
  REBUILT_BLOCKS,
];

export function indexSchema(contents: IndexContents): IndexSchema {
  const { projections, burnProjections } = contents;
  const all = [...projections, ...burnProjections];
  const stateTables = all.flatMap(projection => projection.stateTables);
  const lists = all.flatMap(projection => projection.lists);
  const kept = projections.flatMap(projection => projection.keptTables);
  const tables = new Set([...OWN_TABLES, ...kept, ...stateTables, ...lists.map(kind => kind.entries)]);
  return { ...contents, stateTables, lists, tables: [...tables] };
}
