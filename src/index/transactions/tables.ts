import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** All canonical transactions in chain order. */
export const TXS = table({
  name: 'txs',
  columns: {
    seq: 'int',
    tx_id: 'bytes',
    height: 'int',
    type: 'int',
    burn_time: 'int',
    /** 8 bytes, big-endian: sorts as a number and holds any u64. */
    fee: 'bytes',
    nonce: 'int',
    /** Lists the transaction is in, by identifier. */
    sender: 'int',
    recipient: 'int?',
    contract: 'int?',
    function: 'int?',
    /** The transaction as it is served, packed (packed-record.ts). */
    record: 'text',
  },
  key: ['seq'],
  indexes: [['tx_id'], ['sender', 'nonce']],
  readIndexes: [
    ['type', 'fee', 'seq'],
    ['burn_time', 'seq'],
  ],
});

/** Entries of all lists of transactions: the position of a transaction in TXS. */
export const LIST_TXS = table({
  name: 'list_txs',
  columns: { list: 'int', seq: 'int', tx: 'int' },
  key: ['list', 'seq'],
});

/** Bytes and events of each transaction: entry n belongs to entry n of TXS. */
export const TX_BODIES = table({
  name: 'tx_bodies',
  columns: {
    seq: 'int',
    /** Its first events in effect, in order, packed (see packEvents); null without. TX_EVENT_PARTS has further ones. */
    events: 'text?',
    /** Its bytes; a single zero for an operation from Bitcoin. */
    raw: 'bytes',
  },
  key: ['seq'],
});

/** Further events of large transactions, after those in TX_BODIES. */
export const TX_EVENT_PARTS = table({
  name: 'tx_event_parts',
  columns: {
    seq: 'int',
    /** Position in TXS. */
    tx: 'int',
    /** 1, 2, 3 ...; part 0 is in TX_BODIES. */
    part: 'int',
    /** As packEvents gives the part. */
    events: 'text',
  },
  key: ['seq'],
  indexes: [['tx', 'part']],
});

/** The bytes of all transactions seen that no canonical block has: pending, streamed, orphaned, unreadable (see WaitingBytes). */
export const RAW_TXS = table({ name: 'raw_txs', columns: { tx_id: 'bytes', raw: 'bytes' }, key: ['tx_id'] });

export const ALL_TXS = listKind({
  code: 1,
  chain: 'stacks',
  entries: TXS,
  named: false,
  clock: { of: 'transaction', column: 'seq' },
});
export const BODIES_OF_TXS = listKind({
  code: 9,
  chain: 'stacks',
  entries: TX_BODIES,
  named: false,
  clock: { of: 'transaction', column: 'seq' },
});
export const EVENT_PARTS_OF_TXS = listKind({
  code: 82,
  chain: 'stacks',
  entries: TX_EVENT_PARTS,
  named: false,
  clock: { of: 'transaction', column: 'tx' },
});

const listOfTxs = (code: number) =>
  listKind({ code, chain: 'stacks', entries: LIST_TXS, named: true, clock: { of: 'transaction', column: 'tx' } });

/** By the name of the type. */
export const TXS_BY_TYPE = listOfTxs(2);
export const TXS_BY_SENDER = listOfTxs(3);
/** By recipient of a token transfer. */
export const TXS_BY_RECIPIENT = listOfTxs(4);
/** Sponsored transactions by sponsor. */
export const TXS_BY_SPONSOR = listOfTxs(25);
/** By called contract. */
export const TXS_BY_CONTRACT = listOfTxs(5);
/** By name of the called function. */
export const TXS_BY_FUNCTION = listOfTxs(6);
export const TXS_BY_NONCE = listOfTxs(7);
/** Transactions that several busy lists share, by their identifiers: see combined-lists.ts. */
export const COMBINED_TXS = listOfTxs(96);
/** Parts of busy lists by the first bits of fees: see fee-lists.ts. */
export const FEE_TXS = listOfTxs(97);
/** Sponsored transactions by `sponsor:nonce`, with the sponsor's nonce: see nonceName. */
export const TXS_BY_SPONSOR_NONCE = listOfTxs(10);

/** The types that getTransactionListV1 filters by, each with its number in TXS. */
export const TX_TYPES = {
  token_transfer: 0,
  smart_contract: 1,
  contract_call: 2,
  poison_microblock: 3,
  coinbase: 4,
  tenure_change: 5,
} as const;
export type TxType = keyof typeof TX_TYPES;

/** Transactions of blocks and microblocks that are, or once were, not canonical. Never undone. */
export const ORPHANED_TXS = table({
  name: 'orphaned_txs',
  columns: {
    tx_id: 'bytes',
    /** Index block hash of the block, or hash of the microblock. */
    block: 'bytes',
    /** Its place among the block's own transactions; -1 for one of the boot block, which became part of block 1. */
    place: 'int',
    /** As packRecord gives it. */
    record: 'text',
  },
  key: ['tx_id', 'block'],
  indexes: [['block', 'place']],
});
