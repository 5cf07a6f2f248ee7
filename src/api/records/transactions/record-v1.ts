import { isoTime } from '../../../base/lib/time.ts';
import { costFields } from '../../../index/transactions/record.ts';
import type { StoredPayload, StoredTransaction, TransactionContent } from '../../../index/transactions/stored.ts';
import type { PendingTransaction } from './pending.ts';

/**
 * A confirmed transaction as versions 1 and 2 serve it wherever it appears, keys in emitted order
 * (docs/spec/transactions.md#confirmed-transactions). Pages join the texts of version1Text instead, which are the same.
 */
export const transactionV1 = (tx: StoredTransaction) => ({
  ...leadingFields(tx),
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
  ...payloadFields(tx.payload),
  ...sponsorFields(tx),
});

/** A pending or dropped transaction, likewise (docs/spec/transactions.md#pending-transactions). */
export const pendingTransactionV1 = (tx: PendingTransaction) => ({
  ...leadingFields(tx),
  tx_status: tx.status,
  replaced_by_tx_id: tx.replacedBy,
  receipt_time: tx.receiptTime,
  receipt_time_iso: isoTime(tx.receiptTime),
  ...payloadFields(tx.payload),
  ...sponsorFields(tx),
});

const leadingFields = (tx: TransactionContent) => ({
  tx_id: tx.txId,
  nonce: tx.nonce,
  fee_rate: tx.fee,
  sender_address: tx.sender,
  sponsored: tx.sponsor !== null,
  post_condition_mode: tx.postConditionMode,
  post_conditions: tx.postConditions,
  anchor_mode: tx.anchorMode,
});

const sponsorFields = ({ sponsor }: TransactionContent) =>
  sponsor === null ? {} : { sponsor_nonce: sponsor.nonce, sponsor_address: sponsor.address };

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

/** A text of version 1, with events or without, less the arguments of its call. Leaving them out is the rare case, so they are stored. */
export function withoutFunctionArgsV1(text: string): string {
  const tx: { readonly contract_call?: { function_args?: unknown } } = JSON.parse(text);
  if (tx.contract_call) delete tx.contract_call.function_args;
  return JSON.stringify(tx);
}
