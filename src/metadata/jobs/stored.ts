import type { DatabaseTransaction, Queries, Row } from '../../base/store/database.ts';
import { deleteRows, type RowOf, upsertRows } from '../../base/store/table.ts';
import { fromStoredText, type MetadataDocument, storedText } from '../document/document.ts';
import { type METADATA_CONTRACTS, METADATA_DOCUMENTS, METADATA_TOKENS } from '../tables.ts';

/** The state of a token that comes from its contract. */
export interface TokenFacts {
  /** With placeholders replaced. */
  readonly uri: string | null;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** Decimal text. */
  readonly totalSupply: string | null;
}

export interface StoredTokenKey {
  readonly contractId: string;
  readonly token: string;
}

/** The empty locale is the default document. */
export const DEFAULT_LOCALE = '';

type TokenRow = Omit<RowOf<typeof METADATA_TOKENS>, 'contract_id' | 'token' | 'updated_at'>;

type DocumentRow = Omit<RowOf<typeof METADATA_DOCUMENTS>, 'contract_id' | 'token'>;

const TOKEN = 'contract_id = ? AND token = ?';

/**
 * Stores the facts about a token from its contract. A new document replaces the stored one; null removes it, undefined keeps
 * it. The version grows only if something differs.
 */
export async function storeToken(
  tx: DatabaseTransaction,
  place: StoredTokenKey,
  facts: TokenFacts,
  document: MetadataDocument | null | undefined,
  now: number,
): Promise<void> {
  const before = await tx.get<TokenRow>(
    `SELECT version, uri, name, symbol, decimals, total_supply FROM metadata_tokens WHERE ${TOKEN}`,
    keyOf(place),
  );
  const { uri, name, symbol, decimals, totalSupply: total_supply } = facts;
  const told = { uri, name, symbol, decimals, total_supply };
  const same = before !== undefined && hasAll(before, told);
  const documentChanged = document !== undefined && (await replaceDocuments(tx, place, document));
  const version = (before?.version ?? 0) + (same && !documentChanged ? 0 : 1);
  await upsertRows(tx, METADATA_TOKENS, [{ ...keyColumnsOf(place), ...told, version, updated_at: now }]);
}

/** Writes the default document, and removes those of locales that it no longer has. @returns whether anything changed */
async function replaceDocuments(
  tx: DatabaseTransaction,
  place: StoredTokenKey,
  document: MetadataDocument | null,
): Promise<boolean> {
  const before = await readDocuments(tx, place);
  const kept = document === null ? [] : [DEFAULT_LOCALE, ...localesOf(document)];
  const gone = before.filter(({ locale }) => !kept.includes(locale));
  await deleteRows(
    tx,
    METADATA_DOCUMENTS,
    gone.map(({ locale }) => ({ ...keyColumnsOf(place), locale })),
  );
  const changed = document !== null && (await putDocument(tx, place, DEFAULT_LOCALE, document, before));
  return gone.length > 0 || changed;
}

const localesOf = ({ localization }: MetadataDocument): readonly string[] => localization?.locales ?? [];

/** Stores the document of a locale, merged with the default one, and raises the version of the token. */
export async function storeLocale(
  tx: DatabaseTransaction,
  place: StoredTokenKey,
  locale: string,
  document: MetadataDocument,
): Promise<void> {
  if (await putDocument(tx, place, locale, document, await readDocuments(tx, place))) await countChange(tx, place);
}

/** Writes a document. It keeps its images if it names the same image, and shares those of another document that names the same one. */
async function putDocument(
  tx: DatabaseTransaction,
  place: StoredTokenKey,
  locale: string,
  document: MetadataDocument,
  stored: readonly DocumentRow[],
): Promise<boolean> {
  const before = stored.find(row => row.locale === locale);
  const own = before && imageOf(before) === document.image ? before : undefined;
  const image = own ?? stored.find(row => document.image !== '' && imageOf(row) === document.image);
  const localeName = locale === DEFAULT_LOCALE ? (document.localization?.default ?? null) : null;
  const stated = {
    locale_name: localeName,
    name: document.name,
    document: storedText(document),
    cached_image: image?.cached_image ?? null,
    cached_thumbnail: image?.cached_thumbnail ?? null,
  };
  if (before && hasAll(before, stated)) return false;
  await upsertRows(tx, METADATA_DOCUMENTS, [{ ...keyColumnsOf(place), locale, ...stated }]);
  return true;
}

/** Sets the names of the stored files for every document of the token that names this image. */
export async function storeImage(
  tx: DatabaseTransaction,
  place: StoredTokenKey,
  image: string,
  files: { readonly image: string; readonly thumbnail: string },
): Promise<void> {
  const documents = await readDocuments(tx, place);
  const changed = documents.filter(
    row => imageOf(row) === image && (row.cached_image !== files.image || row.cached_thumbnail !== files.thumbnail),
  );
  for (const { locale } of changed)
    await tx.run(`UPDATE metadata_documents SET cached_image = ?, cached_thumbnail = ? WHERE ${TOKEN} AND locale = ?`, [
      files.image,
      files.thumbnail,
      ...keyOf(place),
      locale,
    ]);
  if (changed.length > 0) await countChange(tx, place);
}

/** Whether the number of the token is from 1 to the last token of its contract. */
export async function isCounted(queries: Queries, { contractId, token }: StoredTokenKey): Promise<boolean> {
  const row = await queries.get<RowOf<typeof METADATA_CONTRACTS, 'last_token_id'>>(
    'SELECT last_token_id FROM metadata_contracts WHERE contract_id = ?',
    [contractId],
  );
  const number = BigInt(token);
  return number > 0n && number <= BigInt(row?.last_token_id ?? 0);
}

/** The document of a locale; undefined without a document, or for one without metadata. */
export async function readDocument(
  queries: Queries,
  place: StoredTokenKey,
  locale: string,
): Promise<MetadataDocument | undefined> {
  const rows = await readDocuments(queries, place);
  const row = rows.find(each => each.locale === locale);
  return row && fromStoredText(row.name, row.document);
}

function readDocuments(queries: Queries, place: StoredTokenKey): Promise<DocumentRow[]> {
  return queries.all<DocumentRow>(
    `SELECT locale, locale_name, name, document, cached_image, cached_thumbnail FROM metadata_documents WHERE ${TOKEN}`,
    keyOf(place),
  );
}

async function countChange(tx: DatabaseTransaction, place: StoredTokenKey): Promise<void> {
  await tx.run(`UPDATE metadata_tokens SET version = version + 1 WHERE ${TOKEN}`, keyOf(place));
}

const imageOf = (row: DocumentRow): string => fromStoredText(row.name, row.document).image;

/** Whether a row holds all of these values. */
const hasAll = (row: Row, values: Row): boolean => Object.entries(values).every(([name, value]) => row[name] === value);

const keyColumnsOf = ({ contractId, token }: StoredTokenKey) => ({ contract_id: contractId, token });

const keyOf = ({ contractId, token }: StoredTokenKey): readonly [string, string] => [contractId, token];
