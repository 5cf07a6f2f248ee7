/** What pages read of the records of the API: the members that they use, and no others. docs/api.md and /doc have the whole. */

/** A page of a list of version 3. */
export interface CursorPage<T> {
  readonly total: number;
  readonly limit: number;
  readonly cursor: { readonly next: string | null; readonly previous: string | null; readonly current: string | null };
  readonly results: readonly T[];
}

/** A page of a list. */
export interface Page<T> {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly results: readonly T[];
}

export interface Status {
  readonly server_version: string;
  readonly chain_tip?: {
    readonly block_height: number;
    readonly index_block_hash: string;
    readonly burn_block_height: number;
  };
  readonly lag?: number;
  readonly gaps?: readonly { readonly height: number; readonly missing_parent: string }[];
  readonly set_aside?: {
    readonly count: number;
    readonly newest: { readonly position: number; readonly path: string; readonly reason: string } | null;
  };
}

export interface Block {
  readonly canonical: boolean;
  readonly height: number;
  readonly hash: string;
  readonly index_block_hash: string;
  readonly parent_block_hash: string;
  readonly block_time: number;
  readonly burn_block_time: number;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly tenure_height: number;
  readonly miner_txid: string;
  readonly tx_count: number;
  readonly execution_cost_read_count: number;
  readonly execution_cost_read_length: number;
  readonly execution_cost_runtime: number;
  readonly execution_cost_write_count: number;
  readonly execution_cost_write_length: number;
}

/** The transactions of a block as columns: entry n of each is of transaction n. Of many, the newest. */
export interface BlockCells {
  readonly index_hash: string;
  readonly transaction_count: number;
  readonly type: readonly string[];
  readonly status: readonly string[];
  readonly fee_rate: readonly string[];
  readonly cost_share_ppm: readonly number[];
}

/** The newest block first. */
export interface CellsOfBlocks {
  readonly results: readonly BlockCells[];
}

export interface BurnBlock {
  readonly burn_block_time: number;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly stacks_blocks: readonly string[];
  readonly avg_block_time: number;
  readonly total_tx_count: number;
}

/** A Clarity value as the API gives it. */
export interface Value {
  readonly hex: string;
  readonly repr: string;
}

export interface Argument extends Value {
  readonly name: string;
  readonly type: string;
}

interface Condition {
  readonly principal: { readonly type_id: string; readonly address?: string; readonly contract_name?: string };
  readonly condition_code?: string;
  readonly amount?: string;
  readonly type: string;
  readonly asset?: { readonly asset_name: string; readonly contract_address: string; readonly contract_name: string };
  readonly asset_value?: Value;
}
export type PostCondition = Condition;

export interface AssetMove {
  readonly asset_event_type: 'transfer' | 'mint' | 'burn';
  readonly asset_id?: string;
  readonly sender: string;
  readonly recipient: string;
  readonly amount?: string;
  readonly memo?: string;
  readonly value?: Value;
}

export type TransactionEvent =
  | { readonly event_index: number; readonly event_type: 'smart_contract_log'; readonly contract_log: ContractLog }
  | { readonly event_index: number; readonly event_type: 'stx_lock'; readonly stx_lock_event: StxLock }
  | {
      readonly event_index: number;
      readonly event_type: 'stx_asset' | 'fungible_token_asset' | 'non_fungible_token_asset';
      readonly asset: AssetMove;
    };

interface ContractLog {
  readonly contract_id: string;
  readonly topic: string;
  readonly value: Value;
}

interface StxLock {
  readonly locked_amount: string;
  readonly unlock_height: number;
  readonly locked_address: string;
}

/** Mined, waiting or dropped; a mined one has its place, the others have `receipt_time`. */
export interface Transaction {
  readonly tx_id: string;
  readonly tx_type: string;
  readonly tx_status: string;
  readonly nonce: number;
  readonly fee_rate: string;
  readonly sender_address: string;
  readonly sponsored: boolean;
  readonly sponsor_address?: string;
  readonly sponsor_nonce?: number;
  readonly post_condition_mode: string;
  readonly post_conditions: readonly PostCondition[];
  readonly block_hash?: string;
  readonly block_height?: number;
  readonly block_time?: number;
  readonly burn_block_time?: number;
  readonly burn_block_height?: number;
  readonly tx_index?: number;
  readonly canonical?: boolean;
  readonly is_unanchored?: boolean;
  readonly receipt_time?: number;
  readonly replaced_by_tx_id?: string | null;
  readonly tx_result?: Value;
  readonly vm_error?: string | null;
  readonly event_count?: number;
  readonly events?: readonly TransactionEvent[];
  readonly execution_cost_runtime?: number;
  readonly execution_cost_read_count?: number;
  readonly execution_cost_read_length?: number;
  readonly execution_cost_write_count?: number;
  readonly execution_cost_write_length?: number;
  readonly token_transfer?: { readonly recipient_address: string; readonly amount: string; readonly memo: string };
  readonly contract_call?: {
    readonly contract_id: string;
    readonly function_name: string;
    readonly function_args?: readonly Argument[];
  };
  readonly smart_contract?: {
    readonly contract_id: string;
    readonly source_code: string;
    readonly clarity_version: number | null;
  };
  readonly tenure_change_payload?: { readonly cause: string; readonly previous_tenure_blocks: number };
  readonly coinbase_payload?: { readonly alt_recipient: string | null };
}

/** A transaction in the history of an address. Amounts in micro-STX. */
export interface AddressTransaction {
  readonly tx: Transaction;
  readonly stx_sent: string;
  readonly stx_received: string;
}

/** Amounts in micro-STX. */
export interface StxBalance {
  readonly balance: string;
  readonly locked: string;
  readonly burnchain_unlock_height: number;
  readonly total_miner_rewards_received: string;
  readonly estimated_balance?: string;
  readonly pending_balance_inbound?: string;
  readonly pending_balance_outbound?: string;
}

/** What an account had after some of its transactions, the oldest first. Amounts in micro-STX. */
export interface StxHistory {
  readonly balance: string;
  readonly results: readonly {
    readonly block: { readonly time: number };
    readonly bitcoin_block: { readonly time: number };
    readonly balance: string;
  }[];
}

/** The position of a pending transaction among the others. */
export interface MempoolPosition {
  readonly fee: FeeRank;
  readonly fee_of_type: FeeRank;
  readonly receipt_time: number;
  readonly blocks_waited: number;
  readonly forgotten_after: number;
}

interface FeeRank {
  readonly rank: number;
  readonly total: number;
}

export interface TokenBalance {
  readonly token: string;
  readonly balance: string;
}

export interface Nonces {
  readonly last_mempool_tx_nonce: number | null;
  readonly last_executed_tx_nonce: number | null;
  readonly possible_next_nonce: number;
  readonly detected_missing_nonces: readonly number[];
  readonly detected_mempool_nonces: readonly number[];
}

/** In micro-STX. */
export interface FeeLevels {
  readonly no_priority: number;
  readonly low_priority: number;
  readonly medium_priority: number;
  readonly high_priority: number;
}

export type MempoolFees = { readonly [type in 'all' | FeeType]?: FeeLevels };
export type FeeType = 'token_transfer' | 'contract_call' | 'smart_contract';

/** Fees from one to below another, in micro-STX; counts by type. */
export interface FeeBand {
  readonly from_fee: string;
  readonly below_fee: string | null;
  readonly waiting: Readonly<Record<string, { readonly count: number }>>;
  readonly mined: Readonly<Record<string, { readonly count: number }>>;
}

/** The highest fees first. */
export interface MempoolBands {
  readonly mined_in: { readonly from_height: number | null; readonly to_height: number | null };
  readonly bands: readonly FeeBand[];
}

export interface PoxCycle {
  readonly block_height: number;
  readonly cycle_number: number;
  readonly total_weight: number;
  readonly total_stacked_amount: string;
  readonly total_signers: number;
}

export interface PoxSigner {
  readonly signing_key: string;
  readonly signer_address: string;
  readonly weight: number;
  readonly stacked_amount: string;
  readonly weight_percent: number;
  readonly solo_stacker_count: number;
  readonly pooled_stacker_count: number;
}

export interface Contract {
  readonly tx_id: string;
  readonly contract_id: string;
  readonly block_height: number;
  readonly clarity_version: number | null;
  readonly source_code: string;
  /** JSON text, as the node gives it; null where it gave none. */
  readonly abi: string | null;
}

/** The newest calls of a contract, counted. Times are Unix seconds. */
export interface ContractActivity {
  readonly total: number;
  readonly from: { readonly time: number } | null;
  readonly to: { readonly time: number } | null;
  readonly buckets: readonly { readonly start: number; readonly calls: number }[];
  readonly functions: readonly {
    readonly function_name: string;
    readonly calls: number;
    readonly failures: number;
    readonly callers: number;
  }[];
}

export interface Holding {
  readonly asset_identifier: string;
  readonly value: Value;
  readonly block_height: number;
  readonly tx_id: string;
}

/** Pictures of a token. */
export interface TokenImages {
  readonly image_uri?: string;
  readonly image_thumbnail_uri?: string;
}

/** A token of any standard, from a request for several tokens. */
export interface FoundToken extends TokenImages {
  readonly contract_id: string;
  readonly token_number: number;
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly description?: string;
  readonly token_uri?: string;
  readonly asset_identifier?: string;
}

export interface TokenMetadata extends TokenImages {
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly description?: string;
  readonly total_supply?: string;
  readonly asset_identifier?: string;
  readonly contract_principal?: string;
  readonly tx_id?: string;
  readonly token_uri?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly description?: string;
    readonly cached_image?: string;
    readonly cached_thumbnail_image?: string;
    readonly attributes?: readonly { readonly trait_type?: string; readonly value?: unknown }[];
  };
}

export interface NameInfo {
  readonly address: string;
  readonly status: string;
  readonly last_txid: string;
  readonly zonefile_hash: string;
  readonly zonefile: string;
  readonly expire_block?: number;
}

export interface SearchResult {
  readonly found: boolean;
  readonly result: {
    readonly entity_id?: string;
    readonly entity_type: string;
    /** The record of the transaction, if it was requested. */
    readonly metadata?: Transaction;
    readonly tx_data?: { readonly canonical: boolean; readonly block_hash?: string };
    readonly block_data?: { readonly canonical: boolean; readonly hash: string; readonly height: number };
  };
  readonly error?: string;
}

/** How a transaction is signed (docs/spec/transactions.md#version-3-authorisation). */
export interface Authorisation {
  readonly auth?: {
    readonly size: number;
    readonly sender: SignedBy;
    readonly sponsor: SignedBy | null;
  };
}

export interface SignedBy {
  readonly hash_mode: string;
  readonly signatures_required: number;
  readonly signatures_given: number;
  readonly keys: number;
}
