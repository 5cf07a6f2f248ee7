import { addressesProjection } from '../resources/addresses/projection.ts';
import { blocksProjection } from '../resources/blocks/projection.ts';
import { burnchainProjection } from '../resources/burnchain/projection.ts';
import { contractLogsProjection } from '../resources/contracts/logs.ts';
import { contractsProjection } from '../resources/contracts/projection.ts';
import { MEMPOOL_TABLES } from '../resources/mempool/tables.ts';
import { namesProjection } from '../resources/names/projection.ts';
import { nftProjection } from '../resources/nft/projection.ts';
import { poxProjection } from '../resources/pox/projection.ts';
import { tokenMetadataProjection } from '../resources/token-metadata/projection.ts';
import { transactionsProjection } from '../resources/transactions/projection.ts';
import type { Table } from '../store/database.ts';
import { KNOWN_BLOCKS } from './block-graph.ts';
import { BURN_BLOCKS } from './burn-graph.ts';
import type { BurnProjection, Projection } from './projection.ts';
import { STREAMED_TXS } from './streamed-txs.ts';
import { LIST_COUNTERS, LISTS, META, UNDO_LOG } from './tables.ts';

/** What is written for each unit of the Stacks chain, in this order. */
export const projections: readonly Projection[] = [
  contractsProjection,
  transactionsProjection,
  blocksProjection,
  addressesProjection,
  contractLogsProjection,
  nftProjection,
  poxProjection,
  namesProjection,
  tokenMetadataProjection,
];

/** What is written for each burn block. */
export const burnProjections: readonly BurnProjection[] = [burnchainProjection];

const all = [...projections, ...burnProjections];

export const STATE_TABLES: readonly Table[] = all.flatMap(projection => projection.stateTables);
export const LIST_KINDS = all.flatMap(projection => projection.lists);

/** Every table of the index, each once. docs/storage.md describes them. */
export const INDEX_TABLES: readonly Table[] = [
  ...new Set([
    META,
    LISTS,
    LIST_COUNTERS,
    UNDO_LOG,
    KNOWN_BLOCKS,
    BURN_BLOCKS,
    STREAMED_TXS,
    ...MEMPOOL_TABLES,
    ...STATE_TABLES,
    ...projections.flatMap(projection => projection.keptTables),
    ...LIST_KINDS.map(kind => kind.entries),
  ]),
];
