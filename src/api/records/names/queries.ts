import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries, Table } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type BNS2_NAMES,
  BNS2_NAMESPACES,
  type LISTED_NAMES,
  type NAMES,
  NAMESPACES,
} from '../../../index/names/tables.ts';
import { nameText } from '../../../index/names/token.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { type NameVersions, VALID } from './owned-names.ts';
import { newestZoneFile, tokenNamed } from './zone-files.ts';

/** Names of a page. */
const PAGE = 100;
/** Names read by one statement. */
const MOST_AT_ONCE = 1_000;

/** A page of all listed names, in the order of their bytes; rows before it are skipped, from the budget. */
export const pageOfNames = (
  queries: Queries,
  page: number,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[]> => listedNames(queries, undefined, page, versions, budget);

/** A page of the names of a namespace; undefined where there is no such namespace. */
export async function pageOfNamespace(
  queries: Queries,
  namespace: string,
  page: number,
  versions: NameVersions,
  budget: RowBudget,
): Promise<string[] | undefined> {
  const known = await namespaceTables(versions).reduce<Promise<unknown>>(
    async (found, table) =>
      (await found) ?? queries.get(`SELECT namespace FROM ${table.name} WHERE namespace = ?`, [Buffer.from(namespace)]),
    Promise.resolve(undefined),
  );
  if (!known) return undefined;
  return listedNames(queries, namespace, page, versions, budget);
}

/** Version 2 decides where it knows a name (docs/spec/names.md#version-2). */
const listedIn = (versions: NameVersions): string => (versions === 'v1' ? 'v1 = 1' : 'coalesce(v2, v1) > 0');

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
      `SELECT name, CASE WHEN ${listedIn(versions)} THEN 1 ELSE 0 END AS listed FROM listed_names
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

/** Names examined for those that are listed. */
const MOST_EXAMINED = 1_000;

/** Listed names that begin with a text, in the order of their bytes: at most so many, of the first thousand names that begin so. */
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
 * Listed names with a text inside their label, those with it nearer to the front first, then in the order of their bytes: at most so many, of the
 * first thousand parts of names that begin so.
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

/** Namespaces that begin with a text, in the order of their bytes: at most so many. */
export async function namespacesBeginning(
  queries: Queries,
  beginning: string,
  most: number,
  versions: NameVersions,
): Promise<string[]> {
  const selects = namespaceTables(versions).map(
    table => `SELECT namespace FROM ${table.name} WHERE namespace >= ? AND namespace < ?`,
  );
  const rows = await queries.all<RowOf<typeof NAMESPACES, 'namespace'>>(
    `${selects.join(' UNION ')} ORDER BY namespace LIMIT ${most}`,
    selects.flatMap(() => [Buffer.from(beginning), Buffer.from(`${beginning}~`)]),
  );
  return rows.map(({ namespace }) => nameText(namespace));
}

/** Every namespace that was launched, in the order of their bytes. */
export async function allNamespaces(queries: Queries, versions: NameVersions): Promise<string[]> {
  const selects = namespaceTables(versions).map(table => `SELECT namespace FROM ${table.name}`);
  const rows = await queries.all<RowOf<typeof NAMESPACES, 'namespace'>>(
    `${selects.join(' UNION ')} ORDER BY namespace`,
  );
  return rows.map(({ namespace }) => nameText(namespace));
}

const namespaceTables = (versions: NameVersions): Table[] =>
  versions === 'v1' ? [NAMESPACES] : [NAMESPACES, BNS2_NAMESPACES];

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
  const row = await queries.get<RowOf<typeof NAMES, 'status' | 'zonefile_hash' | 'address' | 'tx_id' | 'expires'>>(
    `SELECT status, zonefile_hash, address, tx_id, expires FROM names WHERE token = ? AND ${VALID}`,
    [token],
  );
  if (!row?.tx_id) return undefined;
  const { address, tx_id, status, zonefile_hash, expires } = row;
  return {
    address: address ?? '',
    blockchain: 'stacks',
    last_txid: toHex(tx_id),
    status: status ?? '',
    zonefile_hash: zonefile_hash?.slice(2) ?? '',
    expire_block: expires ?? 0,
    // The last hash that an operation set: operations without a hash keep it.
    zonefile: zonefile_hash === null ? '' : ((await newestZoneFile(queries, token, hexBytes(zonefile_hash))) ?? ''),
  };
}

type Bns2NameRow = RowOf<typeof BNS2_NAMES, 'owner' | 'status' | 'tx_id' | 'renewal_height'>;

/** The id that has this name: an id with an owner before others, then the newest. */
export const findBns2Name = (queries: Queries, name: string): Promise<Bns2NameRow | undefined> =>
  queries.get<Bns2NameRow>(
    `SELECT owner, status, tx_id, renewal_height FROM names_v2 WHERE name = ?
      ORDER BY CASE WHEN owner IS NULL THEN 1 ELSE 0 END, height DESC LIMIT 1`,
    [name],
  );

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
