import { type StxHolding, stxHoldingsAfter } from '../../../api/records/addresses/balance.ts';
import { countHoldings, type TokenHolding, tokenHoldingsAfter } from '../../../api/records/token-balances/queries.ts';
import { always, type ExportRow, sometimes, tokenAmount } from '../columns.ts';
import type { ExportPage } from '../exported-list.ts';
import type { PartSpan } from '../parts.ts';
import type { PinnedRead } from '../pinned-reads.ts';

export const BALANCE_COLUMNS = {
  block_height: always('integer', 'height of the block as of which the balance is'),
  principal: always('text', 'principal'),
  asset: always('text', '`STX`, or the asset identifier of a fungible token'),
  balance: sometimes('amount', 'micro-STX with those that are locked, or smallest units of the token'),
  balance_large: sometimes('text', 'the balance where it has more than 38 digits; `balance` is null there'),
  locked: sometimes('amount', 'of `STX`: micro-STX that are locked; null without a lock'),
  unlock_burn_height: sometimes('integer', 'of `STX`: the Bitcoin height at which the lock ends'),
};

type BalanceRow = ExportRow<typeof BALANCE_COLUMNS>;

/** Principals of one read, each by a few searches. */
const PRINCIPALS_AT_ONCE = 250;
const TOKENS_AT_ONCE = 1_000;

/** The balances that are not zero: those of STX, by principal, then those of fungible tokens, by principal and token. */
export async function* balancePages(
  read: PinnedRead,
  { lastHeight: block_height }: PartSpan,
): AsyncGenerator<ExportPage<BalanceRow>> {
  const total = Math.max(1, await read(countHoldings)); // the chain may add some meanwhile
  let done = 0;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const after: string = last;
    const page: readonly StxHolding[] = await read(queries => stxHoldingsAfter(queries, after, PRINCIPALS_AT_ONCE));
    done += page.length;
    const held = page.filter(({ balance, lock }) => balance !== 0n || lock !== undefined);
    yield { rows: held.map(holding => ({ block_height, ...stxFields(holding) })), share: done / total };
    last = page.length < PRINCIPALS_AT_ONCE ? undefined : page.at(-1)?.principal;
  }
  for (let last: TokenHolding | undefined, isMore = true; isMore; ) {
    const after: TokenHolding | undefined = last;
    const page: readonly TokenHolding[] = await read(queries => tokenHoldingsAfter(queries, after, TOKENS_AT_ONCE));
    done += page.length;
    const held = page.filter(({ balance }) => balance !== 0n);
    yield { rows: held.map(holding => ({ block_height, ...tokenFields(holding) })), share: done / total };
    last = page.at(-1);
    isMore = page.length === TOKENS_AT_ONCE;
  }
}

function stxFields({ principal, balance, lock }: StxHolding) {
  const { amount, large } = tokenAmount(balance);
  return {
    ...{ principal, asset: 'STX', balance: amount, balance_large: large },
    locked: lock ? BigInt(lock.locked) : null,
    unlock_burn_height: lock?.unlockHeight ?? null,
  };
}

function tokenFields({ principal, token: asset, balance }: TokenHolding) {
  const { amount, large } = tokenAmount(balance);
  return { principal, asset, balance: amount, balance_large: large, locked: null, unlock_burn_height: null };
}
