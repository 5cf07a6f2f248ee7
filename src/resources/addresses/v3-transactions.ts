/** Transactions of a principal as version 3 shows them (docs/spec/addresses.md#version-3). */
import Type from 'typebox';
import { type CursorList, type CursorPage, pageFrom } from '../../http/cursor-page.ts';
import { amount, word } from '../../http/schema.ts';
import { entriesBelow, findList } from '../../indexer/lists.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { endOfCursor, placeCursors } from '../blocks/chain-cursors.ts';
import { type CursorQuery, type ListedRow, type ListedTransaction, toListed } from '../blocks/transaction-pages.ts';
import type { transactionSummary } from '../transactions/v3/record.ts';
import { TransactionSummary } from '../transactions/v3/schema.ts';
import type { StoredTransaction } from '../transactions/v3/stored.ts';
import type { EventCounts } from './members.ts';
import { type ADDRESS_TXS, TXS_OF_ADDRESS } from './tables.ts';

/** A transaction of a principal, and the principal's part in it. */
export interface OwnTransaction extends ListedTransaction {
  /** Micro-STX, with the fee where the principal paid it. */
  readonly sent: bigint;
  readonly received: bigint;
  readonly counts: EventCounts;
}

type OwnRow = ListedRow & RowOf<typeof ADDRESS_TXS, 'sent' | 'received' | 'counts'>;

const NO_COUNTS: EventCounts = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** A page of them, the newest first. */
export async function pageOfPrincipal(
  queries: Queries,
  principal: string,
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<OwnTransaction>> {
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  const length = list?.length ?? 0;
  const found: CursorList<OwnTransaction> = {
    length,
    rows: async (from, to) => {
      const rows = await queries.all<OwnRow>(
        `SELECT t.seq, t.record, e.sent, e.received, e.counts FROM address_txs e JOIN txs t ON t.seq = e.tx
          WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq DESC`,
        [list?.id ?? null, length - to, length - from],
      );
      return rows.map(toOwn);
    },
    cursors: rows => placeCursors(queries, rows),
  };
  if (list === undefined || cursor === undefined) return pageFrom(found, 0, limit);
  const below = (tx: number) => entriesBelow(queries, TXS_OF_ADDRESS, list, 'tx', tx);
  const isListed = async (tx: number) => (await below(tx)) < (await below(tx + 1));
  const end = await endOfCursor(queries, cursor, isListed);
  return pageFrom(found, length - (await below(end)), limit);
}

const toOwn = ({ sent, received, counts, ...row }: OwnRow): OwnTransaction => ({
  ...toListed(row),
  sent: BigInt(sent),
  received: BigInt(received),
  counts: counts === null ? NO_COUNTS : (JSON.parse(counts) as EventCounts),
});

/** It as it is shown, keys in emitted order. @param transaction its summary */
export function ownTransactionRecord(
  { stored, sent, received, counts }: OwnTransaction,
  transaction: ReturnType<typeof transactionSummary>,
  principal: string,
) {
  const isTouched = (first: number) => counts.slice(first, first + 3).some(count => count > 0);
  const [stx, ft, nft] = [0, 3, 6].map(isTouched);
  const isRecipient = stored.tx_type === 'token_transfer' && stored.token_transfer.recipient_address === principal;
  return {
    transaction,
    involvement: involvementOf(stored, principal),
    balance_changes: { stx: { sent: String(sent), received: String(received), net: String(received - sent) } },
    affected_balances: { stx: stx || isRecipient || payerOf(stored) === principal, ft, nft },
  };
}

/** Who pays the fee. */
export const payerOf = ({ sponsor_address, sender_address }: StoredTransaction): string =>
  sponsor_address ?? sender_address;

const involvementOf = ({ sender_address, sponsor_address }: StoredTransaction, principal: string) =>
  sender_address === principal ? 'sender' : sponsor_address === principal ? 'sponsor' : 'affected';

/** What was sent and received, and what that leaves. */
export const Flow = Type.Object(
  {
    sent: amount('With the fee where the principal paid it'),
    received: amount(),
    net: amount('Received less sent', true),
  },
  { title: 'Flow' },
);

/** A transaction of a principal. */
export const PrincipalTransactionSummary = Type.Object(
  {
    transaction: TransactionSummary,
    involvement: word(['sender', 'sponsor', 'affected']),
    balance_changes: Type.Object({ stx: Flow }),
    affected_balances: Type.Object({ stx: Type.Boolean(), ft: Type.Boolean(), nft: Type.Boolean() }),
  },
  { title: 'PrincipalTransactionSummary' },
);
