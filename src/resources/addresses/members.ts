import type { TransactionFacts } from '../../chain/block-facts.ts';
import { type AssetEvent, isAssetEvent } from '../../chain/event-facts.ts';
import type { Transaction } from '../../codec/index.ts';
import { feeOf } from '../transactions/record.ts';

/** Numbers of events that touch a principal: STX, FT, NFT, each transfer, mint, burn. */
export type EventCounts = [
  ...[stxTransfer: number, stxMint: number, stxBurn: number],
  ...[ftTransfer: number, ftMint: number, ftBurn: number],
  ...[nftTransfer: number, nftMint: number, nftBurn: number],
];

/** A principal's part in one transaction. Amounts in micro-STX. */
export interface Member {
  /** False where the part does not put the transaction into the principal's list (getAddressTransactions). */
  listed: boolean;
  /** True where the part makes an address known to a search (docs/spec/addresses.md#balances). */
  known: boolean;
  /** By STX events alone. */
  sent: bigint;
  received: bigint;
  /** Zero where somebody else paid. */
  fee: bigint;
  readonly counts: EventCounts;
}

const FIRST_COUNT = { stx: 0, ft: 3, nft: 6 };
const COUNT_OF_ACTION = { transfer: 0, mint: 1, burn: 2 };

/**
 * Who takes part in a transaction (docs/spec/addresses.md#members-of-a-transaction): its sender, its sponsor, the recipient of a
 * token transfer, the contract it calls or deploys, and the parties of its asset events. In what a node made up for the
 * boot block only the parties of events count, as in the API in production (docs/spec/ingestion.md#boot-block).
 */
export function membersOf({ transaction, events, ownTimes }: TransactionFacts): Map<string, Member> {
  const members = new Map<string, Member>();
  const member = (principal: string): Member => {
    const found = members.get(principal) ?? nobody();
    members.set(principal, found);
    return found;
  };
  const isBoot = ownTimes !== null;
  for (const { principal, known } of rolesOf(transaction)) {
    const role = member(principal);
    role.listed ||= !isBoot;
    role.known ||= known;
  }
  member((transaction.sponsor ?? transaction.origin).address).fee = feeOf(transaction);
  for (const event of events.filter(isAssetEvent)) addEvent(event, member);
  return members;
}

const nobody = (): Member => ({
  listed: false,
  known: false,
  sent: 0n,
  received: 0n,
  fee: 0n,
  counts: [0, 0, 0, 0, 0, 0, 0, 0, 0],
});

interface Role {
  readonly principal: string;
  readonly known: boolean;
}

function rolesOf({ origin, sponsor, payload }: Transaction): Role[] {
  const roles: Role[] = [{ principal: origin.address, known: true }];
  if (sponsor) roles.push({ principal: sponsor.address, known: false });
  if (payload.kind === 'token_transfer') roles.push({ principal: payload.recipient, known: true });
  if (payload.kind === 'contract_call') roles.push({ principal: payload.contractId, known: false });
  if (payload.kind === 'smart_contract') roles.push({ principal: `${origin.address}.${payload.name}`, known: false });
  return roles;
}

/** An event with the same principal on both sides adds to both sums and counts once. */
function addEvent(event: AssetEvent, member: (principal: string) => Member): void {
  const count = FIRST_COUNT[event.kind] + COUNT_OF_ACTION[event.action];
  for (const principal of new Set([event.sender, event.recipient])) {
    if (principal === null) continue;
    const party = member(principal);
    party.listed = true;
    party.known = true;
    party.counts[count] = (party.counts[count] ?? 0) + 1;
    if (event.kind !== 'stx') continue;
    if (event.sender === principal) party.sent += BigInt(event.amount);
    if (event.recipient === principal) party.received += BigInt(event.amount);
  }
}
