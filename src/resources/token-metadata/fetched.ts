import { fromStoredText, type MetadataDocument } from '../../metadata/document/document.ts';
import type { Queries, Row } from '../../store/database.ts';
import { inLists } from '../../store/in-list.ts';

/** What a token contract told of a token when it was last read with success. */
export interface FetchedToken {
  readonly uri: string | null;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly totalSupply: string | null;
}

/** A metadata document, with the file names of its image. */
export interface FetchedDocument {
  readonly document: MetadataDocument;
  readonly cachedImage: string | null;
  readonly cachedThumbnail: string | null;
}

/** How the work on a token, a locale or a contract stands. */
export interface JobOutcome {
  readonly state: string;
  /** Number of token-metadata.md 1.5. */
  readonly reason: number | null;
}

interface TokenRow extends Row {
  contract_id: string;
  uri: string | null;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  total_supply: string | null;
}

interface DocumentRow extends Row {
  contract_id: string;
  locale: string;
  name: string;
  document: string;
  cached_image: string | null;
  cached_thumbnail: string | null;
}

interface JobRow extends Row {
  state: string;
  reason: number | null;
}

const TOKEN = 'contract_id, uri, name, symbol, decimals, total_supply';
const DOCUMENT = 'contract_id, locale, name, document, cached_image, cached_thumbnail';

/** Undefined until the token was processed with success for the first time. */
export async function findFetchedToken(
  queries: Queries,
  contractId: string,
  token: string,
): Promise<FetchedToken | undefined> {
  const sql = `SELECT ${TOKEN} FROM metadata_tokens WHERE contract_id = ? AND token = ?`;
  const row = await queries.get<TokenRow>(sql, [contractId, token]);
  return row && tokenOf(row);
}

/** The document of a locale: of exactly this name, which may be that of the default one too (token-metadata.md 1.7). */
export async function findDocument(
  queries: Queries,
  contractId: string,
  token: string,
  locale: string,
): Promise<FetchedDocument | undefined> {
  const rows = await queries.all<DocumentRow>(
    `SELECT ${DOCUMENT} FROM metadata_documents
      WHERE contract_id = ? AND token = ? AND (locale = ? OR (locale = '' AND locale_name = ?))`,
    [contractId, token, locale, locale],
  );
  const row = rows.find(found => found.locale === locale) ?? rows[0];
  return row && documentOf(row);
}

/** The job of this kind (metadata/tables.ts); undefined when there was none. @param token empty for the contract itself */
export async function findOutcome(
  queries: Queries,
  contractId: string,
  token: string,
  kind: string,
): Promise<JobOutcome | undefined> {
  const sql = 'SELECT state, reason FROM metadata_jobs WHERE contract_id = ? AND token = ? AND kind = ?';
  const row = await queries.get<JobRow>(sql, [contractId, token, kind]);
  return row && { state: row.state, reason: row.reason };
}

/** The highest token number that the contract says it has; 0 when it was not asked, or gave none. */
export async function lastTokenOf(queries: Queries, contractId: string): Promise<bigint> {
  const sql = 'SELECT last_token_id FROM metadata_contracts WHERE contract_id = ?';
  const row = await queries.get<{ last_token_id: string | null }>(sql, [contractId]);
  return BigInt(row?.last_token_id ?? 0);
}

/** The only tokens of fungible contracts, by contract. */
export async function fungibleTokens(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, FetchedToken>> {
  const found = new Map<string, FetchedToken>();
  for (const { list, values } of inLists(contractIds)) {
    const sql = `SELECT ${TOKEN} FROM metadata_tokens WHERE contract_id IN ${list} AND token = '1'`;
    for (const row of await queries.all<TokenRow>(sql, values)) found.set(row.contract_id, tokenOf(row));
  }
  return found;
}

/** Of these fungible contracts, those whose token has metadata. */
export async function withMetadata(queries: Queries, contractIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { list, values } of inLists(contractIds)) {
    const sql = `SELECT contract_id FROM metadata_documents
      WHERE contract_id IN ${list} AND token = '1' AND locale = '' AND name <> ''`;
    for (const row of await queries.all<{ contract_id: string }>(sql, values)) found.add(row.contract_id);
  }
  return found;
}

/** The default documents of the only tokens of fungible contracts, by contract. */
export async function fungibleDocuments(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, FetchedDocument>> {
  const found = new Map<string, FetchedDocument>();
  for (const { list, values } of inLists(contractIds)) {
    const sql = `SELECT ${DOCUMENT} FROM metadata_documents WHERE contract_id IN ${list} AND token = '1' AND locale = ''`;
    for (const row of await queries.all<DocumentRow>(sql, values)) found.set(row.contract_id, documentOf(row));
  }
  return found;
}

const tokenOf = ({ uri, name, symbol, decimals, total_supply }: TokenRow): FetchedToken => ({
  uri,
  name,
  symbol,
  decimals,
  totalSupply: total_supply,
});

const documentOf = (row: DocumentRow): FetchedDocument => ({
  document: fromStoredText(row.name, row.document),
  cachedImage: row.cached_image,
  cachedThumbnail: row.cached_thumbnail,
});
