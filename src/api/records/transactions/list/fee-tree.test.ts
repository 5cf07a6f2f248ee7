import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import fc from '../../../../../test/support/fast-check.ts';
import { scratch } from '../../../../../test/support/workspace-tables.ts';
import { u64 } from '../../../../base/lib/number-bytes.ts';
import { feePath, nodeName, wholeLength } from '../../../../index/transactions/fee-lists.ts';
import { FEE_TXS, LIST_TXS, TXS, TXS_BY_TYPE } from '../../../../index/transactions/tables.ts';
import { LISTS } from '../../../../ingest/indexer/tables.ts';
import { positionsByFee } from './fee-tree.ts';

/** Lists of one selection. */
const KINDS = 3;

const fees = fc.oneof(
  fc.constantFrom(0n, 1n, 180n, 300n),
  fc.bigInt({ min: 240n, max: 330n }),
  fc.bigInt({ min: 0n, max: 9_000n }),
);
const transactions = fc.array(fc.record({ fee: fees, kind: fc.nat(KINDS - 1) }), { minLength: 1, maxLength: 90 });
type Transactions = readonly { readonly fee: bigint; readonly kind: number }[];

/** Which lists have no tree, and which nodes of trees are divided. */
const shape = fc.record({
  plain: fc.array(fc.boolean(), { minLength: KINDS, maxLength: KINDS }),
  divided: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  bounds: fc.array(fc.nat(90), { maxLength: 4 }),
  isWhole: fc.boolean(),
});

/** The path of the leaf of a list that a fee is in. */
function leafOf(path: string, kind: number, divided: readonly boolean[]): string {
  let node = path.slice(0, 2);
  const sum = () => [...node].reduce((total, digit) => 3 * total + digit.charCodeAt(0), kind);
  while (node.length < wholeLength(path) && divided[sum() % divided.length]) node = path.slice(0, node.length + 1);
  return node;
}

/** Entries of lists by what they are named: of trees their leaves, of others themselves. */
function listsOf(txs: Transactions, plain: readonly boolean[], divided: readonly boolean[]): Map<string, number[]> {
  const lists = new Map<string, number[]>();
  for (const [tx, { fee, kind }] of txs.entries()) {
    const name = plain[kind] ? String(kind) : nodeName(kind, leafOf(feePath(u64(fee)), kind, divided));
    lists.set(name, [...(lists.get(name) ?? []), tx]);
  }
  return lists;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a slice by fee is that of all transactions sorted, however the trees of their lists are divided (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([TXS, LIST_TXS, LISTS]);
    const slices = fc.record({
      order: fc.constantFrom('asc' as const, 'desc' as const),
      offset: fc.nat(90),
      limit: fc.integer({ min: 1, max: 12 }),
    });
    const property = fc.asyncProperty(transactions, shape, slices, (txs, { plain, divided, bounds, isWhole }, slice) =>
      scratch(database, async tx => {
        const ends = isWhole ? [] : [...new Set([...bounds, 0, 91])].sort((a, b) => a - b);
        // Every second stretch is shown.
        const spans = ends.slice(1).flatMap((to, i) => (i % 2 === 0 ? [{ from: ends[i] ?? 0, to }] : []));
        const isShown = (place: number) => isWhole || spans.some(({ from, to }) => from <= place && place < to);
        const record = { tx_id: new Uint8Array(32), height: 1, type: 1, nonce: 1, sender: 1, record: '' };
        const none = { recipient: null, contract: null, function: null };
        const rows = txs.map(({ fee }, seq) => ({
          seq,
          fee: u64(fee),
          burn_time: isShown(seq) ? 1 : 0,
          ...record,
          ...none,
        }));
        await tx.insertMany(
          TXS,
          rows.map(row => Object.keys(TXS.columns).map(name => row[name as keyof typeof row])),
        );
        const lists = [...listsOf(txs, plain, divided)].map(([name, entries], id) => ({ id, name, entries }));
        await tx.insertMany(
          LIST_TXS,
          lists.flatMap(({ id, entries }) => entries.map((one, seq) => [id + KINDS, seq, one])),
        );
        await tx.insertMany(
          LISTS,
          lists.map(({ id, name, entries }) => {
            const { code } = name.includes(' ') ? FEE_TXS : TXS_BY_TYPE;
            const row = { kind: code, name, id: id + KINDS, length: entries.length };
            return Object.keys(LISTS.columns).map(column => row[column as keyof typeof row]);
          }),
        );
        const shown = txs.flatMap(({ fee }, place) => (isShown(place) ? [{ fee, place }] : []));
        const places = shown.toSorted((a, b) => Number(a.fee - b.fee) || a.place - b.place).map(({ place }) => place);
        if (slice.order === 'desc') places.reverse();
        const selected = Array.from({ length: KINDS }, (_, kind) => {
          const own = lists.find(({ name }) => name === String(kind));
          return own ? { id: own.id + KINDS, length: own.entries.length } : { id: kind, length: 0 };
        });
        const selection = {
          lists: selected,
          total: shown.length,
          spans: isWhole ? undefined : spans,
          conditions: spans.length > 1 ? [{ sql: 't.burn_time = ?', params: [1] }] : [],
        };
        // Fewer rows than it wants.
        const budget = { require: () => undefined, take: async (rows: number) => Math.ceil(rows / 20) };
        assert.deepEqual(
          await positionsByFee(tx, selection, slice, budget),
          places.slice(slice.offset, slice.offset + slice.limit),
        );
      }),
    );
    await fc.assert(property, { numRuns: 80 });
  });
});
