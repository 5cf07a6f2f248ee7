import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

/** The keys of a bucket; they come from the environment only. */
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
  /** Longest time until the service responds, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Of the object, without the prefix. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Sends a signed request to a bucket of any S3-compatible service, addressed by path (`endpoint/bucket/prefix+name`).
 * @returns whatever the service responds; the caller reads or cancels the body
 * @throws Error with the method and the host, never with a key, where there is no response
 */
export async function s3Request(bucket: S3Bucket, request: S3Request): Promise<Response> {
  const { endpoint, region, credentials, prefix = '', timeoutMs = DEFAULT_TIMEOUT_MS } = bucket;
  const { method, name, query = {}, headers = {}, body = new Uint8Array(), signal } = request;
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/${bucket.bucket}/${prefix}${name}`);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
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
      ...((method === 'PUT' || method === 'POST') && { body }),
      redirect: 'error', // a signature holds for one host
      signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
    });
  } catch (error) {
    throw new Error(`${method} ${url.origin} failed`, { cause: error });
  } finally {
    clearTimeout(timer); // the reader limits the time of the body
  }
}
