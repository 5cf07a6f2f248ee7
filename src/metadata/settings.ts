import type { S3Bucket } from '../base/net/s3-bucket.ts';
import type { Gateways } from './fetch/gateways.ts';
import { s3ImageStore } from './images/s3-store.ts';
import { directoryImageStore, type ImageStore } from './images/store.ts';
import type { JobLimits } from './jobs/job.ts';
import type { MetadataLimits } from './limits.ts';

/** Settings of fetching metadata. Plain data: the worker thread gets them too. */
export interface MetadataSettings {
  /** `http://host:port` of the node whose contracts are called. */
  readonly nodeRpc: string;
  readonly gateways: Gateways;
  /** Origins with a path that may be private (base/net/destinations.ts). */
  readonly allowHosts: readonly string[];
  readonly images: ImageSettings;
  readonly jobs: JobLimits;
  readonly limits: MetadataLimits;
}

/** The place of cached images; `off`: images are not cached. */
export type ImageSettings =
  | { readonly kind: 'off' }
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'bucket'; readonly bucket: S3Bucket };

/** The options of the command line for token metadata, and the place of the images. */
export interface MetadataOptions {
  /** Undefined: the pipeline is off. */
  readonly settings: MetadataSettings | undefined;
  readonly images: ImageSettings;
  /** Undefined: on this server. */
  readonly imagesUrl: string | undefined;
}

export function openImageStore(settings: ImageSettings): ImageStore | undefined {
  switch (settings.kind) {
    case 'off':
      return undefined;
    case 'directory':
      return directoryImageStore(settings.directory);
    case 'bucket':
      return s3ImageStore(settings.bucket);
    default:
      return settings satisfies never;
  }
}
