import type { Queries, Row, Transaction, Value } from '../../store/database.ts';
import { fromStoredText, type MetadataDocument, storedText } from '../document/document.ts';
import { METADATA_DOCUMENTS, METADATA_TOKENS } from '../tables.ts';

/** What a contract tells of a token. */
export interface TokenFacts {
  /** With placeholders replaced. */
  readonly uri: string | null;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** Decimal text. */
  readonly totalSupply: string | null;
}

export interface TokenPlace {
  readonly contractId: string;
  readonly token: string;
}

/** The empty locale is the default document. */
export const DEFAULT_LOCALE = '';

interface TokenRow extends Row {
  readonly version: number;
  readonly uri: string | null;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly total_supply: string | null;
}

interface DocumentRow extends Row {
  readonly locale: string;
  readonly locale_name: string | null;
  readonly name: string;
  readonly document: string;
  readonly cached_image: string | null;
  readonly cached_thumbnail: string | null;
}

const TOKEN = 'contract_id = ? AND token = ?';

/**
 * Stores what a contract tells of a token. With a document, that takes the place of the one before; null removes it, undefined
 * keeps it. The version grows only when something is different.
 */
export async function storeToken(
  tx: Transaction,
  place: TokenPlace,
  facts: TokenFacts,
  document: MetadataDocument | null | undefined,
  now: number,
): Promise<void> {
  const before = await tx.get<TokenRow>(
    `SELECT version, uri, name, symbol, decimals, total_supply FROM metadata_tokens WHERE ${TOKEN}`,
    keyOf(place),
  );
  const { uri, name, symbol, decimals, totalSupply } = facts;
  const values = [uri, name, symbol, decimals, totalSupply];
  const same =
    before !== undefined &&
    isSame([before.uri, before.name, before.symbol, before.decimals, before.total_supply], values);
  const documentChanged = document !== undefined && (await replaceDocuments(tx, place, document));
  const version = (before?.version ?? 0) + (same && !documentChanged ? 0 : 1);
  await tx.upsertMany(METADATA_TOKENS, [[...keyOf(place), version, ...values, now]]);
}

/** Puts the default document, and removes those of locales that it no longer has. @returns whether anything changed */
async function replaceDocuments(
  tx: Transaction,
  place: TokenPlace,
  document: MetadataDocument | null,
): Promise<boolean> {
  const before = await readDocuments(tx, place);
  const kept = document === null ? [] : [DEFAULT_LOCALE, ...localesOf(document)];
  const gone = before.filter(({ locale }) => !kept.includes(locale));
  await tx.deleteMany(
    METADATA_DOCUMENTS,
    gone.map(({ locale }) => [...keyOf(place), locale]),
  );
  const changed = document !== null && (await putDocument(tx, place, DEFAULT_LOCALE, document, before));
  return gone.length > 0 || changed;
}

const localesOf = ({ localization }: MetadataDocument): readonly string[] => localization?.locales ?? [];

/** Stores the document of a locale, merged with the default one, and counts the version of the token. */
export async function storeLocale(
  tx: Transaction,
  place: TokenPlace,
  locale: string,
  document: MetadataDocument,
): Promise<void> {
  if (await putDocument(tx, place, locale, document, await readDocuments(tx, place))) await countChange(tx, place);
}

/** Images stay while the document names the same; a document that names an image that another one has shares it. */
async function putDocument(
  tx: Transaction,
  place: TokenPlace,
  locale: string,
  document: MetadataDocument,
  stored: readonly DocumentRow[],
): Promise<boolean> {
  const before = stored.find(row => row.locale === locale);
  const own = before && imageOf(before) === document.image ? before : undefined;
  const image = own ?? stored.find(row => document.image !== '' && imageOf(row) === document.image);
  const localeName = locale === DEFAULT_LOCALE ? (document.localization?.default ?? null) : null;
  const values = [
    localeName,
    document.name,
    storedText(document),
    image?.cached_image ?? null,
    image?.cached_thumbnail ?? null,
  ];
  const same =
    before !== undefined &&
    isSame([before.locale_name, before.name, before.document, before.cached_image, before.cached_thumbnail], values);
  if (same) return false;
  await tx.upsertMany(METADATA_DOCUMENTS, [[...keyOf(place), locale, ...values]]);
  return true;
}

/** Sets the names of the stored files for every document of the token that names this image. */
export async function storeImage(
  tx: Transaction,
  place: TokenPlace,
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

/** Whether the contract has counted the token among its own: from 1 to the last that it says it has. */
export async function isCounted(queries: Queries, { contractId, token }: TokenPlace): Promise<boolean> {
  const row = await queries.get<{ last_token_id: string | null }>(
    'SELECT last_token_id FROM metadata_contracts WHERE contract_id = ?',
    [contractId],
  );
  const number = BigInt(token);
  return number > 0n && number <= BigInt(row?.last_token_id ?? 0);
}

/** The document of a locale; undefined when there is none, or one without metadata. */
export async function readDocument(
  queries: Queries,
  place: TokenPlace,
  locale: string,
): Promise<MetadataDocument | undefined> {
  const rows = await readDocuments(queries, place);
  const row = rows.find(each => each.locale === locale);
  return row && fromStoredText(row.name, row.document);
}

function readDocuments(queries: Queries, place: TokenPlace): Promise<DocumentRow[]> {
  return queries.all<DocumentRow>(
    `SELECT locale, locale_name, name, document, cached_image, cached_thumbnail FROM metadata_documents WHERE ${TOKEN}`,
    keyOf(place),
  );
}

async function countChange(tx: Transaction, place: TokenPlace): Promise<void> {
  await tx.run(`UPDATE metadata_tokens SET version = version + 1 WHERE ${TOKEN}`, keyOf(place));
}

const imageOf = (row: DocumentRow): string => fromStoredText(row.name, row.document).image;

const isSame = (a: readonly Value[], b: readonly Value[]): boolean => a.every((value, i) => value === b[i]);

const keyOf = ({ contractId, token }: TokenPlace): readonly [string, string] => [contractId, token];
