import type { Logger } from 'pino';
import type { Network } from '../chain/network.ts';
import type { Journal } from '../journal/journal.ts';
import { MempoolChanges } from '../resources/mempool/changes.ts';
import { WaitingBytes } from '../resources/transactions/raw.ts';
import type { Transaction } from '../store/database.ts';
import { SqlBlockGraph } from './block-graph.ts';
import { BurnBlockGraph } from './burn-graph.ts';
import type { IndexState } from './index-state.ts';
import { Preparation } from './preparation.ts';
import type { BurnProjection, Projection } from './projection.ts';
import type { Workspace } from './workspace.ts';

/** What stays the same as long as the indexer runs. */
export interface IndexerParts {
  readonly network: Network;
  readonly journal: Journal;
  readonly workspace: Workspace;
  /** In the order in which they are applied. */
  readonly projections: readonly Projection[];
  readonly burnProjections: readonly BurnProjection[];
  readonly logger: Logger;
}

/** One database transaction of the indexer. */
export interface Session extends IndexerParts {
  readonly tx: Transaction;
  readonly blocks: SqlBlockGraph;
  readonly burnBlocks: BurnBlockGraph;
  readonly mempool: MempoolChanges;
  readonly bytes: WaitingBytes;
  readonly preparation: Preparation;
  state: IndexState;
}

export function openSession(parts: IndexerParts, tx: Transaction, state: IndexState): Session {
  parts.workspace.attach(tx);
  const burnBlocks = new BurnBlockGraph(tx);
  const blocks = new SqlBlockGraph(tx, burnBlocks);
  return {
    ...parts,
    tx,
    burnBlocks,
    blocks,
    mempool: new MempoolChanges(),
    bytes: new WaitingBytes(parts.workspace),
    preparation: new Preparation(parts),
    state,
  };
}
