import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../../test/support/engines.ts';
import fc from '../../../../test/support/fast-check.ts';
import { compareTexts } from '../../../base/lib/compare.ts';
import { bytesGreatestFirst, stepOf } from '../../../base/lib/number-bytes.ts';
import { insertRows, type RowOf } from '../../../base/store/table.ts';
import { STX_AT } from '../../../index/addresses/stx-balances.ts';
import { ACCOUNTS, STX_BALANCES } from '../../../index/addresses/tables.ts';
import { type BalanceThen, richestThen } from './richest-then.ts';

/** What an account had after blocks, by their heights. */
type History = ReadonlyMap<number, bigint>;

const HEIGHTS = 6;

const histories = fc.array(
  fc
    .array(
      fc.tuple(
        fc.integer({ min: 1, max: HEIGHTS }),
        // Equal ones, ones that share their step, and ones far from each other.
        fc.oneof(fc.bigInt(-3n, 3n), fc.bigInt(1000n, 1040n), fc.bigInt(0n, 1n << 70n)),
      ),
      { maxLength: 4 },
    )
    .map((changes): History => new Map(changes)),
  { maxLength: 60 },
);

const wants = fc.record({
  histories,
  height: fc.integer({ min: 0, max: HEIGHTS + 1 }),
  place: fc.option(fc.record({ at: fc.nat(60), isThere: fc.boolean() }), { nil: undefined }),
  rows: fc.integer({ min: 1, max: 30 }),
  before: fc.nat(30),
  withZero: fc.boolean(),
  /** Rows that the budget gives at a time. */
  most: fc.integer({ min: 1, max: 40 }),
});

const compare = (a: BalanceThen, b: BalanceThen): number =>
  a.balance === b.balance ? compareTexts(a.name, b.name) : a.balance > b.balance ? -1 : 1;

function heldAt(all: readonly History[], height: number, withZero: boolean): BalanceThen[] {
  const held = all.flatMap((history, i) => {
    const last = [...history.keys()].filter(changed => changed <= height).sort((a, b) => b - a)[0];
    return last === undefined ? [] : [{ name: nameOf(i), balance: history.get(last) ?? 0n }];
  });
  return held.filter(({ balance }) => withZero || balance > 0n).sort(compare);
}

/** Some have what an entry is parted with. */
const nameOf = (i: number): string => `${i % 7}${i % 3 === 0 ? ' ,' : ''}${i}`;

const ZERO = { received: '0', sent: '0', fees: '0', rewards: '0', known: 1, paid_nonce: null };
const NO_COUNTS = { without_stx: 0, without_transfers: 0 };

function rowsOf(all: readonly History[]) {
  const accounts: RowOf<typeof ACCOUNTS>[] = [];
  const balances: RowOf<typeof STX_BALANCES>[] = [];
  for (const [i, history] of all.entries()) {
    const steps = [...history.values()].map(stepOf);
    const isListed = steps.length > 0;
    accounts.push({
      ...ZERO,
      ...NO_COUNTS,
      principal: nameOf(i),
      balance: isListed ? bytesGreatestFirst(0n) : null,
      held_since: isListed ? 1 : null,
      number: isListed ? i : null,
      peak: isListed ? Math.max(...steps) : null,
    });
    for (const [height, balance] of history)
      balances.push({ seq: balances.length, account: i, height, balance: bytesGreatestFirst(balance) });
  }
  return { accounts, balances };
}

onEveryEngine((engine, openFresh) => {
  test(`the greatest balances as of a height are found in the order of peaks, however few are read at a time (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([ACCOUNTS, STX_BALANCES]);
    await fc.assert(
      fc.asyncProperty(wants, async ({ histories: all, height, place, most, ...wanted }) => {
        const { accounts, balances } = rowsOf(all);
        await database.write(async tx => {
          for (const { name } of [ACCOUNTS, STX_BALANCES]) await tx.run(`DELETE FROM ${name}`);
          await insertRows(tx, ACCOUNTS, accounts);
          await insertRows(tx, STX_BALANCES, balances);
        });
        const held = heldAt(all, height, wanted.withZero);
        const there = place && held[place.at];
        const at = place && (there && place.isThere ? there : { name: '5', balance: BigInt(place.at) });
        const first = at ? held.filter(one => compare(one, at) < 0).length : 0;
        const source = { table: ACCOUNTS, name: 'principal', condition: '', params: [], held: STX_AT } as const;
        const budget = { require: () => {}, take: async (rows: number) => Math.min(rows, most) };
        const found = await database.read(queries =>
          richestThen(queries, budget, { ...source, bound: height }, { ...wanted, place: at, total: held.length }),
        );
        const before = at ? held.slice(0, first).reverse().slice(0, wanted.before) : [];
        assert.deepEqual(found, { from: held.slice(first, first + wanted.rows), before });
      }),
      { numRuns: engine === 'sqlite' ? 200 : 50 },
    );
  });
});
