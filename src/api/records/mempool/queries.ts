import { toHex } from '../../../base/lib/hex.ts';
import type { Pause } from '../../../base/lib/loop-turns.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { firstUnanchored } from '../../../index/blocks/canonical-chain.ts';
import { pendingListOf } from '../../../index/mempool/lists.ts';
import { idBytes, mempoolRowsOf } from '../../../index/mempool/rows.ts';
import { sumsOfPrincipal } from '../../../index/mempool/sums.ts';
import type { MEMPOOL_TXS, PENDING_TXS } from '../../../index/mempool/tables.ts';
import { type ORPHANED_TXS, TX_TYPES, type TxType } from '../../../index/transactions/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { type IndexState, readState, tipOf } from '../../../ingest/indexer/index-state.ts';
import { tipVersion } from '../../http/caching.ts';
import { addressBalance, balanceAtTip, type PendingSums, withPending } from '../addresses/balance.ts';
import type { Moment } from '../blocks/moment.ts';
import { type EventWindow, transactionDetails } from '../transactions/detail.ts';
import { pendingTransactionV1 } from '../transactions/record-v1.ts';
import { type MempoolStatus, pendingTransactions, STATUS_NAMES, type WaitingTransaction } from './record.ts';

/** The parameters of getMempoolTransactionListV1. */
interface PendingQuery {
  readonly sender_address?: string;
  readonly recipient_address?: string;
  /** Sender, recipient, or the called or deployed contract. */
  readonly address?: string;
  readonly order_by: 'age' | 'size' | 'fee';
  readonly order: 'asc' | 'desc';
  /** True leaves out transactions of an unanchored microblock. */
  readonly unanchored: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Indexes have these columns in this order. */
const SORT_COLUMNS = {
  age: ['receipt_time', 'arrival', 'tx_id'],
  size: ['size', 'tx_id'],
  fee: ['fee', 'tx_id'],
};

/** A page of pending transactions, and the number of those that pass the filters (docs/spec/mempool.md#list-of-pending-transactions). */
export async function pageOfPending(
  queries: Queries,
  query: PendingQuery,
): Promise<{ readonly total: number; readonly records: readonly string[] }> {
  const { conditions, params } = filterOf(query);
  if (query.unanchored && (await readState(queries)).microblocks.length > 0) conditions.push('streamed = 0');
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const from = params.length > 0 ? `FROM pending_lists ${where}` : `FROM pending_txs ${where}`;
  const counted = await queries.get<{ n: number }>(`SELECT count(*) AS n ${from}`, params);
  const total = counted?.n ?? 0;
  if (query.offset >= total) return { total, records: [] };
  // Selects only the id, so that skipped rows are read only from the index.
  const sort = SORT_COLUMNS[query.order_by].map(column => `${column} ${query.order}`).join(', ');
  const rows = await queries.all<RowOf<typeof PENDING_TXS, 'tx_id'>>(
    `SELECT tx_id ${from} ORDER BY ${sort} LIMIT ? OFFSET ?`,
    [...params, query.limit, query.offset],
  );
  return {
    total,
    records: await recordsOf(
      queries,
      rows.map(row => toHex(row.tx_id)),
    ),
  };
}

/** The conditions on a row of PENDING_LISTS; none without a filter. */
function filterOf({ sender_address: sender, recipient_address: recipient, address }: PendingQuery) {
  const found = pendingListOf({ sender, recipient, address });
  const conditions = found ? ['list = ?', '(roles & ?) <> 0'] : [];
  const params: SqlValue[] = found ? [found.list, found.roles] : [];
  return { conditions, params };
}

/** The records of pending and dropped transactions, in this order; other ids are left out. */
export const recordsOf = async (queries: Queries, txIds: readonly string[]): Promise<string[]> =>
  (await waitingTransactions(queries, txIds)).map(textV1);

/** The same transactions in a form that depends on no version of the API. */
export const waitingTransactions = async (queries: Queries, txIds: readonly string[]) =>
  pendingTransactions(queries, await receptionsOf(queries, txIds));

const textV1 = (tx: WaitingTransaction): string => JSON.stringify(pendingTransactionV1(tx));

/** The stored facts about their reception. */
export async function receptionsOf(queries: Queries, txIds: readonly string[]) {
  if (horizonOf(queries)) return []; // as of a block, the mempool is empty
  const rows = new Map((await mempoolRowsOf(queries, txIds)).map(row => [row.txId, row]));
  return txIds.flatMap(txId => {
    const row = rows.get(txId);
    const status = row && STATUS_NAMES[row.status];
    return status ? [{ ...row, status }] : [];
  });
}

/** The records of those transactions that are pending or dropped, as JSON texts by id. */
export async function mempoolRecordsById(queries: Queries, txIds: readonly string[]): Promise<Map<string, string>> {
  return new Map((await waitingTransactions(queries, txIds)).map(tx => [tx.txId, textV1(tx)]));
}

/** An announced transaction that no canonical block has. */
export interface MempoolTransaction {
  readonly txId: string;
  readonly type: TxType;
  readonly status: MempoolStatus;
  /** JSON text as it is served. */
  readonly record: string;
}

/** The pending or dropped transaction of this id (0x, lower case); undefined for an unknown or mined one. */
export async function findMempoolTransaction(queries: Queries, txId: string): Promise<MempoolTransaction | undefined> {
  return (await findMempoolTransactions(queries, [txId]))[0];
}

/** The pending or dropped ones of these transactions, in this order. */
export async function findMempoolTransactions(
  queries: Queries,
  txIds: readonly string[],
): Promise<MempoolTransaction[]> {
  const waiting = await waitingTransactions(queries, txIds);
  return waiting.map(tx => ({ txId: tx.txId, type: tx.payload.type, status: tx.status, record: textV1(tx) }));
}

/** The pending transaction that deploys this contract, the one received last if there are several. */
export async function findPendingDeploy(queries: Queries, contractId: string): Promise<MempoolTransaction | undefined> {
  const row = await queries.get<RowOf<typeof PENDING_TXS, 'tx_id'>>(
    `SELECT p.tx_id FROM pending_txs p JOIN mempool_txs m ON m.tx_id = p.tx_id
      WHERE p.contract = ? AND p.type = ? AND p.streamed = 0
      ORDER BY p.receipt_time DESC, m.arrival DESC LIMIT 1`,
    [contractId, TX_TYPES.smart_contract],
  );
  return row && findMempoolTransaction(queries, toHex(row.tx_id));
}

/** `tx_status` of a transaction of the mempool; undefined if it is unknown or mined. */
export async function mempoolStatus(queries: Queries, txId: string): Promise<MempoolStatus | undefined> {
  const row = await queries.get<RowOf<typeof MEMPOOL_TXS, 'status'>>('SELECT status FROM mempool_txs WHERE tx_id = ?', [
    idBytes(txId),
  ]);
  return row && STATUS_NAMES[row.status];
}

/** As of a block, the mempool is empty. */
const NOTHING_PENDING: PendingSums = { inbound: '0', outbound: '0' };

/**
 * The sums that pending transactions will add to and take from a principal: amounts it receives; amounts and fees of
 * those it sends, and fees of those it sponsors. As recorded, the fee of a sponsored one counts for its sender too.
 */
export async function pendingSums(queries: Queries, principal: string): Promise<PendingSums> {
  if (horizonOf(queries)) return NOTHING_PENDING;
  const { received, sent, own_fees, sponsored_fees, sponsor_fees } = await sumsOfPrincipal(queries, principal);
  return { inbound: String(received), outbound: String(sent + own_fees + sponsored_fees + sponsor_fees) };
}

/** The same, but each fee counts only for its payer (docs/spec/addresses.md#version-3). */
export async function pendingSumsOfPayer(queries: Queries, principal: string): Promise<PendingSums> {
  if (horizonOf(queries)) return NOTHING_PENDING;
  const { received, sent, own_fees, sponsor_fees } = await sumsOfPrincipal(queries, principal);
  return { inbound: String(received), outbound: String(sent + own_fees + sponsor_fees) };
}

/**
 * The version of the mempool, for ETags: it follows from the tip and from the announcements and drops of transactions.
 */
export function mempoolVersion(state: IndexState): string | undefined {
  const tip = tipOf(state);
  const { version } = state.mempool;
  if (!tip && version === 0) return undefined;
  return `${tip ? tipVersion(tip) : 'empty'}:${version}`;
}

/** The balance of a principal at a moment, and with the effect of all transactions pending now. */
export const balanceWithPending = async (queries: Queries, principal: string, moment: Moment) =>
  withPending(...(await Promise.all([addressBalance(queries, principal, moment), pendingSums(queries, principal)])));

/** The balance of a principal at the tip, and with the effect of all transactions pending now. */
export const balanceAtTipWithPending = async (queries: Queries, principal: string) =>
  withPending(...(await Promise.all([balanceAtTip(queries, principal), pendingSums(queries, principal)])));

/** Options of a request for transactions by their ids. */
interface ByIdQuery {
  /** Whether transactions that only a microblock on the tip has count as confirmed. */
  readonly unanchored: boolean;
  readonly events: EventWindow;
}

/**
 * Transactions by their ids (0x, lower case), as JSON texts: confirmed ones with their events, else pending or dropped ones; others are
 * left out (docs/spec/transactions.md#transactions-by-id).
 */
export async function transactionsById(
  queries: Queries,
  txIds: readonly string[],
  { unanchored, events }: ByIdQuery,
): Promise<Map<string, string>> {
  const before = unanchored ? undefined : firstUnanchored(queries);
  const confirmed = await transactionDetails(queries, txIds, events, before);
  const others = txIds.filter(txId => !confirmed.has(txId));
  const waiting = others.length > 0 ? await mempoolRecordsById(queries, others) : [];
  return new Map([...confirmed, ...waiting]);
}

/** Rows of one statement. */
const ROWS_AT_ONCE = 1000;

/** The ids of all pending transactions in the order of their arrival. @param pause awaited between the statements */
export async function pendingIds(queries: Queries, pause: Pause): Promise<ReadonlySet<string>> {
  type PendingRow = RowOf<typeof PENDING_TXS, 'tx_id' | 'receipt_time' | 'arrival'>;
  const ids = new Set<string>();
  let last: PendingRow | undefined;
  do {
    const rows = await queries.all<PendingRow>(
      `SELECT tx_id, receipt_time, arrival FROM pending_txs WHERE (receipt_time, arrival, tx_id) > (?, ?, ?)
        ORDER BY receipt_time, arrival, tx_id LIMIT ${ROWS_AT_ONCE}`,
      last ? [last.receipt_time, last.arrival, last.tx_id] : [-1, -1, new Uint8Array()],
    );
    for (const row of rows) ids.add(toHex(row.tx_id));
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
    await pause();
  } while (last);
  return ids;
}

/** Removed blocks whose transactions one statement finds. */
const BLOCKS_AT_ONCE = 16;

/** At most `most` transactions of these blocks, by index block hash, that are pending now, 0x hex. @param pause as above */
export async function pendingOfBlocks(
  queries: Queries,
  blocks: readonly Uint8Array[],
  most: number,
  pause: Pause,
): Promise<string[]> {
  const found = new Set<string>();
  for (let start = 0; start < blocks.length && found.size < most; start += BLOCKS_AT_ONCE) {
    const rows = await allIn<RowOf<typeof ORPHANED_TXS, 'tx_id'>>(
      queries,
      list =>
        `SELECT DISTINCT o.tx_id FROM orphaned_txs o JOIN pending_txs p ON p.tx_id = o.tx_id
          WHERE o.block IN ${list} AND o.place >= 0 LIMIT ${most}`,
      blocks.slice(start, start + BLOCKS_AT_ONCE),
    );
    for (const row of rows) found.add(toHex(row.tx_id));
    await pause();
  }
  return [...found].slice(0, most);
}
