import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { AppError } from '../../base/lib/app-error.ts';
import { checkedName, IMMUTABLE, type ImageStore, isImageName } from './store.ts';

/** The keys of the bucket; they come from the environment only. */
interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
}

export interface S3Bucket {
  /** `https://host` of the service, as `https://s3.eu-central-1.amazonaws.com`; a path is kept. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** Prefix of the names, such as `images/`; may be empty. */
  readonly prefix?: string;
  /** Until the service responds, in milliseconds. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The bucket cannot be used. The message has neither the keys nor the text of the response. */
export class ImageStoreError extends AppError {
  override readonly name = 'ImageStoreError';
  override readonly kind = 'operator';

  constructor(message: string, cause?: unknown) {
    super(message, { hint: 'Check endpoint, bucket, region and keys of the images bucket.', cause });
  }
}

/** Images as objects of a bucket of any S3-compatible service, addressed by path (`endpoint/bucket/prefix+name`). */
export function s3ImageStore(bucket: S3Bucket): ImageStore {
  const { endpoint, region, credentials, prefix = '', timeoutMs = DEFAULT_TIMEOUT_MS } = bucket;
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket.bucket}/${prefix}`;

  const send = async (
    method: 'GET' | 'HEAD' | 'PUT',
    name: string,
    headers: Record<string, string>,
    body: Uint8Array,
  ): Promise<Response> => {
    const url = new URL(`${base}${checkedName(name)}`);
    // The digest is signed too: a proxy on the way to the bucket cannot change the body.
    const digest = createHash('sha256').update(body).digest('hex');
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
      service: 's3',
      region,
      ...credentials,
    });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no response in ${timeoutMs} ms`)), timeoutMs);
    try {
      const signed = await signer.sign();
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(method === 'PUT' && { body: new Uint8Array(body) }),
        redirect: 'error', // a signature holds for one host
        signal: late.signal,
      });
    } catch (error) {
      throw new ImageStoreError(`${method} ${url.origin} failed`, error);
    } finally {
      clearTimeout(timer); // the reader limits the time of the body
    }
  };

  return {
    async open(name) {
      if (!isImageName(name)) return undefined;
      const response = await send('GET', name, {}, new Uint8Array());
      const length = Number(response.headers.get('content-length'));
      if (response.ok && response.body && length > 0) return { length, stream: Readable.fromWeb(response.body) };
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw failed(response);
    },
    async has(name) {
      const response = await send('HEAD', name, {}, new Uint8Array());
      await response.body?.cancel();
      if (!response.ok && response.status !== 404) throw failed(response);
      return response.ok;
    },
    async write(name, bytes) {
      const headers = { 'content-type': 'image/png', 'cache-control': IMMUTABLE };
      const response = await send('PUT', name, headers, bytes);
      await response.body?.cancel();
      if (!response.ok) throw failed(response);
    },
  };
}

const failed = ({ status }: Response): ImageStoreError =>
  new ImageStoreError(`the images bucket responded with status ${status}`);
