import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import { type TXS, TXS_BY_SENDER, TXS_BY_SPONSOR } from '../../../index/transactions/tables.ts';
import { findList, lastEntryBelow } from '../../../ingest/indexer/lists.ts';

/** The highest nonce that an account used, as sender or as sponsor (docs/spec/addresses.md#nonces); null without any. */
export async function lastExecutedNonce(queries: Queries, account: string): Promise<number | null> {
  const sent = await lastSentNonce(queries, account);
  const sponsored = await lastSponsorNonce(queries, account);
  return sent === null || sponsored === null ? (sent ?? sponsored) : Math.max(sent, sponsored);
}

async function lastSentNonce(queries: Queries, account: string): Promise<number | null> {
  const list = await findList(queries, TXS_BY_SENDER, account);
  if (!list) return null;
  const sql = 'SELECT nonce FROM txs WHERE sender = ? ORDER BY nonce DESC LIMIT 1';
  return (await queries.get<RowOf<typeof TXS, 'nonce'>>(sql, [list.id]))?.nonce ?? null;
}

/** From transaction to transaction an account's nonce grows. */
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
