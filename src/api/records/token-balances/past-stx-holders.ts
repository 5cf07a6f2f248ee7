import { stepOf } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { STX_AT } from '../../../index/addresses/stx-balances.ts';
import { ACCOUNTS, COUNTS_OF_STX_HOLDERS, type STX_HOLDER_COUNTS } from '../../../index/addresses/tables.ts';
import { lengthOfOnly } from '../../../ingest/indexer/lists.ts';
import { changedAccounts, endOfBlocksNow } from './changed-holders.ts';
import {
  aroundMerged,
  type BalancesThen,
  type HolderPosition,
  type HoldersSource,
  type PastHolders,
  takeMerged,
} from './past-holders.ts';
import { type BalanceThen, type PeakedRows, richestThen } from './richest-then.ts';

/**
 * The holders of STX as of a block. Most pages read accounts by their highest balance ever (richest-then.ts). A page far down the list, as of a block
 * near the tip, is read faster from the changes since that block (past-holders.ts).
 */
export async function pastStxHolders(source: HoldersSource): Promise<PastHolders> {
  const { queries, horizon, budget } = source;
  const last = (await lengthOfOnly(queries, COUNTS_OF_STX_HOLDERS)) - 1;
  const then = await queries.get<RowOf<typeof STX_HOLDER_COUNTS, 'holders' | 'positive' | 'supply'>>(
    'SELECT holders, positive, supply FROM stx_holder_counts WHERE seq = ?',
    [last],
  );
  const [total, positive] = [then?.holders ?? 0, then?.positive ?? 0];
  const others = ((await endOfBlocksNow(queries)) - horizon.transactions) * READS_OF_TRANSACTION;
  const accounts = { ...ACCOUNTS_BY_PEAK, bound: horizon.height };
  let changed: Promise<BalancesThen> | undefined;
  const changedSince = () => (changed ??= changedAccounts(queries, budget, horizon));
  return {
    total,
    positive,
    supply: BigInt(then?.supply ?? 0),
    first: async (rows, after) => {
      if (after + rows >= others) return takeMerged(source, await changedSince(), { from: undefined, rows, after });
      const wanted = { place: undefined, rows: Math.min(after + rows, total), before: 0, total, withZero: true };
      const { from } = await richestThen(queries, budget, accounts, wanted);
      return from.slice(after).map(holderOf);
    },
    around: async (place, limit) => {
      if (!(await isShorterByPeak(source, place, { limit, others })))
        return aroundMerged(source, await changedSince(), place, limit);
      const wanted = { rows: Math.min(limit + 1, positive), before: limit, total: positive, withZero: false };
      const at = place && { name: place.principal, balance: place.balance };
      const { from, before } = await richestThen(queries, budget, accounts, { ...wanted, place: at });
      return { from: from.map(holderOf), before: before.map(holderOf) };
    },
  };
}

const ACCOUNTS_BY_PEAK: Omit<PeakedRows, 'bound'> = {
  table: ACCOUNTS,
  name: 'principal',
  condition: '',
  params: [],
  held: STX_AT,
};

const holderOf = ({ name, balance }: BalanceThen): HolderPosition => ({ principal: name, balance });

/** Rows read to undo one transaction: the transaction and its accounts. */
const READS_OF_TRANSACTION = 4;

/** The most accounts counted before the search; it takes less than a millisecond. */
const COUNTED = 4000;

/** Whether reading the page in the order of peaks takes fewer accounts than these; an estimate if it takes thousands. */
async function isShorterByPeak(
  { queries }: HoldersSource,
  place: HolderPosition | undefined,
  { limit, others }: { readonly limit: number; readonly others: number },
): Promise<boolean> {
  if (place === undefined) return limit < others;
  const most = Math.min(others, COUNTED);
  const { reached } = (await queries.get<{ reached: number }>(
    'SELECT count(*) AS reached FROM (SELECT peak FROM accounts WHERE peak >= ? LIMIT ?) AS rich',
    [stepOf(place.balance), most],
  )) ?? { reached: 0 };
  return reached < most || others > GUESSED * COUNTED;
}

/** A page may be expected to take at most this many times the counted accounts. */
const GUESSED = 8;
