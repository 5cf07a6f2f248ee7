import type { Result } from '../../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { transactionId } from '../hash.ts';
import { type PostCondition, readPostConditionMode, readPostConditions } from '../post-condition.ts';
import { type Payload, readPayload } from './payload.ts';
import { readSpendingCondition, type SpendingCondition } from './spending-condition.ts';

/** A Stacks transaction decoded from its bytes (SIP-005). */
export interface DecodedTransaction {
  readonly txId: string;
  /** Bit 7 set: testnet. */
  readonly version: number;
  readonly chainId: number;
  readonly origin: SpendingCondition;
  /** Condition of the account that pays the fee of a sponsored transaction. */
  readonly sponsor: SpendingCondition | null;
  readonly anchorMode: number;
  readonly postConditionMode: number;
  readonly postConditions: readonly PostCondition[];
  readonly payload: Payload;
}

const STANDARD_AUTH = 0x04;
const SPONSORED_AUTH = 0x05;

/**
 * Decodes the bytes of a transaction (docs/spec/codec.md#transactions). Any bytes give a transaction or an error value. Bytes after the
 * payload are ignored, but the id is the hash of all bytes, as in nodes.
 */
export function decodeTransaction(bytes: Uint8Array): Result<DecodedTransaction, DecodeError> {
  return decodeWith(bytes, cursor => {
    const transaction = readWireTransaction(cursor);
    return { txId: transactionId(cursor.bytes), ...transaction };
  });
}

/** Reads a transaction up to the end of its payload. */
export function readWireTransaction(cursor: Cursor): Omit<DecodedTransaction, 'txId'> {
  const version = cursor.u8();
  const chainId = cursor.u32();
  const mainnet = (version & 0x80) === 0;
  const auth = cursor.u8();
  if (auth !== STANDARD_AUTH && auth !== SPONSORED_AUTH) {
    cursor.fail('invalid_prefix', `auth type ${auth}`, cursor.offset - 1);
  }
  const origin = readSpendingCondition(cursor, mainnet);
  const sponsor = auth === SPONSORED_AUTH ? readSpendingCondition(cursor, mainnet) : null;
  const anchorMode = readAnchorMode(cursor);
  const postConditionMode = readPostConditionMode(cursor);
  const postConditions = readPostConditions(cursor);
  const payload = readPayload(cursor);
  return { version, chainId, origin, sponsor, anchorMode, postConditionMode, postConditions, payload };
}

/** Unknown modes are kept; zero never was one. */
function readAnchorMode(cursor: Cursor): number {
  const mode = cursor.u8();
  if (mode === 0) cursor.fail('invalid_field', 'anchor mode 0', cursor.offset - 1);
  return mode;
}
