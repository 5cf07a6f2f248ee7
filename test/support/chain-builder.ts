import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltTx, sha, TransactionBuilder, unhex } from './transaction-builder.ts';
import { bytes } from './wire-transaction.ts';

export interface BuiltBurnBlock {
  readonly hash: string;
  /** By which tenure changes name it, whether it is announced with it or not. */
  readonly consensusHash: string;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  readonly delivery: Delivery;
}

export interface BuiltMicroblock {
  readonly hash: string;
  readonly parentHash: string;
  readonly sequence: number;
  readonly txs: readonly BuiltTx[];
}

export interface BuiltBlock {
  readonly hash: string;
  readonly indexHash: string;
  readonly height: number;
  readonly parentIndexHash: string;
  readonly burn: BuiltBurnBlock;
  /** Anchored ones, then those of the accepted microblocks, as in the payload. */
  readonly txs: readonly BuiltTx[];
  readonly microblocks: readonly BuiltMicroblock[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly delivery: Delivery;
}

interface BurnOptions {
  readonly parent?: BuiltBurnBlock;
  /** That of the parent plus one where not given. */
  readonly height?: number;
  readonly slots?: readonly string[];
  /** False: as nodes before 3.1, which do not name the parent. */
  readonly linked?: boolean;
  /** False: as nodes before 3.1, which do not give the consensus hash. */
  readonly named?: boolean;
}

interface BlockOptions {
  /** A block of height 1 without it; a boot block makes a block of height 1. */
  readonly parent?: BuiltBlock;
  /** A new one on top of the parent's where not given; announcing it is left to the test. */
  readonly burn?: BuiltBurnBlock;
  /** A coinbase and a transfer where not given. */
  readonly txs?: readonly BuiltTx[];
  /** Microblocks that stand on the parent and that this block accepts. */
  readonly microblocks?: readonly BuiltMicroblock[];
  /** Fields of the payload to replace. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The identifier of the boot block of every network (docs/spec/ingestion.md#block-messages). */
export const BOOT_INDEX_HASH = '0x55c9861be5cff984a20ce6d99d4aa65941412889bdc665094136429b84f8c2ee';
export const ZERO_HASH = `0x${'00'.repeat(32)}`;

const RECEIVED_AT = 1_700_000_000_000_000;
const FIRST_BURN_HEIGHT = 100;

/** A payload as a node posts it. All are received at the same time, so that nothing depends on a clock. */
export const delivery = (path: string, body: unknown): Delivery => ({
  path,
  receivedAt: RECEIVED_AT,
  body: Buffer.from(JSON.stringify(body)),
});

/** The same payload in other bytes: the journal takes it for news, what it says is known. */
export const repeated = ({ body, ...rest }: Delivery): Delivery => ({ ...rest, body: bytes(body, ' ') });

/**
 * Makes payloads of a chain by hand, each consistent with those it builds on. Deterministic: the same calls give the
 * same bytes. Identifiers never repeat, so any shape of forks can be built; in what order things are delivered is up to the test.
 */
export class ChainBuilder extends TransactionBuilder {
  burnBlock({ parent, height, slots = [], linked = true, named = true }: BurnOptions = {}): BuiltBurnBlock {
    const hash = this.hash();
    const consensusHash = hash.slice(0, 42);
    const ownHeight = height ?? (parent ? parent.height + 1 : FIRST_BURN_HEIGHT);
    const body = {
      burn_block_hash: hash,
      burn_block_height: ownHeight,
      burn_amount: 20_000,
      reward_recipients: slots.map(recipient => ({ recipient, amt: 10_000 })),
      reward_slot_holders: slots,
      ...(named && slots.length > 0 && { pox_transactions: payments(hash, slots) }),
      ...(linked && parent && { parent_burn_block_hash: parent.hash }),
      ...(named && { consensus_hash: consensusHash }),
    };
    return {
      hash,
      consensusHash,
      height: ownHeight,
      time: 1_700_000_000 + ownHeight * 600,
      delivery: delivery('/new_burn_block', body),
    };
  }

  /** Block 0: by default one transfer of the boot address to an account. */
  bootBlock(txs: readonly BuiltTx[] = [this.transfer({ from: 0 })]): BuiltBlock {
    const burn = this.burnBlock({ height: FIRST_BURN_HEIGHT - 1 });
    const fields = {
      block_hash: ZERO_HASH,
      block_height: 0,
      index_block_hash: BOOT_INDEX_HASH,
      parent_index_block_hash: `0x${'ff'.repeat(32)}`,
    };
    return this.block({ burn, txs, fields });
  }

  block({ parent, burn, txs, microblocks = [], fields = {} }: BlockOptions = {}): BuiltBlock {
    const own = burn ?? this.burnBlock(parent && { parent: parent.burn });
    const hash = this.hash();
    const accepted = microblocks.flatMap(microblock => microblock.txs.map(tx => ({ tx, microblock })));
    const anchored = (txs ?? [this.coinbase(), this.transfer()]).map(tx => ({ tx }));
    const last = microblocks.at(-1);
    const body = {
      block_hash: hash,
      block_height: (parent?.height ?? 0) + 1,
      // As nodes compute it.
      index_block_hash: sha(unhex(hash), unhex(own.consensusHash)),
      parent_block_hash: parent?.hash ?? ZERO_HASH,
      parent_index_block_hash: parent?.indexHash ?? BOOT_INDEX_HASH,
      parent_microblock: last?.hash ?? ZERO_HASH,
      parent_microblock_sequence: last?.sequence ?? 0,
      burn_block_hash: own.hash,
      burn_block_height: own.height,
      burn_block_time: own.time,
      parent_burn_block_hash: parent?.burn.hash ?? ZERO_HASH,
      parent_burn_block_height: parent?.burn.height ?? 0,
      parent_burn_block_timestamp: parent?.burn.time ?? 0,
      miner_txid: sha(unhex(hash)),
      matured_miner_rewards: [],
      ...placed([...anchored, ...accepted].map((place, i) => ({ ...place, index: i }))),
      ...fields,
    };
    return {
      hash: body.block_hash,
      indexHash: body.index_block_hash,
      height: body.block_height,
      parentIndexHash: body.parent_index_block_hash,
      burn: own,
      txs: [...anchored, ...accepted].map(({ tx }) => tx),
      microblocks,
      body,
      delivery: delivery('/new_block', body),
    };
  }

  /** As many blocks on top of each other, the lowest first. */
  chain(length: number, parent?: BuiltBlock): BuiltBlock[] {
    const blocks: BuiltBlock[] = [];
    for (let top = parent; blocks.length < length; blocks.push(top)) top = this.block(top && { parent: top });
    return blocks;
  }

  /** Microblocks in a chain on a block, or on a microblock that stands on one; one for each list of transactions. */
  microblocks(on: BuiltBlock | BuiltMicroblock, txLists: readonly (readonly BuiltTx[])[]): BuiltMicroblock[] {
    const chain: BuiltMicroblock[] = [];
    let parent: { readonly hash: string; readonly sequence: number } =
      'sequence' in on ? on : { hash: on.hash, sequence: -1 };
    for (const txs of txLists) {
      const next = { hash: this.hash(), parentHash: parent.hash, sequence: parent.sequence + 1, txs };
      chain.push(next);
      parent = next;
    }
    return chain;
  }

  /** The message by which microblocks on a block are streamed; each numbers its transactions from 0. */
  stream(on: BuiltBlock, microblocks: readonly BuiltMicroblock[]): Delivery {
    const places = microblocks.flatMap(microblock => microblock.txs.map((tx, index) => ({ tx, index, microblock })));
    return delivery('/new_microblocks', {
      parent_index_block_hash: on.indexHash,
      burn_block_hash: on.burn.hash,
      burn_block_height: on.burn.height,
      burn_block_timestamp: on.burn.time,
      ...placed(places),
    });
  }
}

/** Two transactions that pay the holders, the one with the higher id often first. */
const payments = (burnHash: string, slots: readonly string[]) =>
  [slots, slots.slice(0, 1)].map((paid, i) => ({
    txid: sha(unhex(burnHash), bytes(i)),
    reward_recipients: paid.map((recipient, utxo_idx) => ({ recipient, amt: 5_000, utxo_idx })),
  }));

interface Place {
  readonly tx: BuiltTx;
  readonly index: number;
  readonly microblock?: BuiltMicroblock;
}

/** The fields `transactions` and `events` of a payload. Events are numbered through it, and sent in no particular order. */
function placed(places: readonly Place[]) {
  const events = places.flatMap(({ tx }) => tx.events).map((event, i) => ({ ...event, event_index: i }));
  return {
    transactions: places.map(({ tx, index, microblock }) => ({
      ...tx.body,
      tx_index: index,
      microblock_hash: microblock?.hash ?? null,
      microblock_parent_hash: microblock?.parentHash ?? null,
      microblock_sequence: microblock?.sequence ?? null,
    })),
    events: events.reverse(),
  };
}
