import { amountOfBytes, bytesGreatestFirst } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { OuterRowOf } from '../../../base/store/table.ts';
import { HELD_BEFORE } from '../../../index/token-balances/stored.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/** A fungible token that a principal held, and a place among those by balance. */
export interface HeldPosition {
  readonly balance: bigint;
  /** Asset identifier. */
  readonly token: string;
}

/** Some of the tokens that a principal held: the first ones in an order. Its SQL has the columns `held` (bytes, the greatest first) and `token`. */
interface HeldWanted {
  readonly order: string;
  readonly condition?: string;
  readonly params?: readonly SqlValue[];
  readonly limit: number;
}

/** What a principal held before a position of TXS. */
interface HeldThen {
  /** The number of tokens. */
  readonly total: number;
  /** For each that is wanted: those tokens among more, in no order. */
  readonly found: readonly (readonly HeldPosition[])[];
}

/** Tokens of which one statement looks for what was held. */
const PART = 500;

/**
 * The fungible tokens that a principal held: a seek for each token that it ever had, from the budget. The database sorts them and counts them, as to take
 * rows out of it is dearer than to seek them.
 * @param of.end position of TXS
 */
export async function heldThen(
  queries: Queries,
  budget: RowBudget,
  { principal, end }: { readonly principal: string; readonly end: number },
  wanted: readonly HeldWanted[],
): Promise<HeldThen> {
  const found = wanted.map((): HeldPosition[] => []);
  let total = 0;
  for (let last: string | null = ''; last !== null; ) {
    const limit = await budget.take(PART);
    const rows: readonly Row[] = await queries.all<Row>(statementOf(wanted), [
      ...[end, principal, last, limit],
      ...wanted.flatMap(({ params = [], limit }) => [NOTHING, ...params, limit]),
      NOTHING,
    ]);
    for (const { wanted, token, held } of rows)
      if (token !== null && held !== null) found[wanted]?.push({ token, balance: amountOfBytes(held) });
    const summary = rows.find(({ wanted }) => wanted === SUMMARY);
    total += summary?.positive ?? 0;
    last = summary && summary.rows_read === limit ? summary.token : null;
  }
  return { total, found };
}

/** Positive balances sort before it. */
const NOTHING = bytesGreatestFirst(0n);

type Row = OuterRowOf<typeof TOKEN_BALANCES, 'token'> &
  OuterRowOf<typeof TOKEN_CHANGES, 'held'> & {
    /** Which of those that are wanted it is, or SUMMARY: that has the last token that was looked for. */
    readonly wanted: number;
    readonly rows_read: number;
    readonly positive: number;
  };

const SUMMARY = -1;

const statementOf = (wanted: readonly HeldWanted[]): string =>
  `WITH had AS MATERIALIZED (
     SELECT b.token, ${HELD_BEFORE} AS held
       FROM (SELECT token, number FROM token_balances WHERE principal = ? AND kind = 'ft' AND token > ? ORDER BY token LIMIT ?) AS b
   )
   ${wanted
     .map(
       ({ order, condition = '' }, i) => `SELECT ${i} AS wanted, token, held, 0 AS rows_read, 0 AS positive
       FROM (SELECT token, held FROM had WHERE held < ? ${condition} ORDER BY ${order} LIMIT ?) AS wanted_${i} UNION ALL `,
     )
     .join('')}
   SELECT ${SUMMARY}, max(token), NULL, count(*), count(CASE WHEN held < ? THEN 1 END) FROM had`;
