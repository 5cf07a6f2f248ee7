/** The states of an announced transaction; numbers as in docs/spec/transactions.md#status. */
export const STATUS = {
  /** Written, but not settled yet: only within a transaction of the indexer. */
  UNSETTLED: 3,
  /** An unanchored microblock has it. */
  STREAMED: 2,
  /** A canonical block has it. */
  MINED: 1,
  PENDING: 0,
  REPLACED_BY_FEE: -10,
  REPLACED_ACROSS_FORK: -11,
  TOO_EXPENSIVE: -12,
  STALE: -13,
  /** Waited too long, although the node did not report it. */
  AGED_OUT: -14,
  PROBLEMATIC: -15,
} as const;
type StatusCode = (typeof STATUS)[keyof typeof STATUS];

/** Whether it is neither pending nor mined. */
export const isDropped = (status: number): boolean => status < STATUS.PENDING;

const STATUS_OF_REASON = new Map<string, StatusCode>([
  ['ReplaceByFee', STATUS.REPLACED_BY_FEE],
  ['ReplaceAcrossFork', STATUS.REPLACED_ACROSS_FORK],
  ['TooExpensive', STATUS.TOO_EXPENSIVE],
  ['StaleGarbageCollect', STATUS.STALE],
  ['Problematic', STATUS.PROBLEMATIC],
]);

/** The status for a node's reason to drop a transaction. An unknown reason of a later node counts as problematic. */
export const statusOfReason = (reason: string): StatusCode => STATUS_OF_REASON.get(reason) ?? STATUS.PROBLEMATIC;
