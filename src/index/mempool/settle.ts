import { toHex } from '../../base/lib/hex.ts';
import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import { deleteRows, insertRows, type RowOf } from '../../base/store/table.ts';
import { agedCondition, type ChainClock, hasAged } from '../../ingest/chain/chain-clock.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { IndexTransaction } from '../../ingest/indexer/projection.ts';
import { minedHeights, transactionThatUsed } from '../transactions/mined.ts';
import { writeCounts } from './counts.ts';
import { listRowsOf } from './lists.ts';
import {
  idBytes,
  keysOf,
  type MempoolTx,
  mempoolRowsOf,
  nonceOf,
  pendingRows,
  putRows,
  removeRows,
  rowsWanting,
  type Slot,
  shownArrival,
} from './rows.ts';
import { isDropped, STATUS } from './status.ts';
import { writeSums } from './sums.ts';
import { DROPPED_TXS, MEMPOOL_AGES, PENDING_LISTS, PENDING_TXS } from './tables.ts';

/** Slots collected above which they are looked up: bounds the memory of a long plan. */
const MAX_SLOTS = 20_000;

/**
 * Collects the transactions whose status must be settled again before the indexer's transaction ends. Settling can wait until then,
 * because the status of a pending transaction follows only from the messages about it and from the chain at that time. So blocks
 * need not be written to the database one by one.
 */
export class MempoolChanges {
  readonly #txIds = new Set<string>();
  readonly #slots = new Set<Slot>();
  #clockMoved = false;
  #returned = { position: -1, count: 0 };

  /** Messages about these transactions have arrived. */
  touch(txIds: Iterable<string>): void {
    for (const txId of txIds) this.#txIds.add(txId);
  }

  /** A block or microblock used these slots. */
  async use(queries: Queries, slots: Iterable<Slot>): Promise<void> {
    for (const slot of slots) this.#slots.add(slot);
    if (this.#slots.size > MAX_SLOTS) await this.#findWaiting(queries);
  }

  /**
   * Counts transactions that return to the mempool because their blocks were undone.
   * @param position of the journal entry that undid their blocks
   * @returns how many that entry had returned before
   */
  countReturned(position: number, returned: number): number {
    const before = this.#returned.position === position ? this.#returned.count : 0;
    this.#returned = { position, count: before + returned };
    return before;
  }

  moveClock(): void {
    this.#clockMoved = true;
  }

  get clockMoved(): boolean {
    return this.#clockMoved;
  }

  /** The affected transactions that the mempool knows. */
  async concerned(queries: Queries): Promise<ReadonlySet<string>> {
    await this.#findWaiting(queries);
    return this.#txIds;
  }

  async #findWaiting(queries: Queries): Promise<void> {
    if (this.#slots.size > 0 && (await queries.get('SELECT tx_id FROM mempool_txs LIMIT 1'))) {
      this.touch((await rowsWanting(queries, this.#slots)).map(({ txId }) => txId));
    }
    this.#slots.clear();
  }
}

/**
 * Determines the status of every transaction that these changes affect. Must run after all other writes of the index: it looks up
 * in the database which transactions are mined.
 */
export async function settleMempool(transaction: IndexTransaction, changes: MempoolChanges): Promise<void> {
  const { tx, state } = transaction;
  const concerned = new Set(await changes.concerned(tx));
  if (changes.clockMoved) for (const txId of await agedOrFresh(tx, state.mempool.clock)) concerned.add(txId);
  if (concerned.size === 0) return;
  // A used or freed slot may affect all transactions that want it, and then their rivals for other slots, as the outcome
  // of a transaction depends on all its rivals.
  const affected = await withRivals(tx, { rows: await mempoolRowsOf(tx, concerned), slots: new Set() });
  const settled = await withRivals(tx, affected);
  const rivals = await withRivals(tx, settled);
  const chain = await lookUp(tx, state, rivals.rows);
  await write(transaction, outcomesOf(settled.rows, rivals.rows, chain));
}

/**
 * The current status of these transactions before the indexer's transaction ends, whatever their rows hold. It follows from everything
 * announced and applied so far, however many journal entries share that transaction. Writes nothing.
 */
export async function settledNow(transaction: IndexTransaction, rows: readonly MempoolTx[]): Promise<Settled[]> {
  if (rows.length === 0) return [];
  await transaction.workspace.flush();
  return settledIn(transaction.tx, transaction.state, rows);
}

/** The same for an index that is not being written. */
export async function settledIn(queries: Queries, state: IndexState, rows: readonly MempoolTx[]): Promise<Settled[]> {
  const rivals = await withRivals(queries, { rows, slots: new Set() });
  return outcomesOf(rows, rivals.rows, await lookUp(queries, state, rivals.rows));
}

/** Transactions that include all rivals for these slots. */
interface Rivals {
  readonly rows: readonly MempoolTx[];
  readonly slots: ReadonlySet<Slot>;
}

/** These transactions and all that want one of their slots, transitively. Without sponsored ones, the first step finds all. */
async function withRivals(queries: Queries, { rows, slots }: Rivals): Promise<Rivals> {
  const wanted = slotsOfAll(rows);
  return wanted.size === slots.size ? { rows, slots } : { rows: await rowsWanting(queries, wanted), slots: wanted };
}

const slotsOfAll = (rows: readonly MempoolTx[]): Set<Slot> => new Set(rows.flatMap(({ slots }) => [...slots]));

/** Transactions that have become too old, and those that no longer are, as the tip went back in time. */
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

/** Looks up on the chain these transactions, and the nonce slots of the pending ones. */
async function lookUp(queries: Queries, state: IndexState, rows: readonly MempoolTx[]): Promise<OnChain> {
  const heights = await minedHeights(
    queries,
    rows.map(({ txId }) => txId),
  );
  const users = new Map<Slot, string | undefined>();
  for (const slot of slotsOfAll(rows.filter(({ txId }) => !heights.has(txId)))) {
    users.set(slot, await transactionThatUsed(queries, nonceOf(slot)));
  }
  return {
    heightOf: txId => heights.get(txId),
    userOf: slot => users.get(slot),
    tipHeight: state.tip?.height ?? 0,
    clock: state.mempool.clock,
  };
}

function outcomesOf(settled: readonly MempoolTx[], rivals: readonly MempoolTx[], chain: OnChain): Settled[] {
  const best = bestOfSlots(rivals, chain);
  return settled.map(row => ({ row, outcome: outcomeOf(row, slot => best.get(slot), chain) }));
}

/** A transaction with its previous and its new status. */
interface Settled {
  readonly row: MempoolTx;
  readonly outcome: Outcome;
}

async function write(transaction: IndexTransaction, settled: readonly Settled[]): Promise<void> {
  const { tx } = transaction;
  await writeAges(tx, settled);
  const rows = settled
    .filter(({ row, outcome }) => row.status !== outcome.status || row.replacedBy !== outcome.replacedBy)
    .map(({ row, outcome: { status, replacedBy } }) => ({ ...row, status, replacedBy }));
  // The mempool forgets a transaction that was never announced when a block has it again.
  // While only a microblock has it, it is listed like an announced one.
  const isForgotten = (row: MempoolTx) => !row.announced && row.status === STATUS.MINED;
  const kept = rows.filter(row => !isForgotten(row));
  await removeRows(tx, rows.filter(isForgotten));
  await putRows(tx, kept);
  const before = await pendingBefore(tx, rows);
  const now = await pendingRows(tx, kept.filter(isListed));
  await deleteRows(tx, PENDING_TXS, keysOf(rows));
  await insertRows(tx, PENDING_TXS, now);
  await deleteRows(tx, PENDING_LISTS, before.flatMap(listRowsOf));
  await insertRows(tx, PENDING_LISTS, now.flatMap(listRowsOf));
  await writeCounts(tx, before, now);
  await writeSums(tx, before, now);
  await writeDropped(transaction, rows);
}

const PENDING_COLUMNS = Object.keys(PENDING_TXS.columns).join(', ');

/** The rows of these transactions in PENDING_TXS. */
const pendingBefore = (tx: DatabaseTransaction, rows: readonly MempoolTx[]) =>
  allIn<RowOf<typeof PENDING_TXS>>(
    tx,
    list => `SELECT ${PENDING_COLUMNS} FROM pending_txs WHERE tx_id IN ${list}`,
    keysOf(rows).map(({ tx_id }) => tx_id),
  );

/** Whether it is one of PENDING_TXS. */
export const isListed = ({ status }: MempoolTx): boolean => status === STATUS.PENDING || status === STATUS.STREAMED;

/** @param rows whose status has changed */
async function writeDropped(transaction: IndexTransaction, rows: readonly MempoolTx[]): Promise<void> {
  const { tx, state } = transaction;
  const keys = keysOf(rows);
  const before = await allIn<RowOf<typeof DROPPED_TXS, 'tx_id'>>(
    tx,
    list => `SELECT tx_id FROM dropped_txs WHERE tx_id IN ${list}`,
    keys.map(({ tx_id }) => tx_id),
  );
  const now = rows.filter(({ status }) => isDropped(status));
  await deleteRows(tx, DROPPED_TXS, keys);
  await insertRows(tx, DROPPED_TXS, now.map(droppedRow));
  const dropped = state.mempool.dropped - before.length + now.length;
  transaction.state = { ...state, mempool: { ...state.mempool, dropped } };
}

async function writeAges(tx: DatabaseTransaction, settled: readonly Settled[]): Promise<void> {
  const entries = settled.filter(({ outcome }) => outcome.aged !== null);
  await deleteRows(tx, MEMPOOL_AGES, keysOf(settled.map(({ row }) => row)));
  await insertRows(tx, MEMPOOL_AGES, entries.map(ageRow));
}

/** The row of MEMPOOL_AGES for a transaction whose age matters. */
export const ageRow = ({ row, outcome }: Settled): RowOf<typeof MEMPOOL_AGES> => ({
  tx_id: idBytes(row.txId),
  aged: outcome.aged ? 1 : 0,
  chain_time: row.chainTime,
  chain_height: row.chainHeight,
});

/** The row of DROPPED_TXS. */
export const droppedRow = (row: MempoolTx): RowOf<typeof DROPPED_TXS> => ({
  tx_id: idBytes(row.txId),
  receipt_time: row.receiptTime,
  arrival: shownArrival(row),
});

/** The state of transactions and slots on the canonical chain. */
interface OnChain {
  /** The height of a mined transaction; that of a streamed one is above the tip's. */
  heightOf(txId: string): number | undefined;
  /** The mined transaction that used a slot. */
  userOf(slot: Slot): string | undefined;
  readonly tipHeight: number;
  readonly clock: ChainClock | null;
}

/** The new status of a transaction, and the id of the one that replaced it. */
interface Outcome {
  readonly status: number;
  readonly replacedBy: string | null;
  /** Whether it has waited too long; null if its age does not matter. */
  readonly aged: boolean | null;
}

const as = (status: number, replacedBy: string | null = null, aged: boolean | null = null): Outcome => ({
  status,
  replacedBy,
  aged,
});

/**
 * The status of a transaction, by the messages about it and by the chain (docs/spec/mempool.md#life-of-a-pending-transaction): mined,
 * dropped by its node, its nonce used by another, outbid, too old; else it is pending.
 * @param bestOf the transaction that would be mined among those that want a slot
 */
function outcomeOf(tx: MempoolTx, bestOf: (slot: Slot) => MempoolTx | undefined, chain: OnChain): Outcome {
  const height = chain.heightOf(tx.txId);
  if (height !== undefined) return as(height > chain.tipHeight ? STATUS.STREAMED : STATUS.MINED);
  if (tx.dropped !== null) return as(tx.dropped, tx.droppedFor);
  const user = userOfItsSlots(tx, chain);
  if (user !== undefined) return as(STATUS.REPLACED_BY_FEE, user);
  const aged = hasAged(tx, chain.clock);
  const rivals = tx.slots.map(bestOf).filter(rival => rival !== undefined);
  const winner = rivals.reduce(better, tx);
  if (winner.txId !== tx.txId) return as(STATUS.REPLACED_BY_FEE, winner.txId, aged);
  return as(aged ? STATUS.AGED_OUT : STATUS.PENDING, null, aged);
}

/** The best transaction that can still be mined, for each wanted slot. */
function bestOfSlots(rows: readonly MempoolTx[], chain: OnChain): Map<Slot, MempoolTx> {
  const best = new Map<Slot, MempoolTx>();
  for (const row of rows) {
    if (!isAlive(row, chain)) continue;
    for (const slot of row.slots) best.set(slot, better(row, best.get(slot) ?? row));
  }
  return best;
}

/** Whether a transaction could still be mined if it had no rivals. */
function isAlive(tx: MempoolTx, chain: OnChain): boolean {
  return (
    tx.dropped === null &&
    chain.heightOf(tx.txId) === undefined &&
    userOfItsSlots(tx, chain) === undefined &&
    !hasAged(tx, chain.clock)
  );
}

function userOfItsSlots(tx: MempoolTx, chain: OnChain): string | undefined {
  return tx.slots.map(slot => chain.userOf(slot)).find(user => user !== undefined && user !== tx.txId);
}

/** The higher fee wins; among equal fees the later announcement, so that announcing again helps. */
function better(a: MempoolTx, b: MempoolTx): MempoolTx {
  if (a.fee !== b.fee) return a.fee > b.fee ? a : b;
  return a.arrival >= b.arrival ? a : b;
}
