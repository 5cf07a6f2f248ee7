import {
  array,
  bareHex,
  decimalAmount,
  hash20,
  hash32,
  hexOf,
  nonNegativeInteger,
  object,
  optional,
  otherThan,
  principalText,
  type ReaderResult,
} from './fields.ts';
import { executionCost, nodeTransaction } from './transaction.ts';
import { transactionEvent } from './transaction-event.ts';

const minerReward = object({
  recipient: principalText,
  /** null before 2.1: the recipient. */
  miner_address: optional(principalText),
  coinbase_amount: decimalAmount,
  tx_fees_anchored: decimalAmount,
  tx_fees_streamed_confirmed: decimalAmount,
  tx_fees_streamed_produced: decimalAmount,
  from_stacks_block_hash: hash32,
  /** An index block hash, despite its name (docs/spec/ingestion.md#miner-rewards). */
  from_index_consensus_hash: hash32,
});
export type MinerReward = ReaderResult<typeof minerReward>;

const rewardSetSigner = object({
  /** Compressed public key, hex without `0x`, as on the wire. */
  signing_key: bareHex(33),
  weight: nonNegativeInteger,
  stacked_amt: decimalAmount,
});
export type RewardSetSigner = ReaderResult<typeof rewardSetSigner>;

const rewardSet = object({
  /** null before pox-4. */
  signers: optional(array(rewardSetSigner)),
  pox_ustx_threshold: optional(decimalAmount),
});
export type RewardSet = ReaderResult<typeof rewardSet>;

/** The body of `/new_block` (docs/spec/ingestion.md#block-messages). */
export const newBlock = object({
  block_hash: hash32,
  block_height: nonNegativeInteger,
  index_block_hash: hash32,
  parent_block_hash: hash32,
  parent_index_block_hash: otherThan('index_block_hash', hash32),
  /** All zero: none. */
  parent_microblock: hash32,
  parent_microblock_sequence: nonNegativeInteger,
  burn_block_hash: hash32,
  burn_block_height: nonNegativeInteger,
  /** Seconds. */
  burn_block_time: nonNegativeInteger,
  parent_burn_block_hash: hash32,
  parent_burn_block_height: nonNegativeInteger,
  /** Seconds. */
  parent_burn_block_timestamp: nonNegativeInteger,
  /** The Bitcoin transaction of the block commit. */
  miner_txid: hash32,
  matured_miner_rewards: array(minerReward),
  transactions: array(nodeTransaction),
  events: array(transactionEvent),
  /** null before 2.05: the sum over the transactions. */
  anchored_cost: optional(executionCost),
  confirmed_microblocks_cost: optional(executionCost),
  pox_v1_unlock_height: optional(nonNegativeInteger),
  pox_v2_unlock_height: optional(nonNegativeInteger),
  pox_v3_unlock_height: optional(nonNegativeInteger),
  pox_v4_unlock_height: optional(nonNegativeInteger),
  /** Seconds; null before Nakamoto. */
  block_time: optional(nonNegativeInteger),
  /** Hex without `0x`, as on the wire: u16 number of bits, u32 number of bytes, the bytes. null before Nakamoto. */
  signer_bitvec: optional(bareHex()),
  /** Only on the block in which the set of the cycle `cycle_number` was computed. */
  reward_set: optional(rewardSet),
  cycle_number: optional(nonNegativeInteger),
  tenure_height: optional(nonNegativeInteger),
  consensus_hash: optional(hash20),
  signer_signature_hash: optional(hash32),
  miner_signature: optional(hexOf(65)),
  /** Hex without `0x`, as on the wire. null before Nakamoto. */
  signer_signature: optional(array(bareHex(65))),
});
export type NewBlock = ReaderResult<typeof newBlock>;
