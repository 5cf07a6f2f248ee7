import { table } from '../../store/table.ts';

/** Every name of the canonical chain of which an event told. */
export const NAMES = table({
  name: 'names',
  columns: {
    /** The value of the name's NFT: see token.ts. */
    token: 'bytes',
    /** As shown: `label.namespace`. */
    name: 'text',
    /** Null when nobody is known to have it, or its NFT was burned. */
    owner: 'text?',
    /** 1 once an NFT event told of the owner: from then on only NFT events move it. */
    custody: 'int',
    /** The last operation, such as `name-update`; null while none was seen. */
    status: 'text?',
    /** Block height of that operation. */
    height: 'int?',
    /** Of the last operation that had one, 0x hex. */
    zonefile_hash: 'text?',
  },
  key: ['token'],
  indexes: [['owner']],
});

/** Names of BNS version 2 by the number of their NFT, in the canonical chain. */
export const NAMES_V2 = table({
  name: 'names_v2',
  columns: {
    /** Decimal, as it can be any u128. */
    id: 'text',
    /** `label.namespace`; null while no print told it. */
    name: 'text?',
    /** Null when nobody is known to have it, or its NFT was burned. */
    owner: 'text?',
  },
  key: ['id'],
  indexes: [['owner'], ['name']],
});

/** The namespaces that were launched. */
export const NAMESPACES = table({
  name: 'namespaces',
  columns: {
    namespace: 'bytes',
    /** In blocks, as the contract counts them; `0`: names do not expire. Decimal, as it can be any u128. */
    lifetime: 'text',
    ready_at: 'int',
  },
  key: ['namespace'],
});

/**
 * Subdomains as zone files state them, whatever became of the block: a zone file can arrive before its block, long after it,
 * and for a block that lost. Which rows count is decided when they are read.
 */
export const SUBDOMAINS = table({
  name: 'subdomains',
  columns: {
    /** `label.name.namespace` */
    subdomain: 'text',
    index_block_hash: 'bytes',
    tx_id: 'bytes',
    /** Counted by the contract: later operations of one chain have higher ones. */
    attachment_index: 'int',
    /** NFT value of the name it is under. */
    parent: 'bytes',
    owner: 'text',
  },
  key: ['subdomain', 'index_block_hash', 'tx_id', 'attachment_index'],
  indexes: [['owner']],
});
