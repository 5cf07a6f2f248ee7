import { DeadlineError } from '../../base/lib/deadline.ts';
import { type MetadataError, metadataError, type Purpose } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import { BlockedAddressError } from './destinations.ts';
import { BodyEncodingError, BodyTooLargeError } from './exchange.ts';

/** Content behind these statuses may appear later: IPFS content appears hours after its token, and access is opened. */
const MAY_APPEAR = new Set([401, 402, 403, 404, 410, 451]);
const SERVER_IS_BUSY = new Set([408, 421, 425, 429]);

/** The error of a response that is neither a body nor a redirect. */
export function errorOfStatus(purpose: Purpose, status: number): MetadataError {
  const kind =
    status >= 500 || SERVER_IS_BUSY.has(status) ? 'transient' : MAY_APPEAR.has(status) ? 'slow-retry' : 'permanent';
  return metadataError(purpose, 'refused', kind, `status ${status}`);
}

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);
const TLS = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|INVALID_|EPROTO$)/;

/** The error of an exchange that was not completed. */
export function errorOfFailure(purpose: Purpose, error: unknown): MetadataError {
  if (error instanceof BodyTooLargeError) return metadataError(purpose, 'tooLarge', 'permanent', error.message);
  if (error instanceof BodyEncodingError) return metadataError(purpose, 'unparsable', 'permanent', error.message);
  if (error instanceof DeadlineError) return metadataError(purpose, 'timeout', 'transient', error.message);
  if (error instanceof BlockedAddressError) return metadataError(purpose, 'refused', 'blocked', error.message);
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? '');
  const kind = NO_SUCH_NAME.has(code) || TLS.test(code) ? 'slow-retry' : 'transient';
  const message = error instanceof Error ? error.message || code : String(error);
  return metadataError(purpose, 'refused', kind, message);
}

/**
 * The pause that a host demands, in milliseconds: a positive number of seconds or a date ahead, at most
 * `limits.retryAfterMs`. Undefined when the header is missing, in the past or invalid.
 */
export function retryAfter(header: string | undefined, now: number, limits: MetadataLimits): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return ms > 0 ? Math.min(Math.ceil(ms / 1000) * 1000, limits.retryAfterMs) : undefined;
}

/** Dates of HTTP begin with the day of the week; `Date.parse` alone would take much else for a date. */
const dateOf = (text: string): number => (/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN);
