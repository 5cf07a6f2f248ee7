import type { StoredPayload } from '../../../index/transactions/stored.ts';
import { memoRecord } from './memo-v3.ts';

/** `type` and the object that goes with it, as lists show them (docs/spec/transactions.md#version-3). */
export function summaryOfPayload(tx: StoredPayload) {
  switch (tx.tx_type) {
    case 'token_transfer': {
      const { recipient_address: recipient, amount, memo } = tx.token_transfer;
      return { type: tx.tx_type, token_transfer: { recipient, amount, memo: memoRecord(memo) } };
    }
    case 'smart_contract': {
      const { clarity_version, contract_id } = tx.smart_contract;
      return { type: tx.tx_type, smart_contract: { clarity_version, contract_id } };
    }
    case 'contract_call': {
      const { contract_id, function_name } = tx.contract_call;
      return { type: tx.tx_type, contract_call: { contract_id, function_name } };
    }
    case 'poison_microblock':
      return { type: tx.tx_type };
    case 'coinbase':
      return { type: tx.tx_type, coinbase: { alt_recipient: tx.coinbase_payload.alt_recipient } };
    case 'tenure_change':
      return { type: tx.tx_type, tenure_change: { cause: tx.tenure_change_payload.cause } };
    default:
      return tx satisfies never;
  }
}

/** Optional parts that a client can request. */
export const INCLUDED = ['function_args', 'source_code', 'post_conditions', 'result', 'auth'] as const;
export type Included = (typeof INCLUDED)[number];

/** The payload with all its fields and the requested optional parts. */
export function wholePayload(tx: StoredPayload, include: ReadonlySet<Included>) {
  const summary = summaryOfPayload(tx);
  switch (tx.tx_type) {
    case 'token_transfer':
    case 'poison_microblock':
      return summary;
    case 'smart_contract': {
      const { clarity_version, contract_id, source_code } = tx.smart_contract;
      const source = include.has('source_code') ? { source_code } : {};
      return { type: tx.tx_type, smart_contract: { clarity_version, contract_id, ...source } };
    }
    case 'contract_call': {
      const { contract_id, function_name, function_args } = tx.contract_call;
      const args = include.has('function_args')
        ? { function_args: function_args.map(({ hex, repr }) => ({ hex, repr })) }
        : {};
      return { type: tx.tx_type, contract_call: { contract_id, function_name, ...args } };
    }
    case 'coinbase': {
      const { data, alt_recipient, vrf_proof = null } = tx.coinbase_payload;
      return { type: tx.tx_type, coinbase: { payload: data, alt_recipient, vrf_proof } };
    }
    case 'tenure_change': {
      const { cause, pubkey_hash, ...hashes } = tx.tenure_change_payload;
      return { type: tx.tx_type, tenure_change: { cause, ...hashes, pubkey_hash } };
    }
    default:
      return tx satisfies never;
  }
}
