import { DeadlineError } from '../../lib/deadline.ts';
import { type MetadataError, metadataError, type Purpose } from '../errors.ts';
import { BodyEncodingError, BodyTooLargeError } from './body.ts';
import { BlockedAddressError } from './lookup.ts';

/** What exists later, perhaps: IPFS content appears hours after its token, and access is opened. */
const MAY_APPEAR = new Set([401, 402, 403, 404, 410, 451]);
const SERVER_IS_BUSY = new Set([408, 421, 425, 429]);

/** The error of an answer that is neither a body nor a redirect (token-metadata.md 3). */
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
