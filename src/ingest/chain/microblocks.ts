import type { NewMicroblocks } from '../node/events/bodies.ts';
import type { ExecutionCost } from '../node/events/transaction.ts';
import { type BlockFacts, readTransactions, type TransactionFacts, type Unreadable } from './block-facts.ts';
import type { KnownBlock } from './fork-choice.ts';
import type { Network } from './network.ts';

/** A microblock streamed on top of a block, before a next block accepts it (epochs 2.0 to 2.4). */
export interface StreamedMicroblock {
  readonly hash: string;
  /** Hash of the preceding microblock, or of the anchor block for the first microblock. */
  readonly parentHash: string;
  readonly sequence: number;
  readonly txs: readonly TransactionFacts[];
}

/** A message of microblocks, decoded. */
export interface DecodedMicroblocks {
  /** Index block hash of their anchor block. */
  readonly parentIndexBlockHash: string;
  /** In sequence order. */
  readonly microblocks: readonly StreamedMicroblock[];
  readonly unreadable: readonly Unreadable[];
  /** Unix seconds: the time of the anchor block's burn block. */
  readonly burnBlockTime: number;
}

/** The microblocks of a message (docs/spec/ingestion.md#microblock-messages). */
export function readMicroblocks(message: NewMicroblocks, network: Network): DecodedMicroblocks {
  const context = { burnBlockHeight: message.burn_block_height, network };
  const { txs, unreadable } = readTransactions(message.transactions, message.events, context);
  const groups = Map.groupBy(
    txs.filter(tx => tx.microblock !== null),
    tx => tx.microblock?.hash ?? '',
  );
  const microblocks = [...groups].map(([hash, own]) => ({
    hash,
    parentHash: own[0]?.microblock?.parentHash ?? '',
    sequence: own[0]?.microblock?.sequence ?? 0,
    txs: own.toSorted((a, b) => a.txIndex - b.txIndex),
  }));
  return {
    microblocks: microblocks.sort((a, b) => a.sequence - b.sequence),
    parentIndexBlockHash: message.parent_index_block_hash,
    unreadable,
    burnBlockTime: message.burn_block_timestamp,
  };
}

/** The fields that decide the place of a microblock in a stream. */
export type MicroblockLink = Pick<StreamedMicroblock, 'hash' | 'parentHash' | 'sequence'>;

/**
 * Computes the stream on the tip after a message of microblocks (docs/spec/ingestion.md#microblocks): the newest microblock that
 * is new, and its ancestors down to the tip, including those that an earlier message had displaced. Repeats are not new.
 * @param known every microblock that was streamed on the tip before
 * @param message by sequence
 * @returns the new microblocks, and the whole stream, by sequence; undefined when nothing is new, or when there is a gap below it
 */
export function attachStream<M extends MicroblockLink>(
  known: readonly M[],
  message: readonly M[],
): { fresh: M[]; standing: M[] } | undefined {
  const byHash = new Map(known.map(microblock => [microblock.hash, microblock]));
  const fresh = message.filter(({ hash }) => !byHash.has(hash));
  for (const microblock of fresh) byHash.set(microblock.hash, microblock);
  const standing: M[] = [];
  for (let next = fresh.at(-1); next; ) {
    standing.unshift(next);
    const { parentHash, sequence }: M = next;
    // Recognise the first of a stream by its number: not every node sends the block's hash as its parent.
    if (sequence === 0) return { fresh, standing };
    const below: M | undefined = byHash.get(parentHash);
    next = below?.sequence === sequence - 1 ? below : undefined;
  }
  return undefined;
}

const NO_COST: ExecutionCost = { read_count: 0, read_length: 0, runtime: 0, write_count: 0, write_length: 0 };

/**
 * A microblock on the tip in the form of a block, one above the tip. Fields that only a block provides are left blank. Its time
 * is that of the anchor block's burn block: the time of arrival would differ from one index to another.
 */
export function unanchoredBlock(
  microblock: StreamedMicroblock,
  tip: KnownBlock,
  { burnBlockTime }: Pick<DecodedMicroblocks, 'burnBlockTime'>,
): BlockFacts {
  return {
    height: tip.height + 1,
    blockHash: '',
    indexBlockHash: '',
    parentBlockHash: tip.blockHash,
    parentIndexBlockHash: tip.indexBlockHash,
    parentMicroblock: null,
    blockTime: burnBlockTime,
    burnBlockHash: '',
    burnBlockHeight: -1,
    burnBlockTime: -1,
    parentBurnBlockTime: burnBlockTime,
    burnView: null,
    minerTxId: '',
    tenureHeight: null,
    signerBitvec: null,
    signerSignatures: [],
    cost: NO_COST,
    txCount: microblock.txs.length,
    txs: microblock.txs,
    repeated: [],
    microblocks: [
      {
        hash: microblock.hash,
        parentHash: microblock.parentHash,
        sequence: microblock.sequence,
        txCount: microblock.txs.length,
      },
    ],
    minerRewards: [],
    rewardSet: null,
    poxUnlockHeights: [null, null, null, null],
  };
}
