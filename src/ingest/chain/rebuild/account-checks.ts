import type { NakamotoBlock } from '../../../base/codec/index.ts';
import type { AccountReply, ReplayedBlock } from './replies.ts';

/** How a block must change an account, as far as its bytes and its replay show. */
interface AccountChange {
  /** Micro-STX, locked ones included. */
  readonly balance: bigint;
  readonly nonce: number;
}

/** The change of every principal that signs, pays, or has an event of STX. In blocks without a tenure start no reward comes. */
export function accountChanges(
  { transactions }: Pick<NakamotoBlock, 'transactions'>,
  replay: Pick<ReplayedBlock, 'transactions'>,
): ReadonlyMap<string, AccountChange> {
  const changes = new Map<string, AccountChange>();
  const add = (principal: string, balance: bigint, nonce = 0) => {
    const before = changes.get(principal);
    changes.set(principal, { balance: (before?.balance ?? 0n) + balance, nonce: (before?.nonce ?? 0) + nonce });
  };
  for (const { transaction } of transactions) {
    const { origin, sponsor } = transaction;
    add(origin.address, sponsor ? 0n : -origin.fee, 1);
    if (sponsor) add(sponsor.address, -sponsor.fee, 1);
  }
  for (const { events } of replay.transactions)
    for (const event of events) {
      if (event.type === 'stx_transfer_event') {
        const { sender, recipient, amount } = event.stx_transfer_event;
        add(sender, -BigInt(amount));
        add(recipient, BigInt(amount));
      } else if (event.type === 'stx_mint_event')
        add(event.stx_mint_event.recipient, BigInt(event.stx_mint_event.amount));
      else if (event.type === 'stx_burn_event') add(event.stx_burn_event.sender, -BigInt(event.stx_burn_event.amount));
      else if (event.type === 'stx_lock_event') add(event.stx_lock_event.locked_address, 0n);
    }
  return changes;
}

/**
 * Compares an account at the parent and at the block.
 * @returns how the difference contradicts the changes by the block; undefined if it does not
 */
export function accountDifference(
  principal: string,
  change: AccountChange,
  before: AccountReply,
  after: AccountReply,
): string | undefined {
  const balance = after.balance + after.locked - before.balance - before.locked;
  if (balance !== change.balance)
    return `the balance of ${principal} changes by ${balance} micro-STX, by fees and events ${change.balance}`;
  const nonce = after.nonce - before.nonce;
  return nonce === change.nonce
    ? undefined
    : `the nonce of ${principal} changes by ${nonce}, by its transactions ${change.nonce}`;
}
