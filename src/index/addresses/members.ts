import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import { type AssetEvent, type EventFacts, isAssetEvent, partiesOf } from '../../ingest/chain/event-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import { feeOf } from '../transactions/record.ts';
import { rolesInDecoded } from './roles.ts';
import type { EventCounts } from './stored.ts';

/** A principal's part in one transaction. Amounts in micro-STX. */
export interface Member {
  /** True if the part makes an address known to a search (docs/spec/addresses.md#balances). */
  known: boolean;
  /** Sums of STX events only. */
  sent: bigint;
  received: bigint;
  /** Zero if another principal paid the fee. */
  fee: bigint;
  /** True if the part makes the principal a holder of STX, even of zero: it pays the fee, or events move STX from or to it. */
  holdsStx: boolean;
  /** Whether the history of STX has the transaction: not if the principal is only a party of events of other tokens, nor in the boot block (getAccountTransactionsV1). */
  inStxHistory: boolean;
  /** Whether the history of transfers has the transaction: not if the principal is only the sponsor (getAccountTransactionsWithTransfersV1). */
  inTransferHistory: boolean;
  /** The sender's nonce if the principal paid the fee; null if another principal did. */
  paidNonce: number | null;
  /** Null if no event touches the principal. */
  counts: Counters | null;
}

type Counters = { readonly [Asset in keyof EventCounts]: { -readonly [Action in keyof EventCounts[Asset]]: number } };

/**
 * The members of a transaction and their parts in it (docs/spec/addresses.md#members-of-a-transaction): the principals of its roles, and the parties
 * of its asset events. The history of STX leaves out the boot block, like the API in production (docs/spec/addresses.md#histories-of-a-principal).
 */
export function membersOf({ transaction, events, ownTimes }: TransactionFacts): Map<string, Member> {
  const members = new Map<string, Member>();
  const member = (principal: string): Member => {
    const found = members.get(principal) ?? nobody();
    members.set(principal, found);
    return found;
  };
  const isBoot = ownTimes !== null;
  for (const { principal, as } of rolesInDecoded(transaction)) {
    const role = member(principal);
    role.known ||= as === 'sender' || as === 'recipient';
    role.inStxHistory ||= !isBoot;
    role.inTransferHistory ||= as !== 'sponsor';
  }
  const payer = member((transaction.sponsor ?? transaction.origin).address);
  payer.fee = feeOf(transaction);
  payer.holdsStx = true;
  payer.paidNonce = Number(transaction.origin.nonce);
  for (const event of events.filter(isAssetEvent)) addEvent(event, member, isBoot);
  return members;
}

/**
 * The principals whose STX a transaction locks although they are not members of it: another principal stacks for them
 * (docs/spec/addresses.md#version-3).
 */
export function lockedWithoutPart({ events }: TransactionFacts, members: ReadonlyMap<string, Member>): Set<string> {
  const locked = events.flatMap(event => (event.kind === 'stx_lock' ? [event.address] : []));
  return new Set(locked.filter(principal => !members.has(principal)));
}

const nobody = (): Member => ({
  known: false,
  sent: 0n,
  received: 0n,
  fee: 0n,
  holdsStx: false,
  inStxHistory: false,
  inTransferHistory: false,
  paidNonce: null,
  counts: null,
});

const noEvents = (): Counters => ({
  stx: { transfer: 0, mint: 0, burn: 0 },
  ft: { transfer: 0, mint: 0, burn: 0 },
  nft: { transfer: 0, mint: 0, burn: 0 },
});

/** An event with the same principal on both sides adds to both sums and counts once. */
function addEvent(event: AssetEvent, member: (principal: string) => Member, isBoot: boolean): void {
  for (const principal of partiesOf(event)) {
    const party = member(principal);
    party.known = true;
    party.inTransferHistory = true;
    party.counts ??= noEvents();
    party.counts[event.kind][event.action]++;
    if (event.kind !== 'stx') continue;
    party.holdsStx = true;
    party.inStxHistory ||= !isBoot;
    if (event.sender === principal) party.sent += BigInt(event.amount);
    if (event.recipient === principal) party.received += BigInt(event.amount);
  }
}

/** The send-many contracts of wallets: they print a memo after each transfer. */
const SEND_MANY: Readonly<Record<Network, string>> = {
  mainnet: 'SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo',
  testnet: 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo',
};

type Print = Extract<EventFacts, { kind: 'log' }>;

/** Whether an event is the memo of the transfer before it (docs/spec/addresses.md#inbound-stx). */
export const isSendMany = (event: EventFacts | undefined, network: Network): event is Print =>
  event?.kind === 'log' && event.contractId === SEND_MANY[network];
