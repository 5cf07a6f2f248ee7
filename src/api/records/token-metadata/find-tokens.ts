import type { Database } from '../../../base/store/database.ts';
import type { MetadataSource } from '../../../metadata/source.ts';
import type { FoundToken } from './find-token.ts';
import {
  fetchedDocuments,
  fetchedTokens,
  findTokenContracts,
  lastTokens,
  shownTokens,
  type TokenKey,
  tokenText,
} from './queries.ts';

/** A token that was found, with its number. */
interface NumberedToken extends FoundToken {
  /** Decimal. */
  readonly number: string;
}

/**
 * Several tokens with their metadata, in the order of the request (searchTokensV1). Tokens that the chain does not have,
 * or that were not fetched, are left out; the latter are requested if attempts remain. So are documents that do not
 * exist in the locale.
 * @param locale empty for the default one
 */
export async function findTokens(
  index: Database,
  metadata: MetadataSource,
  asked: readonly TokenKey[],
  locale: string,
): Promise<readonly NumberedToken[]> {
  const tokens = [...new Map(asked.map(token => [tokenText(token), token])).values()];
  const { contracts, shown } = await index.read(async queries => ({
    contracts: await findTokenContracts(queries, [...new Set(tokens.map(({ contractId }) => contractId))]),
    shown: await shownTokens(queries, tokens),
  }));
  const known = tokens.flatMap(token => {
    const contract = contracts.get(token.contractId);
    return contract ? [{ ...token, contract }] : [];
  });
  const { facts, documents, last } = await metadata.db.read(async queries => ({
    facts: await fetchedTokens(queries, known),
    documents: await fetchedDocuments(queries, known, locale),
    last: await lastTokens(queries, [...contracts.keys()]),
  }));
  // A contract of the standard may have all tokens from 1 to its last one without an event for each.
  const isThere = ({ contract, token, ...key }: (typeof known)[number]) =>
    shown.has(tokenText({ ...key, token })) ||
    (contract.standard === 'sip-009' && token !== '0' && BigInt(token) <= (last.get(contract.contractId) ?? 0n));
  return known.filter(isThere).flatMap(({ contractId, contract, token: number }) => {
    const key = tokenText({ contractId, token: number });
    const token = facts.get(key);
    if (token) return [{ contract, token, document: documents.get(key), number }];
    if (metadata.enabled) metadata.request(contractId, number);
    return [];
  });
}
