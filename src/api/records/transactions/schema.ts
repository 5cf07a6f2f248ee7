import type { TProperties, TSchema } from 'typebox';
import {
  address,
  amount,
  ClarityValueSchema,
  count,
  hash,
  hashOrNone,
  hexString,
  isoTimestamp,
  pageOf,
  unixTime,
  whole,
  word,
  wordOrUnknown,
} from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { EventSchemaV1 } from './event-schema.ts';
import { CALL, COINBASE, DEPLOYMENT, POISON, TENURE_CHANGE, TRANSFER, type Variant } from './payload-schema.ts';

/** The cost of execution, in the units of the chain's cost functions. */
export const costProperties = {
  execution_cost_read_count: count(),
  execution_cost_read_length: count(),
  execution_cost_runtime: count(),
  execution_cost_write_count: count(),
  execution_cost_write_length: count(),
};

const contractName = () => Type.String({ examples: ['my-contract'] });

const PostConditionPrincipal = Type.Union(
  [
    Type.Object({ type_id: Type.Literal('principal_origin') }, { title: 'OriginPrincipal' }),
    Type.Object({ type_id: Type.Literal('principal_standard'), address: address() }, { title: 'StandardPrincipal' }),
    Type.Object(
      { type_id: Type.Literal('principal_contract'), address: address(), contract_name: contractName() },
      { title: 'ContractPrincipal' },
    ),
  ],
  { title: 'PostConditionPrincipal', description: 'Whose assets the condition is about' },
);

const Asset = Type.Object(
  {
    asset_name: Type.String({ examples: ['my-token'] }),
    contract_address: address(),
    contract_name: contractName(),
  },
  { title: 'Asset' },
);

const comparison = () =>
  word([
    'sent_equal_to',
    'sent_greater_than',
    'sent_greater_than_or_equal_to',
    'sent_less_than',
    'sent_less_than_or_equal_to',
  ]);
const custody = () => wordOrUnknown(['sent', 'not_sent', 'maybe_sent']);
const performance = () => wordOrUnknown(['not_performed', 'maybe_performed', 'performed']);

const condition = <T extends string, Code extends TSchema, P extends TProperties>(
  title: string,
  type: T,
  condition_code: Code,
  properties: P,
  description: string,
) =>
  Type.Object(
    { principal: PostConditionPrincipal, condition_code, type: Type.Literal(type), ...properties },
    { title, description },
  );

/** The sender's conditions on the assets that a transaction may move (docs/spec/transactions.md#post-conditions). */
export const PostConditionSchema = Type.Union(
  [
    condition('StxPostCondition', 'stx', comparison(), { amount: amount() }, 'STX sent'),
    condition(
      'FungiblePostCondition',
      'fungible',
      comparison(),
      { amount: amount('In the smallest unit of the token'), asset: Asset },
      'Fungible tokens sent',
    ),
    condition(
      'NonFungiblePostCondition',
      'non_fungible',
      custody(),
      { asset_value: ClarityValueSchema, asset: Asset },
      'A non-fungible token sent or not',
    ),
    condition('StakingPostCondition', 'staking', comparison(), { amount: amount() }, 'STX staked (SIP-040)'),
    condition('PoxPostCondition', 'pox', performance(), {}, 'Stacking performed or not (SIP-040)'),
  ],
  { title: 'PostCondition' },
);

/** The first members of confirmed and pending transactions. */
const leading = {
  tx_id: hash(),
  nonce: count('Of the sender'),
  fee_rate: amount('The whole fee in micro-STX, of the sponsor where there is one'),
  sender_address: address(),
  sponsored: Type.Boolean(),
  post_condition_mode: wordOrUnknown(['allow', 'deny', 'originator']),
  post_conditions: Type.Array(PostConditionSchema, { examples: [[]] }),
  anchor_mode: wordOrUnknown(['on_chain_only', 'off_chain_only', 'any']),
};

/** The last members of both. */
const sponsor = {
  sponsor_nonce: Type.Optional(count('Of a sponsored transaction')),
  sponsor_address: Type.Optional(address('Of a sponsored transaction')),
};

const unlessUnanchored = (description: string) => `${description}; -1 while no block has the transaction`;

const confirmed = {
  block_hash: hashOrNone('`0x` while no block has the transaction'),
  block_height: Type.Integer({
    minimum: 0,
    examples: [8],
    description: 'While no block has the transaction, one above the tip',
  }),
  block_time: unixTime(),
  block_time_iso: isoTimestamp(),
  burn_block_time: unixTime(unlessUnanchored('Time of the burn block')),
  burn_block_height: whole(unlessUnanchored('Height of the burn block')),
  burn_block_time_iso: isoTimestamp(),
  parent_burn_block_time: unixTime('Time of the burn block of the parent block'),
  parent_burn_block_time_iso: isoTimestamp(),
  canonical: Type.Boolean({ examples: [true] }),
  tx_index: count('Position in the block'),
  tx_status: word(['success', 'abort_by_response', 'abort_by_post_condition', 'problematic_skipped']),
  tx_result: ClarityValueSchema,
  event_count: count(),
  parent_block_hash: hash(),
  is_unanchored: Type.Boolean({ description: 'Whether only a microblock has the transaction' }),
  microblock_hash: hashOrNone('`0x` when no microblock has the transaction', '0x'),
  microblock_sequence: Type.Integer({
    minimum: 0,
    examples: [2147483647],
    description: '2147483647 when no microblock has the transaction',
  }),
  microblock_canonical: Type.Boolean({ examples: [true] }),
  ...costProperties,
  vm_error: Type.Union([Type.Null(), Type.String()], { description: 'Why the contract failed' }),
  events: Type.Array(EventSchemaV1, {
    examples: [[]],
    description: 'Empty in lists without `include_events`; `event_count` is always right',
  }),
};

const mined = <T extends string, P extends TProperties>({ type, title, payload }: Variant<T, P>) =>
  Type.Object({ ...leading, ...confirmed, tx_type: Type.Literal(type), ...payload, ...sponsor }, { title });

/** A transaction that a block has, or a microblock on the tip: the same wherever it appears. */
export const TransactionSchemaV1 = Type.Union(
  [mined(TRANSFER), mined(DEPLOYMENT), mined(CALL), mined(POISON), mined(COINBASE), mined(TENURE_CHANGE)],
  { title: 'Transaction' },
);

/** Why a transaction is no longer pending. */
export const DROPPED_STATUSES = [
  'dropped_replace_by_fee',
  'dropped_replace_across_fork',
  'dropped_too_expensive',
  'dropped_stale_garbage_collect',
  'dropped_problematic',
] as const;

const pending = {
  tx_status: word(['pending', ...DROPPED_STATUSES]),
  replaced_by_tx_id: Type.Union([Type.Null(), hash()], { description: 'The transaction of the same nonce that won' }),
  receipt_time: unixTime('When the node announced it'),
  receipt_time_iso: isoTimestamp(),
};

const unmined = <T extends string, P extends TProperties>({ type, title, payload }: Variant<T, P>) =>
  Type.Object(
    { ...leading, ...pending, tx_type: Type.Literal(type), ...payload, ...sponsor },
    { title: `Mempool${title}` },
  );

/** A transaction that waits for a block, or was dropped. */
export const MempoolTransactionSchemaV1 = Type.Union(
  [unmined(TRANSFER), unmined(DEPLOYMENT), unmined(CALL), unmined(POISON), unmined(COINBASE), unmined(TENURE_CHANGE)],
  { title: 'MempoolTransaction' },
);

/** A transaction, whatever became of it. */
export const AnyTransactionSchemaV1 = Type.Union([TransactionSchemaV1, MempoolTransactionSchemaV1], {
  title: 'AnyTransaction',
});

export const TransactionsPageV1 = pageOf(TransactionSchemaV1, 'TransactionsPage');

/** The bytes of a transaction. */
export const RawTransactionSchemaV1 = Type.Object(
  { raw_tx: hexString('The serialised transaction; `0x00` for an operation that was sent through Bitcoin') },
  { title: 'RawTransaction' },
);

export { ContractLogSchemaV1, EventSchemaV1 } from './event-schema.ts';
