import type { Slice } from '../../indexer/lists.ts';
import type { TxType } from '../transactions/tables.ts';

/** What getTransactionList asks for. Times in Unix seconds, of the burn block, bounds included. */
export interface TransactionQuery extends Slice {
  readonly sort_by: 'block_height' | 'burn_block_time' | 'fee';
  readonly unanchored: boolean;
  readonly type?: readonly TxType[];
  readonly from_address?: string;
  readonly to_address?: string;
  readonly contract_id?: string;
  readonly function_name?: string;
  /** 0 has always meant any nonce, as it means any time below: no block is as old. */
  readonly nonce?: number;
  readonly start_time?: number;
  readonly end_time?: number;
}

/** The total of all transactions leaves those of the boot block out; the total of a filter counts what matches. */
export const isUnfiltered = (query: TransactionQuery): boolean =>
  !query.type &&
  !query.from_address &&
  !query.to_address &&
  !query.contract_id &&
  !query.function_name &&
  !query.nonce &&
  !query.start_time &&
  !query.end_time;
