import Type from 'typebox';
import { count, hash, isoTime, unixTime } from '../../http/schema.ts';

/** One reward slot of a burn block. */
export const RewardSlotSchema = Type.Object(
  {
    canonical: Type.Literal(true),
    burn_block_hash: hash(),
    burn_block_height: count(),
    address: Type.String({
      examples: ['1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'],
      description: 'The Bitcoin address that miners pay to for the slot',
    }),
    slot_index: count('Position among the slots of the burn block'),
  },
  { title: 'RewardSlot' },
);

/** A burn block, and the Stacks blocks that stand on it. */
export const BurnBlockSchema = Type.Object(
  {
    burn_block_time: unixTime(),
    burn_block_time_iso: isoTime(),
    burn_block_hash: hash(),
    burn_block_height: count(),
    stacks_blocks: Type.Array(hash(), { description: 'Hashes of its canonical Stacks blocks, newest first' }),
    avg_block_time: Type.Integer({ description: 'Mean seconds between them; 0 for a single one' }),
    total_tx_count: count('Transactions of all of them'),
  },
  { title: 'BurnBlock' },
);
