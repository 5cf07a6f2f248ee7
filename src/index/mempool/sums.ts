import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import { deleteRows, type RowOf, upsertRows } from '../../base/store/table.ts';
import { PENDING_SUMS, type PENDING_TXS } from './tables.ts';

/** The columns of PENDING_SUMS that are sums. */
export const SUMS = ['received', 'sent', 'own_fees', 'sponsored_fees', 'sponsor_fees'] as const;
type SumName = (typeof SUMS)[number];

/** Amounts that pending transactions will add to and take from a principal, in micro-STX. */
type SumsOfPending = Readonly<Record<SumName, bigint>>;

type SumsRow = RowOf<typeof PENDING_SUMS>;
type SummedRow = RowOf<typeof PENDING_TXS, 'streamed' | 'fee' | 'sender' | 'payer' | 'recipient' | 'amount'>;

const NONE: SumsOfPending = { received: 0n, sent: 0n, own_fees: 0n, sponsored_fees: 0n, sponsor_fees: 0n };

/** The amounts of one transaction for each principal. */
export function sumsOf({ streamed, fee, sender, payer, recipient, amount }: SummedRow): [string, SumName, bigint][] {
  if (streamed === 1) return [];
  const sums: [string, SumName, bigint][] = [];
  if (recipient !== null && amount !== null)
    sums.push([recipient, 'received', BigInt(amount)], [sender, 'sent', BigInt(amount)]);
  const fees = Buffer.from(fee).readBigUInt64BE();
  if (sender === payer) sums.push([sender, 'own_fees', fees]);
  else sums.push([sender, 'sponsored_fees', fees], [payer, 'sponsor_fees', fees]);
  return sums;
}

/** Adds these transactions to the sums, and subtracts those that they replace. */
export async function writeSums(
  tx: DatabaseTransaction,
  before: readonly SummedRow[],
  now: readonly SummedRow[],
): Promise<void> {
  const changes = new Map<string, SumsOfPending>();
  for (const [rows, sign] of [
    [before, -1n],
    [now, 1n],
  ] as const)
    for (const [principal, name, amount] of rows.flatMap(sumsOf)) {
      const sums = changes.get(principal) ?? NONE;
      changes.set(principal, { ...sums, [name]: sums[name] + sign * amount });
    }
  const changed = [...changes].filter(([, sums]) => !isNone(sums));
  const stored = await storedSums(
    tx,
    changed.map(([principal]) => principal),
  );
  const totals = changed.map(
    ([principal, change]) => [principal, plus(stored.get(principal) ?? NONE, change)] as const,
  );
  const [none, some] = [totals.filter(([, sums]) => isNone(sums)), totals.filter(([, sums]) => !isNone(sums))];
  await upsertRows(
    tx,
    PENDING_SUMS,
    some.map(([principal, sums]) => rowOf(principal, sums)),
  );
  await deleteRows(
    tx,
    PENDING_SUMS,
    none.map(([principal]) => ({ principal })),
  );
}

/** The sums of a principal; zeros if nothing is pending. */
export const sumsOfPrincipal = async (queries: Queries, principal: string): Promise<SumsOfPending> =>
  (await storedSums(queries, [principal])).get(principal) ?? NONE;

async function storedSums(queries: Queries, principals: readonly string[]): Promise<Map<string, SumsOfPending>> {
  const rows = await allIn<SumsRow>(
    queries,
    list => `SELECT principal, ${SUMS.join(', ')} FROM pending_sums WHERE principal IN ${list}`,
    principals,
  );
  return new Map(rows.map(row => [row.principal, sumsIn(row)]));
}

const isNone = (sums: SumsOfPending): boolean => SUMS.every(name => sums[name] === 0n);

const plus = (a: SumsOfPending, b: SumsOfPending): SumsOfPending => ({
  received: a.received + b.received,
  sent: a.sent + b.sent,
  own_fees: a.own_fees + b.own_fees,
  sponsored_fees: a.sponsored_fees + b.sponsored_fees,
  sponsor_fees: a.sponsor_fees + b.sponsor_fees,
});

const sumsIn = ({ received, sent, own_fees, sponsored_fees, sponsor_fees }: SumsRow): SumsOfPending => ({
  received: BigInt(received),
  sent: BigInt(sent),
  own_fees: BigInt(own_fees),
  sponsored_fees: BigInt(sponsored_fees),
  sponsor_fees: BigInt(sponsor_fees),
});

const rowOf = (principal: string, sums: SumsOfPending): SumsRow => ({
  principal,
  received: String(sums.received),
  sent: String(sums.sent),
  own_fees: String(sums.own_fees),
  sponsored_fees: String(sums.sponsored_fees),
  sponsor_fees: String(sums.sponsor_fees),
});
