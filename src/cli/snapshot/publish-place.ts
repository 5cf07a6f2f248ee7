import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemMessage } from '../../base/lib/app-error.ts';
import { completePartial, fileSystemError, partialOf, replaceFile } from '../../base/lib/partial-file.ts';
import { type S3Bucket, type S3Request, s3Request } from '../../base/net/s3-bucket.ts';
import type { PublishPlace } from '../../operate/copy/snapshot/publish.ts';
import { CopyRefused } from '../../operate/copy/source.ts';

/** Publishes into a directory. Files appear under their names when they are complete and on the disk. */
export function directoryPlace(directory: string): PublishPlace {
  const at = (name: string) => join(directory, name);
  const refusing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const cause = fileSystemError(error);
      if (cause === undefined) throw error;
      const hint = 'Check the path, its rights and its space.';
      throw new CopyRefused(`${directory} cannot be used: ${systemMessage(cause)}`, hint, { cause });
    }
  };
  return {
    read: name =>
      refusing(
        readFile(at(name), 'utf8').catch(error => {
          if (fileSystemError(error)?.code === 'ENOENT') return undefined;
          throw error;
        }),
      ),
    write: (name, text) => refusing(replaceFile(at(name), text).then(() => chmod(at(name), PUBLIC))),
    upload: async (name, file, { onProgress, signal }) => {
      const { size } = await stat(file);
      const there = await stat(at(name)).catch(() => undefined);
      if (there?.size !== size) await refusing(copyInto(directory, at(name), file));
      signal.throwIfAborted();
      onProgress(size, size);
    },
  };
}

/** Mode of published files, so that the web server can read them, whatever the mode of the snapshot and the umask. */
const PUBLIC = 0o644;

async function copyInto(directory: string, target: string, file: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const draft = partialOf(target);
  try {
    await copyFile(file, draft);
    await chmod(draft, PUBLIC);
    const copied = await open(draft);
    await copied.sync().finally(() => copied.close());
    await completePartial(target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Length of a part: S3 accepts at most 10,000 parts, each but the last of at least 5 MiB. */
const PART_BYTES = 64 * 1024 * 1024;
const MOST_PARTS = 9_000;

/** @param partBytes length of the parts of large files */
export function bucketPlace(bucket: S3Bucket, partBytes = PART_BYTES): PublishPlace {
  const send = async (request: S3Request, also: readonly number[] = []): Promise<Response> => {
    let response: Response;
    try {
      response = await s3Request(bucket, request);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw unusable(`the bucket ${bucket.bucket} does not respond`, error);
    }
    if (response.ok || also.includes(response.status)) return response;
    await response.body?.cancel();
    throw unusable(`the bucket ${bucket.bucket} responded with status ${response.status} to ${request.method}`);
  };
  const done = async (request: S3Request, also?: readonly number[]): Promise<Response> => {
    const response = await send(request, also);
    await response.body?.cancel();
    return response;
  };
  return {
    read: async name => {
      const response = await send({ method: 'GET', name }, [404]);
      if (response.ok) return response.text();
      await response.body?.cancel();
      return undefined;
    },
    write: async (name, text) => {
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
      await done({ method: 'PUT', name, headers, body: new TextEncoder().encode(text) });
    },
    upload: async (name, file, { onProgress, signal }) => {
      const { size } = await stat(file);
      const there = await done({ method: 'HEAD', name, signal }, [404]);
      if (there.ok && Number(there.headers.get('content-length')) === size) return onProgress(size, size);
      const uploadId = idIn(
        await (await send({ method: 'POST', name, query: { uploads: '' }, signal })).text(),
        bucket,
      );
      try {
        const tags: string[] = [];
        let sent = 0;
        for await (const body of partsOf(file, Math.max(partBytes, Math.ceil(size / MOST_PARTS)))) {
          const query = { partNumber: String(tags.length + 1), uploadId };
          const { headers } = await done({ method: 'PUT', name, query, body, signal });
          tags.push(headers.get('etag') ?? '');
          sent += body.length;
          onProgress(sent, size);
        }
        const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
        const list = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
        const completed = await send({ method: 'POST', name, query: { uploadId }, body: list, signal });
        // The service may find an error after it has sent its status.
        if (/<Error>/.test(await completed.text()))
          throw unusable(`the bucket ${bucket.bucket} did not complete ${name}`);
      } catch (error) {
        await done({ method: 'DELETE', name, query: { uploadId } }).catch(() => undefined);
        throw error;
      }
    },
  };
}

function idIn(text: string, { bucket }: S3Bucket): string {
  const id = /<UploadId>([^<]{1,1024})<\/UploadId>/.exec(text)?.[1];
  if (id === undefined) throw unusable(`the bucket ${bucket} began no upload`);
  return id;
}

/** The bytes of a file, in parts of one length but for the last. */
async function* partsOf(file: string, length: number): AsyncIterable<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: Math.min(length, 1024 * 1024) })) {
    for (let rest: Uint8Array = chunk; rest.length > 0; ) {
      const taken = rest.subarray(0, length - filled);
      part.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
      if (filled < length) continue;
      yield part;
      part = new Uint8Array(length);
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}

const unusable = (message: string, cause?: unknown): CopyRefused =>
  new CopyRefused(
    message,
    'Check --s3-endpoint, --s3-region, the bucket and its keys. What readers find has not changed.',
    { cause },
  );
