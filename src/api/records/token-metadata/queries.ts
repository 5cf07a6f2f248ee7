import { toHex } from '../../../base/lib/hex.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { TokenStandard } from '../../../index/token-metadata/standard.ts';
import { type TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD } from '../../../index/token-metadata/tables.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import { fromStoredText, type MetadataDocument } from '../../../metadata/document/document.ts';
import type { JobState } from '../../../metadata/jobs/job.ts';
import type { TokenFacts } from '../../../metadata/jobs/stored.ts';
import type {
  METADATA_CONTRACTS,
  METADATA_DOCUMENTS,
  METADATA_JOBS,
  METADATA_TOKENS,
} from '../../../metadata/tables.ts';

/** A contract of the canonical chain that follows a token standard. */
export interface TokenContract {
  readonly contractId: string;
  readonly standard: TokenStandard;
  /** Name of its first fungible asset. */
  readonly ftAsset: string | null;
  readonly txId: string;
  readonly sender: string;
}

type ContractRow = RowOf<typeof TOKEN_CONTRACTS, 'contract_id' | 'ft_asset' | 'tx_id' | 'sender'> & {
  readonly standard: TokenStandard;
};

const COLUMNS = 'c.contract_id, c.standard, c.ft_asset, c.tx_id, c.sender';

export async function findTokenContract(queries: Queries, contractId: string): Promise<TokenContract | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_contracts c WHERE c.contract_id = ?`;
  const row = await queries.get<ContractRow>(sql, [contractId]);
  return row && contractOf(row);
}

/** Whether an event of the canonical chain has shown the token. @param token decimal number */
export async function isShownToken(queries: Queries, contractId: string, token: string): Promise<boolean> {
  const sql = 'SELECT event FROM tokens WHERE contract_id = ? AND token = ?';
  return (await queries.get(sql, [contractId, token])) !== undefined;
}

/** Every contract of a standard, in the order of deployment. */
export async function tokenContracts(queries: Queries, standard: TokenStandard): Promise<TokenContract[]> {
  const rows = await queries.all<ContractRow>(
    `SELECT ${COLUMNS} FROM lists l
       JOIN token_contract_entries e ON e.list = l.id
       JOIN token_contracts c ON c.contract_id = e.contract_id
      WHERE l.kind = ? AND l.name = ? ORDER BY e.seq`,
    [TOKEN_CONTRACTS_BY_STANDARD.code, standard],
  );
  return rows.map(contractOf);
}

/** Number of contracts by standard; a standard without any is missing. */
export async function countTokenContracts(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const sql = 'SELECT name, length FROM lists WHERE kind = ?';
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'length'>>(sql, [TOKEN_CONTRACTS_BY_STANDARD.code]);
  return new Map(rows.map(({ name, length }) => [name, length]));
}

const contractOf = (row: ContractRow): TokenContract => ({
  contractId: row.contract_id,
  standard: row.standard,
  ftAsset: row.ft_asset,
  txId: toHex(row.tx_id),
  sender: row.sender,
});

/** A metadata document, with the file names of its image. */
export interface FetchedDocument {
  readonly document: MetadataDocument;
  readonly cachedImage: string | null;
  readonly cachedThumbnail: string | null;
}

/** The state of the work on a token, a locale or a contract. */
export interface JobOutcome {
  readonly state: string;
  /** Reason number (metadata/errors.ts). */
  readonly reason: number | null;
}

type TokenRow = Omit<RowOf<typeof METADATA_TOKENS>, 'token' | 'version' | 'updated_at'>;

type DocumentRow = Omit<RowOf<typeof METADATA_DOCUMENTS>, 'token' | 'locale_name'>;

type JobRow = RowOf<typeof METADATA_JOBS, 'state' | 'reason'>;

const TOKEN = 'contract_id, uri, name, symbol, decimals, total_supply';
const DOCUMENT = 'contract_id, locale, name, document, cached_image, cached_thumbnail';

/** Undefined until the token was processed with success for the first time. */
export async function findFetchedToken(
  queries: Queries,
  contractId: string,
  token: string,
): Promise<TokenFacts | undefined> {
  const sql = `SELECT ${TOKEN} FROM metadata_tokens WHERE contract_id = ? AND token = ?`;
  const row = await queries.get<TokenRow>(sql, [contractId, token]);
  return row && tokenOf(row);
}

/** The document of a locale by its exact name; the default document may have this name too. */
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

/**
 * The job of this kind (metadata/tables.ts); undefined if there was no job. @param token empty for the contract itself
 */
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

/** The only tokens of fungible contracts, by contract. */
export async function fungibleTokens(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
  const rows = await allIn<TokenRow>(
    queries,
    list => `SELECT ${TOKEN} FROM metadata_tokens WHERE contract_id IN ${list} AND token = '1'`,
    contractIds,
  );
  return new Map(rows.map(row => [row.contract_id, tokenOf(row)]));
}

/** Of these fungible contracts, those whose token has metadata. */
export async function withMetadata(queries: Queries, contractIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await allIn<RowOf<typeof METADATA_DOCUMENTS, 'contract_id'>>(
    queries,
    list => `SELECT contract_id FROM metadata_documents
      WHERE contract_id IN ${list} AND token = '1' AND locale = '' AND name <> ''`,
    contractIds,
  );
  return new Set(rows.map(row => row.contract_id));
}

/** A token by its contract and its decimal number. */
export interface TokenKey {
  readonly contractId: string;
  readonly token: string;
}

/** The contracts among these that follow a token standard, by their id. */
export async function findTokenContracts(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, TokenContract>> {
  const rows = await allIn<ContractRow>(
    queries,
    list => `SELECT ${COLUMNS} FROM token_contracts c WHERE c.contract_id IN ${list}`,
    contractIds,
  );
  return new Map(rows.map(row => [row.contract_id, contractOf(row)]));
}

/** The tokens among these that an event of the canonical chain has shown, as texts of `tokenText`. */
export async function shownTokens(queries: Queries, tokens: readonly TokenKey[]): Promise<ReadonlySet<string>> {
  const rows = await ofTokens<TokenKeyRow>(queries, 'SELECT contract_id, token FROM tokens', tokens);
  return new Set(rows.map(keyTextOf));
}

/** The tokens among these that were processed with success, by `tokenText`. */
export async function fetchedTokens(
  queries: Queries,
  tokens: readonly TokenKey[],
): Promise<ReadonlyMap<string, TokenFacts>> {
  const rows = await ofTokens<TokenRow & TokenKeyRow>(queries, `SELECT token, ${TOKEN} FROM metadata_tokens`, tokens);
  return new Map(rows.map(row => [keyTextOf(row), tokenOf(row)]));
}

/** The documents of a locale of these tokens (see findDocument), by `tokenText`. */
export async function fetchedDocuments(
  queries: Queries,
  tokens: readonly TokenKey[],
  locale: string,
): Promise<ReadonlyMap<string, FetchedDocument>> {
  const rows = await ofTokens<DocumentRow & TokenKeyRow & RowOf<typeof METADATA_DOCUMENTS, 'locale_name'>>(
    queries,
    `SELECT token, locale_name, ${DOCUMENT} FROM metadata_documents`,
    tokens,
    " AND locale IN ('', ?)",
    [locale],
  );
  // The document of exactly this locale comes last, so it replaces any other in the map.
  const ofLocale = rows.filter(row => row.locale === locale || row.locale_name === locale);
  const inOrder = ofLocale.toSorted((a, b) => Number(a.locale === locale) - Number(b.locale === locale));
  return new Map(inOrder.map(row => [keyTextOf(row), documentOf(row)]));
}

/** The last token number of these contracts, by contract; contracts without one are missing. */
export async function lastTokens(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await allIn<RowOf<typeof METADATA_CONTRACTS, 'contract_id' | 'last_token_id'>>(
    queries,
    list => `SELECT contract_id, last_token_id FROM metadata_contracts WHERE contract_id IN ${list}`,
    contractIds,
  );
  return new Map(
    rows.flatMap(row => (row.last_token_id === null ? [] : [[row.contract_id, BigInt(row.last_token_id)]])),
  );
}

/** A token as one text. */
export const tokenText = ({ contractId, token }: TokenKey): string => `${contractId}:${token}`;

type TokenKeyRow = RowOf<typeof METADATA_TOKENS, 'contract_id' | 'token'>;

const keyTextOf = ({ contract_id, token }: TokenKeyRow): string => tokenText({ contractId: contract_id, token });

/** Rows of tables by contract and token. */
async function ofTokens<Row extends Readonly<Record<string, SqlValue>>>(
  queries: Queries,
  select: string,
  tokens: readonly TokenKey[],
  rest = '',
  values: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  if (tokens.length === 0) return [];
  const keys = tokens.map(() => '(?, ?)').join(', ');
  return queries.all<Row>(`${select} WHERE (contract_id, token) IN (VALUES ${keys})${rest}`, [
    ...tokens.flatMap(({ contractId, token }) => [contractId, token]),
    ...values,
  ]);
}

/** Jobs of a state that are counted. */
const MOST_COUNTED = 10_000;

/** The states of jobs that matter to operators. Finished jobs are not counted, as their number grows with the tokens of the chain. */
const QUEUE_STATES = ['waiting', 'running', 'failed', 'invalid'] as const satisfies readonly JobState[];

/** How many jobs have each of these states, counted up to 10,000. @param queries of the database of the metadata */
export async function queueCounts(queries: Queries): Promise<Readonly<Record<(typeof QUEUE_STATES)[number], number>>> {
  const counts = { waiting: 0, running: 0, failed: 0, invalid: 0 };
  for (const state of QUEUE_STATES) {
    const row = await queries.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 AS one FROM metadata_jobs WHERE state = ? LIMIT ${MOST_COUNTED}) AS jobs`,
      [state],
    );
    counts[state] = row?.n ?? 0;
  }
  return counts;
}

/** The default documents of the only tokens of fungible contracts, by contract. */
export async function fungibleDocuments(
  queries: Queries,
  contractIds: readonly string[],
): Promise<ReadonlyMap<string, FetchedDocument>> {
  const rows = await allIn<DocumentRow>(
    queries,
    list => `SELECT ${DOCUMENT} FROM metadata_documents WHERE contract_id IN ${list} AND token = '1' AND locale = ''`,
    contractIds,
  );
  return new Map(rows.map(row => [row.contract_id, documentOf(row)]));
}

const tokenOf = ({ uri, name, symbol, decimals, total_supply }: TokenRow): TokenFacts => ({
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
