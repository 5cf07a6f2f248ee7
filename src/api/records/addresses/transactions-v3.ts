/** Transactions of a principal as version 3 shows them (docs/spec/addresses.md#version-3). */

import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type EventCounts, readEventCounts } from '../../../index/addresses/stored.ts';
import { type ADDRESS_TXS, LOCKING_TXS_OF_ADDRESS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import type { StoredTransaction } from '../../../index/transactions/stored.ts';
import { entriesBelow, findList, type List } from '../../../ingest/indexer/lists.ts';
import { amount, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { type CursorList, type CursorPage, type CursorQuery, pageFrom } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { endOfCursor, placeCursors } from '../../paging/transaction-cursors.ts';
import { type ListedRow, type ListedTransaction, toListed } from '../transactions/pages-v3.ts';
import type { transactionSummaryV3 } from '../transactions/record-v3.ts';
import { TransactionSummarySchemaV3 } from '../transactions/schema-v3.ts';

/** A transaction of a principal, and the principal's part in it. */
interface OwnTransaction extends ListedTransaction {
  /** Micro-STX, with the fee if the principal paid it. */
  readonly sent: bigint;
  readonly received: bigint;
  readonly counts: EventCounts;
}

type OwnRow = ListedRow & RowOf<typeof ADDRESS_TXS, 'sent' | 'received' | 'counts'>;

/**
 * A page of a principal's transactions, the newest first: entries of its list, merged with transactions that lock its STX
 * although it is not a member (docs/spec/addresses.md#version-3).
 */
export async function pageOfPrincipal(
  queries: Queries,
  principal: string,
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<OwnTransaction>> {
  const [own, locking] = await Promise.all([
    findList(queries, TXS_OF_ADDRESS, principal),
    findList(queries, LOCKING_TXS_OF_ADDRESS, principal),
  ]);
  const below = async (tx: number): Promise<Ends> => ({
    own: own ? await entriesBelow(queries, TXS_OF_ADDRESS, own, 'tx', tx) : 0,
    locking: locking ? await entriesBelow(queries, LOCKING_TXS_OF_ADDRESS, locking, 'tx', tx) : 0,
  });
  const isListed = async (tx: number) => {
    const [before, after] = [await below(tx), await below(tx + 1)];
    return before.own + before.locking < after.own + after.locking;
  };
  const lengths: Ends = { own: own?.length ?? 0, locking: locking?.length ?? 0 };
  const end =
    cursor === undefined || !(own || locking) ? lengths : await below(await endOfCursor(queries, cursor, isListed));
  if (locking) return pageOfBoth(queries, { own: own?.id ?? NO_LIST, locking: locking.id }, lengths, end, limit);
  return pageFrom(ownList(queries, own), lengths.own - end.own, limit);
}

/** A number for each of the two lists: its id, or the number of its entries that count. */
interface Ends {
  readonly own: number;
  readonly locking: number;
}

const NO_LIST = -1;

const ownList = (queries: Queries, list: List | undefined): CursorList<OwnTransaction> => {
  const length = list?.length ?? 0;
  return {
    length,
    rows: async (from, to) => {
      const sql = `${OWN} AND e.seq < ? ORDER BY e.seq DESC`;
      return (await queries.all<OwnRow>(sql, [list?.id ?? NO_LIST, length - to, length - from])).map(toOwn);
    },
    cursors: rows => placeCursors(queries, rows),
  };
};

const OWN = `SELECT t.seq, t.record, e.sent, e.received, e.counts FROM address_txs e JOIN txs t ON t.seq = e.tx
  WHERE e.list = ? AND e.seq >= ?`;
const LOCKING = `SELECT t.seq, t.record FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq >= ?`;

/** The page of the two merged lists in the order of the chain. @param end number of first entries of each list from which the page is taken */
function pageOfBoth(
  queries: Queries,
  ids: Ends,
  lengths: Ends,
  end: Ends,
  limit: number,
): Promise<CursorPage<OwnTransaction>> {
  /** A number of entries from the given parts of both lists on. */
  const read = async (from: Ends, to: Ends, order: 'ASC' | 'DESC', rows: number): Promise<OwnTransaction[]> => {
    const part = `AND e.seq < ? ORDER BY e.seq ${order} LIMIT ?`;
    const own = await queries.all<OwnRow>(`${OWN} ${part}`, [ids.own, from.own, to.own, rows]);
    const locking = await queries.all<ListedRow>(`${LOCKING} ${part}`, [ids.locking, from.locking, to.locking, rows]);
    const both = [...own, ...locking.map(row => ({ ...row, sent: '0', received: '0', counts: null }))].map(toOwn);
    return both.sort((a, b) => (order === 'ASC' ? a.tx - b.tx : b.tx - a.tx)).slice(0, rows);
  };
  return seekPage<OwnTransaction>(
    {
      total: lengths.own + lengths.locking,
      cursor: async row => (await placeCursors(queries, [row]))[0] ?? '',
      from: rows => read({ own: 0, locking: 0 }, end, 'DESC', rows),
      before: (_row, rows) => read(end, lengths, 'ASC', rows),
    },
    limit,
  );
}

const toOwn = ({ sent, received, counts, ...row }: OwnRow): OwnTransaction => ({
  ...toListed(row),
  sent: BigInt(sent),
  received: BigInt(received),
  counts: readEventCounts(counts),
});

/** The transaction as it is served, keys in emitted order. @param transaction its summary */
export function ownTransactionV3(
  { stored, sent, received, counts }: OwnTransaction,
  transaction: ReturnType<typeof transactionSummaryV3>,
  principal: string,
) {
  const isTouched = ({ transfer, mint, burn }: EventCounts['stx']) => transfer + mint + burn > 0;
  const isRecipient = stored.payload.type === 'token_transfer' && stored.payload.recipient === principal;
  return {
    transaction,
    involvement: involvementOf(stored, principal),
    balance_changes: { stx: { sent: String(sent), received: String(received), net: String(received - sent) } },
    affected_balances: {
      stx: isTouched(counts.stx) || isRecipient || payerOf(stored) === principal,
      ft: isTouched(counts.ft),
      nft: isTouched(counts.nft),
    },
  };
}

/** The payer of the fee. */
export const payerOf = ({ sponsor, sender }: StoredTransaction): string => sponsor?.address ?? sender;

const involvementOf = ({ sender, sponsor }: StoredTransaction, principal: string) =>
  sender === principal ? 'sender' : sponsor?.address === principal ? 'sponsor' : 'affected';

/** Amounts sent and received, and the difference. */
const Flow = Type.Object(
  {
    sent: amount('With the fee where the principal paid it'),
    received: amount(),
    net: amount('Received less sent', true),
  },
  { title: 'Flow' },
);

/** A transaction of a principal. */
export const PrincipalTransactionSchemaV3 = Type.Object(
  {
    transaction: TransactionSummarySchemaV3,
    involvement: word(['sender', 'sponsor', 'affected']),
    balance_changes: Type.Object({ stx: Flow }),
    affected_balances: Type.Object({ stx: Type.Boolean(), ft: Type.Boolean(), nft: Type.Boolean() }),
  },
  { title: 'PrincipalTransactionSummary' },
);
