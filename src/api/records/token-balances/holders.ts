import { amountOfBytes, bytesGreatestFirst } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { STX, type TOKEN_BALANCES, type TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { lastOf, type RowBudget } from '../../http/long-reads.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import {
  AFTER_POSITIVE,
  type HolderPosition,
  type HoldersSource,
  type PastHolders,
  pastFtHolders,
} from './past-holders.ts';
import { pastStxHolders } from './past-stx-holders.ts';

type HolderRow = RowOf<typeof TOKEN_BALANCES, 'principal' | 'balance'>;

/** A principal that has or had a token, and the amounts. */
interface Holder {
  readonly address: string;
  /** In the smallest unit, decimal. */
  readonly balance: string;
}

/** A page of the holders of a token, with the totals of all its holders. */
interface Holders {
  readonly total: number;
  /** The sum of their balances, decimal. */
  readonly supply: string;
  readonly holders: readonly Holder[];
}

/**
 * The principals that ever sent or received a fungible token or STX, the richest first, then by address; also
 * principals with a balance of zero or below. Changes that only microblocks on the tip made do not count. Rows before
 * the page are skipped in the index of balances, from the budget.
 * @param token asset identifier, or `stx`
 */
export async function holdersOf(
  queries: Queries,
  token: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  budget: RowBudget,
): Promise<Holders> {
  const horizon = horizonOf(queries);
  if (horizon) {
    const past = await pastHolders({ queries, horizon, token, budget });
    const holders = offset >= past.total ? [] : await past.first(limit, offset);
    return { total: past.total, supply: String(past.supply), holders: holders.map(shownHolder) };
  }
  const isStx = token === 'stx';
  const { holders: total, supply } = await holdersTogether(queries, token);
  if (offset >= total) return { total, supply, holders: [] };
  const after = (row: HolderRow | undefined, limited: string, count: number) =>
    queries.all<HolderRow>(
      `SELECT principal, balance FROM ${isStx ? 'accounts WHERE' : 'token_balances WHERE token = ? AND'} balance IS NOT NULL
        ${row ? 'AND (balance, principal) > (?, ?)' : ''} ORDER BY balance, principal ${limited}`,
      [...(isStx ? [] : [token]), ...(row ? [row.balance, row.principal] : []), count],
    );
  const before = await lastOf<HolderRow>(budget, offset, async (row, count) => {
    const [last] = await after(row, 'LIMIT 1 OFFSET ?', count - 1);
    return last;
  });
  const rows = await after(before, 'LIMIT ?', limit);
  return {
    total,
    supply,
    holders: rows.map(({ principal, balance }) =>
      shownHolder({ principal, balance: balance === null ? 0n : amountOfBytes(balance) }),
    ),
  };
}

const pastHolders = (source: HoldersSource): Promise<PastHolders> =>
  source.token === 'stx' ? pastStxHolders(source) : pastFtHolders(source);

const shownHolder = ({ principal: address, balance }: HolderPosition): Holder => ({
  address,
  balance: String(balance),
});

/** The holders with a balance above zero, from a place on. It seeks, so deep pages are not slower. @param from undefined for all @param budget for reads as of a block */
export async function holdersFrom(
  queries: Queries,
  token: string,
  limit: number,
  from: HolderPosition | undefined,
  budget: RowBudget,
): Promise<CursorPage<HolderPosition>> {
  const horizon = horizonOf(queries);
  if (horizon) return pastHoldersFrom(await pastHolders({ queries, horizon, token, budget }), limit, from);
  const isStx = token === 'stx';
  const read = async (condition: string, params: readonly SqlValue[], order: 'ASC' | 'DESC', rows: number) => {
    const found = await queries.all<HolderRow>(
      `SELECT principal, balance FROM ${isStx ? 'accounts WHERE' : 'token_balances WHERE token = ? AND'} ${condition}
        ORDER BY balance ${order}, principal ${order} LIMIT ?`,
      [...(isStx ? [] : [token]), ...params, rows],
    );
    return found.map(({ principal, balance }) => ({
      principal,
      balance: balance === null ? 0n : amountOfBytes(balance),
    }));
  };
  const list = {
    total: (await holdersTogether(queries, token)).positive,
    cursor: ({ balance, principal }: HolderPosition) => `${balance}:${principal}`,
    from: (rows: number) =>
      from
        ? read('balance < ? AND (balance, principal) >= (?, ?)', [NOTHING, ...placeOf(from)], 'ASC', rows)
        : read('balance < ?', [NOTHING], 'ASC', rows),
    // Only one bound: with two, SQLite would begin at the lower one, so at the poorest holder.
    before: (row: HolderPosition | undefined, rows: number) =>
      read('(balance, principal) < (?, ?)', placeOf(row && row.balance > 0n ? row : AFTER_POSITIVE), 'DESC', rows),
  };
  return seekPage(list, limit);
}

const placeOf = ({ balance, principal }: HolderPosition) => [bytesGreatestFirst(balance), principal];

/** Positive balances sort before it. */
const NOTHING = bytesGreatestFirst(0n);

async function pastHoldersFrom(
  past: PastHolders,
  limit: number,
  place: HolderPosition | undefined,
): Promise<CursorPage<HolderPosition>> {
  const { from, before } = await past.around(place, limit);
  const list = {
    total: past.positive,
    cursor: ({ balance, principal }: HolderPosition) => `${balance}:${principal}`,
    from: async () => from,
    before: async () => before,
  };
  return seekPage(list, limit);
}

/** How many principals have a balance above zero. @param budget for reads as of a block */
export async function countHolders(queries: Queries, token: string, budget: RowBudget): Promise<number> {
  const horizon = horizonOf(queries);
  if (horizon) return (await pastHolders({ queries, horizon, token, budget })).positive;
  return (await holdersTogether(queries, token)).positive;
}

/** The number of holders, of those with a balance above zero, and the sum of all balances. */
export async function holdersTogether(
  queries: Queries,
  token: string,
): Promise<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>> {
  const row = await queries.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>>(
    'SELECT holders, positive, supply FROM token_holders WHERE token = ?',
    [token === 'stx' ? STX : token],
  );
  return row ?? { holders: 0, positive: 0, supply: '0' };
}
