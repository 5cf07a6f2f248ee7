import { Type } from 'typebox';

/** One reward slot of a burn block. */
export const rewardSlotSchema = Type.Object({
  canonical: Type.Literal(true),
  burn_block_hash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  burn_block_height: Type.Integer({ minimum: 0 }),
  address: Type.String({ description: 'The Bitcoin address that receives the rewards of the slot' }),
  slot_index: Type.Integer({ minimum: 0, description: 'Position within the burn block' }),
});

export const rewardSlotsPageSchema = Type.Object({
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ minimum: 0 }),
  results: Type.Array(rewardSlotSchema),
});
