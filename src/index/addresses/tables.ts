import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';
import { LIST_TXS } from '../transactions/tables.ts';

/** Entries of the lists of transactions by principal (getAddressTransactionsV2). */
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
    /** How many events of each kind touch the principal (see packEventCounts); null when none does. */
    counts: 'text?',
    /** What the principal has received and sent by events, and paid in fees, up to this transaction and with it (see packStxTotals). */
    totals: 'bytes',
    /** How many of the entries up to here, and with it, are not in the history of STX (see Member.inStxHistory). */
    without_stx: 'int',
    /** The same for the history of transfers. */
    without_transfers: 'int',
    /** The highest nonce of a sender in what the principal paid the fee of, up to here; null where it never paid. */
    paid_nonce: 'int?',
  },
  key: ['list', 'seq'],
});

/** By principal: see membersOf. */
export const TXS_OF_ADDRESS = listKind({
  code: 20,
  chain: 'stacks',
  entries: ADDRESS_TXS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/**
 * By principal: transactions that lock its STX but are in no list of ADDRESS_TXS, because another principal stacks for it
 * (getPrincipalTransactionsV3).
 */
export const LOCKING_TXS_OF_ADDRESS = listKind({
  code: 24,
  chain: 'stacks',
  entries: LIST_TXS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** What every principal has moved, in micro-STX as decimal text (searchByIdV1, getAccountBalanceV1). */
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
    /**
     * What the sums leave, in bytes that sort the greatest first (see bytesGreatestFirst), without what only microblocks on the tip did; null where
     * the principal never moved STX nor paid.
     */
    balance: 'bytes?',
    /** Height of the block that made it a holder of STX; null where `balance` is. */
    held_since: 'int?',
    /** Names the account in STX_BALANCES; null where `balance` is. */
    number: 'int?',
    /** The step of the greatest balance that a block left (see stepOf): no balance as of a block has a higher one. Null where `balance` is. */
    peak: 'int?',
    /** As in the last of its rows in ADDRESS_TXS. */
    without_stx: 'int',
    without_transfers: 'int',
    paid_nonce: 'int?',
  },
  key: ['principal'],
  readIndexes: [
    ['balance', 'principal'],
    ['peak', 'number'],
  ],
  rewritten: true,
});

/** The balances of accounts after each block that left another one: what an account had as of a block is a seek. */
export const STX_BALANCES = table({
  name: 'stx_balances',
  columns: {
    seq: 'int',
    /** The number of the account. */
    account: 'int',
    height: 'int',
    /** As in ACCOUNTS. */
    balance: 'bytes',
  },
  key: ['seq'],
  readIndexes: [['account', 'height', 'balance']],
});

/** All of them, in chain order. */
export const ALL_STX_BALANCES = listKind({
  code: 122,
  chain: 'stacks',
  entries: STX_BALANCES,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** What TOKEN_HOLDERS had of STX after each block that changed it (getFtHoldersV1, getStxHoldersV3). */
export const STX_HOLDER_COUNTS = table({
  name: 'stx_holder_counts',
  columns: { seq: 'int', height: 'int', holders: 'int', positive: 'int', supply: 'text' },
  key: ['seq'],
});
export const COUNTS_OF_STX_HOLDERS = listKind({
  code: 120,
  chain: 'stacks',
  entries: STX_HOLDER_COUNTS,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** Matured rewards of miners that are not zero, by recipient, and what they add up to at any height. Amounts in micro-STX as decimal text. */
export const MINER_REWARD_TOTALS = table({
  name: 'miner_rewards',
  columns: {
    list: 'int',
    seq: 'int',
    /** Of the block that carries it, and its place among the rewards of that. */
    height: 'int',
    position: 'int',
    /** The name of the list, for rewards that are looked for by their source. */
    recipient: 'text',
    /** Null where the node names none: the recipient. */
    miner: 'text?',
    /** Index block hash of the block whose reward it is. */
    source: 'bytes',
    coinbase: 'text',
    fees: 'text',
    /** Rewards of the recipient with this one. */
    total: 'text',
  },
  key: ['list', 'seq'],
  readIndexes: [['source']],
});

/** The coinbases of every recipient of rewards, in micro-STX as decimal text. */
export const MINED_COINBASES = table({
  name: 'mined_coinbases',
  columns: { principal: 'text', total: 'text' },
  key: ['principal'],
  rewritten: true,
});

/** By recipient. */
export const MINER_REWARDS_OF_ADDRESS = listKind({
  code: 22,
  chain: 'stacks',
  entries: MINER_REWARD_TOTALS,
  named: true,
  clock: { of: 'height', column: 'height' },
});

/** What can be the current lock of a principal, as JSON (see locks.ts). */
export const LOCKS = table({ name: 'locks', columns: { principal: 'text', locks: 'text' }, key: ['principal'] });

/** The same after each event about locks: locks at any height. */
export const LOCK_CHANGES = table({
  name: 'lock_changes',
  columns: {
    list: 'int',
    seq: 'int',
    /** Of the block. */
    height: 'int',
    locks: 'text',
  },
  key: ['list', 'seq'],
});

/** By principal. */
export const LOCKS_OF_ADDRESS = listKind({
  code: 23,
  chain: 'stacks',
  entries: LOCK_CHANGES,
  named: true,
  clock: { of: 'height', column: 'height' },
});

/** Standard addresses that any transaction ever named, canonical or orphaned: those that searchByIdV1 finds. Never undone. */
export const KNOWN_ADDRESSES = table({
  name: 'known_addresses',
  columns: { address: 'text' },
  key: ['address'],
});

/** Entries of the lists of events by principal: which event of which transaction. */
export const ADDRESS_EVENTS = table({
  name: 'address_events',
  columns: { list: 'int', seq: 'int', tx: 'int', event_index: 'int' },
  key: ['list', 'seq'],
});

/** Those that move an asset from or to a principal, or lock its STX (getAccountAssetsV1). */
export const EVENTS_OF_ADDRESS = listKind({
  code: 26,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Those that move STX to it, mints too (getPrincipalInboundStxTransfersV3). */
export const STX_TO_ADDRESS = listKind({
  code: 28,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Those that move STX from it, burns too (getPrincipalOutboundStxTransfersV3). */
export const STX_FROM_ADDRESS = listKind({
  code: 29,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Entries of the lists of STX that came in with a memo (getAccountInboundV1). */
export const STX_INBOUND = table({
  name: 'stx_inbound',
  columns: {
    list: 'int',
    seq: 'int',
    tx: 'int',
    /** Null when the entry is the transaction itself, a transfer, rather than one of its events. */
    event_index: 'int?',
    /** 1 where the memo is what the send-many contract printed next. */
    is_bulk: 'int',
  },
  key: ['list', 'seq'],
});

/** By recipient. */
export const INBOUND_OF_ADDRESS = listKind({
  code: 27,
  chain: 'stacks',
  entries: STX_INBOUND,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});
