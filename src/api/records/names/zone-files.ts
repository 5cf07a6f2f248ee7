import { rawHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries, Row, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { canonicalHeights } from '../../../index/blocks/canonical-chain.ts';
import { PAST_NAMES, type SUBDOMAINS, type ZONE_FILES } from '../../../index/names/tables.ts';
import { tokenBytes } from '../../../index/names/token.ts';
import { isTtlOrClass, subdomainRecords, wordsOf, zoneFileText } from '../../../index/names/zone-file.ts';
import { findRow } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { isValid } from './owned-names.ts';

/**
 * Rows that are read at a time, the newest first: zone files and subdomains are kept even if their blocks become orphaned,
 * so rows must be checked.
 */
const BATCH = 20;

type ZoneFileKey = RowOf<typeof ZONE_FILES, 'index_block_hash' | 'tx_id' | 'attachment_index'>;
const PLACE = 'index_block_hash, tx_id, attachment_index';

/** The newest row of a canonical block. @param select the statement before the order */
async function newestCanonical<R extends ZoneFileKey & Row>(
  queries: Queries,
  select: string,
  params: readonly SqlValue[],
): Promise<R | undefined> {
  for (let offset = 0; ; offset += BATCH) {
    const sql = `${select} ORDER BY height DESC, attachment_index DESC LIMIT ${BATCH} OFFSET ?`;
    const rows = await queries.all<R>(sql, [...params, offset]);
    const heights = await canonicalHeights(queries, new Set(rows.map(row => toHex(row.index_block_hash))));
    const found = rows.find(row => heights.has(toHex(row.index_block_hash)));
    if (found || rows.length < BATCH) return found;
  }
}

/** Whether a name exists and is not revoked. @param token the value of its NFT */
export async function isValidName(queries: Queries, token: Uint8Array): Promise<boolean> {
  const row = await findRow(queries, PAST_NAMES, { token });
  return row !== undefined && isValid(row);
}

/**
 * The newest zone file of a name, or the newest with this hash; undefined if the index has no such file. @param token
 * the value of its NFT
 */
export async function newestZoneFile(
  queries: Queries,
  token: Uint8Array,
  hash: Uint8Array | undefined,
): Promise<string | undefined> {
  const place = await newestCanonical<ZoneFileKey>(
    queries,
    `SELECT ${PLACE} FROM zone_files WHERE token = ?${hash ? ' AND hash = ?' : ''}`,
    hash ? [token, hash] : [token],
  );
  return place && zoneFileText(await contentAt(queries, token, place));
}

async function contentAt(queries: Queries, token: Uint8Array, place: ZoneFileKey): Promise<Uint8Array> {
  const row = await queries.get<RowOf<typeof ZONE_FILES, 'content'>>(
    'SELECT content FROM zone_files WHERE token = ? AND index_block_hash = ? AND tx_id = ? AND attachment_index = ?',
    [token, place.index_block_hash, place.tx_id, place.attachment_index],
  );
  return row?.content ?? new Uint8Array();
}

/** A subdomain as getNameInfoV1 serves it, in emitted order. */
interface SubdomainInfo {
  readonly address: string;
  readonly blockchain: 'stacks';
  readonly last_txid: string;
  readonly status: 'registered_subdomain';
  readonly zonefile_hash: string;
  readonly resolver: string;
  readonly zonefile: string;
}

/** The parent name of a subdomain: its last two labels. */
const parentOf = (subdomain: string): string => subdomain.split('.').slice(-2).join('.');

/**
 * A subdomain from the newest zone file of the canonical chain, or from the newest in which it has a zone file with this hash;
 * undefined without one, or while its name is not valid.
 */
export async function findSubdomain(
  queries: Queries,
  subdomain: string,
  hash?: Uint8Array,
): Promise<SubdomainInfo | undefined> {
  const parent = tokenNamed(parentOf(subdomain));
  if (!(await isValidName(queries, parent))) return undefined;
  type Statement = RowOf<typeof SUBDOMAINS>;
  const row = await newestCanonical<Statement>(
    queries,
    `SELECT owner, parent, zonefile_hash, ${PLACE} FROM subdomains WHERE subdomain = ?${hash ? ' AND zonefile_hash = ?' : ''}`,
    hash ? [subdomain, hash] : [subdomain],
  );
  if (!row) return undefined;
  const text = zoneFileText(await contentAt(queries, row.parent, row));
  const label = subdomain.slice(0, -parentOf(subdomain).length - 1);
  const record = subdomainRecords(text).find(stated => stated.label === label);
  return {
    address: row.owner,
    blockchain: 'stacks',
    last_txid: toHex(row.tx_id),
    status: 'registered_subdomain',
    zonefile_hash: rawHex(row.zonefile_hash),
    resolver: resolverOf(text),
    // Cut to seven bits, as recorded.
    zonefile: Buffer.from(record?.zoneFile ?? []).toString('ascii'),
  };
}

/** The resolver of the newest zone file with subdomains of this name; undefined without such a file. */
export async function resolverFor(queries: Queries, subdomain: string): Promise<string | undefined> {
  const token = tokenNamed(parentOf(subdomain));
  if (!(await isValidName(queries, token))) return undefined;
  const sql = `SELECT ${PLACE} FROM zone_files WHERE token = ? AND subdomains > 0`;
  const place = await newestCanonical<ZoneFileKey>(queries, sql, [token]);
  return place && resolverOf(zoneFileText(await contentAt(queries, token, place)));
}

/** Subdomain rows that are read together. */
const STATEMENTS = 500;

/** All subdomains of a name that were ever in a canonical zone file, in the order of bytes; empty while the name is not valid. */
export async function subdomainsOf(queries: Queries, name: string, budget: RowBudget): Promise<string[]> {
  const token = tokenNamed(name);
  if (!(await isValidName(queries, token))) return [];
  const found = new Set<string>();
  let after: readonly SqlValue[] = ['', new Uint8Array()];
  for (;;) {
    const limit = await budget.take(STATEMENTS);
    const rows = await queries.all<RowOf<typeof SUBDOMAINS, 'subdomain' | 'index_block_hash'>>(
      `SELECT DISTINCT subdomain, index_block_hash FROM subdomains
        WHERE parent = ? AND (subdomain, index_block_hash) > (?, ?) ORDER BY subdomain, index_block_hash LIMIT ?`,
      [token, ...after, limit],
    );
    const heights = await canonicalHeights(queries, new Set(rows.map(row => toHex(row.index_block_hash))));
    for (const row of rows) if (heights.has(toHex(row.index_block_hash))) found.add(row.subdomain);
    const last = rows.at(-1);
    if (!last || rows.length < limit) return [...found];
    after = [last.subdomain, last.index_block_hash];
  }
}

/**
 * The resolver for subdomains that a zone file does not list: the target of its last URI record whose name has
 * `resolver` in it; '' without one.
 */
export function resolverOf(text: string): string {
  let resolver = '';
  for (const line of text.split(/[\r\n]/)) {
    if (!line.includes('resolver')) continue;
    const [name = '', ...rest] = wordsOf(line);
    const type = rest.findIndex(word => !isTtlOrClass(word));
    // After the type: priority, weight, target.
    if (name.includes('resolver') && rest[type]?.toUpperCase() === 'URI') resolver = rest[type + 3] ?? '';
  }
  return resolver;
}

/** The NFT value of the name with this text; for an invalid name, a value that no name has. */
export function tokenNamed(text: string): Uint8Array {
  const dot = text.lastIndexOf('.');
  return tokenBytes(Buffer.from(text.slice(0, Math.max(0, dot))), Buffer.from(text.slice(dot + 1)));
}
