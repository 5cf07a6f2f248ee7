import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import { type TXS, TXS_BY_SENDER, TXS_BY_SPONSOR } from '../../../index/transactions/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { lastEntryBelow } from '../../../ingest/indexer/last-entries.ts';
import { findList, type List, lengthsShown, wholeList } from '../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/** The highest nonce that an account used, as sender or as sponsor (docs/spec/addresses.md#nonces); null without any. */
export async function lastExecutedNonce(queries: Queries, account: string, budget?: RowBudget): Promise<number | null> {
  const sent = await lastSentNonce(queries, account, budget);
  const sponsored = await lastSponsorNonce(queries, account);
  return sent === null || sponsored === null ? (sent ?? sponsored) : Math.max(sent, sponsored);
}

async function lastSentNonce(queries: Queries, account: string, budget?: RowBudget): Promise<number | null> {
  const list = await wholeList(queries, TXS_BY_SENDER, account);
  if (!list) return null;
  const horizon = horizonOf(queries);
  if (horizon) return lastNonceBelow(queries, list, horizon.transactions, budget);
  const sql = 'SELECT nonce FROM txs WHERE sender = ? ORDER BY nonce DESC LIMIT 1';
  return (await queries.get<RowOf<typeof TXS, 'nonce'>>(sql, [list.id]))?.nonce ?? null;
}

type NonceRow = RowOf<typeof TXS, 'nonce' | 'seq'>;

/** A place above every nonce. */
const ABOVE_ALL: NonceRow = { nonce: Number.MAX_SAFE_INTEGER, seq: 0 };

/**
 * The highest nonce before a position: usually that of the last transaction before it, as the nonces of an account grow along the chain (SIP-005: the
 * nonce of a transaction is that of its account). Only operations from Bitcoin have nonce 0 at any time.
 */
async function lastNonceBelow(queries: Queries, sender: List, end: number, budget?: RowBudget): Promise<number | null> {
  const [shown = 0] = await lengthsShown(queries, TXS_BY_SENDER, [sender]);
  if (shown === 0) return null;
  const last = await queries.get<RowOf<typeof TXS, 'nonce'>>(
    'SELECT nonce FROM txs WHERE seq = (SELECT tx FROM list_txs WHERE list = ? AND seq = ?)',
    [sender.id, shown - 1],
  );
  if (last && (last.nonce > 0 || shown === 1)) return last.nonce;
  return highestNonceBelow(queries, sender, { end, above: sender.length - shown }, budget);
}

/**
 * The highest nonce before a position, in whatever order nonces come. In the order of nonces, the highest first, transactions from the position on usually come
 * first. There are as many of them as the list has more entries than are shown, so the first row that counts is among that many and one more.
 */
async function highestNonceBelow(
  queries: Queries,
  sender: List,
  { end, above }: { readonly end: number; readonly above: number },
  budget?: RowBudget,
): Promise<number | null> {
  const descending = `SELECT nonce, seq FROM txs WHERE sender = ? AND (nonce, seq) < (?, ?) ORDER BY nonce DESC, seq DESC`;
  let last = ABOVE_ALL;
  for (let left = above + 1; left > 0; ) {
    const rows = (await budget?.take(left)) ?? left;
    const from = [sender.id, last.nonce, last.seq];
    const found = await queries.get<NonceRow>(
      `SELECT nonce, seq FROM (${descending} LIMIT ?) AS highest WHERE seq < ? ORDER BY nonce DESC LIMIT 1`,
      [...from, rows, end],
    );
    if (found) return found.nonce;
    left -= rows;
    if (left > 0) last = (await queries.get<NonceRow>(`${descending} LIMIT 1 OFFSET ?`, [...from, rows - 1])) ?? last;
  }
  return null;
}

/** The last nonce of an account as sponsor: its nonces grow with each transaction. */
async function lastSponsorNonce(queries: Queries, account: string): Promise<number | null> {
  const list = await findList(queries, TXS_BY_SPONSOR, account);
  if (!list) return null;
  const last = await queries.get<RowOf<typeof TXS, 'record'>>(
    'SELECT t.record FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq = ?',
    [list.id, list.length - 1],
  );
  return (last && readTransaction(last.record).sponsor?.nonce) ?? null;
}

/** The highest nonce of a sender among transactions whose fee the account paid, below a position; null without any. */
export async function lastPaidNonce(queries: Queries, account: string, end: number): Promise<number | null> {
  return (await lastEntryBelow(queries, TXS_OF_ADDRESS, account, 'tx', end))?.paid_nonce ?? null;
}
