/** Transactions as version 3 shows them (docs/spec/transactions.md#version-3). */
import type { TProperties } from 'typebox';
import {
  address,
  amount,
  ClarityValueSchema,
  contractId,
  count,
  hash,
  hashOrNone,
  hexString,
  isoTimestamp,
  nullable,
  principal,
  unixTime,
  whole,
  word,
  wordOrUnknown,
} from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { HASH_MODES } from './auth-v3.ts';
import { TENURE_CAUSES } from './payload-schema.ts';
import { DROPPED_STATUSES, PostConditionSchema } from './schema.ts';

const Payer = Type.Object({ address: address(), nonce: count() }, { title: 'Payer' });

const leading = {
  tx_id: hash(),
  sender: Payer,
  sponsor: nullable(Payer, 'Null where the sender pays'),
  fee_rate: amount('The whole fee in micro-STX'),
};

/** The place of a transaction. */
const unanchored = 'while no block has the transaction';
export const BlockPositionSchemaV3 = Type.Object(
  {
    height: count(`One above the tip ${unanchored}`),
    hash: hashOrNone(`\`0x\` ${unanchored}`),
    index_hash: hashOrNone(`\`0x\` ${unanchored}`),
    time: unixTime(),
    time_iso: isoTimestamp(),
    tx_index: count('Position in the block'),
  },
  { title: 'BlockPosition' },
);
export const BitcoinBlockPositionSchemaV3 = Type.Object(
  {
    height: whole(`Of the burn block; -1 ${unanchored}`),
    time: unixTime(`-1 ${unanchored}`),
    time_iso: isoTimestamp(`Empty ${unanchored}`),
  },
  { title: 'BitcoinBlockPosition' },
);
const position = { block: BlockPositionSchemaV3, bitcoin_block: BitcoinBlockPositionSchemaV3 };

/** A transaction that set something up, and where it is. */
export const TransactionPositionSchemaV3 = Type.Object({ tx_id: hash(), ...position }, { title: 'TransactionPlace' });

/** The outcome of a confirmed transaction. */
export const statusSchemaV3 = () =>
  word(['success', 'abort_by_response', 'abort_by_post_condition', 'problematic_skipped']);

/** A memo. */
export const MemoSchemaV3 = Type.Object(
  {
    hex: hexString('As it was sent'),
    repr: Type.String({ description: 'Its readable part', examples: ['thanks'] }),
  },
  { title: 'Memo' },
);

const transfer = { token_transfer: Type.Object({ recipient: principal(), amount: amount(), memo: MemoSchemaV3 }) };
const deployed = { clarity_version: nullable(Type.Integer({ minimum: 1, examples: [3] })), contract_id: contractId() };
const called = { contract_id: contractId(), function_name: Type.String({ examples: ['transfer'] }) };
const altRecipient = () => nullable(principal(), 'Recipient of the reward in place of the miner');
const cause = () => wordOrUnknown(TENURE_CAUSES);

/** By type: the fields in lists, and all fields. */
const PAYLOADS: readonly (readonly [type: string, name: string, summary: TProperties, whole: TProperties])[] = [
  ['token_transfer', 'TokenTransfer', transfer, transfer],
  [
    'smart_contract',
    'SmartContract',
    { smart_contract: Type.Object(deployed) },
    { smart_contract: Type.Object({ ...deployed, source_code: Type.Optional(Type.String()) }) },
  ],
  [
    'contract_call',
    'ContractCall',
    { contract_call: Type.Object(called) },
    { contract_call: Type.Object({ ...called, function_args: Type.Optional(Type.Array(ClarityValueSchema)) }) },
  ],
  ['poison_microblock', 'PoisonMicroblock', {}, {}],
  [
    'coinbase',
    'Coinbase',
    { coinbase: Type.Object({ alt_recipient: altRecipient() }) },
    {
      coinbase: Type.Object({
        payload: hexString(undefined, 32),
        alt_recipient: altRecipient(),
        vrf_proof: nullable(hexString(undefined, 80), 'Since epoch 3'),
      }),
    },
  ],
  [
    'tenure_change',
    'TenureChange',
    { tenure_change: Type.Object({ cause: cause() }) },
    {
      tenure_change: Type.Object({
        cause: cause(),
        tenure_consensus_hash: hexString(undefined, 20),
        prev_tenure_consensus_hash: hexString(undefined, 20),
        burn_view_consensus_hash: hexString(undefined, 20),
        previous_tenure_end: hash('Index block hash of the last block of the tenure before'),
        previous_tenure_blocks: count('Blocks of the tenure before'),
        pubkey_hash: hexString(undefined, 20),
      }),
    },
  ],
];

const conditions = {
  post_condition_mode: Type.Optional(wordOrUnknown(['allow', 'deny', 'originator'])),
  post_conditions: Type.Optional(Type.Array(PostConditionSchema)),
};

const SignedBy = Type.Object(
  {
    hash_mode: word(Object.values(HASH_MODES), 'What kind of hash the address is'),
    signatures_required: count(),
    signatures_given: count(),
    keys: count('Of the address: `2 of 3` has 3'),
  },
  { title: 'SignedBy' },
);

/** How a transaction is signed (docs/spec/transactions.md#version-3-authorisation). */
export const AuthorisationSchemaV3 = Type.Object(
  {
    size: Type.Integer({ minimum: 1, description: 'Bytes of the serialised transaction' }),
    sender: SignedBy,
    sponsor: nullable(SignedBy, 'Null where the sender pays'),
  },
  { title: 'Authorisation', description: 'How it is signed; an operation of Bitcoin has none' },
);
const auth = { auth: Type.Optional(AuthorisationSchemaV3) };

const receipt = {
  receipt_time: unixTime('When the node announced it'),
  receipt_block_height: count('Of the tip at that time'),
};

/** A transaction as lists show it. */
export const TransactionSummarySchemaV3 = Type.Union(
  PAYLOADS.map(([type, name, summary]) =>
    Type.Object(
      { ...leading, ...position, status: statusSchemaV3(), type: Type.Literal(type), ...summary },
      { title: `${name}Summary` },
    ),
  ),
  { title: 'TransactionSummary' },
);

/** A confirmed transaction with all its fields. */
const Confirmed = PAYLOADS.map(([type, name, , whole]) =>
  Type.Object(
    {
      ...leading,
      ...position,
      parent_block: Type.Object({ hash: hash(), index_hash: hash() }),
      status: statusSchemaV3(),
      event_count: count(),
      execution_cost: Type.Object({
        read_count: count(),
        read_length: count(),
        runtime: count(),
        write_count: count(),
        write_length: count(),
      }),
      vm_error: nullable(Type.String(), 'Why the contract failed'),
      ...conditions,
      result: Type.Optional(ClarityValueSchema),
      type: Type.Literal(type),
      ...whole,
      ...auth,
    },
    { title: `Confirmed${name}` },
  ),
);

/** Types that can be pending: a coinbase and a tenure change belong to the block of their miner. */
const WAITING = PAYLOADS.filter(([type]) => type !== 'coinbase' && type !== 'tenure_change');

/** A pending transaction as lists show it. */
export const MempoolTransactionSummarySchemaV3 = Type.Union(
  WAITING.map(([type, name, summary]) =>
    Type.Object(
      { ...leading, ...receipt, status: Type.Literal('pending'), type: Type.Literal(type), ...summary },
      { title: `Pending${name}Summary` },
    ),
  ),
  { title: 'MempoolTransactionSummary' },
);

/** A pending or dropped transaction with all its fields. */
const Unconfirmed = WAITING.map(([type, name, , whole]) =>
  Type.Object(
    {
      ...leading,
      ...receipt,
      status: word(['pending', ...DROPPED_STATUSES]),
      replaced_by_tx_id: nullable(hash(), 'The transaction of the same nonce that won'),
      ...conditions,
      type: Type.Literal(type),
      ...whole,
      ...auth,
    },
    { title: `Unconfirmed${name}` },
  ),
);

/** A transaction, whatever became of it. */
export const TransactionSchemaV3 = Type.Union([...Confirmed, ...Unconfirmed], { title: 'WholeTransaction' });
