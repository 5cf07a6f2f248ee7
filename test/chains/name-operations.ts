import { bns2Operation, moved, namespaceReady, operation, tokenHex } from '../support/sample-names.ts';
import type { BuiltTx } from '../support/transaction-builder.ts';
import { filled } from '../support/wire-transaction.ts';
import type { Ledger } from './ledger.ts';

interface Making {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly failed: boolean;
  readonly ledger: Ledger;
}

export const NAMES: readonly string[] = ['alice.id', 'bob.id', 'carol.id'];
export const nameOf = (n: number): string => NAMES[n % NAMES.length] ?? 'alice.id';

/** What an operation on a name leaves: it is registered first; then its owner updates, transfers or revokes it. */
export function nameEvents({ from, to, n, failed, ledger }: Making): BuiltTx['events'] {
  const name = nameOf(n);
  const value = tokenHex(name);
  const owner = ledger.ownerOf(name);
  const given = (account: number): void => {
    if (!failed) ledger.give(name, account);
  };
  if (owner === undefined) {
    given(from);
    return [namespaceReady('id', n % 2), moved(value, null, from), operation('name-register', name, from)];
  }
  switch (n % 4) {
    case 0:
      given(to);
      return [moved(value, owner, to), operation('name-transfer', name, owner, new Uint8Array())];
    case 1:
      return [operation('name-revoke', name, owner, new Uint8Array())];
    case 2:
      return [operation('name-renewal', name, owner, filled(20, n))];
    default:
      return [operation('name-update', name, owner, filled(20, n))];
  }
}

/** The same of version 2: the NFT moves to another account or is burned, and most operations print. */
export function bns2Events({ from, to, n, failed, ledger }: Making): BuiltTx['events'] {
  const id = 1 + (n % 5);
  const owner = ledger.ownerOf(`v2 ${id}`);
  const topic =
    n % 7 === 0 ? undefined : owner === undefined ? 'new-name' : n % 3 === 0 ? 'renew-name' : 'transfer-name';
  const next = owner !== undefined && n % 4 === 0 ? null : to;
  if (!failed && topic !== 'renew-name') ledger.give(`v2 ${id}`, next);
  return bns2Operation(id, nameOf(id + (n % 2)), owner === undefined ? null : (owner ?? from), next, topic);
}
