import { ApiError, titled } from '../../http/errors.ts';
import { REASON } from '../../metadata/errors.ts';

/** What token metadata routes answer in place of a token (token-metadata.md 1.3). The bodies are just `error`, perhaps `message`. */
export const contractNotFound = (): ApiError => titled(404, 'Contract not found');
export const tokenNotFound = (): ApiError => titled(404, 'Token not found');
export const inProgress = (): ApiError => titled(422, 'Token metadata fetch in progress');
export const localeNotFound = (): ApiError => titled(422, 'Locale not found');

/** For what was never fetched, and will not be: there is no node to ask. */
export const notFetched = (): ApiError =>
  new ApiError(503, 'This server fetches no token metadata: it was started without --node-rpc', {
    title: 'Token metadata is not available',
    code: 'METADATA_OFF',
  });

const MESSAGES: ReadonlyMap<number | null, string> = new Map([
  [REASON.documentTooLarge, 'Metadata size is too large to process'],
  [REASON.imageTooLarge, 'Image size is too large to process'],
  [REASON.documentTimeout, 'Metadata could not be processed because it took too long to respond'],
  [REASON.imageTimeout, 'Image could not be processed because it took too long to respond'],
  [REASON.documentUnparsable, 'Metadata could not be parsed or it does not conform to SIP-016'],
  [REASON.imageUnparsable, 'Image processing failed because it could not be parsed'],
  [REASON.documentRefused, 'Metadata could not be processed because the server responded with an error'],
  [REASON.imageRefused, 'Image could not be processed because the server responded with an error'],
  [REASON.contractFailed, 'The token contract produced a Clarity error when trying to fetch metadata'],
]);

/** 422 with the text of a reason number (1.5). */
export const tokenError = (reason: number | null): ApiError =>
  titled(422, 'Token error', MESSAGES.get(reason) ?? 'Unknown error');
