import Type from 'typebox';
import { address, amount, count, hash, hexBytes, principal } from '../../http/schema.ts';

/** A signer of a reward cycle. */
export const SignerSchema = Type.Object(
  {
    signing_key: hexBytes('Compressed public key', 33),
    signer_address: address('The address of the key'),
    weight: count('Reward slots'),
    stacked_amount: amount(),
    weight_percent: Type.Number({
      minimum: 0,
      examples: [12.5],
      description: 'Share of all reward slots of the cycle',
    }),
    stacked_amount_percent: Type.Number({ minimum: 0, examples: [12.5], description: 'Share of all STX of the cycle' }),
    solo_stacker_count: count('Who stack by themselves with this signer'),
    pooled_stacker_count: count('Who stack with this signer through a pool'),
  },
  { title: 'PoxSigner' },
);

/** STX that a member of a pool lets the pool stack. */
export const DelegationSchema = Type.Object(
  {
    stacker: principal('Who delegated'),
    amount_ustx: amount(),
    block_height: count('Stacks height of the delegation'),
    tx_id: hash('The transaction that delegated'),
    pox_addr: Type.Optional(
      Type.String({
        examples: ['1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'],
        description: 'The only Bitcoin address it may pay to',
      }),
    ),
    burn_block_unlock_height: Type.Optional(
      Type.Integer({
        minimum: 1,
        examples: [900000],
        description: 'Burn height at which it ends; absent without an end',
      }),
    ),
  },
  { title: 'PoxDelegation' },
);
