import type { IncomingMessage } from 'node:http';

/** A body in parts of about 1 MB, each with memory of its own, so that another thread can take it over. */
export type BodyParts = readonly Uint8Array<ArrayBuffer>[];

const PART_BYTES = 1_000_000;

/** The outcome of reading a body: complete, too long, or the sender disconnected before its end. */
type BodyOutcome =
  | { readonly kind: 'complete'; readonly body: BodyParts; readonly bytes: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/**
 * Reads a request to its end, whatever its content type. Without `keep` the bytes are only counted, and the body is empty. A large
 * body is never copied in one piece, which takes long for 80 MB.
 * Stops at the first byte too many and leaves the rest to the caller. Never rejects.
 */
export function readRequestBody(request: IncomingMessage, maxBytes: number, keep: boolean): Promise<BodyOutcome> {
  const { promise, resolve } = Promise.withResolvers<BodyOutcome>();
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    resolve({ kind: 'too_large' });
    return promise;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const chunks: Buffer[] = [];
  let bytes = 0;
  /** Bytes of the chunks that are in no part yet. */
  let pending = 0;

  const endPart = (): void => {
    const part = new Uint8Array(pending);
    let at = 0;
    for (const chunk of chunks.splice(0)) {
      part.set(chunk, at);
      at += chunk.length;
    }
    parts.push(part);
    pending = 0;
  };

  const finish = (outcome: BodyOutcome): void => {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    chunks.length = 0;
    resolve(outcome);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) finish({ kind: 'too_large' });
    else if (keep) {
      chunks.push(chunk);
      pending += chunk.length;
      if (pending >= PART_BYTES) endPart();
    }
  };
  const onEnd = (): void => {
    if (pending > 0) endPart();
    finish({ kind: 'complete', body: parts, bytes });
  };
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

/** A body in one piece, with the memory of its parts: they are empty afterwards. */
export function wholeBody(parts: BodyParts): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const whole = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    // Without this, two copies of 80 MB would be in memory until a garbage collection.
    part.buffer.transfer(0);
  }
  return whole;
}
