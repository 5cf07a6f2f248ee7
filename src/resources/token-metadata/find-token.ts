import type { ApiError } from '../../http/errors.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { isCounted, type TokenFacts } from '../../metadata/jobs/stored.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { Database, Queries } from '../../store/database.ts';
import { contractNotFound, inProgress, localeNotFound, notFetched, tokenError, tokenNotFound } from './errors.ts';
import { type FetchedDocument, findDocument, findFetchedToken, findOutcome, type JobOutcome } from './fetched.ts';
import { findTokenContract, isShownToken, type TokenContract } from './queries.ts';
import type { TokenStandard } from './standard.ts';

/** A token as a client asks for it. */
export interface TokenRequest {
  /** What the path stands for: contracts of other standards are not found on it. */
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
  /** Undefined when there is no metadata, just what the contract told. */
  readonly document: FetchedDocument | undefined;
}

/**
 * A token with its metadata, or the error that is the answer; the first that applies (token-metadata.md 1.2 with its proposals):
 * what the chain does not have is not found; what was fetched once is served, whatever became of later attempts; what was not is
 * in progress while attempts are to come, and asked for with priority.
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

/** Contracts may have tokens 1 to the last without an event for each (2.2). */
const isEnumerated = async (queries: Queries, request: TokenRequest): Promise<boolean> =>
  request.standard === 'sip-009' && (await isCounted(queries, request));

/** A contract that cannot say which tokens it has may have this one. */
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
