import type { Network } from './bitcoin-operations.ts';
import { transactionsOf } from './transactions.ts';
import type { Block, Payload, Tx } from './world.ts';

/** Microblocks that are streamed and not accepted by a block yet (docs/spec/ingestion.md#microblocks). */
export interface Streams {
  /** Every microblock that was streamed on the tip, still there or replaced. */
  readonly known: readonly Microblock[];
  /** Those on the tip, from sequence 0. */
  readonly standing: readonly Microblock[];
}

export interface Microblock {
  readonly hash: string;
  readonly parentHash: string;
  readonly sequence: number;
  readonly txs: readonly Tx[];
}

export const NO_STREAMS: Streams = { known: [], standing: [] };

/**
 * What stands on the tip after a message of microblocks. Only a message about the tip counts. The newest microblock that is new
 * decides the chain; one that does not lead down to the tip without a gap is ignored with its whole message.
 */
export function streamed(streams: Streams, payload: Payload, tip: Block | undefined, network: Network): Streams {
  if (!tip || payload.parent_index_block_hash !== tip.indexHash) return streams;
  const fresh = microblocksOf(payload, tip, network).filter(({ hash }) => streams.known.every(k => k.hash !== hash));
  const newest = fresh.at(-1);
  if (!newest) return streams;
  const known = [...streams.known, ...fresh];
  const standing: Microblock[] = [];
  for (let next: Microblock | undefined = newest; next; ) {
    const { parentHash, sequence }: Microblock = next;
    standing.unshift(next);
    if (sequence === 0) return { known, standing };
    next = known.find(candidate => candidate.hash === parentHash && candidate.sequence === sequence - 1);
  }
  return streams;
}

/** The microblocks of a message by sequence, each with its transactions as they are served until a block accepts them. */
function microblocksOf(payload: Payload, tip: Block, network: Network): Microblock[] {
  const txs = transactionsOf(payload, blockToBe(payload, tip), network, tx => tx.tx_index);
  const bySequence = Map.groupBy(txs, tx => tx.microblock?.hash);
  return [...bySequence.values()].flatMap(group => {
    const microblock = group[0]?.microblock;
    return microblock ? [{ ...microblock, txs: group }] : [];
  });
}

/** What stands for the block of an unanchored transaction: no hash, one above the tip; its time is that of the burn block of the tip. */
function blockToBe(payload: Payload, tip: Block): Block {
  return {
    payload: {
      ...payload,
      block_time: payload.burn_block_timestamp,
      parent_block_hash: tip.hash,
      parent_burn_block_timestamp: payload.burn_block_timestamp,
    },
    hash: '0x',
    indexHash: '0x',
    parentIndexHash: tip.indexHash,
    height: tip.height + 1,
    burnHash: '0x',
    burnHeight: -1,
    burnTime: -1,
    txs: [],
    own: [],
    arrival: -1,
  };
}
