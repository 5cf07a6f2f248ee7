/** The STX of a principal over time (docs/spec/addresses.md#stx-over-time). */
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStxTotals } from '../../../index/addresses/stored.ts';
import {
  type ADDRESS_TXS,
  type MINER_REWARD_TOTALS,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { entriesBelow, findList, firstReaching, type List } from '../../../ingest/indexer/lists.ts';
import { evenlySpaced } from '../../paging/evenly-spaced.ts';
import { type Moment, momentOf } from '../blocks/moment.ts';
import { indexHashesOf, type ListedRow, toListed } from '../transactions/pages-v3.ts';
import { positionFieldsV3 } from '../transactions/record-v3.ts';
import { addressBalance } from './balance.ts';

type PointRow = ListedRow & RowOf<typeof ADDRESS_TXS, 'totals'>;

/**
 * The STX that a principal has now, and had after some of its transactions: the first, the last, and others at even
 * distances along their list. Each balance costs one seek, wherever the transaction is.
 * @param points most points, at least 1
 */
export async function stxHistory(queries: Queries, principal: string, points: number) {
  const tip = await momentOf(queries, { unanchored: false });
  const { balance } = await addressBalance(queries, principal, tip);
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  const rows = list ? await rowsAt(queries, list, evenlySpaced(await lengthUntil(queries, list, tip), points)) : [];
  const listed = rows.map(row => ({ ...toListed(row), totals: readStxTotals(row.totals) }));
  const heights = listed.map(({ place }) => place[0]);
  const rewardsAt = await rewardsUntil(queries, principal, heights);
  const indexHashOf = await indexHashesOf(queries, heights);
  return {
    balance,
    results: listed.map(({ stored, place: [height], totals: { received, sent, fees } }) => ({
      tx_id: stored.txId,
      ...positionFieldsV3(stored, indexHashOf(height)),
      balance: String(received - sent - fees + rewardsAt(height)),
    })),
  };
}

/** Length of a list without entries that only microblocks on the tip have. */
const lengthUntil = async (queries: Queries, list: List, { isNow, txs }: Moment): Promise<number> =>
  isNow ? list.length : entriesBelow(queries, TXS_OF_ADDRESS, list, 'tx', txs);

/** Rows in the order of the chain. Two statements: for a join, PostgreSQL may read a whole table. */
async function rowsAt(queries: Queries, { id }: List, positions: readonly number[]): Promise<PointRow[]> {
  const entries = await allIn<RowOf<typeof ADDRESS_TXS, 'tx' | 'totals'>>(
    queries,
    marks => `SELECT tx, totals FROM address_txs WHERE list = ? AND seq IN ${marks}`,
    positions,
    [id],
  );
  const totals = new Map(entries.map(entry => [entry.tx, entry.totals]));
  const sql = (marks: string) => `SELECT seq, record FROM txs WHERE seq IN ${marks}`;
  const found = await allIn<ListedRow>(queries, sql, [...totals.keys()]);
  return found
    .flatMap(row => {
      const sums = totals.get(row.seq);
      return sums ? [{ ...row, totals: sums }] : [];
    })
    .sort((a, b) => a.seq - b.seq);
}

/** The rewards of the principal as a miner up to each of these heights. */
async function rewardsUntil(queries: Queries, principal: string, heights: readonly number[]) {
  const list = await findList(queries, MINER_REWARDS_OF_ADDRESS, principal);
  if (!list) return () => 0n;
  const searches = [...new Set(heights)].map(height => ({ bound: height + 1, from: 0, to: list.length }));
  const counts = await firstReaching(queries, MINER_REWARDS_OF_ADDRESS, list, 'e.height', searches);
  const last = [...new Set([...counts.values()].filter(count => count > 0).map(count => count - 1))];
  const rows = await allIn<RowOf<typeof MINER_REWARD_TOTALS, 'seq' | 'total'>>(
    queries,
    marks => `SELECT seq, total FROM miner_rewards WHERE list = ? AND seq IN ${marks}`,
    last,
    [list.id],
  );
  const totals = new Map(rows.map(({ seq, total }) => [seq, BigInt(total)]));
  return (height: number): bigint => totals.get((counts.get(height + 1) ?? 0) - 1) ?? 0n;
}
