import type { Cursor } from '../byte-cursor.ts';
import { readAddressOfVersion } from '../principal.ts';

interface ConditionBase {
  /** Wire byte: 0 P2PKH, 1 P2SH, 2 P2WPKH-P2SH, 3 P2WSH-P2SH, 5 and 7 the order-independent P2SH and P2WSH. */
  readonly hashMode: number;
  /** 20-byte hash160 in hex. */
  readonly signerHash: string;
  /** Address of the signer on the network of the transaction. */
  readonly address: string;
  readonly nonce: bigint;
  /** In micro-STX. */
  readonly fee: bigint;
}

interface SingleSigCondition extends ConditionBase {
  readonly kind: 'single_sig';
  /** 0 compressed, 1 uncompressed public key. */
  readonly keyEncoding: number;
  /** 65 bytes, recovery id first, in hex. */
  readonly signature: string;
}

interface MultiSigCondition extends ConditionBase {
  readonly kind: 'multi_sig';
  readonly fields: readonly AuthField[];
  readonly signaturesRequired: number;
}

/** Who pays or signs, with which nonce and fee (SIP-005, SIP-027). */
export type SpendingCondition = SingleSigCondition | MultiSigCondition;

export type AuthField =
  | { readonly kind: 'public_key'; readonly compressed: boolean; readonly publicKey: string }
  | { readonly kind: 'signature'; readonly compressed: boolean; readonly signature: string };

const SINGLE_SIG_MODES = [0, 2];
const MULTI_SIG_MODES = [1, 3, 5, 7];
const P2WPKH_IN_P2SH = 2;
const SIGNATURE_LENGTH = 65;
const PUBLIC_KEY_LENGTH = 33;
const SMALLEST_FIELD = 1 + PUBLIC_KEY_LENGTH;

/** Reads a spending condition (docs/spec/codec.md#spending-conditions); `mainnet` comes from the version of the transaction. */
export function readSpendingCondition(cursor: Cursor, mainnet: boolean): SpendingCondition {
  const hashMode = cursor.u8();
  const single = SINGLE_SIG_MODES.includes(hashMode);
  if (!single && !MULTI_SIG_MODES.includes(hashMode)) {
    cursor.fail('invalid_field', `hash mode ${hashMode}`, cursor.offset - 1);
  }
  const address = readAddressOfVersion(cursor, addressVersion(hashMode, mainnet));
  const signerHash = cursor.hexBetween(cursor.offset - 20, cursor.offset);
  const nonce = cursor.u64();
  const fee = cursor.u64();
  if (single) {
    const keyEncoding = readKeyEncoding(cursor, hashMode);
    const signature = cursor.hex(SIGNATURE_LENGTH);
    return { kind: 'single_sig', hashMode, signerHash, address, nonce, fee, keyEncoding, signature };
  }
  const fields = readAuthFields(cursor);
  const signaturesRequired = cursor.u16();
  return { kind: 'multi_sig', hashMode, signerHash, address, nonce, fee, fields, signaturesRequired };
}

function addressVersion(hashMode: number, mainnet: boolean): number {
  if (hashMode === 0) return mainnet ? 22 : 26;
  return mainnet ? 20 : 21;
}

function readKeyEncoding(cursor: Cursor, hashMode: number): number {
  const encoding = cursor.u8();
  if (encoding > 1 || (encoding === 1 && hashMode === P2WPKH_IN_P2SH)) {
    cursor.fail('invalid_field', `key encoding ${encoding} with hash mode ${hashMode}`, cursor.offset - 1);
  }
  return encoding;
}

function readAuthFields(cursor: Cursor): AuthField[] {
  const count = cursor.count(SMALLEST_FIELD);
  const fields: AuthField[] = [];
  for (let i = 0; i < count; i++) fields.push(readAuthField(cursor));
  return fields;
}

/** The bytes hold a compressed key even if its uncompressed form is used. */
function readAuthField(cursor: Cursor): AuthField {
  const id = cursor.u8();
  switch (id) {
    case 0:
    case 1:
      return { kind: 'public_key', compressed: id === 0, publicKey: cursor.hex(PUBLIC_KEY_LENGTH) };
    case 2:
    case 3:
      return { kind: 'signature', compressed: id === 2, signature: cursor.hex(SIGNATURE_LENGTH) };
    default:
      return cursor.fail('invalid_prefix', `auth field ${id}`, cursor.offset - 1);
  }
}
