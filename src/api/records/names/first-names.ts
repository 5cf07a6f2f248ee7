import type { Queries, SqlValue, Table } from '../../../base/store/database.ts';
import { BNS2_NAMES, NAMES } from '../../../index/names/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { compareBytes, type NameVersions, NOT_IN_BNS2, namesOfOwner, VALID } from './owned-names.ts';

/** The names of a principal. */
interface FirstNames {
  /** The first ones in the order of their UTF-8 bytes. */
  readonly names: readonly string[];
  /** Whether there are further ones. */
  readonly has_more: boolean;
}

/** Maximum number of names of a principal in the response. */
const MOST_NAMES = 10;
/** Most rows of each version that are read: revoked names of version 1, and names that version 2 has, are skipped. */
const LOOKED_AT = 200;

/**
 * The names of these principals, as in getNamesOwnedByAddressV1, without subdomains
 * (docs/spec/names.md#names-of-several-principals). Two statements read the names of the response and the rows that
 * they skip, and nothing else. As of a block, it reads every name that a principal had then or later, from the budget.
 */
export async function firstNamesOf(
  queries: Queries,
  owners: readonly string[],
  versions: NameVersions,
  budget: RowBudget,
): Promise<ReadonlyMap<string, FirstNames>> {
  if (horizonOf(queries)) return firstNamesThen(queries, owners, versions, budget);
  const found = new Map<string, string[]>(owners.map(owner => [owner, []]));
  const withBns2 = versions === 'v1+v2';
  const tables = withBns2 ? [OF_BNS1_ALONE, OF_BNS2] : [OF_BNS1];
  for (const sql of tables)
    for (const { owner, name } of await ofEach(queries, sql, [...found.keys()])) found.get(owner)?.push(name);
  return new Map([...found].map(([owner, names]) => [owner, firstOf(names)]));
}

async function firstNamesThen(
  queries: Queries,
  owners: readonly string[],
  versions: NameVersions,
  budget: RowBudget,
): Promise<ReadonlyMap<string, FirstNames>> {
  const found = new Map<string, FirstNames>();
  for (const owner of new Set(owners)) {
    const { ofBns1, ofBns2 } = await namesOfOwner(queries, owner, versions, budget);
    const shown = ofBns1.slice(0, LOOKED_AT).filter(({ isShown }) => isShown);
    found.set(owner, firstOf([...shown.map(({ name }) => name), ...ofBns2]));
  }
  return found;
}

const ofOwner = (table: Table, rest: string): string =>
  `SELECT owner, name FROM (SELECT * FROM (SELECT * FROM ${table.name} WHERE owner = ? ORDER BY name LIMIT ${LOOKED_AT}) names
    WHERE ${rest} ORDER BY name LIMIT ${MOST_NAMES + 1}) named`;

const OF_BNS1 = ofOwner(NAMES, VALID);
const OF_BNS1_ALONE = ofOwner(NAMES, `${VALID} AND ${NOT_IN_BNS2}`);
const OF_BNS2 = ofOwner(BNS2_NAMES, 'name IS NOT NULL');

/** One statement for all owners, with a seek for each. */
async function ofEach(queries: Queries, sql: string, owners: readonly SqlValue[]) {
  if (owners.length === 0) return [];
  return queries.all<{ owner: string; name: string }>(owners.map(() => sql).join(' UNION ALL '), owners);
}

function firstOf(names: readonly string[]): FirstNames {
  const inOrder = [...new Set(names)].sort(compareBytes);
  return { names: inOrder.slice(0, MOST_NAMES), has_more: inOrder.length > MOST_NAMES };
}
