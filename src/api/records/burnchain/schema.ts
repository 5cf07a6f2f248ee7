import { amount, count, hash, isoTimestamp, unixTime } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const bitcoinAddress = (description = 'A Bitcoin address') =>
  Type.String({ examples: ['1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'], description });

/** One reward slot of a burn block. */
export const RewardSlotSchemaV1 = Type.Object(
  {
    canonical: Type.Literal(true),
    burn_block_hash: hash(),
    burn_block_height: count(),
    address: bitcoinAddress('The Bitcoin address that miners pay to for the slot'),
    slot_index: count('Position among the slots of the burn block'),
  },
  { title: 'RewardSlot' },
);

/** A reward that the miners of a burn block paid to one recipient. */
export const RewardSchemaV1 = Type.Object(
  {
    canonical: Type.Literal(true),
    burn_block_hash: hash(),
    burn_block_height: count(),
    burn_amount: amount('Satoshis that were burned in the burn block; the same in all its payments'),
    reward_recipient: bitcoinAddress(),
    reward_amount: amount('Satoshis'),
    reward_index: count('Position among the payments of the burn block'),
  },
  { title: 'Reward' },
);

/** The sum of the rewards of an address. */
export const RewardTotalSchemaV1 = Type.Object(
  {
    reward_recipient: bitcoinAddress('As nodes spell it'),
    reward_amount: amount('Satoshis'),
  },
  { title: 'RewardTotal' },
);

/** An output of a Bitcoin transaction that pays a reward. */
export const PoxTransactionSchemaV2 = Type.Object(
  {
    burn_block_height: count(),
    burn_block_hash: hash(),
    tx_id: hash('Of the Bitcoin transaction'),
    recipient: bitcoinAddress(),
    utxo_idx: count('Index of the output in the transaction'),
    amount: amount('Satoshis'),
  },
  { title: 'PoxTransaction' },
);

/** A burn block with its Stacks blocks. */
export const BurnBlockSchemaV2 = Type.Object(
  {
    burn_block_time: unixTime(),
    burn_block_time_iso: isoTimestamp(),
    burn_block_hash: hash(),
    burn_block_height: count(),
    stacks_blocks: Type.Array(hash(), {
      description: 'Hashes of its canonical Stacks blocks, newest first; where it has none, of its orphaned ones',
    }),
    avg_block_time: Type.Integer({ description: 'Mean seconds between them; 0 for a single one' }),
    total_tx_count: count('Transactions of all of them'),
    canonical: Type.Optional(
      Type.Literal(false, { description: 'Only of a burn block without a canonical Stacks block' }),
    ),
  },
  { title: 'BurnBlock' },
);
