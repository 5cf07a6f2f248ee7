import type { MetadataFigures } from './metrics.ts';
import type { MetadataSettings } from './settings.ts';

/** What the worker thread is started with. */
export interface MetadataWorkerData {
  readonly data: string;
  readonly database: string | undefined;
  readonly settings: MetadataSettings;
  readonly version: string;
  readonly logLevel: string;
}

/** `poke`: the index has moved. `stop`: give back what is begun, then end. `request`: a client asks for a token. */
export type ToMetadataWorker =
  | { readonly kind: 'poke' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'request'; readonly contractId: string; readonly token: string };

/** `requested`: so many requests are dealt with. */
export type FromMetadataWorker =
  | { readonly kind: 'figures'; readonly figures: MetadataFigures }
  | { readonly kind: 'requested' };
