import type * as Api from '../../routes/records.ts';
import { counted, stx } from '../format/amounts.ts';
import { principalLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';

/** Why a transaction is pending, as checks of facts. No check promises a time: miners choose. */

/** How a check delays a transaction; each level outweighs those before it. */
const LEVELS = ['fine', 'low', 'after', 'blocked', 'never'] as const;
type Level = (typeof LEVELS)[number];

export interface PendingCheck {
  readonly level: Level;
  readonly text: Html;
}

/** The conclusion of all checks, which is that of the most serious one. */
export function verdictOf(checks: readonly PendingCheck[]): string {
  const worst = LEVELS.findLast(level => checks.some(check => check.level === level)) ?? 'fine';
  return VERDICTS[worst];
}

const VERDICTS: Readonly<Record<Level, string>> = {
  fine: 'Nothing about it is unusual: a miner has to choose it.',
  low: 'Miners may prefer transactions with a higher fee.',
  after: 'It cannot be mined before the transactions with earlier nonces.',
  blocked: 'It cannot be mined as things are.',
  never: 'It can never be mined.',
};

/** @param role `sender` or `sponsor`  @param first names the first transaction that must come before */
export function nonceCheck(
  nonce: number,
  principal: string,
  { last_confirmed_nonce: last, mempool }: Pick<Api.NoncesOfPrincipal, 'last_confirmed_nonce' | 'mempool'>,
  role: 'sender' | 'sponsor',
  first?: Html,
): PendingCheck {
  const owner = html`the ${role} ${principalLink(principal)}`;
  const next = last === null ? 0 : last + 1;
  if (nonce < next)
    return { level: 'never', text: html`Nonce ${nonce} of ${owner} is used: another transaction has it.` };
  const missing = mempool.missing_nonces.filter(each => each < nonce && each >= next).toSorted((a, b) => a - b);
  if (missing.length > 0) {
    const listed = missing.slice(0, 5).join(', ');
    return {
      level: 'blocked',
      text: html`${missing.length === 1 ? 'Nonce' : 'Nonces'} ${listed}${missing.length > 5 && ' …'} of ${owner} must come first, and this index has seen no transaction with ${missing.length === 1 ? 'it' : 'them'}.`,
    };
  }
  if (nonce > next) {
    const earlier = nonce - next;
    return {
      level: 'after',
      text: html`Nonce ${nonce} of ${owner}: ${counted(earlier, 'transaction')} with ${earlier === 1 ? 'an earlier nonce is' : 'earlier nonces are'} pending as well, and must come first${first}.`,
    };
  }
  return { level: 'fine', text: html`Nonce ${nonce} is the next one of ${owner}.` };
}

/** @param available and needed in micro-STX */
export const balanceCheck = (payer: string, available: bigint, needed: bigint): PendingCheck =>
  available >= needed
    ? { level: 'fine', text: html`The balance of ${principalLink(payer)} covers ${stx(needed)}.` }
    : {
        level: 'blocked',
        text: html`${principalLink(payer)} has ${stx(available)} that are not locked, and needs ${stx(needed)}.`,
      };

/** Fees of pending transactions of the same type, in micro-STX: what a quarter, half and three quarters of them offer at most; 0 if too few are pending. */
interface FeesOfOthers {
  /** `transfers`: the type in words. */
  readonly type: string;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Confirmed transactions with a fee of the same band, in the newest blocks. */
interface ConfirmedLately {
  readonly count: number;
  /** Median of the blocks that they had waited; null if unknown. */
  readonly waited: number | null;
  /** Number of counted blocks. */
  readonly blocks: number;
}

/**
 * Whether the fee is enough now, as far as facts show it.
 * @param fee in micro-STX  @param place among all pending transactions by fee
 */
export function feeCheck(
  fee: bigint,
  others: FeesOfOthers,
  place: { readonly rank: number; readonly total: number } | undefined,
  lately?: ConfirmedLately,
): PendingCheck {
  const { type, low, median, high } = others;
  const rank = place && place.total > 1 && html`, number ${place.rank} of ${place.total} pending ones by fee`;
  const mined = lately && confirmedText(lately);
  if (median === 0)
    return {
      level: 'fine',
      text: html`The fee is ${stx(fee)}${rank}. Few ${type} are pending to compare it with.${mined}`,
    };
  const rates = html`low ${stx(Math.round(low))}, median ${stx(Math.round(median))}, high ${stx(Math.round(high))}`;
  return {
    level: fee < BigInt(Math.floor(low)) ? 'low' : 'fine',
    text: html`The fee is ${stx(fee)}${rank}: ${bandText(fee, others)} of the ${type} that are pending now (${rates}).${mined}`,
  };
}

function bandText(fee: bigint, { low, median, high }: FeesOfOthers): string {
  const isBelow = (bound: number): boolean => fee < BigInt(Math.floor(bound));
  if (isBelow(low)) return 'below the low fee';
  if (isBelow(median)) return 'between the low and the median fee';
  return isBelow(high) ? 'between the median and the high fee' : 'at or above the high fee';
}

function confirmedText({ count, waited, blocks }: ConfirmedLately): string {
  const where = `the newest ${counted(blocks, 'block')}`;
  if (count === 0) return ` No transaction with a fee like this was confirmed in ${where}.`;
  const wait = waited === null ? '' : `, after ${counted(waited, 'block')} in the median`;
  return ` ${counted(count, 'transaction')} with a fee like this ${count === 1 ? 'was' : 'were'} confirmed in ${where}${wait}.`;
}

/** The mark of a check, and its colour. */
export const MARK_OF_LEVEL: Readonly<
  Record<Level, { readonly glyph: string; readonly kind: string; readonly word: string }>
> = {
  fine: { glyph: '✓', kind: 'in', word: 'Fine:' },
  low: { glyph: '!', kind: 'warn', word: 'Low:' },
  after: { glyph: '◐', kind: 'warn', word: 'Waits:' },
  blocked: { glyph: '✗', kind: 'out', word: 'Blocked:' },
  never: { glyph: '✗', kind: 'out', word: 'Impossible:' },
};
