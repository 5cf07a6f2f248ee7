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
    /** Micro-STX as decimal text; `sent` includes the fee if the principal paid it. */
    sent: 'text',
    received: 'text',
    /** Number of events of each kind that touch the principal (see packEventCounts); null without any. */
    counts: 'text?',
    /** Totals that the principal has received and sent by events, and paid in fees, including this transaction (see packStxTotals). */
    totals: 'bytes',
    /** Number of entries up to this one, inclusive, that are not in the history of STX (see Member.inStxHistory). */
    without_stx: 'int',
    /** The same for the history of transfers. */
    without_transfers: 'int',
    /** Highest sender's nonce among the transactions up to here whose fee the principal paid; null if it never paid. */
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

/** Totals of STX that every principal has moved, in micro-STX as decimal text (searchByIdV1, getAccountBalanceV1). */
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
     * The balance that follows from the sums, in bytes that sort the greatest first (see bytesGreatestFirst), without changes by microblocks on the
     * tip; null if the principal never moved STX and never paid a fee.
     */
    balance: 'bytes?',
    /** Height of the block that made it a holder of STX; null if `balance` is. */
    held_since: 'int?',
    /** Identifies the account in STX_BALANCES; null if `balance` is. */
    number: 'int?',
    /** Step of the greatest balance after any block (see stepOf): no balance as of a block has a higher step. Null if `balance` is. */
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

/** The balance of each account after each block that changed it: one seek finds the balance as of a block. */
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

/** All of these, in chain order. */
export const ALL_STX_BALANCES = listKind({
  code: 122,
  chain: 'stacks',
  entries: STX_BALANCES,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** The row of TOKEN_HOLDERS for STX after each block that changed it (getFtHoldersV1, getStxHoldersV3). */
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

/** Matured rewards of miners that are not zero, by recipient, with their running total. Amounts in micro-STX as decimal text. */
export const MINER_REWARD_TOTALS = table({
  name: 'miner_rewards',
  columns: {
    list: 'int',
    seq: 'int',
    /** Height of the block with the reward, and the reward's place among those of the block. */
    height: 'int',
    position: 'int',
    /** The name of the list, for searches by source. */
    recipient: 'text',
    /** Null if the node names none: then the recipient is the miner. */
    miner: 'text?',
    /** Index block hash of the block that earned the reward. */
    source: 'bytes',
    coinbase: 'text',
    fees: 'text',
    /** Sum of the recipient's rewards up to this one, inclusive. */
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

/** The locks of a principal that are or may come into force, as JSON (see locks.ts). */
export const LOCKS = table({ name: 'locks', columns: { principal: 'text', locks: 'text' }, key: ['principal'] });

/** The same after each event about locks, for locks at any height. */
export const LOCK_CHANGES = table({
  name: 'lock_changes',
  columns: {
    list: 'int',
    seq: 'int',
    /** Height of the block. */
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

/** Standard addresses that any transaction ever named, canonical or orphaned, which searchByIdV1 finds. Never undone. */
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

/** Events that move an asset from or to a principal, or lock its STX (getAccountAssetsV1). */
export const EVENTS_OF_ADDRESS = listKind({
  code: 26,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Events that move STX to it, including mints (getPrincipalInboundStxTransfersV3). */
export const STX_TO_ADDRESS = listKind({
  code: 28,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Events that move STX from it, including burns (getPrincipalOutboundStxTransfersV3). */
export const STX_FROM_ADDRESS = listKind({
  code: 29,
  chain: 'stacks',
  entries: ADDRESS_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Entries of the lists of incoming STX with a memo (getAccountInboundV1). */
export const STX_INBOUND = table({
  name: 'stx_inbound',
  columns: {
    list: 'int',
    seq: 'int',
    tx: 'int',
    /** Null when the entry is the transaction itself, a transfer, rather than one of its events. */
    event_index: 'int?',
    /** 1 if the memo is in the next print of the send-many contract. */
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
