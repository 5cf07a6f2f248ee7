import { STATUS } from '../../../index/mempool/status.ts';

/** `tx_status` of records; what getMempoolTransactionList lists is pending whether or not a microblock has it. */
export const STATUS_NAMES: Readonly<Partial<Record<number, MempoolStatus>>> = {
  [STATUS.STREAMED]: 'pending',
  [STATUS.PENDING]: 'pending',
  [STATUS.REPLACED_BY_FEE]: 'dropped_replace_by_fee',
  [STATUS.REPLACED_ACROSS_FORK]: 'dropped_replace_across_fork',
  [STATUS.TOO_EXPENSIVE]: 'dropped_too_expensive',
  [STATUS.STALE]: 'dropped_stale_garbage_collect',
  [STATUS.AGED_OUT]: 'dropped_stale_garbage_collect',
  [STATUS.PROBLEMATIC]: 'dropped_problematic',
};

export const MEMPOOL_STATUSES = [
  'pending',
  'dropped_replace_by_fee',
  'dropped_replace_across_fork',
  'dropped_too_expensive',
  'dropped_stale_garbage_collect',
  'dropped_problematic',
] as const;

export type MempoolStatus = (typeof MEMPOOL_STATUSES)[number];
