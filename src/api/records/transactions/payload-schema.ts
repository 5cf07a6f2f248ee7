/** The schemas of the payloads in what `transactionV1` gives. */
import type { TProperties } from 'typebox';
import { amount, contractId, count, hash, hexString, nullable, principal, wordOrUnknown } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const TokenTransfer = Type.Object(
  {
    recipient_address: principal(),
    amount: amount(),
    memo: hexString('34 bytes, padded with zeros; as it was sent when it came through Bitcoin'),
  },
  { title: 'TokenTransfer' },
);

const ContractDeployment = Type.Object(
  {
    clarity_version: nullable(
      Type.Integer({ minimum: 1, examples: [3] }),
      'Null where the deployment did not name one',
    ),
    contract_id: contractId(),
    source_code: Type.String({ examples: ['(define-read-only (answer) u42)'] }),
  },
  { title: 'ContractDeployment' },
);

const FunctionArgument = Type.Object(
  {
    hex: hexString('The serialised value'),
    repr: Type.String({ description: 'The value as Clarity prints it' }),
    name: Type.String({ description: 'Empty while the interface of the contract is not known' }),
    type: Type.String({
      description: 'By the interface of the contract, else read off the value',
      examples: ['(optional uint)'],
    }),
  },
  {
    title: 'FunctionArgument',
    examples: [{ hex: '0x0703', repr: '(ok true)', name: 'x', type: '(response bool uint)' }],
  },
);

const ContractCall = Type.Object(
  {
    contract_id: contractId(),
    function_name: Type.String({ examples: ['transfer'] }),
    function_signature: Type.String({
      description: 'Empty while the interface of the contract is not known',
      examples: ['(define-public (transfer (amount uint)))'],
    }),
    function_args: Type.Optional(
      Type.Array(FunctionArgument, { description: 'Left out with `exclude_function_args=true`' }),
    ),
  },
  { title: 'ContractCall' },
);

const PoisonMicroblock = Type.Object(
  { microblock_header_1: hexString(undefined, 132), microblock_header_2: hexString(undefined, 132) },
  { title: 'PoisonMicroblock' },
);

const Coinbase = Type.Object(
  {
    data: hexString(undefined, 32),
    alt_recipient: nullable(principal(), 'Recipient of the reward in place of the miner'),
    vrf_proof: Type.Optional(hexString('Since epoch 3', 80)),
  },
  { title: 'Coinbase' },
);

/** Causes of a tenure change. */
export const TENURE_CAUSES = [
  'block_found',
  'extended',
  'extended_runtime',
  'extended_read_count',
  'extended_read_length',
  'extended_write_count',
  'extended_write_length',
] as const;

const TenureChange = Type.Object(
  {
    tenure_consensus_hash: hexString(undefined, 20),
    prev_tenure_consensus_hash: hexString(undefined, 20),
    burn_view_consensus_hash: hexString(undefined, 20),
    previous_tenure_end: hash('Index block hash of the last block of the tenure before'),
    previous_tenure_blocks: count('Blocks of the tenure before'),
    cause: wordOrUnknown(TENURE_CAUSES),
    pubkey_hash: hexString(undefined, 20),
  },
  { title: 'TenureChange' },
);

/** A kind of transaction: `tx_type`, the name of its part of the documentation, and the object that goes with it (docs/spec/transactions.md#variants). */
export interface Variant<T extends string, P extends TProperties> {
  readonly type: T;
  readonly title: string;
  readonly payload: P;
}

const variant = <T extends string, P extends TProperties>(type: T, title: string, payload: P): Variant<T, P> => ({
  type,
  title,
  payload,
});

export const TRANSFER = variant('token_transfer', 'TokenTransferTransaction', { token_transfer: TokenTransfer });
export const DEPLOYMENT = variant('smart_contract', 'SmartContractTransaction', { smart_contract: ContractDeployment });
export const CALL = variant('contract_call', 'ContractCallTransaction', { contract_call: ContractCall });
export const POISON = variant('poison_microblock', 'PoisonMicroblockTransaction', {
  poison_microblock: PoisonMicroblock,
});
export const COINBASE = variant('coinbase', 'CoinbaseTransaction', { coinbase_payload: Coinbase });
export const TENURE_CHANGE = variant('tenure_change', 'TenureChangeTransaction', {
  tenure_change_payload: TenureChange,
});
