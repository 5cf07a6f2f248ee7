import type { Table } from '../../base/store/database.ts';
import { table } from '../../base/store/table.ts';

/**
 * Every transaction that was announced, or that returned from an undone block: the messages about it, and the status that
 * follows from these and from the canonical chain (see settle.ts). A transaction that was never announced has a row only while
 * no canonical block has it.
 */
export const MEMPOOL_TXS = table({
  name: 'mempool_txs',
  columns: {
    tx_id: 'bytes',
    /** The nonce it uses, `address:nonce`; two transactions with the same cannot both be mined. */
    slot: 'text',
    /** The same for the sponsor. */
    sponsor_slot: 'text?',
    /** 8 bytes, big-endian. */
    fee: 'bytes',
    /** 0 if it was never announced, only seen in a block. */
    announced: 'int',
    /** Grows with every announcement: among equal fees the later wins. */
    arrival: 'int',
    /** Unix seconds: time of delivery of the announcement, or of the block from which it returned. */
    receipt_time: 'int',
    /** Time and height of the tip at that moment: age is measured in chain time. */
    chain_time: 'int',
    chain_height: 'int',
    /** The reason that the node gave when it dropped it (a number of STATUS), and for which other transaction. */
    dropped: 'int?',
    dropped_for: 'bytes?',
    /** Unix seconds: time of delivery of that message. */
    dropped_at: 'int?',
    /** A number of STATUS. */
    status: 'int',
    replaced_by: 'bytes?',
  },
  key: ['tx_id'],
  indexes: [['slot'], ['sponsor_slot']],
});

/** The transactions that getMempoolTransactionListV1 lists, with its sort keys and filters. Small, as transactions leave when they have waited too long. */
export const PENDING_TXS = table({
  name: 'pending_txs',
  columns: {
    tx_id: 'bytes',
    /** 1 while an unanchored microblock has it: then only getMempoolTransactionListV1 lists it, and nothing else counts it. */
    streamed: 'int',
    receipt_time: 'int',
    /** Order among transactions announced in the same second, as in MEMPOOL_TXS; 0 if it was only seen in a block. */
    arrival: 'int',
    /** Height of the tip when it was received. */
    chain_height: 'int',
    /** Bytes of the serialised transaction. */
    size: 'int',
    fee: 'bytes',
    type: 'int',
    sender: 'text',
    /** Nonce of the sender: 8 bytes, big-endian. */
    nonce: 'bytes',
    /** The principal that pays the fee: the sponsor, else the sender. */
    payer: 'text',
    /** Nonce of the sponsor: 8 bytes, big-endian; null without one. */
    sponsor_nonce: 'bytes?',
    /** Of a token transfer. */
    recipient: 'text?',
    /** Of a token transfer, micro-STX in decimal. */
    amount: 'text?',
    /** The contract it calls or deploys. */
    contract: 'text?',
  },
  key: ['tx_id'],
  indexes: [
    ['receipt_time', 'arrival', 'tx_id'],
    ['receipt_time', 'tx_id'],
    ['size', 'tx_id'],
    ['fee', 'tx_id'],
    ['sender', 'nonce'],
    ['payer', 'sponsor_nonce'],
    ['contract', 'type', 'nonce'],
  ],
});

/**
 * The pending transactions of each principal, and of each pair of sender and recipient, with their sort keys: one index serves a page of one principal among ten
 * thousand (see lists.ts).
 */
export const PENDING_LISTS = table({
  name: 'pending_lists',
  columns: {
    tx_id: 'bytes',
    /** A principal, or two with a space between them: the sender and the recipient. */
    list: 'text',
    /** Roles of the principal, or of the second of two, in the transaction: the sum of their numbers (lists.ts). */
    roles: 'int',
    /** As in PENDING_TXS, like the following columns. */
    streamed: 'int',
    receipt_time: 'int',
    arrival: 'int',
    size: 'int',
    fee: 'bytes',
  },
  key: ['tx_id', 'list'],
  // Each ends with the columns that pages select and filter by, so that no row is looked up.
  indexes: [
    ['list', 'receipt_time', 'arrival', 'tx_id', 'roles', 'streamed'],
    ['list', 'receipt_time', 'tx_id', 'roles', 'streamed'],
    ['list', 'size', 'tx_id', 'roles', 'streamed'],
    ['list', 'fee', 'tx_id', 'roles', 'streamed'],
  ],
});

/** Amounts that pending transactions outside of microblocks will add to and take from each principal, micro-STX in decimal. A row of zeros is deleted. */
export const PENDING_SUMS = table({
  name: 'pending_sums',
  columns: {
    principal: 'text',
    /** Amounts of token transfers to it, and `sent`, from it. */
    received: 'text',
    sent: 'text',
    /** Fees of the transactions that it sends and pays for, that another principal pays for, and that it pays for as the sponsor. */
    own_fees: 'text',
    sponsored_fees: 'text',
    sponsor_fees: 'text',
  },
  key: ['principal'],
});

/** The transactions that getDroppedMempoolTransactionListV1 lists, in its order; the state of the index has their number. */
export const DROPPED_TXS = table({
  name: 'dropped_txs',
  columns: {
    tx_id: 'bytes',
    receipt_time: 'int',
    /** As in PENDING_TXS. */
    arrival: 'int',
  },
  key: ['tx_id'],
  indexes: [['receipt_time', 'arrival', 'tx_id']],
});

/** Times of receipt of the transactions whose age matters, so that a block finds those that become too old by it, or no longer are. */
export const MEMPOOL_AGES = table({
  name: 'mempool_ages',
  columns: {
    tx_id: 'bytes',
    /** 1 if it has waited too long. */
    aged: 'int',
    chain_time: 'int',
    chain_height: 'int',
  },
  key: ['tx_id'],
  indexes: [
    ['aged', 'chain_time'],
    ['aged', 'chain_height'],
  ],
});

/**
 * Trees of counts of pending transactions whose values begin with certain bytes, to find the value of any rank without reading the others (see
 * counts.ts).
 */
export const MEMPOOL_COUNTS = table({
  name: 'mempool_counts',
  columns: {
    /** Type and measure, a byte each, and the first bytes of the value. */
    parent: 'bytes',
    /** The next byte. */
    byte: 'int',
    n: 'int',
  },
  key: ['parent', 'byte'],
});

export const MEMPOOL_TABLES: readonly Table[] = [
  MEMPOOL_TXS,
  PENDING_TXS,
  PENDING_LISTS,
  PENDING_SUMS,
  DROPPED_TXS,
  MEMPOOL_AGES,
  MEMPOOL_COUNTS,
];
