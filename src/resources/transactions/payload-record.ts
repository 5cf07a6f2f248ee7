import Type, { type TProperties } from 'typebox';
import { abiTypeText, functionSignature, type Transaction, tenureCauseName } from '../../codec/index.ts';
import { amount, contractId, count, hash, hexBytes, nullable, principal, wordOrUnknown } from '../../http/schema.ts';
import type { FunctionOf } from '../contracts/functions.ts';

/** `tx_type` and the object that goes with it (docs/spec/transactions.md#variants). */
export function payloadRecord(tx: Transaction, functionOf: FunctionOf) {
  const { payload } = tx;
  switch (payload.kind) {
    case 'token_transfer':
      return {
        tx_type: 'token_transfer' as const,
        token_transfer: {
          recipient_address: payload.recipient,
          amount: String(payload.amount),
          memo: payload.memo,
        },
      };
    case 'smart_contract':
      return {
        tx_type: 'smart_contract' as const,
        smart_contract: {
          clarity_version: payload.clarityVersion,
          contract_id: `${tx.origin.address}.${payload.name}`,
          source_code: payload.source,
        },
      };
    case 'contract_call':
      return { tx_type: 'contract_call' as const, contract_call: callRecord(payload, functionOf) };
    case 'poison_microblock':
      return {
        tx_type: 'poison_microblock' as const,
        poison_microblock: { microblock_header_1: payload.header1, microblock_header_2: payload.header2 },
      };
    case 'coinbase':
      return {
        tx_type: 'coinbase' as const,
        coinbase_payload: {
          data: payload.data,
          alt_recipient: payload.altRecipient,
          ...(payload.vrfProof === null ? {} : { vrf_proof: payload.vrfProof }),
        },
      };
    case 'tenure_change':
      return {
        tx_type: 'tenure_change' as const,
        tenure_change_payload: {
          tenure_consensus_hash: payload.tenureConsensusHash,
          prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
          burn_view_consensus_hash: payload.burnViewConsensusHash,
          previous_tenure_end: payload.previousTenureEnd,
          previous_tenure_blocks: payload.previousTenureBlocks,
          cause: tenureCauseName(payload.cause),
          pubkey_hash: payload.publicKeyHash,
        },
      };
  }
}

type ContractCall = Extract<Transaction['payload'], { kind: 'contract_call' }>;

/** Names and types come from the contract's interface; without one, types are read off the values (docs/spec/transactions.md#variants). */
const callRecord = (call: ContractCall, functionOf: FunctionOf) =>
  namedCall(
    {
      contract_id: call.contractId,
      function_name: call.functionName,
      function_args: call.args.map(({ hex, repr, typeName: type }) => ({ hex, repr, type })),
    },
    functionOf,
  );

/** A call as it is shown, whose types are those of the values or of the interface. */
interface CallRecord {
  readonly contract_id: string;
  readonly function_name: string;
  readonly function_args: readonly { readonly hex: string; readonly repr: string; readonly type: string }[];
}

/** The same with names and types by the interface, where it is known. */
export function namedCall(call: CallRecord, functionOf: FunctionOf) {
  const abi = functionOf(call.contract_id, call.function_name);
  return {
    contract_id: call.contract_id,
    function_name: call.function_name,
    function_signature: abi ? functionSignature(abi) : '',
    function_args: call.function_args.map((arg, i) => {
      const declared = abi?.args[i];
      return {
        hex: arg.hex,
        repr: arg.repr,
        name: declared?.name ?? '',
        type: declared ? abiTypeText(declared.type) : arg.type,
      };
    }),
  };
}

const TokenTransfer = Type.Object(
  {
    recipient_address: principal(),
    amount: amount(),
    memo: hexBytes('34 bytes, padded with zeros; as it was sent when it came through Bitcoin'),
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
    hex: hexBytes('The serialised value'),
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
  { microblock_header_1: hexBytes(undefined, 132), microblock_header_2: hexBytes(undefined, 132) },
  { title: 'PoisonMicroblock' },
);

const Coinbase = Type.Object(
  {
    data: hexBytes(undefined, 32),
    alt_recipient: nullable(principal(), 'Who receives the reward in place of the miner'),
    vrf_proof: Type.Optional(hexBytes('Since epoch 3', 80)),
  },
  { title: 'Coinbase' },
);

/** What a tenure change can be for. */
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
    tenure_consensus_hash: hexBytes(undefined, 20),
    prev_tenure_consensus_hash: hexBytes(undefined, 20),
    burn_view_consensus_hash: hexBytes(undefined, 20),
    previous_tenure_end: hash('Index block hash of the last block of the tenure before'),
    previous_tenure_blocks: count('Blocks of the tenure before'),
    cause: wordOrUnknown(TENURE_CAUSES),
    pubkey_hash: hexBytes(undefined, 20),
  },
  { title: 'TenureChange' },
);

/** A kind of transaction: `tx_type`, the name of its part of the documentation, and the object that goes with it. */
interface Variant {
  readonly type: string;
  readonly title: string;
  readonly payload: TProperties;
}

/** The six kinds (docs/spec/transactions.md#variants). */
export const VARIANTS: readonly Variant[] = [
  { type: 'token_transfer', title: 'TokenTransferTransaction', payload: { token_transfer: TokenTransfer } },
  { type: 'smart_contract', title: 'SmartContractTransaction', payload: { smart_contract: ContractDeployment } },
  { type: 'contract_call', title: 'ContractCallTransaction', payload: { contract_call: ContractCall } },
  { type: 'poison_microblock', title: 'PoisonMicroblockTransaction', payload: { poison_microblock: PoisonMicroblock } },
  { type: 'coinbase', title: 'CoinbaseTransaction', payload: { coinbase_payload: Coinbase } },
  { type: 'tenure_change', title: 'TenureChangeTransaction', payload: { tenure_change_payload: TenureChange } },
];
