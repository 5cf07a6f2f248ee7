import type { Database } from '../base/store/database.ts';
import type { ImageStore } from './images/store.ts';

/** The API's interface to the metadata pipeline: its stored results, and requests for tokens. */
export interface MetadataSource {
  /** Has METADATA_TABLES; may be another database than that of the index, so no statement joins the two. */
  readonly db: Database;
  /** Whether tokens are fetched at all: false without a node to call contracts on. */
  readonly enabled: boolean;
  /**
   * Moves a token that was never processed to the front of the queue, as a client requests it. Returns at once and never
   * throws; drops repeats, and requests beyond the pipeline's capacity.
   * @param token decimal number
   */
  request(contractId: string, token: string): void;
  /** Prefix of the file name of a cached image, with the last slash: an absolute URL, or a path of this server. */
  readonly imagesUrl: string;
  /** The images that this server serves; undefined without images, or if another server serves them. */
  readonly images: ImageStore | undefined;
  /** Largest age of the list of fungible tokens, in milliseconds; by default 1 s. */
  readonly ftListMaxAgeMs?: number;
}

/** Path of cached images on this server. */
export const IMAGES_PATH = '/metadata/v1/images/';

/** Serves metadata that was fetched before, and fetches no more. */
export const withoutPipeline = (db: Database): MetadataSource => ({
  db,
  enabled: false,
  request: () => {},
  imagesUrl: IMAGES_PATH,
  images: undefined,
});
