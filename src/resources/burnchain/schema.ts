import Type from 'typebox';
import { count, hash } from '../../http/schema.ts';

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
