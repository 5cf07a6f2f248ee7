import { Type } from 'typebox';

/** A signer of a reward cycle. */
export const signerSchema = Type.Object({
  signing_key: Type.String({ pattern: '^0x[0-9a-f]{66}$', description: 'Compressed public key' }),
  signer_address: Type.String({ description: 'The Stacks address of the key' }),
  weight: Type.Integer({ minimum: 0, description: 'Reward slots' }),
  stacked_amount: Type.String({ pattern: '^[0-9]+$', description: 'Micro-STX' }),
  weight_percent: Type.Number({ minimum: 0 }),
  stacked_amount_percent: Type.Number({ minimum: 0 }),
  solo_stacker_count: Type.Integer({ minimum: 0 }),
  pooled_stacker_count: Type.Integer({ minimum: 0 }),
});

/** STX that were delegated to a pool and may be stacked by it. */
export const delegationSchema = Type.Object({
  stacker: Type.String({ description: 'The principal that delegated' }),
  amount_ustx: Type.String({ pattern: '^[0-9]+$', description: 'Micro-STX' }),
  block_height: Type.Integer({ minimum: 1, description: 'Stacks height of the delegation' }),
  tx_id: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  pox_addr: Type.Optional(Type.String({ description: 'The Bitcoin address the delegation is bound to; absent without one' })),
  burn_block_unlock_height: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The burn height at which the delegation ends; absent without an end' }),
  ),
});

export const signersPageSchema = Type.Object({
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ minimum: 0 }),
  results: Type.Array(signerSchema),
});

export const delegationsPageSchema = Type.Object({
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ minimum: 0 }),
  results: Type.Array(delegationSchema),
});
