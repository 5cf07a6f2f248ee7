import { listKind } from '../../indexer/tables.ts';
import { table } from '../../store/table.ts';

/** Entries of the lists of transactions by principal (getAddressTransactions). */
export const ADDRESS_TXS = table({
  name: 'address_txs',
  columns: {
    list: 'int',
    seq: 'int',
    /** Where the transaction is in txs. */
    tx: 'int',
    /** Micro-STX as decimal text; what was sent includes the fee where the principal paid it. */
    sent: 'text',
    received: 'text',
    /** How many events of each kind touch the principal, as JSON (see EventCounts); null when none does. */
    counts: 'text?',
  },
  key: ['list', 'seq'],
});

/** By principal: see membersOf. */
export const TXS_OF_ADDRESS = listKind({ code: 20, chain: 'stacks', entries: ADDRESS_TXS, named: true });

/** What every principal has moved, in micro-STX as decimal text (searchById). */
export const ACCOUNTS = table({
  name: 'accounts',
  columns: {
    principal: 'text',
    received: 'text',
    sent: 'text',
    fees: 'text',
    rewards: 'text',
    /** 1 once a canonical transaction names it in a way that makes it known (see Member.known). */
    known: 'int',
  },
  key: ['principal'],
  rewritten: true,
});

/** What can be the current lock of a principal, as JSON (see locks.ts). */
export const LOCKS = table({ name: 'locks', columns: { principal: 'text', locks: 'text' }, key: ['principal'] });

/** Standard addresses that any transaction ever named, canonical or orphaned: those that searchById finds. Never undone. */
export const KNOWN_ADDRESSES = table({
  name: 'known_addresses',
  columns: { address: 'text' },
  key: ['address'],
});
