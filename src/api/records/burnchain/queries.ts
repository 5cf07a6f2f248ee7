import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries, Table } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  ALL_REWARD_SLOTS,
  ALL_REWARDS,
  type BURN_REWARD_TOTALS,
  BURN_REWARDS_OF_ADDRESS,
  type MINER_TOTALS,
  POX_TXS,
  POX_TXS_OF_ADDRESS,
  REWARD_SLOTS,
  REWARD_SLOTS_OF_ADDRESS,
  REWARDS,
} from '../../../index/burnchain/tables.ts';
import type { BURN_BLOCKS } from '../../../ingest/indexer/burn-graph.ts';
import { findList, positionsOf } from '../../../ingest/indexer/lists.ts';
import type { LISTS, ListKind } from '../../../ingest/indexer/tables.ts';
import type { BlockRef } from '../../http/params.ts';

/** A page of records of burn blocks, newest first, as JSON texts; and how many there are. A seek, whatever the offset. */
interface BurnRecords {
  readonly total: number;
  readonly records: readonly string[];
}

interface PageOf {
  readonly offset: number;
  readonly limit: number;
}

const NONE: BurnRecords = { total: 0, records: [] };

export const rewardSlots = (queries: Queries, slice: PageOf): Promise<BurnRecords> =>
  pageOfAll(queries, ALL_REWARD_SLOTS, slice);
export const rewards = (queries: Queries, slice: PageOf): Promise<BurnRecords> =>
  pageOfAll(queries, ALL_REWARDS, slice);

/* Rows of an address, as the node spells it. */
export const rewardSlotsOf = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, REWARD_SLOTS_OF_ADDRESS, 'slot', REWARD_SLOTS, address, slice);
export const burnRewardsOf = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, BURN_REWARDS_OF_ADDRESS, 'reward', REWARDS, address, slice);
export const poxTransactionsTo = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, POX_TXS_OF_ADDRESS, 'pox_tx', POX_TXS, address, slice);

/** Satoshis that an address, as the node spells it, was paid; decimal. */
export async function rewardTotalOf(queries: Queries, address: string): Promise<string> {
  const sql = 'SELECT amount FROM reward_totals WHERE address = ?';
  return (await queries.get<RowOf<typeof BURN_REWARD_TOTALS, 'amount'>>(sql, [address]))?.amount ?? '0';
}

/** The outputs of one canonical burn block that pay rewards; `latest` is the newest one that has any. */
export async function poxTransactionsOf(
  queries: Queries,
  ref: BlockRef,
  { offset, limit }: PageOf,
): Promise<BurnRecords> {
  const height = await burnHeightOf(queries, ref);
  if (height === undefined) return NONE;
  const sql = 'SELECT count(*) AS total, max(seq) AS last FROM pox_txs WHERE burn_height = ?';
  const { total, last } = (await queries.get<{ total: number; last: number | null }>(sql, [height])) ?? {};
  if (!total || typeof last !== 'number') return NONE;
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const first = last - total + 1;
  return { total, records: await recordsBetween(queries, POX_TXS, first + from, first + to) };
}

async function burnHeightOf(queries: Queries, ref: BlockRef): Promise<number | undefined> {
  if ('height' in ref) return ref.height;
  if ('latest' in ref) {
    const sql = 'SELECT burn_height FROM pox_txs ORDER BY seq DESC LIMIT 1';
    return (await queries.get<RowOf<typeof POX_TXS, 'burn_height'>>(sql))?.burn_height;
  }
  const sql = 'SELECT height FROM burn_blocks WHERE hash = ? AND canonical = 1';
  return (await queries.get<RowOf<typeof BURN_BLOCKS, 'height'>>(sql, [fromHex(ref.hash) ?? null]))?.height;
}

async function pageOfAll(queries: Queries, kind: ListKind, slice: PageOf): Promise<BurnRecords> {
  const { length } = (await findList(queries, kind, '')) ?? { length: 0 };
  const { from, to } = positionsOf({ ...slice, order: 'desc' }, length);
  return { total: length, records: await recordsBetween(queries, kind.entries, from, to) };
}

async function recordsBetween(queries: Queries, table: Table, from: number, to: number): Promise<string[]> {
  const rows = await queries.all<{ record: string }>(
    `SELECT record FROM ${table.name} WHERE seq >= ? AND seq < ? ORDER BY seq DESC`,
    [from, to],
  );
  return rows.map(row => row.record);
}

/** @param column of the list, with the position of the record in `records` */
async function pageOfAddress(
  queries: Queries,
  kind: ListKind,
  column: string,
  records: Table,
  address: string,
  slice: PageOf,
): Promise<BurnRecords> {
  const list = await findList(queries, kind, address);
  if (!list) return NONE;
  const { from, to } = positionsOf({ ...slice, order: 'desc' }, list.length);
  // Two statements, as PostgreSQL misjudges the length of a list (see slicedEntries).
  const entries = await queries.all<{ position: number }>(
    `SELECT ${column} AS position FROM ${kind.entries.name} WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
    [list.id, from, to],
  );
  const rows = await allIn<{ record: string }>(
    queries,
    positions => `SELECT record FROM ${records.name} WHERE seq IN ${positions} ORDER BY seq DESC`,
    entries.map(({ position }) => position),
  );
  return { total: list.length, records: rows.map(({ record }) => record) };
}

/** Rewards and burns of miners, in satoshis (docs/spec/staking.md#rewards-of-miners). */
export async function minerTotals(queries: Queries) {
  const rows = await queries.all<RowOf<typeof MINER_TOTALS>>(
    "SELECT name, sats FROM miner_totals WHERE name IN ('paid', 'burnt')",
  );
  const sums = new Map(rows.map(({ name, sats }) => [name, BigInt(sats)]));
  const [paid, burnt] = [sums.get('paid') ?? 0n, sums.get('burnt') ?? 0n];
  return { btc: { reward_amount: String(paid), burn_amount: String(burnt), total_amount: String(paid + burnt) } };
}

/** Bitcoin addresses that begin so and held reward slots or were paid rewards, by their bytes: at most so many. */
export async function bitcoinAddressesBeginning(queries: Queries, beginning: string, most: number): Promise<string[]> {
  const found: string[] = [];
  for (const { code } of [BURN_REWARDS_OF_ADDRESS, REWARD_SLOTS_OF_ADDRESS]) {
    const rows = await queries.all<RowOf<typeof LISTS, 'name'>>(
      'SELECT name FROM lists WHERE kind = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
      [code, beginning, `${beginning}~`, most],
    );
    found.push(...rows.map(({ name }) => name));
  }
  return [...new Set(found)].sort().slice(0, most);
}
