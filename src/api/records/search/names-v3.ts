/** Contracts and assets that a search of version 3 finds, by their ids and by their names (docs/spec/search.md#names-of-contracts-and-assets). */
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { TextPart } from '../../../index/contracts/search-texts.ts';
import { ASSET_TEXTS, type ASSETS, CONTRACT_TEXTS, type CONTRACTS } from '../../../index/contracts/tables.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import { transactionsWithIds } from '../transactions/pages-v3.ts';
import { placesOf } from '../transactions/positions-v3.ts';
import { bestOfType, type Hit, type Match, MOST_EXAMINED, MOST_HITS } from './hits.ts';
import type { SearchTerm } from './terms-v3.ts';

/** Contracts whose deployment succeeded. */
export async function findContractsV3(
  queries: Queries,
  { contract, contractName, address }: SearchTerm,
): Promise<Hit[]> {
  const texts = new Texts(queries, CONTRACT_TEXTS, 'newest');
  const found = bestOfType([
    ...(await idHits(texts, 'smart_contract', contract)),
    ...(await nameHits(texts, 'smart_contract', { name: contractName, address })),
  ]);
  const contracts = await contractsOf(
    queries,
    found.map(({ id }) => id),
  );
  return found.flatMap(hit => {
    const result = contracts.get(hit.id);
    return result ? [{ ...hit, result }] : [];
  });
}

/** Assets that a canonical transaction moved. */
export async function findTokensV3(queries: Queries, { asset, assetName, address }: SearchTerm): Promise<Hit[]> {
  const texts = new Texts(queries, ASSET_TEXTS, 'id');
  const found = bestOfType([
    ...(await idHits(texts, 'token', asset)),
    ...(await nameHits(texts, 'token', { name: assetName, address })),
  ]);
  const rows = await allIn<RowOf<typeof ASSETS>>(
    queries,
    list => `SELECT asset, kind FROM assets WHERE asset IN ${list}`,
    found.map(({ id }) => id),
  );
  const kinds = new Map(rows.map(({ asset, kind }) => [asset, kind]));
  return found.map(hit => {
    const [contract_id = '', asset_name = ''] = hit.id.split('::');
    const asset_type = kinds.get(hit.id) ?? '';
    return { ...hit, result: { asset_identifier: hit.id, asset_type, contract_id, asset_name } };
  });
}

type NamedType = 'smart_contract' | 'token';

async function idHits(texts: Texts, type: NamedType, beginning: string | undefined): Promise<Hit[]> {
  if (beginning === undefined) return [];
  const ids = await texts.idsBeginning(beginning);
  return ids.map(id => hit(type, id === beginning ? 'exact' : 'beginning', id));
}

/** Hits by a part of the name, then those of addresses that begin with the text. */
async function nameHits(
  texts: Texts,
  type: NamedType,
  { name, address }: { readonly name: string | undefined; readonly address: string | undefined },
): Promise<Hit[]> {
  const named =
    name === undefined ? [] : [...(await texts.idsNamed('name', name)), ...(await texts.idsNamed('inside', name))];
  const deployed = address === undefined ? [] : await texts.idsBeginning(address);
  return [...named, ...deployed].map(id => hit(type, 'name', id));
}

/** A hit with an empty result, which is filled in only for the final hits. */
const hit = (type: NamedType, match: Match, id: string): Hit => ({ type, match, id, result: {} });

/** Looks up ids by their texts, at most MOST_HITS. */
class Texts {
  readonly #queries: Queries;
  readonly #kind: typeof CONTRACT_TEXTS | typeof ASSET_TEXTS;
  readonly #order: 'newest' | 'id';

  /** @param order of ids that match alike: the newest first, or by their bytes */
  constructor(queries: Queries, kind: typeof CONTRACT_TEXTS | typeof ASSET_TEXTS, order: 'newest' | 'id') {
    this.#queries = queries;
    this.#kind = kind;
    this.#order = order;
  }

  /** Ids with this beginning, an exact match first. */
  async idsBeginning(beginning: string): Promise<string[]> {
    const rows = await this.#read(
      `SELECT t.text AS id FROM (SELECT text, newest FROM search_texts
          WHERE list = ? AND text >= ? AND text < ? ORDER BY text LIMIT ${MOST_EXAMINED}) AS t
        ORDER BY CASE WHEN t.text = ? THEN 0 ELSE 1 END, ${this.#order === 'newest' ? 't.newest' : 't.text'}
        LIMIT ${MOST_HITS}`,
      [await this.#listOf('id'), beginning, `${beginning}~`, beginning],
    );
    return rows;
  }

  /**
   * Ids with this text in their name, by its place, then shorter names first.
   * @param part whether names begin with it or have it inside
   */
  async idsNamed(part: Exclude<TextPart, 'id'>, name: string): Promise<string[]> {
    return this.#read(
      `SELECT i.text AS id FROM (
          SELECT newest, min(place) AS place, min(place + length(text)) AS size FROM (
            SELECT newest, place, text FROM search_texts
              WHERE list = ? AND text >= ? AND text < ? ORDER BY text, place, newest LIMIT ${MOST_EXAMINED}
          ) AS near GROUP BY newest
        ) AS t JOIN search_texts i ON i.list = ? AND i.seq = -t.newest
        ORDER BY t.place, t.size, ${this.#order === 'newest' ? 't.newest' : 'i.text'} LIMIT ${MOST_HITS}`,
      [await this.#listOf(part), name, `${name}~`, await this.#listOf('id')],
    );
  }

  async #listOf(part: TextPart): Promise<number | null> {
    return (await findList(this.#queries, this.#kind, part))?.id ?? null;
  }

  async #read(sql: string, parameters: readonly (string | number | null)[]): Promise<string[]> {
    return (await this.#queries.all<{ id: string }>(sql, parameters)).map(({ id }) => id);
  }
}

/** These contracts with the transactions that deployed them. */
async function contractsOf(queries: Queries, ids: readonly string[]) {
  const rows = await allIn<RowOf<typeof CONTRACTS, 'contract_id' | 'tx_id'>>(
    queries,
    list => `SELECT contract_id, tx_id FROM contracts WHERE contract_id IN ${list}`,
    ids,
  );
  const listed = await transactionsWithIds(
    queries,
    rows.map(({ tx_id }) => toHex(tx_id)),
  );
  const places = await placesOf(queries, listed);
  const deployments = new Map(
    listed.map(({ tx, stored }) => [stored.txId, { payload: stored.payload, place: places.get(tx) }]),
  );
  return new Map(
    rows.flatMap(({ contract_id, tx_id }) => {
      const { payload, place } = deployments.get(toHex(tx_id)) ?? {};
      if (!place) return [];
      const clarity_version = payload?.type === 'smart_contract' ? payload.clarityVersion : null;
      return [[contract_id, { contract_id, clarity_version, ...place }] as const];
    }),
  );
}
