import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** What a principal has received and sent of each token that an event ever moved from or to it (getAccountBalanceV1). */
export const TOKEN_BALANCES = table({
  name: 'token_balances',
  columns: {
    principal: 'text',
    /** `ft` or `nft`. */
    kind: 'text',
    /** Asset identifier. */
    token: 'text',
    /** Names the row in TOKEN_CHANGES, and how many rows it has there. */
    number: 'int',
    changes: 'int',
    /** In the smallest unit, or a number of NFTs; decimal text. */
    received: 'text',
    sent: 'text',
    /**
     * Of a fungible token received - sent, in bytes that sort the greatest first (see bytesGreatestFirst), without what only microblocks on the tip
     * did; null of an NFT, and where only such microblocks name the principal.
     */
    balance: 'bytes?',
    /** The step of the greatest balance that a block left (see stepOf): no balance as of a block has a higher one. Null where `balance` is. */
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
 * What the rows of TOKEN_BALANCES were after each event that changed them: balances at any moment, and what moved a token from or to a
 * principal (getPrincipalFtTransfersV3).
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
    /** What that leaves, as `balance` of TOKEN_BALANCES, of an NFT too. */
    held: 'bytes',
  },
  key: ['seq'],
  // With what is left, so that the last change before a moment is one seek.
  readIndexes: [['balance', 'tx', 'event_index', 'held']],
});

/** All of them, in chain order. */
export const ALL_TOKEN_CHANGES = listKind({
  code: 21,
  chain: 'stacks',
  entries: TOKEN_CHANGES,
  named: false,
  clock: { of: 'transaction', column: 'tx' },
});

/** The holders of each fungible token, and of STX, together (getFtHoldersV1). */
export const TOKEN_HOLDERS = table({
  name: 'token_holders',
  columns: {
    /** Asset identifier; empty for STX. */
    token: 'text',
    /** Principals that have or had the token: those of balance zero too. */
    holders: 'int',
    /** Those of them with a balance above zero. */
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

/** By asset identifier; without what only microblocks on the tip did. */
export const FT_SUPPLIES_OF = listKind({
  code: 84,
  chain: 'stacks',
  entries: FT_SUPPLIES,
  named: true,
  clock: { of: 'height', column: 'height' },
});

/** STX, as a token of TOKEN_HOLDERS. */
export const STX = '';

/** How many fungible tokens each principal has: the length of getPrincipalFtBalancesV2. */
export const TOKENS_HELD = table({
  name: 'tokens_held',
  columns: {
    principal: 'text',
    /** Names the row in TOKENS_HELD_THEN. */
    number: 'int',
    fts: 'int',
  },
  key: ['principal'],
  rewritten: true,
});

/** The same after each block that changed it: as of a block it is a seek. */
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

/** All of them, in chain order. */
export const ALL_TOKENS_HELD_THEN = listKind({
  code: 123,
  chain: 'stacks',
  entries: TOKENS_HELD_THEN,
  named: false,
  clock: { of: 'height', column: 'height' },
});
