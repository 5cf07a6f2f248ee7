import {
  encodeClarityArgs,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClarityUint,
} from '../../base/codec/index.ts';
import { u64 } from '../../base/lib/number-bytes.ts';

/* The payloads of SIP-005 that a faucet sends. */

const TOKEN_TRANSFER = 0x00;
const CONTRACT_CALL = 0x02;
const MEMO_BYTES = 34;
const FUNGIBLE_CONDITION = 0x01;
const ORIGIN = 0x01;
const SENT_EQUAL = 0x01;

/** The payload of a transaction, and the assets that it may move. */
export interface Contents {
  readonly payload: Uint8Array;
  readonly postConditions: readonly Uint8Array[];
}

/** @param amount micro-STX @param recipient an address or a contract */
export function stxTransfer(recipient: string, amount: bigint, memo: string): Contents {
  const text = Buffer.alloc(MEMO_BYTES);
  text.write(memo);
  const payload = Buffer.concat([Uint8Array.of(TOKEN_TRANSFER), encodeClarityPrincipal(recipient), u64(amount), text]);
  return { payload, postConditions: [] };
}

/**
 * The call of `transfer` (SIP-010). It fails unless exactly this much of the token leaves the sender.
 * @param token `address.contract::asset`
 */
export function tokenTransfer(token: string, from: string, recipient: string, amount: bigint): Contents {
  const [contract = '', asset = ''] = token.split('::');
  // The serialised value without its type byte: address, then name.
  const contractBytes = encodeClarityPrincipal(contract).subarray(1);
  const values = [
    encodeClarityUint(amount),
    encodeClarityPrincipal(from),
    encodeClarityPrincipal(recipient),
    encodeClarityNone(),
  ];
  const payload = Buffer.concat([
    Uint8Array.of(CONTRACT_CALL),
    contractBytes,
    name('transfer'),
    encodeClarityArgs(values),
  ]);
  const condition = Buffer.concat([
    Uint8Array.of(FUNGIBLE_CONDITION, ORIGIN),
    contractBytes,
    name(asset),
    Uint8Array.of(SENT_EQUAL),
    u64(amount),
  ]);
  return { payload, postConditions: [condition] };
}

const name = (text: string): Buffer => Buffer.concat([Uint8Array.of(text.length), Buffer.from(text, 'latin1')]);
