import type { ApiPostCondition } from '../../base/codec/index.ts';
import type { CostFields } from './cost.ts';
import type { payloadRecord } from './payload-record.ts';

type Hex = { readonly hex: string; readonly repr: string };

/** What both kinds of records have in common: the parts that version 3 shows. */
interface Leading {
  readonly tx_id: string;
  readonly nonce: number;
  readonly fee_rate: string;
  readonly sender_address: string;
  readonly post_condition_mode: string;
  readonly post_conditions: readonly ApiPostCondition[];
  readonly sponsor_nonce?: number;
  readonly sponsor_address?: string;
}

/** The part that depends on the type. */
export type StoredPayload = ReturnType<typeof payloadRecord>;

/** A confirmed transaction as it is stored, and served by versions 1 and 2 (record.ts). */
export type StoredTransaction = Leading &
  CostFields & {
    /** `0x` while only a microblock has the transaction. */
    readonly block_hash: string;
    readonly block_height: number;
    readonly block_time: number;
    readonly burn_block_time: number;
    readonly burn_block_height: number;
    readonly parent_block_hash: string;
    readonly tx_index: number;
    readonly tx_status: string;
    readonly tx_result: Hex;
    readonly event_count: number;
    readonly microblock_sequence: number;
    readonly vm_error: string | null;
  } & StoredPayload;

/** A pending or dropped transaction as versions 1 and 2 serve it. */
export type StoredMempoolTransaction = Leading & {
  readonly tx_status: string;
  readonly replaced_by_tx_id: string | null;
  readonly receipt_time: number;
} & StoredPayload;
