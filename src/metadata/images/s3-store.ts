import { Readable } from 'node:stream';
import { AppError } from '../../base/lib/app-error.ts';
import { type S3Bucket, type S3Request, s3Request } from '../../base/net/s3-bucket.ts';
import { checkedName, IMMUTABLE, type ImageStore, isImageName } from './store.ts';

/** The bucket cannot be used. The message has neither the keys nor the text of the response. */
export class ImageStoreError extends AppError {
  override readonly name = 'ImageStoreError';
  override readonly kind = 'operator';

  constructor(message: string, cause?: unknown) {
    super(message, { hint: 'Check endpoint, bucket, region and keys of the images bucket.', cause });
  }
}

/** Images as objects of a bucket. */
export function s3ImageStore(bucket: S3Bucket): ImageStore {
  const send = async (request: S3Request): Promise<Response> => {
    checkedName(request.name);
    try {
      return await s3Request(bucket, request);
    } catch (error) {
      throw new ImageStoreError(error instanceof Error ? error.message : 'no response', error);
    }
  };

  return {
    async open(name) {
      if (!isImageName(name)) return undefined;
      const response = await send({ method: 'GET', name });
      const length = Number(response.headers.get('content-length'));
      if (response.ok && response.body && length > 0) return { length, stream: Readable.fromWeb(response.body) };
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw failed(response);
    },
    async has(name) {
      const response = await send({ method: 'HEAD', name });
      await response.body?.cancel();
      if (!response.ok && response.status !== 404) throw failed(response);
      return response.ok;
    },
    async write(name, bytes) {
      const headers = { 'content-type': 'image/png', 'cache-control': IMMUTABLE };
      const response = await send({ method: 'PUT', name, headers, body: new Uint8Array(bytes) });
      await response.body?.cancel();
      if (!response.ok) throw failed(response);
    },
  };
}

const failed = ({ status }: Response): ImageStoreError =>
  new ImageStoreError(`the images bucket responded with status ${status}`);
