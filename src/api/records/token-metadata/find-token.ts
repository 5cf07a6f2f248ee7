import { quoted } from '../../../base/lib/app-error.ts';
import { fail, ok, type Result } from '../../../base/lib/result.ts';
import type { Database, Queries } from '../../../base/store/database.ts';
import type { TokenStandard } from '../../../index/token-metadata/standard.ts';
import { REASON } from '../../../metadata/errors.ts';
import { isCounted, type TokenFacts } from '../../../metadata/jobs/stored.ts';
import type { MetadataSource } from '../../../metadata/source.ts';
import { ApiError, invalidParameter, titled } from '../../http/errors.ts';
import {
  type FetchedDocument,
  findDocument,
  findFetchedToken,
  findOutcome,
  findTokenContract,
  isShownToken,
  type JobOutcome,
  type TokenContract,
} from './queries.ts';

/** A client's request for a token. */
export interface TokenRequest {
  /** The standard in the path: a contract of another standard is not found. */
  readonly standard: TokenStandard;
  readonly contractId: string;
  /** Decimal number. */
  readonly token: string;
  /** Empty for the default one. */
  readonly locale: string;
}

export interface FoundToken {
  readonly contract: TokenContract;
  readonly token: TokenFacts;
  /** Undefined when the token has no metadata, only facts from its contract. */
  readonly document: FetchedDocument | undefined;
}

/**
 * A token with its metadata, or the error of the response. The first rule that applies counts: a token that the chain
 * does not have is not found; a token fetched once is served, even if later attempts fail; one never fetched is in
 * progress while attempts remain, and is requested with priority.
 */
export async function findToken(
  index: Database,
  metadata: MetadataSource,
  request: TokenRequest,
): Promise<Result<FoundToken, ApiError>> {
  const { standard, contractId, token } = request;
  const { contract, isShown } = await index.read(async queries => ({
    contract: await findTokenContract(queries, contractId),
    isShown: await isShownToken(queries, contractId, token),
  }));
  if (contract?.standard !== standard) return fail(contractNotFound());
  return metadata.db.read(async queries => {
    if (!isShown && !(await isEnumerated(queries, request))) return fail(await missing(queries, contractId));
    const fetched = await findFetchedToken(queries, contractId, token);
    if (fetched) return withDocument(queries, request, contract, fetched);
    const outcome = await findOutcome(queries, contractId, token, 'token');
    if (metadata.enabled && isToCome(outcome)) metadata.request(contractId, token);
    return fail(neverFetched(outcome, metadata.enabled));
  });
}

/** A contract may have all tokens from 1 to its last one without an event for each. */
const isEnumerated = async (queries: Queries, request: TokenRequest): Promise<boolean> =>
  request.standard === 'sip-009' && (await isCounted(queries, request));

/** The error for a token that was not found. If the last token of the contract is unknown, the token may exist. */
async function missing(queries: Queries, contractId: string): Promise<ApiError> {
  const outcome = await findOutcome(queries, contractId, '', 'contract');
  return outcome?.state === 'invalid' ? tokenError(outcome.reason) : tokenNotFound();
}

/** For a token that was never processed with success. */
function neverFetched(outcome: JobOutcome | undefined, enabled: boolean): ApiError {
  if (outcome?.state === 'invalid') return tokenError(outcome.reason);
  if (outcome?.state === 'failed') return tokenError(null);
  return enabled ? inProgress() : notFetched();
}

const isToCome = (outcome: JobOutcome | undefined): boolean =>
  outcome === undefined || outcome.state === 'waiting' || outcome.state === 'running';

async function withDocument(
  queries: Queries,
  { contractId, token: number, locale }: TokenRequest,
  contract: TokenContract,
  token: TokenFacts,
): Promise<Result<FoundToken, ApiError>> {
  const document = await findDocument(queries, contractId, number, locale);
  if (document || locale === '') return ok({ contract, token, document });
  const outcome = await findOutcome(queries, contractId, number, `locale:${locale}`);
  return fail(outcome && isToCome(outcome) ? inProgress() : localeNotFound());
}

/** Errors of the token metadata routes. The bodies are just `error`, perhaps `message`. */
const contractNotFound = (): ApiError => titled(404, 'Contract not found');
const tokenNotFound = (): ApiError => titled(404, 'Token not found');
const inProgress = (): ApiError => titled(422, 'Token metadata fetch in progress');
const localeNotFound = (): ApiError => titled(422, 'Locale not found');

/** For a token that was never fetched and will not be, as this server has no node. */
const notFetched = (): ApiError =>
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

/** 422 with the text of a reason number. */
const tokenError = (reason: number | null): ApiError =>
  titled(422, 'Token error', MESSAGES.get(reason) ?? 'Unknown error');

const LARGEST = 2n ** 128n - 1n;

/**
 * The number of a token in a path: a decimal integer without sign, fraction, exponent or leading zeros, so that every token has
 * one spelling; up to 2^128 - 1, without loss of digits.
 * @throws ApiError 400
 */
export function tokenNumber(text: string): string {
  if (!/^(0|[1-9][0-9]*)$/.test(text)) {
    throw invalidParameter(`params/token_id must be an integer, not ${quoted(text)}`);
  }
  if (text.length > 39 || BigInt(text) > LARGEST) {
    throw invalidParameter(`params/token_id must be at most ${LARGEST}, not ${text.slice(0, 100)}`);
  }
  return text;
}
