import { decodeTransaction, type SpendingCondition } from '../../../base/codec/index.ts';
import { fromHex } from '../../../base/lib/hex.ts';

/** Hash modes by their byte (SIP-005, SIP-027). */
export const HASH_MODES: Readonly<Record<number, string>> = {
  0: 'p2pkh',
  1: 'p2sh',
  2: 'p2wpkh_p2sh',
  3: 'p2wsh_p2sh',
  5: 'p2sh_non_sequential',
  7: 'p2wsh_non_sequential',
};

/**
 * How a transaction is signed, read from its bytes (docs/spec/transactions.md#version-3-authorisation); undefined for
 * an operation of Bitcoin, which has neither bytes nor signatures. @param rawTx 0x hex
 */
export function authV3(rawTx: string | undefined) {
  const bytes = rawTx === undefined ? undefined : fromHex(rawTx);
  const decoded = bytes && decodeTransaction(bytes);
  if (!bytes || !decoded?.ok) return undefined;
  const { origin, sponsor } = decoded.value;
  return { size: bytes.length, sender: signedBy(origin), sponsor: sponsor && signedBy(sponsor) };
}

function signedBy(condition: SpendingCondition) {
  const hash_mode = HASH_MODES[condition.hashMode] ?? `unknown_${condition.hashMode}`;
  switch (condition.kind) {
    case 'single_sig':
      return { hash_mode, signatures_required: 1, signatures_given: 1, keys: 1 };
    case 'multi_sig': {
      const given = condition.fields.filter(({ kind }) => kind === 'signature').length;
      const { signaturesRequired: signatures_required, fields } = condition;
      return { hash_mode, signatures_required, signatures_given: given, keys: fields.length };
    }
    default:
      return condition satisfies never;
  }
}
