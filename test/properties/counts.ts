import assert from 'node:assert/strict';
import type { Row } from '../../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { ListKind } from '../../src/ingest/indexer/tables.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import type { Tables } from '../chains/tables.ts';
import { ACCOUNTS } from '../chains/transactions.ts';
import type { TestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';

/** Checked after every batch of a plan: whatever was undone in between, what is counted is what there is. */
export const counts = defineProperty({
  file: 'counts',
  rule: 'lists have no gaps, and every length, counter and total is the number of rows that it counts',
  cases: chainPlans({ maxSteps: 25 }),
  hold: async (bench, plan) => {
    const sent = buildChain(plan).sent.map(({ delivery }) => delivery);
    const { index } = await bench.openIndex();
    bench.statistics.deliveries += sent.length;
    const batch = Math.max(plan.batch, 4);
    for (let start = 0; start < sent.length; start += batch) {
      await index.deliver(...sent.slice(start, start + batch));
      await checkRows(index);
    }
    await checkTotals(index);
  },
});

/** Every list is without gaps, and every counter is the number of what it counts. */
export async function checkRows(index: TestIndex): Promise<void> {
  const dump = await index.dump();
  for (const kind of INDEX_SCHEMA.lists) checkLists(kind, dump);
  checkListIds(dump);
  checkTransactions(dump);
  checkStackers(dump);
  const state = await index.state();
  const canonicalBurns = rowsOf(dump, 'burn_blocks').filter(({ canonical }) => canonical === 1).length;
  assert.equal(rowsOf(dump, 'blocks').length, state.tip?.height ?? 0, 'blocks up to the tip');
  assert.equal(canonicalBurns, state.burnDepth, 'canonical burn blocks');
  assert.equal(state.depth, (state.tip?.height ?? 0) + state.microblocks.length, 'applied units');
  for (const [chain, depth] of [
    ['stacks', state.depth],
    ['burn', state.burnDepth],
  ] as const)
    assert.deepEqual(
      numbersOf(
        rowsOf(dump, 'undo_log').filter(row => row.chain === chain),
        'depth',
      ),
      upTo(depth),
      `undo log of ${chain}`,
    );
  assert.deepEqual(numbersOf(rowsOf(dump, 'known_blocks'), 'arrival'), upTo(rowsOf(dump, 'known_blocks').length));
}

const rowsOf = (dump: Tables, table: string): readonly Row[] => dump[table] ?? [];
const numbersOf = (rows: readonly Row[], column: string): number[] => rows.map(row => Number(row[column]));
const upTo = (length: number): number[] => Array.from({ length }, (_, i) => i);

/** Each list has the entries 0, 1, 2 ... up to its length, and no others are in its table. */
function checkLists(kind: ListKind, dump: Tables): void {
  const lists = rowsOf(dump, 'lists').filter(row => row.kind === kind.code);
  const entries = rowsOf(dump, kind.entries.name);
  for (const { id, length, name } of lists) {
    const own = kind.named ? entries.filter(row => row.list === id) : entries;
    assert.deepEqual(numbersOf(own, 'seq'), upTo(Number(length)), `list ${kind.code} ${name}`);
    assert.ok(Number(length) > 0, `list ${kind.code} ${name} has entries`);
  }
  const all = rowsOf(dump, 'lists').filter(row => tableOf(row) === kind.entries.name);
  assert.equal(entries.length, sum(all, 'length'), `entries of ${kind.entries.name} that no list has`);
}

const tableOf = ({ kind }: Row): string | undefined =>
  INDEX_SCHEMA.lists.find(({ code }) => code === kind)?.entries.name;
const sum = (rows: readonly Row[], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column]), 0);

/** Identifiers are given out 0, 1, 2 ... within each table of entries. */
function checkListIds(dump: Tables): void {
  const counters = new Map(rowsOf(dump, 'list_counters').map(row => [String(row.entries), Number(row.count)]));
  for (const [table, lists] of Map.groupBy(rowsOf(dump, 'lists'), tableOf)) {
    const ids = numbersOf(lists, 'id').sort((a, b) => a - b);
    assert.deepEqual(ids, upTo(counters.get(table ?? '') ?? 0), `identifiers of lists in ${table}`);
  }
}

/** The list of a sender, recipient, contract or function has as many entries as transactions name it. */
function checkTransactions(dump: Tables): void {
  const lengths = new Map(
    rowsOf(dump, 'lists')
      .filter(row => tableOf(row) === 'list_txs')
      .map(row => [row.id, row.length]),
  );
  for (const column of ['sender', 'recipient', 'contract', 'function']) {
    for (const [list, txs] of Map.groupBy(rowsOf(dump, 'txs'), row => row[column])) {
      if (list !== null) assert.equal(txs.length, lengths.get(list), `transactions by ${column} ${list}`);
    }
  }
  let next = 0;
  for (const { first_tx, tx_rows } of rowsOf(dump, 'blocks')) {
    assert.equal(first_tx, next, 'the transactions of a block follow those of the block before');
    next += Number(tx_rows);
  }
  const height = rowsOf(dump, 'blocks').length;
  assert.equal(
    next,
    rowsOf(dump, 'txs').filter(row => Number(row.height) <= height).length,
    'transactions of all blocks',
  );
  assert.equal(rowsOf(dump, 'tx_bodies').length, rowsOf(dump, 'txs').length, 'events of each transaction');
}

function checkStackers(dump: Tables): void {
  const represented = Map.groupBy(
    rowsOf(dump, 'pox_stackers'),
    row => `${row.cycle} ${row.role} ${row.represented_by}`,
  );
  const counted = rowsOf(dump, 'pox_stacker_counts').map(row => [
    `${row.cycle} ${row.role} ${row.represented_by}`,
    row.stackers,
  ]);
  assert.deepEqual(
    new Map(counted as [string, number][]),
    new Map([...represented].map(([key, rows]) => [key, rows.length])),
  );
}

const PAGES = [
  '/extended/v2/blocks?',
  '/extended/v2/blocks/1/transactions?',
  '/extended/v2/blocks/latest/transactions?',
  '/extended/v1/tx?',
  '/extended/v1/tx?unanchored=true&',
  '/extended/v1/tx?sort_by=fee&',
  '/extended/v1/tx?type=contract_call&',
  '/extended/v1/tx/mempool?unanchored=true&',
  ...ACCOUNTS.slice(0, 3).map(account => `/extended/v2/addresses/${accountAddress(account)}/transactions?`),
  ...ACCOUNTS.slice(0, 2).map(account => `/extended/v1/tx?from_address=${accountAddress(account)}&`),
];

/** The totals in pages are the numbers of records on all pages. */
async function checkTotals(index: TestIndex): Promise<void> {
  for (const path of PAGES) await checkTotal(index, path);
}

async function checkTotal(index: TestIndex, path: string): Promise<void> {
  const { status, body: first } = await index.get(`${path}limit=20`);
  if (status === 404) {
    const { body } = await index.get('/extended/v2/blocks');
    assert.equal(body.total, 0, `${path}: a canonical block is not found`);
    return;
  }
  const records: string[] = [];
  for (let page = first.results; page.length > 0; ) {
    records.push(...page.map((record: unknown) => JSON.stringify(record)));
    page = (await index.get(`${path}limit=20&offset=${records.length}`)).body.results;
  }
  assert.equal(records.length, first.total, `${path}: records on all pages`);
  assert.equal(new Set(records).size, records.length, `${path}: a record comes twice`);
}
