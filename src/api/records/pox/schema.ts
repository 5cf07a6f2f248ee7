import { address, amount, count, hash, hexString, nullable, principal, whole, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

/** A signer of a reward cycle. */
export const SignerSchemaV2 = Type.Object(
  {
    signing_key: hexString('Compressed public key', 33),
    signer_address: address('The address of the key'),
    weight: count('Reward slots'),
    stacked_amount: amount(),
    weight_percent: Type.Number({
      minimum: 0,
      examples: [12.5],
      description: 'Share of all reward slots of the cycle',
    }),
    stacked_amount_percent: Type.Number({ minimum: 0, examples: [12.5], description: 'Share of all STX of the cycle' }),
    solo_stacker_count: count('Solo stackers of this signer'),
    pooled_stacker_count: count('Stackers of this signer through pools'),
  },
  { title: 'PoxSigner' },
);

/** A reward cycle, from its reward set. */
export const CycleSchemaV2 = Type.Object(
  {
    block_height: count('Of the block that has the reward set'),
    index_block_hash: hash('Of that block'),
    cycle_number: whole(),
    total_weight: count('Reward slots'),
    total_stacked_amount: amount(),
    total_signers: count(),
  },
  { title: 'PoxCycle' },
);

/** A stacker of a signer. */
export const StackerSchemaV2 = Type.Object(
  {
    stacker_address: principal(),
    stacked_amount: amount(),
    pox_address: Type.String({
      examples: ['1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'],
      description:
        'Bitcoin address of the rewards; empty where it is not known, and with PoX 5, where rewards are sBTC',
    }),
    stacker_type: word(['pooled', 'solo'], 'Through a pool, or by oneself'),
  },
  { title: 'PoxStacker' },
);

/** STX that a member of a pool lets the pool stack. */
export const DelegationSchemaV1 = Type.Object(
  {
    stacker: principal('The delegator'),
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

const member = (description?: string) => Type.Optional(amount(description));
const cycleId = (description: string) => Type.Optional(nullable(amount(description), description));

/** An event of a call of a PoX contract. */
export const PoxEventSchemaV1 = Type.Object(
  {
    block_height: count(),
    tx_id: hash(),
    tx_index: count(),
    event_index: count('Of all events of the transaction'),
    stacker: principal('The owner of the STX; for aggregations the operator of the pool'),
    locked: amount('Micro-STX that are locked after it'),
    balance: amount('Micro-STX that are free after it', true),
    burnchain_unlock_height: amount('Burn height of the unlock'),
    pox_addr: nullable(Type.String(), 'Bitcoin address of the rewards; null without one, or if its form is not known'),
    pox_addr_raw: nullable(
      hexString(),
      'Version and hash of the Bitcoin address; `0x` if the event has an empty address, null if it has no address field',
    ),
    name: word([
      'handle-unlock',
      'stack-stx',
      'stack-increase',
      'stack-extend',
      'delegate-stx',
      'revoke-delegate-stx',
      'delegate-stack-stx',
      'delegate-stack-increase',
      'delegate-stack-extend',
      'stack-aggregation-commit',
      'stack-aggregation-commit-indexed',
      'stack-aggregation-increase',
    ]),
    data: Type.Object(
      {
        first_cycle_locked: member(),
        first_unlocked_cycle: member(),
        lock_amount: member(),
        lock_period: member('Cycles'),
        start_burn_height: member('Burn height'),
        unlock_burn_height: member('Burn height'),
        increase_by: member(),
        total_locked: member(),
        extend_count: member('Cycles'),
        amount_ustx: member(),
        reward_cycle: member('Number of the cycle'),
        delegate_to: Type.Optional(principal()),
        delegator: Type.Optional(principal('The operator of the pool')),
        signer_key: Type.Optional(nullable(hexString(), 'Null if the event has no key')),
        end_cycle_id: cycleId('The cycle after the last; null if it is open, or not in the event'),
        start_cycle_id: cycleId('The first cycle; null if it is not in the event'),
      },
      { title: 'PoxEventData', description: 'The members depend on the name' },
    ),
  },
  { title: 'PoxEvent' },
);

/** Events without a page. */
export const PoxEventsSchemaV1 = Type.Object({ results: Type.Array(PoxEventSchemaV1) }, { title: 'PoxEvents' });
