import { table } from '../../base/store/table.ts';
import { rowVersionsOf } from '../../ingest/indexer/row-versions.ts';

/** Every name that an event of the canonical chain named. */
export const NAMES = table({
  name: 'names',
  columns: {
    /** The value of the name's NFT: see token.ts. */
    token: 'bytes',
    /** As shown: `label.namespace`. */
    name: 'text',
    /** Null while its owner is unknown, or after its NFT was burned. */
    owner: 'text?',
    /** 1 once an NFT event set the owner; afterwards only NFT events change it. */
    custody: 'int',
    /** The last operation, such as `name-update`; null before the first one. */
    status: 'text?',
    /** Block height of that operation. */
    height: 'int?',
    /** Hash from the last operation that had one, 0x hex. */
    zonefile_hash: 'text?',
    /**
     * The address that the last operation names; see docs/spec/names.md#name-records. Null before the first operation, like the
     * following columns.
     */
    address: 'text?',
    /** The transaction of the last operation. */
    tx_id: 'bytes?',
    /** Block height at which it expires, according to the last operation. */
    expires: 'int?',
    since_height: 'int',
  },
  key: ['token'],
  indexes: [['owner', 'name']],
});
export const PAST_NAMES = rowVersionsOf(NAMES, 90, [['owner']]);

/** Names of BNS version 2 by the number of their NFT, in the canonical chain. */
export const BNS2_NAMES = table({
  name: 'names_v2',
  columns: {
    /** Decimal, as it can be any u128. */
    id: 'text',
    /** `label.namespace`; null before a print names it. */
    name: 'text?',
    /** Null while its owner is unknown, or after its NFT was burned. */
    owner: 'text?',
    /** The last printed operation, such as `name-transfer`; null before the first one, like the following columns. */
    status: 'text?',
    tx_id: 'bytes?',
    /** Burn height at which it must be renewed, from the last print with such a height. */
    renewal_height: 'int?',
    /** Block height of the last operation. */
    height: 'int?',
    since_height: 'int',
  },
  key: ['id'],
  indexes: [['owner', 'name'], ['name']],
});
export const PAST_BNS2_NAMES = rowVersionsOf(BNS2_NAMES, 91, [['owner']]);

/** The namespaces that were launched. */
export const NAMESPACES = table({
  name: 'namespaces',
  columns: {
    namespace: 'bytes',
    /** Lifetime in blocks, as the contract counts them; `0`: names do not expire. Decimal, as it can be any u128. */
    lifetime: 'text',
    /** Height of the first launch. */
    ready_at: 'int',
  },
  key: ['namespace'],
});

/** Namespaces of BNS version 2: those that a print launched, and those of names. */
export const BNS2_NAMESPACES = table({
  name: 'namespaces_v2',
  columns: { namespace: 'bytes', told_at: 'int' },
  key: ['namespace'],
});

/** Every name that either version knows, and whether it is listed: `v2` decides where it is not null. */
export const LISTED_NAMES = table({
  name: 'listed_names',
  columns: {
    namespace: 'text',
    /** As shown: `label.namespace`. */
    name: 'text',
    /** 1: version 1 has it, and its last operation is no revocation. */
    v1: 'int',
    /** Number of ids of version 2 that have this name and a holder, usually 1; null if version 2 does not know the name. */
    v2: 'int?',
    since_height: 'int',
  },
  key: ['namespace', 'name'],
  indexes: [['name', 'v1', 'v2']],
});
export const PAST_LISTED_NAMES = rowVersionsOf(LISTED_NAMES, 92);

/** Parts of the names in LISTED_NAMES by which a search finds them (listed.ts). */
export const NAME_PARTS = table({
  name: 'name_parts',
  columns: {
    /** The end of the name, from a letter on that is not its first. */
    part: 'text',
    name: 'text',
    /** Characters of the name before it. */
    place: 'int',
  },
  key: ['part', 'name'],
});

/** Zone files of names of version 1, even of blocks that are not canonical, as for subdomains. */
export const ZONE_FILES = table({
  name: 'zone_files',
  columns: {
    /** NFT value of the name. */
    token: 'bytes',
    index_block_hash: 'bytes',
    tx_id: 'bytes',
    attachment_index: 'int',
    /** Of the block, as reported by the node. */
    height: 'int',
    /** hash160 of the content, as reported by the node. */
    hash: 'bytes',
    /** Number of subdomains in it. */
    subdomains: 'int',
    content: 'bytes',
  },
  key: ['token', 'index_block_hash', 'tx_id', 'attachment_index'],
  indexes: [
    ['token', 'height', 'attachment_index'],
    ['token', 'hash', 'height', 'attachment_index'],
  ],
});

/**
 * Subdomains in zone files, even of blocks that are not canonical: a zone file can arrive before its block, long after it, and for an
 * orphaned block. Readers decide which rows count.
 */
export const SUBDOMAINS = table({
  name: 'subdomains',
  columns: {
    /** `label.name.namespace` */
    subdomain: 'text',
    index_block_hash: 'bytes',
    tx_id: 'bytes',
    /** Number from the contract: later operations of one chain have higher numbers. */
    attachment_index: 'int',
    /** NFT value of its parent name. */
    parent: 'bytes',
    owner: 'text',
    /** Of the block, as reported by the node. */
    height: 'int',
    /** The last 16 bytes of the SHA-256 of its own zone file. */
    zonefile_hash: 'bytes',
  },
  key: ['subdomain', 'index_block_hash', 'tx_id', 'attachment_index'],
  indexes: [['owner'], ['parent', 'subdomain', 'index_block_hash']],
});
