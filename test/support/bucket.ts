import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export interface Bucket {
  readonly endpoint: string;
  /** By path. */
  readonly objects: ReadonlyMap<string, { readonly bytes: Buffer; readonly headers: IncomingMessage['headers'] }>;
  /** Of refused requests: why. */
  readonly refused: readonly string[];
  /** Answers every request like this from now on. */
  fail(status: number, headers?: Record<string, string>): void;
  close(): Promise<void>;
}

/**
 * A stand-in for an S3-compatible service: keeps what is put and gives it back, and refuses what is not signed with these keys. It
 * makes the signature from what arrived, as the service does.
 */
export async function startBucket(keys: Keys): Promise<Bucket> {
  const objects = new Map<string, { bytes: Buffer; headers: IncomingMessage['headers'] }>();
  const refused: string[] = [];
  let failure: { readonly status: number; readonly headers: Record<string, string> } | undefined;
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const path = request.url ?? '';
    if (failure) return response.writeHead(failure.status, failure.headers).end('a text that nobody should see');
    const problem = problemOf(request, bytes, keys);
    if (problem !== undefined) {
      refused.push(problem);
      return response.writeHead(403).end();
    }
    if (request.method === 'PUT') {
      objects.set(path, { bytes, headers: request.headers });
      return response.writeHead(200).end();
    }
    const found = objects.get(path);
    return found
      ? response.writeHead(200, { 'content-length': found.bytes.length }).end(found.bytes)
      : response.writeHead(404).end('<Code>NoSuchKey</Code>');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    refused,
    fail: (status, headers = {}) => {
      failure = { status, headers };
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function problemOf(request: IncomingMessage, body: Buffer, { accessKeyId, secretAccessKey, region }: Keys) {
  const { authorization = '', 'x-amz-date': date, 'x-amz-content-sha256': digest } = request.headers;
  const [, id, day = '', usedRegion, names = '', signature = ''] = AUTHORIZATION.exec(authorization) ?? [];
  if (id !== accessKeyId || usedRegion !== region) return 'other keys or another region';
  if (typeof date !== 'string' || !date.startsWith(day) || !/^\d{8}T\d{6}Z$/.test(date)) return 'no date';
  const sent = Date.UTC(
    +date.slice(0, 4),
    +date.slice(4, 6) - 1,
    +date.slice(6, 8),
    +date.slice(9, 11),
    +date.slice(11, 13),
  );
  if (Math.abs(sent - Date.now()) > 15 * 60_000) return 'too old';
  if (digest !== createHash('sha256').update(body).digest('hex')) return 'another body';
  const signed = names.split(';');
  for (const name of Object.keys(request.headers))
    if ((name === 'host' || name.startsWith('x-amz-')) && !signed.includes(name)) return `${name} is not signed`;
  if (signed.join() !== signed.toSorted().join()) return 'headers are not sorted';
  const [path, query = ''] = (request.url ?? '').split('?');
  let canonical = `${request.method}\n${path}\n${query}\n`;
  for (const name of signed) canonical += `${name}:${request.headers[name]}\n`;
  canonical += `\n${names}\n${digest}`;
  const hashed = createHash('sha256').update(canonical).digest('hex');
  let key: Buffer | string = `AWS4${secretAccessKey}`;
  for (const part of [day, region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/s3/aws4_request\n${hashed}`;
  const wanted = createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(wanted, Buffer.from(signature, 'hex')) ? undefined : 'another signature';
}
