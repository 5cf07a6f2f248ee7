/** A reason why no check of `verify` reports damage of some columns of the index. */
interface Unverified {
  readonly reason: string;
  /** `table.column` */
  readonly columns: readonly string[];
}

const columnsOf = (table: string, names: string): string[] => names.split(' ').map(name => `${table}.${name}`);

/** Every column of the index whose damage no check reports. A new column belongs into a check; a column that a check compares leaves this list. */
export const UNVERIFIED: readonly Unverified[] = [
  {
    reason: 'kept of blocks and microblocks off the canonical chain too; checks recount from the canonical chain',
    columns: [
      ...columnsOf('streamed_txs', 'microblock tx_id tx_index accepted_by'),
      ...columnsOf('orphaned_txs', 'tx_id block place record'),
      'known_addresses.address',
    ],
  },
  {
    reason: 'the source: which entries of the journal the indexer refused, and why',
    columns: columnsOf('set_aside', 'position path reason received_at'),
  },
  {
    reason: 'the source: a node drops transactions apart from blocks, and no row names its message',
    columns: ['mempool_txs.dropped_at'],
  },
  {
    reason: 'the source: zone files come apart from blocks, and no row names its message',
    columns: columnsOf('zone_files', 'token index_block_hash tx_id attachment_index height hash content'),
  },
];
