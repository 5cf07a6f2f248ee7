import {
  anchorModeName,
  clarityRepr,
  postConditionModeName,
  postConditionToApi,
  type Transaction,
} from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import { isoTime } from '../../base/lib/time.ts';
import {
  ANCHORED_SEQUENCE,
  type BlockFacts,
  shownTime,
  type TransactionFacts,
} from '../../ingest/chain/block-facts.ts';
import type { ExecutionCost } from '../../ingest/node/events/transaction.ts';
import type { FunctionOf } from '../contracts/functions.ts';
import { payloadV1 } from './payload-record.ts';

/** What a confirmed transaction shows of the block it is in: made once a block. Times in Unix seconds. */
interface TransactionContext {
  /** `0x` while only a microblock has the transaction. */
  readonly blockHash: string;
  readonly blockHeight: number;
  readonly parentBlockHash: string;
  readonly canonical: boolean;
  readonly times: TimeFields;
}

/** Time and height of the burn block of a transaction while only a microblock has it. */
export const NO_BURN_BLOCK = -1;

/** The times as they are shown. */
type TimeFields = ReturnType<typeof timeFields>;

function timeFields(blockTime: number, burnBlockTime: number, burnBlockHeight: number, parentBurnBlockTime: number) {
  return {
    block_time: blockTime,
    block_time_iso: isoTime(blockTime),
    burn_block_time: burnBlockTime,
    burn_block_height: burnBlockHeight,
    burn_block_time_iso: isoTime(burnBlockTime),
    parent_burn_block_time: parentBurnBlockTime,
    parent_burn_block_time_iso: isoTime(parentBurnBlockTime),
  };
}

/** The context of a block's transactions. @param anchored false while only a microblock has them */
export function contextOf(block: BlockFacts, anchored: boolean): TransactionContext {
  const [burnTime, burnHeight] = anchored
    ? [block.burnBlockTime, block.burnBlockHeight]
    : [NO_BURN_BLOCK, NO_BURN_BLOCK];
  return {
    blockHash: anchored ? block.blockHash : '0x',
    blockHeight: block.height,
    parentBlockHash: block.parentBlockHash,
    canonical: true,
    times: timeFields(shownTime(block), burnTime, burnHeight, block.parentBurnBlockTime),
  };
}

/** What confirmed and pending transactions have in common, first and last part of the record. */
export function leadingFields(txId: string, tx: Transaction) {
  return {
    tx_id: txId,
    nonce: Number(tx.origin.nonce),
    fee_rate: String(feeOf(tx)),
    sender_address: tx.origin.address,
    sponsored: tx.sponsor !== null,
    post_condition_mode: postConditionModeName(tx.postConditionMode),
    post_conditions: tx.postConditions.map(postConditionToApi),
    anchor_mode: anchorModeName(tx.anchorMode),
  };
}

export function sponsorFields(tx: Transaction) {
  return tx.sponsor === null ? {} : { sponsor_nonce: Number(tx.sponsor.nonce), sponsor_address: tx.sponsor.address };
}

/** The contract that a transaction calls or deploys. */
export function namedContract({ payload, origin }: Transaction): string | null {
  if (payload.kind === 'contract_call') return payload.contractId;
  return payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : null;
}

/** The fee in micro-STX: the sponsor's where there is one. */
export const feeOf = (tx: Transaction): bigint => (tx.sponsor ?? tx.origin).fee;

/**
 * A confirmed transaction as the API serves it wherever it appears, keys in emitted order
 * (docs/spec/transactions.md#confirmed-transactions).
 */
export function transactionRecordV1(facts: TransactionFacts, context: TransactionContext, functionOf: FunctionOf) {
  const { block_time, burn_block_time, burn_block_height } = context.times;
  const own = facts.ownTimes;
  const times = own
    ? timeFields(own.blockTime || block_time, burn_block_time, burn_block_height, own.parentBurnBlockTime)
    : context.times;
  return {
    ...leadingFields(facts.txId, facts.transaction),
    block_hash: context.blockHash,
    block_height: context.blockHeight,
    ...times,
    canonical: context.canonical,
    tx_index: facts.txIndex,
    tx_status: facts.status,
    tx_result: { hex: facts.result, repr: reprOf(facts.result) },
    event_count: facts.events.length,
    parent_block_hash: context.parentBlockHash,
    is_unanchored: context.blockHash === '0x',
    microblock_hash: facts.microblock?.hash ?? '0x',
    microblock_sequence: facts.microblock?.sequence ?? ANCHORED_SEQUENCE,
    microblock_canonical: true,
    ...costFields(facts.cost),
    vm_error: facts.vmError,
    events: [],
    ...payloadV1(facts.transaction, functionOf),
    ...sponsorFields(facts.transaction),
  };
}

/** The printed form of a Clarity value in hex; a value that does not decode is shown by its bytes. */
export function reprOf(hex: string): string {
  const repr = clarityRepr(fromHex(hex) ?? new Uint8Array());
  return repr.ok ? repr.value : hex;
}

/** What execution took, as it is served. */
export interface CostFields {
  readonly execution_cost_read_count: number;
  readonly execution_cost_read_length: number;
  readonly execution_cost_runtime: number;
  readonly execution_cost_write_count: number;
  readonly execution_cost_write_length: number;
}

export const costFields = (cost: ExecutionCost): CostFields => ({
  execution_cost_read_count: cost.read_count,
  execution_cost_read_length: cost.read_length,
  execution_cost_runtime: cost.runtime,
  execution_cost_write_count: cost.write_count,
  execution_cost_write_length: cost.write_length,
});
