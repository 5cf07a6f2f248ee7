import { abiTypeText, functionSignature, type Transaction, tenureCauseName } from '../../base/codec/index.ts';
import type { FunctionOf } from '../contracts/functions.ts';

/** `tx_type` and the object that goes with it (docs/spec/transactions.md#variants). */
export function payloadV1(tx: Transaction, functionOf: FunctionOf) {
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
    default:
      return payload satisfies never;
  }
}

type ContractCall = Extract<Transaction['payload'], { kind: 'contract_call' }>;

/** Names and types come from the contract's interface; without one, types are read off the values (docs/spec/transactions.md#variants). */
function callRecord({ contractId, functionName, args }: ContractCall, functionOf: FunctionOf) {
  const typed = args.map(({ hex, repr, typeName: type }) => ({ hex, repr, type }));
  const named = namedArguments({ contractId, functionName, args: typed }, functionOf);
  return {
    contract_id: contractId,
    function_name: functionName,
    function_signature: named.signature,
    function_args: named.args,
  };
}

/** A call whose types are those of the values or of the interface. */
interface Call {
  readonly contractId: string;
  readonly functionName: string;
  readonly args: readonly { readonly hex: string; readonly repr: string; readonly type?: string | undefined }[];
}

/** The signature of a called function, and the arguments with names and types by the interface, where it is known. */
export function namedArguments({ contractId, functionName, args }: Call, functionOf: FunctionOf) {
  const abi = functionOf(contractId, functionName);
  return {
    signature: abi ? functionSignature(abi) : '',
    args: args.map((arg, i) => {
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
