import { createHash } from 'node:crypto';
import { type KeyOf, table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** The owner of each existing token: a burned token has no row. */
export const NFT_OWNERS = table({
  name: 'nft_owners',
  columns: {
    /** Asset identifier. */
    asset: 'text',
    /** Clarity value that identifies the token. */
    token: 'bytes',
    owner: 'text',
    /** The event that gave it to the owner: position of its transaction in TXS, and index in the transaction. */
    tx: 'int',
    event_index: 'int',
  },
  key: ['asset', 'token'],
  readIndexes: [
    ['owner', 'tx', 'event_index'],
    ['asset', 'owner', 'tx', 'event_index'],
    ['owner', 'asset', 'token'],
  ],
});

/** Number of tokens of each owner, by asset and in total: lengths of getNftHoldingsV1. */
export const NFT_HOLDINGS = table({
  name: 'nft_holdings',
  columns: {
    owner: 'text',
    /** Asset identifier; empty for all. */
    asset: 'text',
    tokens: 'int',
  },
  key: ['owner', 'asset'],
  rewritten: true,
});

/** Number of tokens and owners of each collection (getNftCollectionsV3). */
export const NFT_COLLECTIONS = table({
  name: 'nft_collections',
  columns: {
    /** Asset identifier; empty for all: then `items` is the number of collections. */
    asset: 'text',
    /** Number of existing tokens. A collection keeps its row when all tokens were burned. */
    items: 'int',
    owners: 'int',
  },
  key: ['asset'],
  readIndexes: [['owners', 'asset']],
  rewritten: true,
});

/** The history of each token (getNftHistoryV1). */
export const NFT_EVENTS = table({
  name: 'nft_events',
  columns: {
    list: 'int',
    seq: 'int',
    /** Position of the transaction in TXS. */
    tx: 'int',
    event_index: 'int',
    /** Null for a mint. */
    sender: 'text?',
    /** Null for a burn. */
    recipient: 'text?',
  },
  key: ['list', 'seq'],
});

/** The name of the list of a token's events: 16 bytes of a digest, as the value of a token can be too long for a database index. */
export const historyName = ({ asset, token }: KeyOf<typeof NFT_OWNERS>): string =>
  createHash('sha256').update(`${asset}\n`).update(token).digest().toString('base64url', 0, 16);

/** By token: see historyName. */
export const EVENTS_OF_TOKEN = listKind({
  code: 44,
  chain: 'stacks',
  entries: NFT_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Mints, by asset (getNftMintsV1). */
export const NFT_MINTS = table({
  name: 'nft_mints',
  columns: {
    list: 'int',
    seq: 'int',
    /** Position of the transaction in TXS. */
    tx: 'int',
    /** The mint as it is served. */
    record: 'text',
  },
  key: ['list', 'seq'],
});

/** By asset identifier. */
export const MINTS_BY_ASSET = listKind({
  code: 40,
  chain: 'stacks',
  entries: NFT_MINTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});
