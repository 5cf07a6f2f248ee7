import { type S3Credentials, signedHeaders } from './s3-signature.ts';
import { checkedName, IMMUTABLE, type ImageStore, isImageName } from './store.ts';

export interface S3Bucket {
  /** `https://host` of the service, as `https://s3.eu-central-1.amazonaws.com`; a path is kept. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** Before the names, as `images/`; empty for none. */
  readonly prefix?: string;
  /** For one object, in milliseconds. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** What a store that cannot be used says: without the keys, and without the text of the answer. */
export class ImageStoreError extends Error {
  override readonly name = 'ImageStoreError';
  readonly hint = 'Check endpoint, bucket, region and keys of the images bucket.';
}

/** Images as objects of a bucket of any S3-compatible service, addressed by path (`endpoint/bucket/prefix+name`). */
export function s3ImageStore(bucket: S3Bucket): ImageStore {
  const { endpoint, region, credentials, prefix = '', timeoutMs = DEFAULT_TIMEOUT_MS } = bucket;
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket.bucket}/${prefix}`;

  const send = async (
    method: 'GET' | 'PUT',
    name: string,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<Answer> => {
    const url = new URL(`${base}${checkedName(name)}`);
    const signed = signedHeaders({ method, url, headers, body }, credentials, region, new Date());
    try {
      const response = await fetch(url, {
        method,
        headers: signed,
        ...(method === 'PUT' && { body: new Uint8Array(body) }),
        redirect: 'error', // a signature holds for one host
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { ok: response.ok, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      throw new ImageStoreError(`${method} ${url.origin} failed`, { cause: error });
    }
  };

  return {
    async read(name) {
      if (!isImageName(name)) return undefined;
      const answer = await send('GET', name, {}, Buffer.alloc(0));
      if (answer.status === 404) return undefined;
      expectSuccess(answer);
      return answer.body;
    },
    async write(name, bytes) {
      const headers = { 'content-type': 'image/png', 'cache-control': IMMUTABLE };
      expectSuccess(await send('PUT', name, headers, Buffer.from(bytes)));
    },
  };
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Buffer;
}

function expectSuccess({ ok, status }: Answer): void {
  if (!ok) throw new ImageStoreError(`the images bucket answered ${status}`);
}
