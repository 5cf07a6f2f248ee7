import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries, Table } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type BNS2_NAMES,
  BNS2_NAMESPACES,
  type LISTED_NAMES,
  NAMESPACES,
  PAST_NAMES,
} from '../../../index/names/tables.ts';
import { nameText } from '../../../index/names/token.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { findRow } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { bns2NamesNamed, isValid, type NameVersions } from './owned-names.ts';
import { newestZoneFile, tokenNamed } from './zone-files.ts';

/** Names on a page. */
const PAGE = 100;
/** Names read by one statement. */
const MOST_AT_ONCE = 1_000;

/** A page of all listed names, in the order of their bytes; skipped rows before it count against the budget. */
export const pageOfNames = (
  queries: Queries,
  page: number,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[]> => listedNames(queries, undefined, page, versions, budget);

/** A page of the names of a namespace; undefined without such a namespace. */
export async function pageOfNamespace(
  queries: Queries,
  namespace: string,
  page: number,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[] | undefined> {
  const known = await namespaceTables(versions).reduce<Promise<unknown>>(
    async (found, { table, height }) =>
      (await found) ??
      queries.get(`SELECT namespace FROM ${table.name} WHERE namespace = ? AND ${height} <= ?`, [
        Buffer.from(namespace),
        endOfBlocks(queries),
      ]),
    Promise.resolve(undefined),
  );
  if (!known) return undefined;
  return listedNames(queries, namespace, page, versions, budget);
}

/** SQL: whether a name is listed; version 2 decides if it knows the name (docs/spec/names.md#version-2). */
const listedIn = (versions: NameVersions): string => (versions === 'v1' ? 'v1 = 1' : 'coalesce(v2, v1) > 0');

/** SQL: 1 or 0 for rows `n` of listed_names: whether a name is listed, as far as the queries show. */
function isListed(queries: Queries, versions: NameVersions): string {
  const now = `CASE WHEN ${listedIn(versions)} THEN 1 ELSE 0 END`;
  const horizon = horizonOf(queries);
  if (!horizon) return now;
  const { height } = horizon;
  const then = `SELECT CASE WHEN since_height <= ${height} AND ${listedIn(versions)} THEN 1 ELSE 0 END FROM past_listed_names p
    WHERE p.namespace = n.namespace AND p.name = n.name AND p.until_height > ${height} ORDER BY p.until_height LIMIT 1`;
  return `CASE WHEN n.since_height <= ${height} THEN ${now} ELSE coalesce((${then}), 0) END`;
}

async function listedNames(
  queries: Queries,
  namespace: string | undefined,
  page: number,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[]> {
  const end = Math.min(Math.trunc(page * PAGE), Number.MAX_SAFE_INTEGER - PAGE) + PAGE;
  const names: string[] = [];
  const within = namespace === undefined ? '' : 'namespace = ? AND';
  for (let [listed, last] = [0, '']; listed < end; ) {
    const rows = await budget.take(Math.min(end - listed, MOST_AT_ONCE));
    const part = await queries.all<RowOf<typeof LISTED_NAMES, 'name'> & { readonly listed: number }>(
      `SELECT name, ${isListed(queries, versions)} AS listed FROM listed_names n
        WHERE ${within} name > ? ORDER BY name LIMIT ?`,
      [...(namespace === undefined ? [] : [namespace]), last, rows],
    );
    for (const { name } of part.filter(row => row.listed)) if (++listed > end - PAGE) names.push(name);
    const lastOfPart = part.at(-1);
    if (lastOfPart === undefined || part.length < rows) break;
    last = lastOfPart.name;
  }
  return names;
}

/** Most names that are examined to find listed ones. */
const MOST_EXAMINED = 1_000;

/** At most `most` listed names that begin with a text, in the order of their bytes, among the first thousand names that begin with it. */
export async function namesBeginning(
  queries: Queries,
  beginning: string,
  most: number,
  versions: NameVersions,
): Promise<string[]> {
  const rows = await queries.all<RowOf<typeof LISTED_NAMES, 'name'>>(
    `SELECT DISTINCT name FROM (SELECT name, v1, v2 FROM listed_names WHERE name >= ? AND name < ? ORDER BY name
        LIMIT ${MOST_EXAMINED}) AS near WHERE ${listedIn(versions)} ORDER BY name`,
    [beginning, `${beginning}~`],
  );
  return rows.slice(0, most).map(({ name }) => name);
}

/**
 * At most `most` listed names with a text inside their label, by the place of the text, then in the order of their bytes, among the first thousand
 * parts of names that begin with it.
 */
export async function namesWithin(
  queries: Queries,
  text: string,
  most: number,
  versions: NameVersions,
): Promise<string[]> {
  const rows = await queries.all<RowOf<typeof LISTED_NAMES, 'name'>>(
    `SELECT l.name, min(near.place) AS place FROM (SELECT part, name, place FROM name_parts WHERE part >= ? AND part < ?
        ORDER BY part, name LIMIT ${MOST_EXAMINED}) AS near JOIN listed_names l ON l.name = near.name
      WHERE ${listedIn(versions)} GROUP BY l.name ORDER BY min(near.place), l.name`,
    [text, `${text}~`],
  );
  return rows.slice(0, most).map(({ name }) => name);
}

/** At most `most` namespaces that begin with a text, in the order of their bytes. */
export async function namespacesBeginning(
  queries: Queries,
  beginning: string,
  most: number,
  versions: NameVersions,
): Promise<string[]> {
  const selects = namespaceTables(versions).map(
    ({ table }) => `SELECT namespace FROM ${table.name} WHERE namespace >= ? AND namespace < ?`,
  );
  const rows = await queries.all<RowOf<typeof NAMESPACES, 'namespace'>>(
    `${selects.join(' UNION ')} ORDER BY namespace LIMIT ${most}`,
    selects.flatMap(() => [Buffer.from(beginning), Buffer.from(`${beginning}~`)]),
  );
  return rows.map(({ namespace }) => nameText(namespace));
}

/** Every namespace that was launched, in the order of their bytes. */
export async function allNamespaces(queries: Queries, versions: NameVersions): Promise<string[]> {
  const tables = namespaceTables(versions);
  const selects = tables.map(({ table, height }) => `SELECT namespace FROM ${table.name} WHERE ${height} <= ?`);
  const rows = await queries.all<RowOf<typeof NAMESPACES, 'namespace'>>(
    `${selects.join(' UNION ')} ORDER BY namespace`,
    tables.map(() => endOfBlocks(queries)),
  );
  return rows.map(({ namespace }) => nameText(namespace));
}

/** The tables of namespaces, with the column of the height from which a namespace is known. */
const namespaceTables = (versions: NameVersions): { readonly table: Table; readonly height: string }[] => [
  { table: NAMESPACES, height: 'ready_at' },
  ...(versions === 'v1' ? [] : [{ table: BNS2_NAMESPACES, height: 'told_at' }]),
];

/** A name as getNameInfoV1 serves it, in emitted order. */
interface NameInfo {
  readonly address: string;
  readonly blockchain: 'stacks';
  readonly last_txid: string;
  readonly status: string;
  readonly zonefile_hash: string;
  readonly expire_block: number;
  readonly zonefile: string;
}

/** The name; undefined for a name that does not exist or has no owner (docs/spec/names.md#name-records). */
export async function findName(queries: Queries, name: string, versions: NameVersions): Promise<NameInfo | undefined> {
  const v2 = versions === 'v1' ? undefined : await findBns2Name(queries, name);
  return v2 ? bns2NameInfo(v2) : findBns1Name(queries, name);
}

async function findBns1Name(queries: Queries, name: string): Promise<NameInfo | undefined> {
  const token = tokenNamed(name);
  const row = await findRow(queries, PAST_NAMES, { token });
  if (!row?.tx_id || !isValid(row)) return undefined;
  const { address, tx_id, status, zonefile_hash, expires } = row;
  return {
    address: address ?? '',
    blockchain: 'stacks',
    last_txid: toHex(tx_id),
    status: status ?? '',
    zonefile_hash: zonefile_hash?.slice(2) ?? '',
    expire_block: expires ?? 0,
    // The hash is the last one set: operations without a hash keep it.
    zonefile: zonefile_hash === null ? '' : ((await newestZoneFile(queries, token, hexBytes(zonefile_hash))) ?? ''),
  };
}

type Bns2NameRow = RowOf<typeof BNS2_NAMES>;

/** The id that has this name: an id with an owner before others, then the newest. */
export async function findBns2Name(queries: Queries, name: string): Promise<Bns2NameRow | undefined> {
  const rows = await bns2NamesNamed(queries, name);
  const isHeld = ({ owner }: Bns2NameRow): number => (owner === null ? 0 : 1);
  return rows.sort((a, b) => isHeld(b) - isHeld(a) || (b.height ?? 0) - (a.height ?? 0))[0];
}

/** Zone files of version 2 are in another contract. */
function bns2NameInfo({ owner, status, tx_id, renewal_height }: Bns2NameRow): NameInfo | undefined {
  if (owner === null || tx_id === null) return undefined;
  return {
    address: owner,
    blockchain: 'stacks',
    last_txid: toHex(tx_id),
    status: status ?? '',
    zonefile_hash: '',
    expire_block: renewal_height ?? 0,
    zonefile: '',
  };
}
