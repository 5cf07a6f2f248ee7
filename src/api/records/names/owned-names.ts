import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { canonicalHeights } from '../../../index/blocks/canonical-chain.ts';
import {
  type BNS2_NAMES,
  type NAMES,
  PAST_BNS2_NAMES,
  PAST_NAMES,
  type SUBDOMAINS,
} from '../../../index/names/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { findRow, rowsWith } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/** The versions of BNS to show. */
export type NameVersions = 'v1' | 'v1+v2';

/**
 * All names of this principal (getNamesOwnedByAddressV1): its names that are not revoked, and its subdomains of such names, in
 * the order of their UTF-16 code units, each once. If version 2 has a name, burned or not, version 2 alone decides about it
 * (docs/spec/names.md#version-2).
 * @param budget for changes above the block that the queries show
 */
export async function namesOwnedBy(
  queries: Queries,
  owner: string,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[]> {
  const held = horizonOf(queries)
    ? await namesThen(queries, owner, versions, budget)
    : await namesNow(queries, owner, versions);
  const subdomains = await subdomainsOwnedBy(queries, owner);
  const valid = await validNames(
    queries,
    subdomains.map(({ parent }) => parent),
  );
  const shown = subdomains.filter(({ parent }) => valid.has(toHex(parent)));
  return [...new Set([...held, ...shown.map(({ subdomain }) => subdomain)])].sort();
}

async function namesNow(queries: Queries, owner: string, versions: NameVersions): Promise<string[]> {
  const withBns2 = versions === 'v1+v2';
  const names = await queries.all<RowOf<typeof NAMES, 'name'>>(
    `SELECT name FROM names WHERE owner = ? AND ${VALID}${withBns2 ? ` AND ${NOT_IN_BNS2}` : ''}`,
    [owner],
  );
  const ofBns2 = withBns2
    ? await queries.all<RowOf<typeof BNS2_NAMES, 'name'>>('SELECT name FROM names_v2 WHERE owner = ?', [owner])
    : [];
  return [...names, ...ofBns2].flatMap(({ name }) => name ?? []);
}

async function namesThen(
  queries: Queries,
  owner: string,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[]> {
  const { ofBns1, ofBns2 } = await namesOfOwner(queries, owner, versions, budget);
  return [...ofBns1.flatMap(({ name, isShown }) => (isShown ? name : [])), ...ofBns2];
}

/** The names of an owner as of a block. */
interface OwnedNames {
  /** In the order of their bytes. */
  readonly ofBns1: readonly {
    readonly name: string;
    /** False for a revoked name, and for one that version 2 decides. */
    readonly isShown: boolean;
  }[];
  readonly ofBns2: readonly string[];
}

/** Reads every name that the owner had at the block or above it, from the budget. */
export async function namesOfOwner(
  queries: Queries,
  owner: string,
  versions: NameVersions,
  budget: RowBudget,
): Promise<OwnedNames> {
  const withBns2 = versions === 'v1+v2';
  const names = await rowsWith(queries, PAST_NAMES, { values: { owner }, order: ['name', 'token'] }, budget);
  const ofBns1 = [];
  for (const row of names.sort((a, b) => compareBytes(a.name, b.name))) {
    const isShown = isValid(row) && !(withBns2 && (await isInBns2(queries, row.name)));
    ofBns1.push({ name: row.name, isShown });
  }
  const ofBns2 = withBns2
    ? await rowsWith(queries, PAST_BNS2_NAMES, { values: { owner }, order: ['name', 'id'] }, budget)
    : [];
  return { ofBns1, ofBns2: ofBns2.flatMap(({ name }) => name ?? []) };
}

export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** SQL: a valid name has a known operation (an NFT alone is not enough), and is not revoked. */
export const VALID = `status <> 'name-revoke'`;
export const isValid = ({ status }: RowOf<typeof NAMES, 'status'>): boolean =>
  status !== null && status !== 'name-revoke';

/** SQL: version 2 does not know the name. */
export const NOT_IN_BNS2 = 'NOT EXISTS (SELECT 1 FROM names_v2 v WHERE v.name = names.name)';

const isInBns2 = async (queries: Queries, name: string): Promise<boolean> =>
  (await bns2NamesNamed(queries, name)).length > 0;

/** The ids of version 2 that have a name, as far as the queries show them. An id keeps its name. */
export async function bns2NamesNamed(queries: Queries, name: string): Promise<RowOf<typeof BNS2_NAMES>[]> {
  const newest = await queries.all<RowOf<typeof BNS2_NAMES>>('SELECT * FROM names_v2 WHERE name = ? ORDER BY id', [
    name,
  ]);
  if (!horizonOf(queries)) return newest;
  const rows: RowOf<typeof BNS2_NAMES>[] = [];
  for (const { id } of newest) {
    const row = await findRow(queries, PAST_BNS2_NAMES, { id });
    if (row?.name === name) rows.push(row);
  }
  return rows;
}

/** The valid ones of these names (as NFT values), as 0x hex. */
async function validNames(queries: Queries, tokens: readonly Uint8Array[]): Promise<Set<string>> {
  const valid = new Set<string>();
  if (horizonOf(queries)) {
    for (const [text, token] of new Map(tokens.map(token => [toHex(token), token]))) {
      const row = await findRow(queries, PAST_NAMES, { token });
      if (row && isValid(row)) valid.add(text);
    }
    return valid;
  }
  for (const { list, values } of inLists(tokens)) {
    const rows = await queries.all<RowOf<typeof NAMES, 'token'>>(
      `SELECT token FROM names WHERE token IN ${list} AND ${VALID}`,
      values,
    );
    for (const { token } of rows) valid.add(toHex(token));
  }
  return valid;
}

type SubdomainRow = RowOf<
  typeof SUBDOMAINS,
  'subdomain' | 'index_block_hash' | 'attachment_index' | 'parent' | 'owner'
>;

/** Subdomains whose newest statement on the canonical chain names this owner. */
async function subdomainsOwnedBy(queries: Queries, owner: string): Promise<SubdomainRow[]> {
  const named = await queries.all<RowOf<typeof SUBDOMAINS, 'subdomain'>>(
    'SELECT DISTINCT subdomain FROM subdomains WHERE owner = ?',
    [owner],
  );
  const rows: SubdomainRow[] = [];
  for (const { list, values } of inLists(named.map(({ subdomain }) => subdomain))) {
    const sql = `SELECT subdomain, index_block_hash, attachment_index, parent, owner FROM subdomains WHERE subdomain IN ${list}`;
    for (const row of await queries.all<SubdomainRow>(sql, values)) rows.push(row);
  }
  const heights = await canonicalHeights(queries, new Set(rows.map(row => toHex(row.index_block_hash))));
  return newestOfEach(rows, heights).filter(row => row.owner === owner);
}

function newestOfEach(rows: readonly SubdomainRow[], heights: ReadonlyMap<string, number>): SubdomainRow[] {
  const newest = new Map<string, { row: SubdomainRow; height: number }>();
  for (const row of rows) {
    const height = heights.get(toHex(row.index_block_hash));
    if (height === undefined) continue; // not of the canonical chain
    const other = newest.get(row.subdomain);
    const isNewer =
      !other || height > other.height || (height === other.height && row.attachment_index > other.row.attachment_index);
    if (isNewer) newest.set(row.subdomain, { row, height });
  }
  return [...newest.values()].map(({ row }) => row);
}
