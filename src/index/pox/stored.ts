/** Reads the JSON texts in the tables of PoX. */
import type { PoxEvent, PoxEventOf } from '../../base/codec/index.ts';

/** As stored: numbers of the event are decimal text. */
export type Stored<T> = {
  readonly [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : Stored<T[K]>;
};

/** The operation of a column `event` of POX_EVENTS. */
export const readStoredPoxEvent = (event: string): Stored<PoxEvent> => JSON.parse(event) as Stored<PoxEvent>;

/** The delegation of the same column; the row must be that of an entry of DELEGATIONS_TO_POOL that is not revoked. */
export const readStoredDelegation = (event: string): Stored<PoxEventOf<'delegate-stx'>> =>
  JSON.parse(event) as Stored<PoxEventOf<'delegate-stx'>>;

/** The totals of a reward set, as POX_CYCLES stores them. */
interface StoredRewardSet {
  readonly block_height: number;
  readonly index_block_hash: string;
  readonly total_weight: number;
  /** Micro-STX. */
  readonly total_stacked_amount: string;
  readonly total_signers: number;
}

/** The totals of a column `record` of POX_CYCLES. */
export const readStoredRewardSet = (record: string): StoredRewardSet => JSON.parse(record) as StoredRewardSet;

/** The weight of a signer in a reward set, and its micro-STX. */
interface StoredSigner {
  readonly weight: number;
  readonly stacked_amount: string;
}

/** The signer of a column `record` of POX_SIGNERS. */
export const readStoredSigner = (record: string): StoredSigner => JSON.parse(record) as StoredSigner;
