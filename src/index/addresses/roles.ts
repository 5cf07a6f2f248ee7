import type { Transaction } from '../../base/codec/index.ts';
import { type EventFacts, isAssetEvent, partiesOf } from '../../ingest/chain/event-facts.ts';
import { namedContract } from '../transactions/record.ts';
import type { TransactionContent } from '../transactions/stored.ts';

/** A principal that a transaction itself names, and its role. */
interface TransactionRole {
  readonly principal: string;
  readonly as: 'sender' | 'sponsor' | 'recipient' | 'contract';
}

/**
 * The rule of docs/spec/addresses.md#members-of-a-transaction for the principals that a transaction itself names: its sender, its sponsor, the
 * recipient of a token transfer, the contract that it calls or deploys.
 */
function rolesOf(named: Readonly<Record<TransactionRole['as'], string | null>>): TransactionRole[] {
  const { sender, sponsor, recipient, contract } = named;
  const roles = Object.entries({ sender, sponsor, recipient, contract }) as [TransactionRole['as'], string | null][];
  return roles.flatMap(([as, principal]) => (principal === null ? [] : [{ principal, as }]));
}

/** The roles in a transaction that is read from the index or from the mempool. */
export const rolesInStored = ({ sender, sponsor, payload }: TransactionContent): TransactionRole[] =>
  rolesOf({
    sender,
    sponsor: sponsor?.address ?? null,
    recipient: payload.type === 'token_transfer' ? payload.recipient : null,
    contract: payload.type === 'contract_call' || payload.type === 'smart_contract' ? payload.contractId : null,
  });

/** The roles in a decoded transaction of a block. */
export const rolesInDecoded = (tx: Transaction): TransactionRole[] =>
  rolesOf({
    sender: tx.origin.address,
    sponsor: tx.sponsor?.address ?? null,
    recipient: tx.payload.kind === 'token_transfer' ? tx.payload.recipient : null,
    contract: namedContract(tx),
  });

/** All members of a transaction: those of its roles and the parties of its asset events, each once. */
export function principalsOf(roles: readonly TransactionRole[], events: readonly EventFacts[]): Set<string> {
  return new Set([...roles.map(({ principal }) => principal), ...events.filter(isAssetEvent).flatMap(partiesOf)]);
}
