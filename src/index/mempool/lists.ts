/**
 * The lists of a pending transaction: one for each principal that takes part in it, and one for the pair of sender and recipient. So one list serves any filter of a
 * page.
 *
 *     A sends to B, S pays:   A (sender)   S (payer)   B (recipient)   "A B" (recipient)
 *     A calls B.c:            A (sender and payer)     B.c (contract)
 */
import type { RowOf } from '../../base/store/table.ts';
import type { PENDING_LISTS, PENDING_TXS } from './tables.ts';

/** Roles of a principal in a transaction; the numbers of several roles are added. */
const ROLES = { sender: 1, payer: 2, recipient: 4, contract: 8 } as const;

/** A list, and the roles of which a transaction must have at least one. */
interface PendingList {
  readonly list: string;
  readonly roles: number;
}

/** Principals that a transaction must all have; `address` is not combined with others. */
interface PendingFilter {
  readonly sender?: string | undefined;
  readonly recipient?: string | undefined;
  /** As sender, recipient, or the contract that is called or deployed. */
  readonly address?: string | undefined;
}

const pairOf = (sender: string, recipient: string): string => `${sender} ${recipient}`;

/** The rows of PENDING_LISTS for one of PENDING_TXS. */
export function listRowsOf(row: RowOf<typeof PENDING_TXS>): RowOf<typeof PENDING_LISTS>[] {
  const { tx_id, streamed, receipt_time, arrival, size, fee, sender, payer, recipient, contract } = row;
  const roles = new Map<string, number>();
  const add = (list: string | null, role: number) => {
    if (list !== null) roles.set(list, (roles.get(list) ?? 0) | role);
  };
  add(sender, ROLES.sender);
  add(payer, ROLES.payer);
  add(recipient, ROLES.recipient);
  add(contract, ROLES.contract);
  if (recipient !== null) add(pairOf(sender, recipient), ROLES.recipient);
  return [...roles].map(([list, roles]) => ({ tx_id, list, roles, streamed, receipt_time, arrival, size, fee }));
}

/** The list of a filter; undefined for one that names no principal. */
export function pendingListOf({ sender, recipient, address }: PendingFilter): PendingList | undefined {
  if (sender !== undefined && recipient !== undefined)
    return { list: pairOf(sender, recipient), roles: ROLES.recipient };
  if (sender !== undefined) return { list: sender, roles: ROLES.sender };
  if (recipient !== undefined) return { list: recipient, roles: ROLES.recipient };
  if (address !== undefined) return { list: address, roles: ROLES.sender | ROLES.recipient | ROLES.contract };
  return undefined;
}
