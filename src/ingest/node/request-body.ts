import type { IncomingMessage } from 'node:http';

/** What became of reading a body: all of it, one byte too many, or the sender went away before its end. */
type BodyOutcome =
  | { readonly kind: 'complete'; readonly body: Buffer; readonly bytes: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/**
 * Reads a request to its end, whatever its content type. Without `keep` the bytes are only counted, and the body is empty.
 * Stops at the first byte too many and leaves the rest to the caller. Never rejects.
 */
export function readRequestBody(request: IncomingMessage, maxBytes: number, keep: boolean): Promise<BodyOutcome> {
  const { promise, resolve } = Promise.withResolvers<BodyOutcome>();
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    resolve({ kind: 'too_large' });
    return promise;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;

  const finish = (outcome: BodyOutcome): void => {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    chunks.length = 0;
    resolve(outcome);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) finish({ kind: 'too_large' });
    else if (keep) chunks.push(chunk);
  };
  const onEnd = (): void => finish({ kind: 'complete', body: Buffer.concat(chunks), bytes });
  const onClose = (): void => finish({ kind: 'aborted' });

  request.on('data', onData).on('end', onEnd).on('close', onClose);
  return promise;
}

/** Discards what is left of a request, until its end, this many bytes or milliseconds, whichever comes first. */
export function drain(request: IncomingMessage, maxBytes: number, maxMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const timer = setTimeout(resolve, maxMs);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) resolve();
  });
  request.on('end', resolve).on('close', resolve).resume();
  return promise.finally(() => clearTimeout(timer));
}
