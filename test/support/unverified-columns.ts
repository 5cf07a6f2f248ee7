/** A reason why no check of `verify` reads some columns of the index. */
interface Unverified {
  readonly reason: string;
  /** `table.column` */
  readonly columns: readonly string[];
}

const columnsOf = (table: string, names: string): string[] => names.split(' ').map(name => `${table}.${name}`);

/** Every column of the index that no check reads. A new column belongs into a check; a column that a check begins to read leaves this list. */
export const UNVERIFIED: readonly Unverified[] = [
  {
    reason: 'follows from the order of arrival, off the canonical chain too; checks read the canonical chain',
    columns: [
      ...columnsOf('streamed_txs', 'microblock tx_id tx_index accepted_by'),
      ...columnsOf('set_aside', 'position reason received_at'),
      ...columnsOf('orphaned_txs', 'tx_id block place record'),
      'known_addresses.address',
      'known_blocks.parent_microblock',
      ...columnsOf(
        'mempool_txs',
        'slot sponsor_slot fee announced arrival chain_time chain_height dropped dropped_for replaced_by',
      ),
      ...columnsOf('mempool_ages', 'tx_id aged chain_time chain_height'),
      ...columnsOf('pending_txs', 'receipt_time arrival chain_height'),
      'dropped_txs.arrival',
    ],
  },
  {
    reason:
      'a copy from the record or the bytes of its row, by which rows are found and sorted; checks read the record, or the bytes',
    columns: [
      ...columnsOf('txs', 'type fee nonce sender recipient contract function'),
      ...columnsOf('pending_txs', 'size fee type sender nonce payer sponsor_nonce recipient amount contract'),
      ...columnsOf('pox_cycles', 'pox5 height'),
      'pox_signers.signing_key',
      'pox_txs.burn_height',
      'blocks.microblocks',
      'subdomains.height',
    ],
  },
  {
    reason:
      'checks count the entries of the list and find the transaction of each; what else an entry says is not compared',
    columns: [
      'address_txs.counts',
      'address_events.event_index',
      ...columnsOf('stx_inbound', 'event_index is_bulk'),
      'ft_events.event_index',
      ...columnsOf('contract_logs', 'event_index record'),
      'nft_mints.record',
      ...columnsOf('nft_events', 'event_index sender recipient'),
      'pox_events.tx_index',
      ...columnsOf('pox_delegations', 'height stacker until_burn_height revoked'),
      'miner_rewards.height',
      'lock_changes.height',
      ...columnsOf('token_events', 'mode ttl tx_id block'),
      'token_contract_entries.contract_id',
      ...columnsOf('deployed', 'contract_id tx_id shapes'),
    ],
  },
  {
    reason:
      'what the newest event says beside the columns that checks compare; no check reads such events a second time',
    columns: [
      ...columnsOf('accounts', 'known without_stx without_transfers paid_nonce'),
      ...columnsOf('contracts', 'contract_id tx_id interface block'),
      'deployments.height',
      ...columnsOf('function_shapes', 'key json'),
      ...columnsOf('names', 'owner custody height zonefile_hash address tx_id expires'),
      ...columnsOf('names_v2', 'status tx_id renewal_height height'),
      ...columnsOf('namespaces', 'namespace lifetime ready_at'),
      ...columnsOf('namespaces_v2', 'namespace told_at'),
      ...columnsOf('token_contracts', 'ft_asset nft_asset tx_id sender mode ttl'),
      ...columnsOf('tokens', 'mode ttl'),
    ],
  },
];
