import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries, Table } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readReward } from '../../../index/burnchain/stored.ts';
import {
  ALL_MINER_TOTAL_CHANGES,
  ALL_REWARD_SLOTS,
  ALL_REWARDS,
  type BURN_REWARD_TOTALS,
  BURN_REWARDS_OF_ADDRESS,
  type MINER_TOTAL_CHANGES,
  type MINER_TOTALS,
  POX_TXS,
  POX_TXS_OF_ADDRESS,
  REWARD_SLOTS,
  REWARD_SLOTS_OF_ADDRESS,
  REWARDS,
} from '../../../index/burnchain/tables.ts';
import type { BURN_BLOCKS } from '../../../ingest/indexer/burn-graph.ts';
import { horizonOf, lastBurnHeight } from '../../../ingest/indexer/horizon.ts';
import { findList, lengthOfOnly, positionsOf, wholeList } from '../../../ingest/indexer/lists.ts';
import type { LISTS, ListKind } from '../../../ingest/indexer/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';
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

/* Rows of an address in the spelling of the node. */
export const rewardSlotsOf = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, REWARD_SLOTS_OF_ADDRESS, 'slot', REWARD_SLOTS, address, slice);
export const burnRewardsOf = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, BURN_REWARDS_OF_ADDRESS, 'reward', REWARDS, address, slice);
export const poxTransactionsTo = (queries: Queries, address: string, slice: PageOf): Promise<BurnRecords> =>
  pageOfAddress(queries, POX_TXS_OF_ADDRESS, 'pox_tx', POX_TXS, address, slice);

/** Satoshis paid to an address in the spelling of the node; decimal. */
export async function rewardTotalOf(queries: Queries, budget: RowBudget, address: string): Promise<string> {
  const sql = 'SELECT amount FROM reward_totals WHERE address = ?';
  const amount = (await queries.get<RowOf<typeof BURN_REWARD_TOTALS, 'amount'>>(sql, [address]))?.amount ?? '0';
  return horizonOf(queries) ? String(BigInt(amount) - (await laterRewardsOf(queries, budget, address))) : amount;
}

const REWARDS_AT_ONCE = 500;

/** Payments to an address above the block that the queries show. */
async function laterRewardsOf(queries: Queries, budget: RowBudget, address: string): Promise<bigint> {
  const list = await wholeList(queries, BURN_REWARDS_OF_ADDRESS, address);
  if (!list) return 0n;
  let sum = 0n;
  for (let from = (await findList(queries, BURN_REWARDS_OF_ADDRESS, address))?.length ?? 0; from < list.length; ) {
    const to = from + (await budget.take(Math.min(REWARDS_AT_ONCE, list.length - from)));
    const rows = await queries.all<RowOf<typeof REWARDS, 'record'>>(
      `SELECT r.record FROM address_rewards a JOIN rewards r ON r.seq = a.reward
        WHERE a.list = ? AND a.seq >= ? AND a.seq < ?`,
      [list.id, from, to],
    );
    for (const { record } of rows) sum += BigInt(readReward(record).reward_amount);
    from = to;
  }
  return sum;
}

/** The outputs of one canonical burn block that pay rewards; `latest` is the newest one that has any. */
export async function poxTransactionsOf(
  queries: Queries,
  ref: BlockRef,
  { offset, limit }: PageOf,
): Promise<BurnRecords> {
  const height = await burnHeightOf(queries, ref);
  if (height === undefined) return NONE;
  const sql = 'SELECT count(*) AS total, max(seq) AS last FROM pox_txs WHERE burn_height = ? AND burn_height <= ?';
  const params = [height, lastBurnHeight(queries)];
  const { total, last } = (await queries.get<{ total: number; last: number | null }>(sql, params)) ?? {};
  if (!total || typeof last !== 'number') return NONE;
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const first = last - total + 1;
  return { total, records: await recordsBetween(queries, POX_TXS, first + from, first + to) };
}

async function burnHeightOf(queries: Queries, ref: BlockRef): Promise<number | undefined> {
  if ('height' in ref) return ref.height;
  if ('latest' in ref) {
    const sql = 'SELECT burn_height FROM pox_txs WHERE burn_height <= ? ORDER BY burn_height DESC LIMIT 1';
    return (await queries.get<RowOf<typeof POX_TXS, 'burn_height'>>(sql, [lastBurnHeight(queries)]))?.burn_height;
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
  const { paid, burnt } = horizonOf(queries) ? await pastMinerTotals(queries) : await currentMinerTotals(queries);
  return { btc: { reward_amount: String(paid), burn_amount: String(burnt), total_amount: String(paid + burnt) } };
}

async function currentMinerTotals(queries: Queries) {
  const rows = await queries.all<RowOf<typeof MINER_TOTALS>>(
    "SELECT name, sats FROM miner_totals WHERE name IN ('paid', 'burnt')",
  );
  const sums = new Map(rows.map(({ name, sats }) => [name, BigInt(sats)]));
  return { paid: sums.get('paid') ?? 0n, burnt: sums.get('burnt') ?? 0n };
}

async function pastMinerTotals(queries: Queries) {
  const row = await queries.get<RowOf<typeof MINER_TOTAL_CHANGES, 'paid' | 'burnt'>>(
    'SELECT paid, burnt FROM miner_total_changes WHERE seq = ?',
    [(await lengthOfOnly(queries, ALL_MINER_TOTAL_CHANGES)) - 1],
  );
  return { paid: BigInt(row?.paid ?? 0), burnt: BigInt(row?.burnt ?? 0) };
}

/** At most `most` Bitcoin addresses with this beginning that held reward slots or received rewards, in the order of their bytes. */
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
