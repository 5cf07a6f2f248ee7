/** Looks up mined transactions, for the mempool and for blocks that repeat them. */
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import { inLists } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { TX_TYPES, type TXS, TXS_BY_SENDER, TXS_BY_SPONSOR_NONCE } from './tables.ts';

const bytesOf = (txIds: Iterable<string>): (Uint8Array | null)[] => [...txIds].map(txId => fromHex(txId) ?? null);

/** The heights of the canonical ones of these transactions. The height of a streamed one is one above the tip's. */
export async function minedHeights(queries: Queries, txIds: Iterable<string>): Promise<Map<string, number>> {
  const heights = new Map<string, number>();
  for (const { list, values } of inLists(bytesOf(txIds))) {
    const sql = `SELECT tx_id, height FROM txs WHERE tx_id IN ${list}`;
    for (const row of await queries.all<RowOf<typeof TXS, 'tx_id' | 'height'>>(sql, values)) {
      heights.set(toHex(row.tx_id), row.height);
    }
  }
  return heights;
}

/** A nonce of an account that a transaction uses. */
export interface AccountNonce {
  readonly address: string;
  readonly nonce: bigint;
}

/** The name of the list that holds the canonical transactions that used a nonce of their sponsor. */
export const nonceName = ({ address, nonce }: AccountNonce): string => `${address}:${nonce}`;

const NO_FEE = new Uint8Array(8);

/** The canonical transaction that used a nonce of an account, as sender or as sponsor; undefined while it is free. */
export async function transactionThatUsed(
  queries: Queries,
  { address, nonce }: AccountNonce,
): Promise<string | undefined> {
  const sponsored = await queries.get<User>(
    `SELECT t.tx_id, t.seq FROM lists l JOIN list_txs e ON e.list = l.id JOIN txs t ON t.seq = e.tx
      WHERE l.kind = ? AND l.name = ? ORDER BY e.seq DESC LIMIT 1`,
    [TXS_BY_SPONSOR_NONCE.code, nonceName({ address, nonce })],
  );
  // Operations from Bitcoin pay no fee and are shown with nonce 0, but use none.
  const sent = await queries.get<User>(
    `SELECT t.tx_id, t.seq FROM lists l JOIN txs t ON t.sender = l.id
      WHERE l.kind = ? AND l.name = ? AND t.nonce = ? AND (t.nonce > 0 OR t.fee > ? OR t.type > ?)
      ORDER BY t.seq DESC LIMIT 1`,
    [
      TXS_BY_SENDER.code,
      address,
      nonce > Number.MAX_SAFE_INTEGER ? null : Number(nonce),
      NO_FEE,
      TX_TYPES.contract_call,
    ],
  );
  const newest = sponsored && sent ? (sponsored.seq > sent.seq ? sponsored : sent) : (sponsored ?? sent);
  return newest && toHex(newest.tx_id);
}

type User = RowOf<typeof TXS, 'tx_id' | 'seq'>;
