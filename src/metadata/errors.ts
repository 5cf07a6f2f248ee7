/** The reason numbers of token errors, stored with a job that failed for good. */
export const REASON = {
  unknown: 100,
  documentTooLarge: 101,
  imageTooLarge: 102,
  documentTimeout: 103,
  imageTimeout: 104,
  documentUnparsable: 105,
  imageUnparsable: 106,
  documentRefused: 107,
  imageRefused: 108,
  contractFailed: 109,
} as const;

export type MetadataReason = (typeof REASON)[keyof typeof REASON];

/**
 * What to do about an error.
 * - `permanent`: the content is invalid. Another attempt soon would fail in the same way.
 * - `slow-retry`: it may appear later (404, 403, a name without addresses, a bad certificate).
 * - `transient`: a server or the connection to it failed (5xx, time, connection). Try again with backoff.
 * - `rate-limited`: the host limits requests, or many requests wait for it; `retryAfterMs` is the delay. Costs no
 *   attempt.
 * - `blocked`: the destination is not allowed. Nothing was sent to it.
 */
export type MetadataErrorKind = 'permanent' | 'slow-retry' | 'transient' | 'rate-limited' | 'blocked';

export interface MetadataError {
  readonly reason: MetadataReason;
  readonly kind: MetadataErrorKind;
  /** For operators: short, without control characters, without credentials. */
  readonly message: string;
  /** With `rate-limited` only. */
  readonly retryAfterMs?: number;
}

type ErrorCause = 'tooLarge' | 'timeout' | 'unparsable' | 'refused';

const REASONS = {
  document: {
    tooLarge: REASON.documentTooLarge,
    timeout: REASON.documentTimeout,
    unparsable: REASON.documentUnparsable,
    refused: REASON.documentRefused,
  },
  image: {
    tooLarge: REASON.imageTooLarge,
    timeout: REASON.imageTimeout,
    unparsable: REASON.imageUnparsable,
    refused: REASON.imageRefused,
  },
} as const;

/** The kind of content to fetch: it decides the reason numbers and the limits. */
export type Purpose = keyof typeof REASONS;

export function metadataError(
  purpose: Purpose,
  cause: ErrorCause,
  kind: MetadataErrorKind,
  message: string,
): MetadataError {
  return { reason: REASONS[purpose][cause], kind, message: printable(message) };
}

export function rateLimited(purpose: Purpose, message: string, retryAfterMs: number): MetadataError {
  return { ...metadataError(purpose, 'refused', 'rate-limited', message), retryAfterMs };
}

const LONGEST_MESSAGE = 300;

/** Makes a text from outside safe for a log line. */
function printable(text: string): string {
  const line = text.slice(0, 2 * LONGEST_MESSAGE).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE).toWellFormed()}...` : line;
}
