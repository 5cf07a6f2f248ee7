/** Packs and reads the sums of a principal in one token. */
import { packAmounts, unpackAmounts } from '../../base/lib/number-bytes.ts';
import type { TOKEN_CHANGES } from './tables.ts';

/** Totals of a token that a principal has received and sent, in its smallest unit. */
interface TokenTotals {
  readonly received: bigint;
  readonly sent: bigint;
}

/** The bytes of a column `totals` of TOKEN_CHANGES. */
export const packTokenTotals = ({ received, sent }: TokenTotals): Uint8Array => packAmounts([received, sent]);

/** @param totals null before the first change */
export function readTokenTotals(totals: Uint8Array | null): TokenTotals {
  const [received = 0n, sent = 0n] = totals === null ? [] : unpackAmounts(totals);
  return { received, sent };
}

const lastBefore = (column: keyof typeof TOKEN_CHANGES.columns) =>
  `(SELECT c.${column} FROM token_changes c WHERE c.balance = b.number AND c.tx < ? ORDER BY c.tx DESC, c.event_index DESC LIMIT 1)`;

/** SQL: the totals of a row `b` of TOKEN_BALANCES before a position of TXS, from its last change. */
export const TOTALS_BEFORE = lastBefore('totals');

/** SQL: its balance there, in bytes that sort the greatest first; null before the first change. */
export const HELD_BEFORE = lastBefore('held');
