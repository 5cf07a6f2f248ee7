/**
 * The only access to stored transactions. TXS and ORPHANED_TXS store the text of version 1 (packed by packed-record.ts), so that pages of
 * versions 1 and 2 join these texts without parsing. Other code reads a StoredTransaction, whose names depend on no version of the API.
 */
import type { ApiPostCondition } from '../../base/codec/index.ts';
import { isoTime } from '../../base/lib/time.ts';
import type { ExecutionCost } from '../../ingest/node/events/transaction.ts';
import { type IndexInBlock, packRecord, unpackIndexInBlock, unpackRecord } from './packed-record.ts';

/** An argument of a contract call. */
interface StoredArgument {
  readonly hex: string;
  readonly repr: string;
  /** Empty if the interface of the contract is unknown. */
  readonly name: string;
  /** Absent if neither the interface nor the value determines it. */
  readonly type?: string | undefined;
}

export interface StoredCall {
  readonly type: 'contract_call';
  readonly contractId: string;
  readonly functionName: string;
  /** Empty if the interface of the contract is unknown. */
  readonly functionSignature: string;
  readonly args: readonly StoredArgument[];
}

/** The part that depends on the type. Hashes and bytes are 0x hex, amounts decimal. */
export type StoredPayload =
  | { readonly type: 'token_transfer'; readonly recipient: string; readonly amount: string; readonly memo: string }
  | {
      readonly type: 'smart_contract';
      /** Null if the transaction names none. */
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

/** The fields in the bytes of a transaction: the only ones before a block has it. */
export interface TransactionContent {
  readonly txId: string;
  readonly nonce: number;
  /** Micro-STX; the sponsor's fee if there is one. */
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

/** The text of a column `record` of TXS or ORPHANED_TXS. */
export const packTransaction = (tx: StoredTransaction): string => packRecord(JSON.stringify(transactionV1(tx)));

/** The transaction of a row as versions 1 and 2 serve it, without parsing. */
export const version1Text: (record: string) => string = unpackRecord;

/** The text of a column `record` of CONTRACT_LOGS. @param json the event as versions 1 and 2 serve it */
export const packPrint: (json: string) => string = packRecord;

/** The print of a row of CONTRACT_LOGS as versions 1 and 2 serve it. */
export const printText: (record: string) => string = unpackRecord;

/** The place of the transaction of a row in its block; usually without reading the rest. */
export const readIndexInBlock: (record: string) => IndexInBlock = unpackIndexInBlock;

/**
 * A confirmed transaction in the form that versions 1 and 2 serve everywhere, and that is stored: keys in emitted order
 * (docs/spec/transactions.md#confirmed-transactions).
 */
export const transactionV1 = (tx: StoredTransaction) => ({
  ...leadingFieldsV1(tx),
  block_hash: tx.blockHash,
  block_height: tx.blockHeight,
  block_time: tx.blockTime,
  block_time_iso: isoTime(tx.blockTime),
  burn_block_time: tx.burnBlockTime,
  burn_block_height: tx.burnBlockHeight,
  burn_block_time_iso: isoTime(tx.burnBlockTime),
  parent_burn_block_time: tx.parentBurnBlockTime,
  parent_burn_block_time_iso: isoTime(tx.parentBurnBlockTime),
  canonical: tx.canonical,
  tx_index: tx.txIndex,
  tx_status: tx.status,
  tx_result: tx.result,
  event_count: tx.eventCount,
  parent_block_hash: tx.parentBlockHash,
  is_unanchored: tx.blockHash === '0x',
  microblock_hash: tx.microblock.hash,
  microblock_sequence: tx.microblock.sequence,
  microblock_canonical: true,
  ...costFields(tx.cost),
  vm_error: tx.vmError,
  events: [],
  ...trailingFieldsV1(tx),
});

/** The first fields of confirmed and pending transactions. */
export const leadingFieldsV1 = (tx: TransactionContent) => ({
  tx_id: tx.txId,
  nonce: tx.nonce,
  fee_rate: tx.fee,
  sender_address: tx.sender,
  sponsored: tx.sponsor !== null,
  post_condition_mode: tx.postConditionMode,
  post_conditions: tx.postConditions,
  anchor_mode: tx.anchorMode,
});

/** The last fields of both. */
export const trailingFieldsV1 = ({ payload, sponsor }: TransactionContent) => ({
  ...payloadFields(payload),
  ...(sponsor !== null && { sponsor_nonce: sponsor.nonce, sponsor_address: sponsor.address }),
});

/** `tx_type` and the object that goes with it (docs/spec/transactions.md#variants). */
function payloadFields(payload: StoredPayload) {
  const { type: tx_type } = payload;
  switch (tx_type) {
    case 'token_transfer': {
      const { recipient: recipient_address, amount, memo } = payload;
      return { tx_type, token_transfer: { recipient_address, amount, memo } };
    }
    case 'smart_contract': {
      const { clarityVersion: clarity_version, contractId: contract_id, source: source_code } = payload;
      return { tx_type, smart_contract: { clarity_version, contract_id, source_code } };
    }
    case 'contract_call': {
      const { contractId: contract_id, functionName: function_name, functionSignature, args: function_args } = payload;
      return {
        tx_type,
        contract_call: { contract_id, function_name, function_signature: functionSignature, function_args },
      };
    }
    case 'poison_microblock': {
      const { header1: microblock_header_1, header2: microblock_header_2 } = payload;
      return { tx_type, poison_microblock: { microblock_header_1, microblock_header_2 } };
    }
    case 'coinbase': {
      const { data, altRecipient: alt_recipient, vrfProof: vrf_proof } = payload;
      return { tx_type, coinbase_payload: { data, alt_recipient, ...(vrf_proof !== null && { vrf_proof }) } };
    }
    case 'tenure_change':
      return {
        tx_type,
        tenure_change_payload: {
          tenure_consensus_hash: payload.tenureConsensusHash,
          prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
          burn_view_consensus_hash: payload.burnViewConsensusHash,
          previous_tenure_end: payload.previousTenureEnd,
          previous_tenure_blocks: payload.previousTenureBlocks,
          cause: payload.cause,
          pubkey_hash: payload.publicKeyHash,
        },
      };
    default:
      return payload satisfies never;
  }
}

/** The execution cost as it is served. */
export const costFields = (cost: ExecutionCost) => ({
  execution_cost_read_count: cost.read_count,
  execution_cost_read_length: cost.read_length,
  execution_cost_runtime: cost.runtime,
  execution_cost_write_count: cost.write_count,
  execution_cost_write_length: cost.write_length,
});

/** The parsed form of the text. */
type Form = ReturnType<typeof transactionV1>;
type PayloadForm = ReturnType<typeof payloadFields>;

/** The transaction of a row. @param record a column `record` of TXS or ORPHANED_TXS */
export function readTransaction(record: string): StoredTransaction {
  const form = JSON.parse(unpackRecord(record)) as Form;
  return {
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
