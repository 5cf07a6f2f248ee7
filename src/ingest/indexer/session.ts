import type { Logger } from 'pino';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import type { Network } from '../chain/network.ts';
import type { Journal } from '../journal/journal.ts';
import { SqlBlockGraph } from './block-graph.ts';
import { BurnBlockGraph } from './burn-graph.ts';
import { Duplicates } from './duplicates.ts';
import { type Hooks, inOrder } from './hooks.ts';
import type { IndexState } from './index-state.ts';
import { Preparation } from './preparation.ts';
import type { IndexTransaction } from './projection.ts';
import { RememberedTips } from './remembered-tips.ts';
import type { IndexSchema } from './schema.ts';
import { UndoLog } from './undo-log.ts';
import type { Workspace } from './workspace.ts';

/** Parts that stay the same while the indexer runs. */
export interface IndexerParts {
  /** Events of other chains are set aside. */
  readonly chainId: number;
  readonly network: Network;
  readonly journal: Journal;
  readonly workspace: Workspace;
  readonly schema: IndexSchema;
  readonly logger: Logger;
  /** See planBurnBlock. */
  readonly burnForkDepth: number;
}

/** One database transaction of the indexer. */
export interface Session extends IndexTransaction, IndexerParts {
  readonly blocks: SqlBlockGraph;
  readonly tips: RememberedTips;
  readonly burnBlocks: BurnBlockGraph;
  readonly undoLog: UndoLog;
  readonly burnUndoLog: UndoLog;
  readonly preparation: Preparation;
  readonly duplicates: Duplicates;
  /** Set once, by openSession. */
  hooks: Required<Hooks>;
  /** Applied blocks whose undo record is not written yet: see units.ts. */
  openUnits: OpenUnits | undefined;
  /** Set by the preceding block, if that extended the tip and no later entry changed what fork choice reads. */
  extension: Extension | undefined;
  /** Whether the index has a block with a witness (ingest/chain/witness.ts), or names its chain already. */
  hasWitness: boolean;
}

/** Which branch of the burn chain the tip follows. */
export interface Extension {
  readonly burnBlockHash: string;
  /** Consensus hash, as blocks have it. */
  readonly burnView: string | null;
  readonly view: KnownBurnBlock | undefined;
}

/** Blocks applied one after another that will be taken back together. */
interface OpenUnits {
  readonly count: number;
  /** Hash of the last block. */
  readonly last: string;
}

export function openSession(parts: IndexerParts, tx: DatabaseTransaction, state: IndexState): Session {
  const { workspace, network, schema } = parts;
  workspace.attach(tx);
  const burnBlocks = new BurnBlockGraph(tx);
  const blocks = new SqlBlockGraph(tx, burnBlocks, schema.canonicalBlocks);
  const tips = new RememberedTips(tx);
  const undoLog = new UndoLog(tx, 'stacks');
  const burnUndoLog = new UndoLog(tx, 'burn');
  const preparation = new Preparation(schema.projections, workspace, network);
  const duplicates = new Duplicates(tx, workspace, schema.minedHeights);
  const session: Session = {
    ...{ ...parts, tx, state, blocks, tips, burnBlocks, undoLog, burnUndoLog, preparation, duplicates },
    hooks: inOrder([]),
    openUnits: undefined,
    extension: undefined,
    hasWitness: false,
  };
  // Hooks get the session itself, to read its current state when they run.
  session.hooks = inOrder(schema.projections.map(projection => projection.hooks?.(session) ?? {}));
  return session;
}
