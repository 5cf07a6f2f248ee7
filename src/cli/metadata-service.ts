import type { Logger } from 'pino';
import { type BackgroundMetadata, startBackgroundMetadata } from '../metadata/background.ts';
import { openMetadataDb } from '../metadata/open.ts';
import { openImageStore } from '../metadata/settings.ts';
import { IMAGES_PATH, type MetadataSource } from '../metadata/source.ts';
import type { Options } from './options.ts';
import { VERSION } from './version.ts';

/** What `serve` has of token metadata: what the API reads, and the worker that fills it. */
export interface MetadataService {
  readonly source: MetadataSource;
  /** Undefined without a node to call contracts on. */
  readonly worker: BackgroundMetadata | undefined;
  close(): Promise<void>;
}

export async function startMetadata(options: Options, logger: Logger): Promise<MetadataService> {
  const { data, database, logLevel } = options;
  const { settings, images, imagesUrl = IMAGES_PATH } = options.metadata;
  const db = await openMetadataDb({ data, database });
  const worker = settings && startBackgroundMetadata({ data, database, settings, version: VERSION, logLevel }, logger);
  const source: MetadataSource = {
    db,
    enabled: worker !== undefined,
    request: (contractId, token) => worker?.request(contractId, token),
    imagesUrl,
    images: openImageStore(images),
  };
  const close = async () => {
    await worker?.stop();
    await db.close();
  };
  return { source, worker, close };
}
