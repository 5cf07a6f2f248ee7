import { fromHex } from '../../../base/lib/hex.ts';
import type { StoredPayload } from '../../../index/transactions/stored.ts';

/** `type` and the object that goes with it, as lists show them (docs/spec/transactions.md#version-3). */
export function payloadSummaryV3(payload: StoredPayload) {
  const { type } = payload;
  switch (type) {
    case 'token_transfer': {
      const { recipient, amount, memo } = payload;
      return { type, token_transfer: { recipient, amount, memo: memoV3(memo) } };
    }
    case 'smart_contract':
      return {
        type,
        smart_contract: { clarity_version: payload.clarityVersion, contract_id: payload.contractId },
      };
    case 'contract_call':
      return { type, contract_call: { contract_id: payload.contractId, function_name: payload.functionName } };
    case 'poison_microblock':
      return { type };
    case 'coinbase':
      return { type, coinbase: { alt_recipient: payload.altRecipient } };
    case 'tenure_change':
      return { type, tenure_change: { cause: payload.cause } };
    default:
      return payload satisfies never;
  }
}

/** Optional parts that a client can request. */
export const INCLUDED = ['function_args', 'source_code', 'post_conditions', 'result', 'auth'] as const;
export type Included = (typeof INCLUDED)[number];

/** The payload with all its fields and the requested optional parts. */
export function wholePayloadV3(payload: StoredPayload, include: ReadonlySet<Included>) {
  const { type } = payload;
  switch (type) {
    case 'token_transfer':
    case 'poison_microblock':
      return payloadSummaryV3(payload);
    case 'smart_contract': {
      const { clarityVersion: clarity_version, contractId: contract_id, source } = payload;
      const included = include.has('source_code') ? { source_code: source } : {};
      return { type, smart_contract: { clarity_version, contract_id, ...included } };
    }
    case 'contract_call': {
      const { contractId: contract_id, functionName: function_name, args } = payload;
      const included = include.has('function_args')
        ? { function_args: args.map(({ hex, repr }) => ({ hex, repr })) }
        : {};
      return { type, contract_call: { contract_id, function_name, ...included } };
    }
    case 'coinbase': {
      const { data, altRecipient: alt_recipient, vrfProof: vrf_proof } = payload;
      return { type, coinbase: { payload: data, alt_recipient, vrf_proof } };
    }
    case 'tenure_change':
      return {
        type,
        tenure_change: {
          cause: payload.cause,
          tenure_consensus_hash: payload.tenureConsensusHash,
          prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
          burn_view_consensus_hash: payload.burnViewConsensusHash,
          previous_tenure_end: payload.previousTenureEnd,
          previous_tenure_blocks: payload.previousTenureBlocks,
          pubkey_hash: payload.publicKeyHash,
        },
      };
    default:
      return payload satisfies never;
  }
}

/** Printable text is everything but controls, formats, private use, unassigned and surrogates. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;
/** White space, and the placeholder for bytes that are not text. */
const SPACES = /[\s\ufffd]+/gu;

/** A memo in the form of version 3: its bytes, and their readable part. @param hex 0x hex */
export const memoV3 = (hex: string) => ({ hex, repr: textOf(hex) });

const textOf = (hex: string): string =>
  Buffer.from(fromHex(hex) ?? [])
    .toString('utf8')
    .replaceAll(UNPRINTABLE, ' ')
    .replaceAll(SPACES, ' ')
    .trim();
