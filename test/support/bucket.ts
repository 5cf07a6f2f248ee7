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
  const uploads = new Uploads();
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
    const [name = '', query = ''] = path.split('?');
    if (query !== '') {
      const {
        status,
        headers = {},
        text = '',
      } = uploads.answer(request.method ?? '', new URLSearchParams(query), bytes);
      const whole = uploads.takeWhole();
      if (whole) objects.set(name, { bytes: whole, headers: request.headers });
      return response.writeHead(status, headers).end(text);
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

/** Uploads in parts: they become an object when their list is complete and right. */
class Uploads {
  readonly #parts = new Map<string, Map<number, { readonly tag: string; readonly bytes: Buffer }>>();
  #whole: Buffer | undefined;

  answer(
    method: string,
    query: URLSearchParams,
    bytes: Buffer,
  ): { status: number; headers?: Record<string, string>; text?: string } {
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${this.#parts.size}`;
      this.#parts.set(id, new Map());
      return { status: 200, text: `<Result><UploadId>${id}</UploadId></Result>` };
    }
    const parts = this.#parts.get(query.get('uploadId') ?? '');
    if (!parts) return { status: 404 };
    if (method === 'PUT') {
      const tag = `"${createHash('md5').update(bytes).digest('hex')}"`;
      parts.set(Number(query.get('partNumber')), { tag, bytes });
      return { status: 200, headers: { etag: tag } };
    }
    this.#parts.delete(query.get('uploadId') ?? '');
    if (method === 'DELETE') return { status: 204 };
    const listed = [...bytes.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const found = listed.map(([, number, tag]) =>
      parts.get(Number(number))?.tag === tag ? parts.get(Number(number)) : undefined,
    );
    if (found.length !== parts.size || found.includes(undefined))
      return { status: 200, text: '<Error>InvalidPart</Error>' };
    this.#whole = Buffer.concat(found.map(part => part?.bytes ?? Buffer.alloc(0)));
    return { status: 200, text: '<Result/>' };
  }

  /** The object that the last answer completed. */
  takeWhole(): Buffer | undefined {
    const whole = this.#whole;
    this.#whole = undefined;
    return whole;
  }
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
  const [path, asked = ''] = (request.url ?? '').split('?');
  const query = asked
    .split('&')
    .filter(part => part !== '')
    .map(part => (part.includes('=') ? part : `${part}=`))
    .sort()
    .join('&');
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
