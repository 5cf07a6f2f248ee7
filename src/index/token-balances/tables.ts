import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** Totals of each token that a principal has received and sent by events (getAccountBalanceV1). */
export const TOKEN_BALANCES = table({
  name: 'token_balances',
  columns: {
    principal: 'text',
    /** `ft` or `nft`. */
    kind: 'text',
    /** Asset identifier. */
    token: 'text',
    /** Identifies the row in TOKEN_CHANGES, and the number of its rows there. */
    number: 'int',
    changes: 'int',
    /** In the smallest unit, or a number of NFTs; decimal text. */
    received: 'text',
    sent: 'text',
    /**
     * For a fungible token received - sent, in bytes that sort the greatest first (see bytesGreatestFirst), without changes by microblocks on the
     * tip; null for an NFT, and if only such microblocks name the principal.
     */
    balance: 'bytes?',
    /** Step of the greatest balance after any block (see stepOf): no balance as of a block has a higher step. Null if `balance` is. */
    peak: 'int?',
  },
  key: ['principal', 'kind', 'token'],
  readIndexes: [
    ['token', 'balance', 'principal'],
    ['principal', 'balance', 'token'],
    ['principal', 'peak', 'number'],
  ],
  rewritten: true,
});

/**
 * The rows of TOKEN_BALANCES after each event that changed them: for balances as of any block, and for the transfers of a principal
 * (getPrincipalFtTransfersV3).
 */
export const TOKEN_CHANGES = table({
  name: 'token_changes',
  columns: {
    seq: 'int',
    /** The number of the row. */
    balance: 'int',
    /** The event: where its transaction is in txs, and its place in that. */
    tx: 'int',
    event_index: 'int',
    /** Received and sent (see packTokenTotals). */
    totals: 'bytes',
    /** The resulting balance, in the form of `balance` of TOKEN_BALANCES, for an NFT too. */
    held: 'bytes',
  },
  key: ['seq'],
  // Includes the balance, so that one seek finds the last one before a place.
  readIndexes: [['balance', 'tx', 'event_index', 'held']],
});

/** All of these, in chain order. */
export const ALL_TOKEN_CHANGES = listKind({
  code: 21,
  chain: 'stacks',
  entries: TOKEN_CHANGES,
  named: false,
  clock: { of: 'transaction', column: 'tx' },
});

/** Totals of the holders of each fungible token, and of STX (getFtHoldersV1). */
export const TOKEN_HOLDERS = table({
  name: 'token_holders',
  columns: {
    /** Asset identifier; empty for STX. */
    token: 'text',
    /** Number of principals that have or had the token, including those of balance zero. */
    holders: 'int',
    /** Number of these with a balance above zero. */
    positive: 'int',
    /** The sum of their balances, decimal text. */
    supply: 'text',
  },
  key: ['token'],
  rewritten: true,
});

/** The supply of fungible tokens after each block that changed it (getFtTotalSupplyV3 as of a block, getFtSupplyHistoryV3). */
export const FT_SUPPLIES = table({
  name: 'ft_supplies',
  columns: {
    list: 'int',
    seq: 'int',
    height: 'int',
    /** In the smallest unit, decimal text. */
    total: 'text',
  },
  key: ['list', 'seq'],
});

/** By asset identifier; without changes by microblocks on the tip. */
export const FT_SUPPLIES_OF = listKind({
  code: 84,
  chain: 'stacks',
  entries: FT_SUPPLIES,
  named: true,
  clock: { of: 'height', column: 'height' },
});

/** STX, as a token of TOKEN_HOLDERS. */
export const STX = '';

/** Number of fungible tokens of each principal: the length of getPrincipalFtBalancesV2. */
export const TOKENS_HELD = table({
  name: 'tokens_held',
  columns: {
    principal: 'text',
    /** Identifies the row in TOKENS_HELD_THEN. */
    number: 'int',
    fts: 'int',
  },
  key: ['principal'],
  rewritten: true,
});

/** The same after each block that changed it: one seek finds the number as of a block. */
export const TOKENS_HELD_THEN = table({
  name: 'tokens_held_then',
  columns: {
    seq: 'int',
    /** The number of the row. */
    holder: 'int',
    height: 'int',
    fts: 'int',
  },
  key: ['seq'],
  readIndexes: [['holder', 'height', 'fts']],
});

/** All of these, in chain order. */
export const ALL_TOKENS_HELD_THEN = listKind({
  code: 123,
  chain: 'stacks',
  entries: TOKENS_HELD_THEN,
  named: false,
  clock: { of: 'height', column: 'height' },
});
