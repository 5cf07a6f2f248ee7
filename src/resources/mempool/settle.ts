import { agedCondition, type ChainClock } from '../../chain/chain-clock.ts';
import type { IndexTransaction } from '../../indexer/projection.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries, Transaction } from '../../store/database.ts';
import { deleteRows, insertRows, type RowOf } from '../../store/table.ts';
import { minedHeights, transactionThatUsed } from '../transactions/mined.ts';
import type { MempoolChanges } from './changes.ts';
import { pendingRows } from './pending.ts';
import { idBytes, keysOf, type MempoolTx, putRows, removeRows, rowsOf, rowsWanting } from './rows.ts';
import { nonceOf, type Slot } from './slots.ts';
import { STATUS } from './status.ts';
import { MEMPOOL_AGES, PENDING_TXS } from './tables.ts';
import { bestOfSlots, judge, type OnChain, type Verdict } from './verdict.ts';

/**
 * Judges anew every transaction that these changes concern. To be called when the index is written
 * otherwise: it asks the database what is mined.
 */
export async function settleMempool(transaction: IndexTransaction, changes: MempoolChanges): Promise<void> {
  const { tx, state } = transaction;
  const concerned = new Set(await changes.concerned(tx));
  if (changes.clockMoved) for (const txId of await agedOrFresh(tx, state.mempool.clock)) concerned.add(txId);
  if (concerned.size === 0) return;
  // What uses or frees a slot may matter to all that want it, and that again to their rivals for other slots. A verdict
  // depends on all rivals of a transaction.
  const affected = await withRivals(tx, { rows: await rowsOf(tx, concerned), slots: new Set() });
  const judged = await withRivals(tx, affected);
  const rivals = await withRivals(tx, judged);
  const chain = await lookUp(transaction, rivals.rows);
  await write(tx, judgeAll(judged.rows, rivals.rows, chain));
}

/**
 * What these transactions are before the indexer's transaction ends, whatever their rows say: they are judged by all that was
 * said and applied so far, so it does not matter how many entries of the journal share that transaction. Writes no verdict.
 */
export async function judgeNow(transaction: IndexTransaction, rows: readonly MempoolTx[]): Promise<Judged[]> {
  if (rows.length === 0) return [];
  await transaction.workspace.flush();
  const rivals = await withRivals(transaction.tx, { rows, slots: new Set() });
  return judgeAll(rows, rivals.rows, await lookUp(transaction, rivals.rows));
}

/** Transactions, and the slots for which all that want them are among these. */
interface Rivals {
  readonly rows: readonly MempoolTx[];
  readonly slots: ReadonlySet<Slot>;
}

/** These transactions and all that want a slot of theirs. Where nothing is sponsored, the first step finds everybody. */
async function withRivals(queries: Queries, { rows, slots }: Rivals): Promise<Rivals> {
  const wanted = slotsOfAll(rows);
  return wanted.size === slots.size ? { rows, slots } : { rows: await rowsWanting(queries, wanted), slots: wanted };
}

const slotsOfAll = (rows: readonly MempoolTx[]): Set<Slot> => new Set(rows.flatMap(({ slots }) => [...slots]));

/** Those that have aged, and those that had but, as the tip went back in time, have not. */
async function agedOrFresh(queries: Queries, clock: ChainClock | null): Promise<string[]> {
  if (clock === null) return ids(await queries.all<AgeRow>('SELECT tx_id FROM mempool_ages WHERE aged = 1'));
  const { aged, fresh, bound } = agedCondition(clock);
  return [
    ...ids(await queries.all<AgeRow>(`SELECT tx_id FROM mempool_ages WHERE aged = 0 AND ${aged}`, [bound])),
    ...ids(await queries.all<AgeRow>(`SELECT tx_id FROM mempool_ages WHERE aged = 1 AND ${fresh}`, [bound])),
  ];
}

type AgeRow = RowOf<typeof MEMPOOL_AGES, 'tx_id'>;
const ids = (rows: readonly AgeRow[]): string[] => rows.map(row => toHex(row.tx_id));

/** What the chain says of these transactions and of the slots of those that wait. */
async function lookUp({ tx, state }: IndexTransaction, rows: readonly MempoolTx[]): Promise<OnChain> {
  const heights = await minedHeights(
    tx,
    rows.map(({ txId }) => txId),
  );
  const users = new Map<Slot, string | undefined>();
  for (const slot of slotsOfAll(rows.filter(({ txId }) => !heights.has(txId)))) {
    users.set(slot, await transactionThatUsed(tx, nonceOf(slot)));
  }
  return {
    heightOf: txId => heights.get(txId),
    userOf: slot => users.get(slot),
    tipHeight: state.tip?.height ?? 0,
    clock: state.mempool.clock,
  };
}

function judgeAll(judged: readonly MempoolTx[], rivals: readonly MempoolTx[], chain: OnChain): Judged[] {
  const best = bestOfSlots(rivals, chain);
  return judged.map(row => ({ row, verdict: judge(row, slot => best.get(slot), chain) }));
}

/** A transaction, as it was before, and what it is now. */
export interface Judged {
  readonly row: MempoolTx;
  readonly verdict: Verdict;
}

async function write(tx: Transaction, judged: readonly Judged[]): Promise<void> {
  await writeAges(tx, judged);
  const rows = judged
    .filter(({ row, verdict }) => row.status !== verdict.status || row.replacedBy !== verdict.replacedBy)
    .map(({ row, verdict: { status, replacedBy } }) => ({ ...row, status, replacedBy }));
  // A transaction that only a block told of is no business of the mempool once a block has it.
  // In a microblock it is listed still, as an announced one is.
  const isForgotten = (row: MempoolTx) => !row.announced && row.status === STATUS.MINED;
  const kept = rows.filter(row => !isForgotten(row));
  await removeRows(tx, rows.filter(isForgotten));
  await putRows(tx, kept);
  await deleteRows(tx, PENDING_TXS, keysOf(rows));
  await insertRows(tx, PENDING_TXS, await pendingRows(tx, kept.filter(isListed)));
}

const isListed = ({ status }: MempoolTx): boolean => status === STATUS.PENDING || status === STATUS.STREAMED;

async function writeAges(tx: Transaction, judged: readonly Judged[]): Promise<void> {
  const entries = judged.filter(({ verdict }) => verdict.aged !== null);
  await deleteRows(tx, MEMPOOL_AGES, keysOf(judged.map(({ row }) => row)));
  await insertRows(
    tx,
    MEMPOOL_AGES,
    entries.map(({ row, verdict }) => ({
      tx_id: idBytes(row.txId),
      aged: verdict.aged ? 1 : 0,
      chain_time: row.chainTime,
      chain_height: row.chainHeight,
    })),
  );
}
