import type { Table } from '../base/store/database.ts';
import { table } from '../base/store/table.ts';

/*
 * Fetched metadata of tokens, and the jobs that fetch it. In a directory these tables are in a separate file
 * (metadata.sqlite), so that storing a document never waits for a block, and no block for a document; rebuilding the index
 * keeps them. Forks do not change them: the API shows a document while the index has its token.
 */

/** The jobs about tokens and contracts, with the result of the last attempt. */
export const METADATA_JOBS = table({
  name: 'metadata_jobs',
  columns: {
    contract_id: 'text',
    /** Decimal text; empty for the contract itself. */
    token: 'text',
    /** `contract`, `refresh` (of all tokens of the contract), `token`, `locale:<name>` or `image:<locale or empty>`. */
    kind: 'text',
    /** `waiting`, `running`, `done`, `failed` (transient errors used up) or `invalid` (permanent, see reason). */
    state: 'text',
    /** Reason number (errors.ts, 100 to 109); null without an error. */
    reason: 'int?',
    /** The last error in words, for operators. */
    error: 'text?',
    /** Attempts since the last success or the last new reason to fetch. */
    attempts: 'int',
    /** Lower comes first: 0 requested by a client, 1 never fetched, 2 refresh, 3 enumerated, 4 images. */
    priority: 'int',
    /** Unix milliseconds before which it is not taken, in any state; while running, when the lease ends. */
    run_after: 'int',
    /** The process that runs it; null while no process does. */
    owner: 'text?',
    /** The last cause (transaction, token event), so that the same cause does not run it twice. */
    cause: 'text',
    updated_at: 'int',
  },
  key: ['contract_id', 'token', 'kind'],
  indexes: [
    ['state', 'priority', 'contract_id', 'run_after'],
    ['state', 'run_after'],
  ],
});

/** The facts about a token from its contract, and the version of everything stored about it. */
export const METADATA_TOKENS = table({
  name: 'metadata_tokens',
  columns: {
    contract_id: 'text',
    token: 'text',
    /** Grows with every change of the served metadata of the token, the documents and images included. */
    version: 'int',
    /** With placeholders replaced; null when the contract has no URI. */
    uri: 'text?',
    name: 'text?',
    symbol: 'text?',
    decimals: 'int?',
    total_supply: 'text?',
    /** Unix milliseconds of the last time it was read from the contract with success. */
    updated_at: 'int',
  },
  key: ['contract_id', 'token'],
});

/** Metadata documents, one row a locale. */
export const METADATA_DOCUMENTS = table({
  name: 'metadata_documents',
  columns: {
    contract_id: 'text',
    token: 'text',
    /** Empty for the default document. */
    locale: 'text',
    /** Name of the default document's locale, if it declares one. */
    locale_name: 'text?',
    name: 'text',
    /** JSON text: { description, image, attributes, properties, localization }, checked and bounded (document.ts). */
    document: 'text',
    /** File names below the path of cached images; null until there are any. */
    cached_image: 'text?',
    cached_thumbnail: 'text?',
  },
  key: ['contract_id', 'token', 'locale'],
});

/** Facts about contracts that are not in the index. */
export const METADATA_CONTRACTS = table({
  name: 'metadata_contracts',
  columns: {
    contract_id: 'text',
    /**
     * Result of get-last-token-id, decimal text: tokens 1 to this exist without a mint event. Null without a result.
     */
    last_token_id: 'text?',
    updated_at: 'int',
  },
  key: ['contract_id'],
});

/** The time, in Unix milliseconds, up to which refreshes of a contract are booked (jobs/enqueue.ts). */
export const METADATA_REFRESHES = table({
  name: 'metadata_refreshes',
  columns: { contract_id: 'text', booked_until: 'int' },
  key: ['contract_id'],
});

/** Bytes of written images: of a token, of a contract (no token), in total (neither). */
export const METADATA_IMAGE_BYTES = table({
  name: 'metadata_image_bytes',
  columns: { contract_id: 'text', token: 'text', bytes: 'int' },
  key: ['contract_id', 'token'],
});

/** Hosts that demand a pause, and until when. */
export const METADATA_HOSTS = table({
  name: 'metadata_hosts',
  columns: { host: 'text', blocked_until: 'int' },
  key: ['host'],
});

/**
 * What the worker has seen of TOKEN_EVENTS: the newest entries all, older ones now and then. After a fork it steps back
 * to an entry that is still valid, and reads the events after it again. Entry -1 marks the beginning; a process that
 * creates jobs locks it.
 */
export const METADATA_CURSOR = table({
  name: 'metadata_cursor',
  columns: {
    /** Position in TOKEN_EVENTS. */
    seq: 'int',
    /** Its block and transaction. */
    block: 'bytes',
    tx_id: 'bytes',
    contract_id: 'text',
    token: 'text?',
  },
  key: ['seq'],
});

export const METADATA_TABLES: readonly Table[] = [
  METADATA_JOBS,
  METADATA_TOKENS,
  METADATA_DOCUMENTS,
  METADATA_CONTRACTS,
  METADATA_REFRESHES,
  METADATA_IMAGE_BYTES,
  METADATA_HOSTS,
  METADATA_CURSOR,
];
