import type { Database } from '../../base/store/database.ts';
import type { NodeRpc } from '../../ingest/node/rpc.ts';
import type { MetadataErrorKind, MetadataReason } from '../errors.ts';
import type { MetadataFetcher } from '../fetch/fetch-document.ts';
import type { ImageProcessor } from '../images/process.ts';
import type { ImageStore } from '../images/store.ts';

/** `done` jobs also run again when they are due: this refreshes dynamic tokens. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'invalid';

/** The object of a job: a contract (no token), all of its tokens, a token, or a part of its documents. */
export type JobKind = 'contract' | 'refresh' | 'token' | `locale:${string}` | `image:${string}`;

/** A lower number comes first. */
export const PRIORITY = { asked: 0, first: 1, refresh: 2, enumerated: 3, image: 4 } as const;

/**
 * Jobs are in two lanes with separate places: images take seconds of the single decoder, and a job that waits for it must not delay
 * documents.
 */
export type Lane = 'images' | 'others';
export const laneOf = (kind: JobKind): Lane => (kind.startsWith('image:') ? 'images' : 'others');

export interface JobKey {
  readonly contractId: string;
  /** Decimal text; empty for a job of the contract. */
  readonly token: string;
  readonly kind: JobKind;
}

/** SQL: this job of METADATA_JOBS; its parameters are `keyOf` it. */
export const THE_JOB = 'contract_id = ? AND token = ? AND kind = ?';
export const keyOf = ({ contractId, token, kind }: JobKey): readonly string[] => [contractId, token, kind];

/** A job that this process has claimed, in its state before. */
export interface Job extends JobKey {
  readonly state: JobState;
  readonly attempts: number;
  readonly priority: number;
  readonly cause: string;
  /** Unique to this claim: a result of an earlier claim comes too late. */
  readonly owner: string;
}

/**
 * `unavailable`: the node could not respond; `not-yet`: it does not know the contract. The token causes neither, so both are
 * retried without end.
 */
type JobErrorKind = MetadataErrorKind | 'unavailable' | 'not-yet';

export interface JobError {
  readonly reason: MetadataReason;
  readonly kind: JobErrorKind;
  readonly message: string;
  /** With `rate-limited` only. */
  readonly retryAfterMs?: number;
  /** Attempts before a transient error counts as permanent. */
  readonly patience?: number;
}

/** Limits of jobs. */
export interface JobLimits {
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Images at a time, in addition: one is decoded while the next is fetched. */
  readonly imageConcurrency: number;
  /** Time limit from the claim to the end of the work. */
  readonly jobMs: number;
  /** Time after the limit of a job until others may claim it. */
  readonly leaseMarginMs: number;
  /** Attempts after the first before a transient error makes a job `failed`. */
  readonly retries: number;
  /**
   * Largest number of tokens of a contract that are fetched without a client's request; 0: tokens are fetched only on
   * request.
   */
  readonly eagerTokens: number;
  /** Refreshes of a contract, in an hour. */
  readonly refreshesPerHour: number;
  /** Jobs made for clients, of a contract, in an hour. */
  readonly requestsPerHour: number;
  /** Milliseconds of decoder time for the images of a contract, in an hour. */
  readonly decodeMsPerHour: number;
  /** Most bytes of stored images: of a token, of a contract, in total. */
  readonly tokenImageBytes: number;
  readonly contractImageBytes: number;
  readonly imageBytes: number;
  /** Free bytes on the disk below which fetching stops. */
  readonly freeBytes: number;
}

export const DEFAULT_JOB_LIMITS: JobLimits = {
  concurrency: 10,
  imageConcurrency: 2,
  jobMs: 120_000,
  leaseMarginMs: 60_000,
  retries: 15,
  eagerTokens: 50_000,
  refreshesPerHour: 200,
  requestsPerHour: 5_000,
  decodeMsPerHour: 600_000,
  tokenImageBytes: 20_000_000,
  contractImageBytes: 5_000_000_000,
  imageBytes: 50_000_000_000,
  freeBytes: 1_000_000_000,
};

/** `runAfter` of a job that does not run again by itself. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** The databases, clients and limits that jobs use. */
export interface JobContext {
  /** The metadata tables. */
  readonly db: Database;
  readonly index: Database;
  readonly node: NodeRpc;
  readonly fetcher: MetadataFetcher;
  /** Undefined: images are not cached. */
  readonly images: ImageCache | undefined;
  readonly limits: JobLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface ImageCache {
  readonly processor: ImageProcessor;
  readonly store: ImageStore;
  /** Undefined: no limit on the time for images of a contract. */
  readonly budget?: ContractBudget;
}

/** Milliseconds that a contract may use; `DecodeBudget` is one. */
export interface ContractBudget {
  has(contractId: string): boolean;
  spend(contractId: string, ms: number): void;
}
