import type { Transaction } from '../../codec/index.ts';
import { type AccountNonce, nonceName, sponsorNonce } from '../transactions/mined.ts';

/**
 * A nonce of an account, `address:nonce`, that a transaction uses when it is mined. Of all transactions that want the same
 * slot one can be mined, so only one is pending.
 */
export type Slot = string;

/** That of the sender, and that of the sponsor where there is one. */
export function slotsOf(tx: Transaction): readonly [Slot] | readonly [Slot, Slot] {
  const sender = nonceName(tx.origin);
  const sponsor = sponsorNonce(tx);
  return sponsor === null ? [sender] : [sender, nonceName(sponsor)];
}

export function nonceOf(slot: Slot): AccountNonce {
  const colon = slot.lastIndexOf(':');
  return { address: slot.slice(0, colon), nonce: BigInt(slot.slice(colon + 1)) };
}
