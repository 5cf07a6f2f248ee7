/**
 * The one door to stored transactions: the form in which TXS and ORPHANED_TXS keep one (record.ts, packed by packed-record.ts) is known to
 * this folder alone. Others read a StoredTransaction, whose names depend on no version of the API.
 */
import type { ApiPostCondition, Transaction } from '../../base/codec/index.ts';
import type { ExecutionCost } from '../../ingest/node/events/transaction.ts';
import type { FunctionOf } from '../contracts/functions.ts';
import { type IndexInBlock, unpackIndexInBlock, unpackRecord } from './packed-record.ts';
import { namedArguments, payloadV1 } from './payload-record.ts';
import { leadingFields, sponsorFields, type transactionRecordV1 } from './record.ts';

/** An argument of a contract call. */
interface StoredArgument {
  readonly hex: string;
  readonly repr: string;
  /** Empty where the interface of the contract is not known. */
  readonly name: string;
  /** Absent where neither the interface nor the value names it. */
  readonly type?: string | undefined;
}

interface StoredCall {
  readonly type: 'contract_call';
  readonly contractId: string;
  readonly functionName: string;
  /** Empty where the interface of the contract is not known. */
  readonly functionSignature: string;
  readonly args: readonly StoredArgument[];
}

/** The part that depends on the type. Hashes and bytes are 0x hex, amounts decimal. */
export type StoredPayload =
  | { readonly type: 'token_transfer'; readonly recipient: string; readonly amount: string; readonly memo: string }
  | {
      readonly type: 'smart_contract';
      /** Null where the transaction names none. */
      readonly clarityVersion: number | null;
      readonly contractId: string;
      readonly source: string;
    }
  | StoredCall
  | { readonly type: 'poison_microblock'; readonly header1: string; readonly header2: string }
  | {
      readonly type: 'coinbase';
      readonly data: string;
      readonly altRecipient: string | null;
      readonly vrfProof: string | null;
    }
  | {
      readonly type: 'tenure_change';
      readonly tenureConsensusHash: string;
      readonly previousTenureConsensusHash: string;
      readonly burnViewConsensusHash: string;
      readonly previousTenureEnd: string;
      readonly previousTenureBlocks: number;
      readonly cause: string;
      readonly publicKeyHash: string;
    };

/** The fields of a transaction that its bytes hold: the only ones before a block has it. */
export interface TransactionContent {
  readonly txId: string;
  readonly nonce: number;
  /** Micro-STX: of the sponsor where there is one. */
  readonly fee: string;
  readonly sender: string;
  readonly sponsor: { readonly address: string; readonly nonce: number } | null;
  readonly postConditionMode: string;
  readonly postConditions: readonly ApiPostCondition[];
  readonly anchorMode: string;
  readonly payload: StoredPayload;
}

/** A transaction that a block or a microblock has, without its events. Times in Unix seconds. */
export interface StoredTransaction extends TransactionContent {
  /** `0x` while only a microblock has it. */
  readonly blockHash: string;
  readonly blockHeight: number;
  readonly blockTime: number;
  readonly parentBlockHash: string;
  /** -1 while only a microblock has it, as the height. */
  readonly burnBlockTime: number;
  readonly burnBlockHeight: number;
  readonly parentBurnBlockTime: number;
  readonly canonical: boolean;
  /** Its number in the block. */
  readonly txIndex: number;
  readonly status: string;
  readonly result: { readonly hex: string; readonly repr: string };
  readonly eventCount: number;
  /** `0x` and ANCHORED_SEQUENCE outside of microblocks. */
  readonly microblock: { readonly hash: string; readonly sequence: number };
  readonly cost: ExecutionCost;
  readonly vmError: string | null;
}

/** The stored form: what the writer makes, so that a field which it renames fails to compile here. */
type Form = ReturnType<typeof transactionRecordV1>;
type PayloadForm = ReturnType<typeof payloadV1>;
type SignedForm = ReturnType<typeof leadingFields> & PayloadForm & Partial<ReturnType<typeof sponsorFields>>;

/** The transaction of a row. @param record a column `record` of TXS or ORPHANED_TXS */
export function readTransaction(record: string): StoredTransaction {
  const form = JSON.parse(unpackRecord(record)) as Form;
  return {
    ...signed(form),
    blockHash: form.block_hash,
    blockHeight: form.block_height,
    blockTime: form.block_time,
    parentBlockHash: form.parent_block_hash,
    burnBlockTime: form.burn_block_time,
    burnBlockHeight: form.burn_block_height,
    parentBurnBlockTime: form.parent_burn_block_time,
    canonical: form.canonical,
    txIndex: form.tx_index,
    status: form.tx_status,
    result: form.tx_result,
    eventCount: form.event_count,
    microblock: { hash: form.microblock_hash, sequence: form.microblock_sequence },
    cost: {
      read_count: form.execution_cost_read_count,
      read_length: form.execution_cost_read_length,
      runtime: form.execution_cost_runtime,
      write_count: form.execution_cost_write_count,
      write_length: form.execution_cost_write_length,
    },
    vmError: form.vm_error,
  };
}

/**
 * The transaction of a row as versions 1 and 2 serve it: the stored form is that text, so that their pages are joined without reading what
 * they show. A renderer of version 1 gives the same for the same row (record-v1.ts), which its test checks.
 */
export const version1Text: (record: string) => string = unpackRecord;

/** Where the transaction of a row is in its block; mostly without reading the rest. */
export const readIndexInBlock: (record: string) => IndexInBlock = unpackIndexInBlock;

/** The fields that the bytes of a transaction hold, with the argument names of the interface. */
export const contentOf = (txId: string, tx: Transaction, functionOf: FunctionOf): TransactionContent =>
  signed({ ...leadingFields(txId, tx), ...payloadV1(tx, functionOf), ...sponsorFields(tx) });

/** A call with the names of its arguments, as the interface of its contract gives them. */
export function nameArguments(call: StoredCall, functionOf: FunctionOf): StoredCall {
  const { signature: functionSignature, args } = namedArguments(call, functionOf);
  return { ...call, functionSignature, args };
}

const signed = (form: SignedForm): TransactionContent => ({
  txId: form.tx_id,
  nonce: form.nonce,
  fee: form.fee_rate,
  sender: form.sender_address,
  sponsor:
    form.sponsor_address === undefined || form.sponsor_nonce === undefined
      ? null
      : { address: form.sponsor_address, nonce: form.sponsor_nonce },
  postConditionMode: form.post_condition_mode,
  postConditions: form.post_conditions,
  anchorMode: form.anchor_mode,
  payload: payloadOf(form),
});

function payloadOf(form: PayloadForm): StoredPayload {
  switch (form.tx_type) {
    case 'token_transfer': {
      const { recipient_address: recipient, amount, memo } = form.token_transfer;
      return { type: form.tx_type, recipient, amount, memo };
    }
    case 'smart_contract': {
      const { clarity_version: clarityVersion, contract_id: contractId, source_code: source } = form.smart_contract;
      return { type: form.tx_type, clarityVersion, contractId, source };
    }
    case 'contract_call': {
      const { contract_id: contractId, function_name: functionName, function_args: args } = form.contract_call;
      return {
        type: form.tx_type,
        contractId,
        functionName,
        functionSignature: form.contract_call.function_signature,
        args,
      };
    }
    case 'poison_microblock': {
      const { microblock_header_1: header1, microblock_header_2: header2 } = form.poison_microblock;
      return { type: form.tx_type, header1, header2 };
    }
    case 'coinbase': {
      const { data, alt_recipient: altRecipient, vrf_proof: vrfProof = null } = form.coinbase_payload;
      return { type: form.tx_type, data, altRecipient, vrfProof };
    }
    case 'tenure_change': {
      const change = form.tenure_change_payload;
      return {
        type: form.tx_type,
        tenureConsensusHash: change.tenure_consensus_hash,
        previousTenureConsensusHash: change.prev_tenure_consensus_hash,
        burnViewConsensusHash: change.burn_view_consensus_hash,
        previousTenureEnd: change.previous_tenure_end,
        previousTenureBlocks: change.previous_tenure_blocks,
        cause: change.cause,
        publicKeyHash: change.pubkey_hash,
      };
    }
    default:
      return form satisfies never;
  }
}
