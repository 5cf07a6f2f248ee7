import { decodeTransaction } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries, Row, Table } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import { type RowOf, valuesOf } from '../../../base/store/table.ts';
import { type CountedNode, nodesOf } from '../../../index/mempool/counts.ts';
import { listRowsOf } from '../../../index/mempool/lists.ts';
import { idBytes, type MempoolTx, mempoolRowsOf, pendingRows, slotsOf } from '../../../index/mempool/rows.ts';
import { ageRow, droppedRow, isListed, settledIn } from '../../../index/mempool/settle.ts';
import { isDropped } from '../../../index/mempool/status.ts';
import { SUMS, sumsOf } from '../../../index/mempool/sums.ts';
import {
  DROPPED_TXS,
  MEMPOOL_AGES,
  type MEMPOOL_TXS,
  PENDING_LISTS,
  type PENDING_SUMS,
  PENDING_TXS,
} from '../../../index/mempool/tables.ts';
import { feeOf } from '../../../index/transactions/record.ts';
import type { RAW_TXS } from '../../../index/transactions/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { textOf } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

export const mempoolCheck: Check = {
  name: 'mempool',
  proves:
    'the status of every announced transaction is what the messages about it and the chain make of it; those that are pending, dropped or too old are listed, with the values of their bytes and messages, and counted and summed by these',

  run: context => withSpillingMap(nodes => withSpillingMap(sums => compareAll({ nodes, sums }, context))),
};

async function* compareAll(figures: Omit<Expected, 'counts'>, context: Context): AsyncIterable<Finding> {
  const tables = [PENDING_TXS, PENDING_LISTS, DROPPED_TXS, MEMPOOL_AGES];
  const counts = new Map<Table, number>(tables.map(table => [table, 0]));
  for await (const ids of pagesOfIds(context.index)) yield* comparePage(ids, { counts, ...figures }, context);
  for (const [table, count] of counts) {
    const stored = (await context.index.get<{ n: number }>(`SELECT count(*) AS n FROM ${table.name}`))?.n;
    if (stored !== count) yield wrong(`${table.name} has ${stored} rows in place of ${count}`);
  }
  const dropped = counts.get(DROPPED_TXS);
  if (context.state.mempool.dropped !== dropped)
    yield wrong(`the state counts ${context.state.mempool.dropped} dropped transactions in place of ${dropped}`);
  yield* compareNodes(figures.nodes, context.index);
  yield* compareSums(figures.sums, context.index);
}

async function* compareSums(sums: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const row of pagedRows<RowOf<typeof PENDING_SUMS>>(index, {
    sql: `SELECT principal, ${SUMS.join(', ')} FROM pending_sums`,
    key: ['principal'],
  }))
    for (const name of SUMS) {
      const expected = (await sums.take(sumKey(row.principal, name))) ?? '0';
      if (row[name] !== expected)
        yield wrong(`pending_sums: ${name} of ${row.principal} is ${row[name]} in place of ${expected}`);
    }
  for await (const [sum] of sums.entries()) yield wrong(`pending_sums: ${sum} is missing`);
}

const sumKey = (principal: string, name: string): string => `${principal} ${name}`;

async function* compareNodes(nodes: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const node of pagedRows<CountedNode>(index, {
    sql: 'SELECT parent, byte, n FROM mempool_counts',
    key: ['parent', 'byte'],
  })) {
    const expected = await nodes.take(nodeKey(node));
    if (expected !== String(node.n))
      yield wrong(
        `mempool_counts: ${nodeKey(node)} counts ${node.n} pending transactions in place of ${expected ?? 0}`,
      );
  }
  for await (const [node] of nodes.entries()) yield wrong(`mempool_counts: ${node} is missing`);
}

const nodeKey = ({ parent, byte }: CountedNode): string => `${toHex(parent)} ${byte}`;

const PAGE = 200;

async function* pagesOfIds(index: Queries): AsyncIterable<string[]> {
  let page: string[] = [];
  for await (const { tx_id } of pagedRows<RowOf<typeof MEMPOOL_TXS, 'tx_id'>>(index, {
    sql: 'SELECT tx_id FROM mempool_txs',
    key: ['tx_id'],
  })) {
    page.push(toHex(tx_id));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

interface Expected {
  /** By table: the number of rows that it must have. */
  readonly counts: Map<Table, number>;
  /** The number that each row of MEMPOOL_COUNTS must have, by parent and byte. */
  readonly nodes: SpillingMap;
  /** The sums of PENDING_SUMS, by principal and name; without zeros. */
  readonly sums: SpillingMap;
}

async function* comparePage(
  ids: readonly string[],
  { counts, nodes, sums }: Expected,
  { index, state }: Context,
): AsyncIterable<Finding> {
  const rows = await mempoolRowsOf(index, ids);
  const settled = await settledIn(index, state, rows);
  const now = settled.map(({ row, outcome: { status, replacedBy } }) => ({ ...row, status, replacedBy }));
  for (const [i, row] of rows.entries())
    if (row.status !== now[i]?.status || row.replacedBy !== now[i].replacedBy)
      yield wrong(`mempool_txs: ${row.txId} has status ${row.status}, a recount gives ${now[i]?.status}`);
  yield* compareContents(rows, index);
  const pending = await pendingRows(index, now.filter(isListed));
  for (const node of pending.flatMap(nodesOf)) await nodes.add(nodeKey(node), node.n);
  for (const [principal, name, amount] of pending.flatMap(sumsOf)) {
    if (amount === 0n) continue;
    const key = sumKey(principal, name);
    await sums.set(key, String(BigInt((await sums.get(key)) ?? 0) + amount));
  }
  const expected: [Table, readonly Row[]][] = [
    [PENDING_TXS, pending],
    [PENDING_LISTS, pending.flatMap(listRowsOf)],
    [DROPPED_TXS, now.filter(({ status }) => isDropped(status)).map(droppedRow)],
    [MEMPOOL_AGES, settled.filter(({ outcome }) => outcome.aged !== null).map(ageRow)],
  ];
  for (const [table, wanted] of expected) {
    counts.set(table, (counts.get(table) ?? 0) + wanted.length);
    const columns = Object.keys(table.columns).join(', ');
    const found = await allIn<Row>(
      index,
      list => `SELECT ${columns} FROM ${table.name} WHERE tx_id IN ${list}`,
      ids.map(idBytes),
    );
    const texts = new Set(found.map(row => rowText(table, row)));
    for (const row of wanted)
      if (!texts.has(rowText(table, row)))
        yield wrong(`${table.name}: ${textOf(row.tx_id)} is not what its message and the chain make of it`);
  }
}

const rowText = (table: Table, row: Row): string => valuesOf(table, row).map(textOf).join();

/** Nonces and fees come from the bytes, which a false Bitcoin operation of the same id lacks. */
async function* compareContents(rows: readonly MempoolTx[], index: Queries): AsyncIterable<Finding> {
  const ids = rows.map(({ txId }) => idBytes(txId));
  const waiting = 'SELECT tx_id, raw FROM raw_txs WHERE tx_id IN';
  const mined = 'SELECT t.tx_id, b.raw FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.tx_id IN';
  const raws: RowOf<typeof RAW_TXS>[] = [];
  for (const sql of [mined, waiting])
    raws.push(...(await allIn<RowOf<typeof RAW_TXS>>(index, list => `${sql} ${list}`, ids)));
  const rawOf = new Map(raws.map(({ tx_id, raw }) => [toHex(tx_id), raw]));
  for (const { txId, slots, fee } of rows) {
    const raw = rawOf.get(txId);
    const decoded = raw && decodeTransaction(raw);
    if (!decoded) yield wrong(`mempool_txs: there are no bytes of ${txId}`);
    else if (decoded.ok && (slotsOf(decoded.value).join() !== slots.join() || feeOf(decoded.value) !== fee))
      yield wrong(`mempool_txs: ${txId} has other nonces, or another fee, than its bytes`);
  }
}
