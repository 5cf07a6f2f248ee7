import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import type { ChainClock } from '../chain/chain-clock.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import type { MicroblockLink } from '../chain/microblocks.ts';
import type { Tip } from '../chain/tip.ts';
import { META } from './tables.ts';

/** A microblock that was streamed on the tip, and the journal entry that brought it first. */
export interface StreamedOnTip extends MicroblockLink {
  readonly journalSeq: number;
}

/** The state of the index. Written in the same transaction as the data that it describes. */
export interface IndexState {
  /** The last journal entry that was applied or skipped. */
  readonly position: number;
  /** The canonical tip, null while the chain is empty. */
  readonly tip: KnownBlock | null;
  /** The stream of microblocks on the tip, in order. */
  readonly microblocks: readonly { readonly hash: string; readonly sequence: number }[];
  /** Every microblock that was streamed on the tip, including displaced ones. */
  readonly streamed: readonly StreamedOnTip[];
  /** See Tip. */
  readonly revision: number;
  /** Number of applied units (blocks and microblocks) of the Stacks chain, and of applied burn blocks. */
  readonly depth: number;
  readonly burnDepth: number;
  readonly burnHeight: number;
  /** Hash of the newest applied burn block; null before the first one. */
  readonly burnTip: string | null;
  /** The journal entry of the newest attachments; 0 before the first ones. */
  readonly attachments: number;
  readonly mempool: {
    /** The last journal entry that changed the mempool, other than by a block on top of the tip. */
    readonly version: number;
    /** The clock of the tip, null while the chain is empty. */
    readonly clock: ChainClock | null;
    /** Number of dropped transactions: rows of DROPPED_TXS. */
    readonly dropped: number;
  };
}

export const EMPTY_STATE: IndexState = {
  position: 0,
  tip: null,
  microblocks: [],
  streamed: [],
  revision: 0,
  depth: 0,
  burnDepth: 0,
  burnHeight: 0,
  burnTip: null,
  attachments: 0,
  mempool: { version: 0, clock: null, dropped: 0 },
};

/** Its name in META. */
export const STATE_ENTRY = 'state';
/** The position alone: every request reads it, and need not parse the state. */
const POSITION = 'position';

export async function readState(queries: Queries): Promise<IndexState> {
  const row = await queries.get<RowOf<typeof META, 'value'>>(`SELECT value FROM meta WHERE name = '${STATE_ENTRY}'`);
  return row ? { ...EMPTY_STATE, ...(JSON.parse(row.value) as IndexState) } : EMPTY_STATE;
}

/**
 * As readState, for a transaction that will write the state. On PostgreSQL it waits for other such transactions: that of a killed process
 * may still be committing.
 */
export async function lockState(tx: DatabaseTransaction): Promise<IndexState> {
  const sql = 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = meta.value';
  await tx.run(sql, [STATE_ENTRY, JSON.stringify(EMPTY_STATE)]);
  return readState(tx);
}

export function writeState(tx: DatabaseTransaction, state: IndexState): Promise<void> {
  return upsertRows(tx, META, [
    { name: STATE_ENTRY, value: JSON.stringify(state) },
    { name: POSITION, value: String(state.position) },
  ]);
}

/** The journal position that a snapshot of the index shows; undefined while nothing has been indexed. */
export async function readPosition(queries: Queries): Promise<number | undefined> {
  const row = await queries.get<RowOf<typeof META, 'value'>>(`SELECT value FROM meta WHERE name = '${POSITION}'`);
  return row && Number(row.value);
}

/** The tip in the form for clients. */
export function tipOf({ tip, microblocks, revision, burnTip, attachments }: IndexState): Tip | undefined {
  if (!tip) return undefined;
  const last = microblocks.at(-1);
  return {
    height: tip.height,
    indexBlockHash: tip.indexBlockHash,
    blockHash: tip.blockHash,
    burnBlockHeight: tip.burnBlockHeight,
    microblockHash: last?.hash ?? null,
    microblockSequence: last?.sequence ?? null,
    ...(revision > 0 && { revision }),
    ...(burnTip !== null && { burnTip }),
    ...(attachments > 0 && { attachments }),
  };
}
