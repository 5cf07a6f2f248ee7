import { createHash, createHmac } from 'node:crypto';

/** Who asks: the keys come from the environment only. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT';
  /** Without a query; its path must be as it goes over the wire. */
  readonly url: URL;
  /** Names in lower case; `host` is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The headers of a request with its AWS signature, version 4. */
export function signedHeaders(
  { method, url, headers, body }: S3Request,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  region: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const digest = sha256(body);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': digest,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const signed = names.join(';');
  const lines = names.map(name => `${name}:${all[name]?.trim()}\n`).join('');
  const request = [method, url.pathname, '', lines, signed, digest].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(Buffer.from(request))].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${hmac(key, text).toString('hex')}`;
  const { host: _sentByTheClient, ...rest } = all;
  return { ...rest, authorization };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
