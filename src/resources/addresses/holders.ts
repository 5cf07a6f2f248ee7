import { lastOf, type RowBudget } from '../../http/long-reads.ts';
import { amountOfBytes } from '../../lib/amounts.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { STX, type TOKEN_BALANCES, type TOKEN_HOLDERS } from '../token-balances/tables.ts';

type HolderRow = RowOf<typeof TOKEN_BALANCES, 'principal' | 'balance'>;

/** Whoever has or had a token, and what of it. */
interface Holder {
  readonly address: string;
  /** In the smallest unit, decimal. */
  readonly balance: string;
}

/** A page of the holders of a token, and all of them together. */
export interface Holders {
  readonly total: number;
  /** The sum of their balances, decimal. */
  readonly supply: string;
  readonly holders: readonly Holder[];
}

/**
 * The principals that a fungible token or STX were ever moved from or to, the richest first, then by address; those too whose balance is zero or
 * below. What only microblocks on the tip did does not count. What is before the page is passed over in the index of balances, from the budget.
 * @param token asset identifier, or `stx`
 */
export async function holdersOf(
  queries: Queries,
  token: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  budget: RowBudget,
): Promise<Holders> {
  const isStx = token === 'stx';
  const all = await queries.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'supply'>>(
    'SELECT holders, supply FROM token_holders WHERE token = ?',
    [isStx ? STX : token],
  );
  const { holders: total, supply } = all ?? { holders: 0, supply: '0' };
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
    holders: rows.map(({ principal, balance }) => ({
      address: principal,
      balance: String(balance === null ? 0n : amountOfBytes(balance)),
    })),
  };
}
