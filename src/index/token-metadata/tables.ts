import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/*
 * Token data of the chain. It follows forks like everything in the index; fetched metadata of a token is kept elsewhere
 * (metadata/tables.ts) and shows only while the token is here.
 */

/** Contracts whose interface fits a token standard. */
export const TOKEN_CONTRACTS = table({
  name: 'token_contracts',
  columns: {
    contract_id: 'text',
    /** `sip-009`, `sip-010` or `sip-013`. */
    standard: 'text',
    /** Name of the first fungible asset of the interface. */
    ft_asset: 'text?',
    /** Name of the first non-fungible asset of the interface. */
    nft_asset: 'text?',
    tx_id: 'bytes',
    sender: 'text',
    /** Mode of the last notification about all tokens, as in TOKENS. */
    mode: 'text?',
    ttl: 'int?',
    notified: 'int?',
  },
  key: ['contract_id'],
});

/** The same contracts in the order of deployment, by standard (`/metadata/v1/ft`). */
const TOKEN_CONTRACT_ENTRIES = table({
  name: 'token_contract_entries',
  columns: { list: 'int', seq: 'int', contract_id: 'text' },
  key: ['list', 'seq'],
});

export const TOKEN_CONTRACTS_BY_STANDARD = listKind({
  code: 80,
  chain: 'stacks',
  entries: TOKEN_CONTRACT_ENTRIES,
  named: true,
  clock: { of: 'none', reason: 'its entries have no place in the chain' },
});

/**
 * Tokens that the chain has shown: minted (SIP-009), announced by `sft_mint` (SIP-013), or number 1 of a SIP-010 contract. All
 * NFT classes of a contract share one space of numbers, as neither the path of getNftMetadataV1 nor get-token-uri names a class.
 */
export const TOKENS = table({
  name: 'tokens',
  columns: {
    contract_id: 'text',
    /** Decimal text without leading zeros; up to 2^128 - 1. */
    token: 'text',
    /**
     * Update mode of the last notification about this token: `standard`, `frozen` or `dynamic`; null without one. A notification
     * about all tokens is in TOKEN_CONTRACTS; `updateRule` in metadata/jobs/index-state.ts decides which of the two counts.
     */
    mode: 'text?',
    /** Seconds between refreshes of a dynamic token, within what we allow; null if the notification has no time. */
    ttl: 'int?',
    /** Position in TOKEN_EVENTS of that notification. */
    notified: 'int?',
    /** Position in TOKEN_EVENTS of the last event about this token alone. */
    event: 'int',
  },
  key: ['contract_id', 'token'],
});

/**
 * All changes that require fetching a token, in chain order, for the metadata worker. Undoing a block cuts the list, so a reader
 * must compare `block` of the last entry that it has seen.
 */
export const TOKEN_EVENTS = table({
  name: 'token_events',
  columns: {
    seq: 'int',
    contract_id: 'text',
    /** As in TOKENS; null when the event is about the contract and all of its tokens. Of a SIP-010 contract always 1. */
    token: 'text?',
    /** `deploy`, `mint` (also of an existing token) or `update` (SIP-019). */
    kind: 'text',
    /** The mode that an update sets. */
    mode: 'text?',
    ttl: 'int?',
    tx_id: 'bytes',
    /** Index block hash of the block; no bytes while only a microblock has it. */
    block: 'bytes',
  },
  key: ['seq'],
});

export const ALL_TOKEN_EVENTS = listKind({
  code: 81,
  chain: 'stacks',
  entries: TOKEN_EVENTS,
  named: false,
  clock: { of: 'none', reason: 'metadata is as of now' },
});
