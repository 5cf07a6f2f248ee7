import type { NodeRpc } from '../../node/rpc.ts';
import type { Database } from '../../store/database.ts';
import type { MetadataFetcher } from '../fetch/fetch-document.ts';
import type { ImageProcessor } from '../images/process.ts';
import type { ImageStore } from '../images/store.ts';
import type { JobLimits } from './job.ts';

/** What jobs work with. */
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
}
