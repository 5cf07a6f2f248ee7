/** Packs the records of reward data. Routes serve their texts without parsing, so keys are in emitted order. */

/** A slot of a column `record` of REWARD_SLOTS. */
interface StoredRewardSlot {
  readonly canonical: true;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly address: string;
  readonly slot_index: number;
}

/** A payment of a column `record` of REWARDS. Amounts in satoshis. */
interface StoredReward {
  readonly canonical: true;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly burn_amount: string;
  readonly reward_recipient: string;
  readonly reward_amount: string;
  readonly reward_index: number;
}

/** An output of a column `record` of POX_TXS. */
interface StoredPoxOutput {
  readonly burn_block_height: number;
  readonly burn_block_hash: string;
  readonly tx_id: string;
  readonly recipient: string;
  readonly utxo_idx: number;
  /** Satoshis. */
  readonly amount: string;
}

/** The text of a column `record` of one of these tables. */
export const packRewardRecord = (record: StoredRewardSlot | StoredReward | StoredPoxOutput): string =>
  JSON.stringify(record);

export const readRewardSlot = (record: string): StoredRewardSlot => JSON.parse(record) as StoredRewardSlot;

export const readReward = (record: string): StoredReward => JSON.parse(record) as StoredReward;

export const readPoxOutput = (record: string): StoredPoxOutput => JSON.parse(record) as StoredPoxOutput;
