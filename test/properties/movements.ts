import assert from 'node:assert/strict';
import { buildChain } from '../chains/build.ts';
import { canonicalChain } from '../chains/canonical.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { ACCOUNTS } from '../chains/transactions.ts';
import fc from '../support/fast-check.ts';
import type { TestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';

// Records are looked into freely.
// biome-ignore lint/suspicious/noExplicitAny: rows of a list
type Row = any;

const cases = fc.record({
  plan: chainPlans(),
  account: fc.constantFrom(...ACCOUNTS, 1),
  /** Of the block at which the list ends, and of the one at which it begins. */
  last: fc.nat({ max: 1000 }),
  first: fc.nat({ max: 1000 }),
  limit: fc.integer({ min: 1, max: 5 }),
});

/** docs/spec/addresses.md#movements */
export const movements = defineProperty({
  file: 'movements',
  rule: 'movements add up to the balances of each asset at any block, page by page and as a file',
  cases,
  hold: async (bench, { plan, account, last, first, limit }) => {
    const chain = buildChain(plan);
    const on = await bench.openIndex();
    const { index } = on;
    await on.deliver(
      chain.sent.map(({ delivery }) => delivery),
      plan.batch,
    );
    const { blocks } = canonicalChain(chain.sent);
    const block = blocks[last % Math.max(1, blocks.length)];
    if (!block) return;
    const principal = accountAddress(account);
    const path = `/extended/v3/principals/${principal}/movements`;
    const at = `at=${block.indexHash}`;
    const rows = await rowsOf(index, `${path}?limit=${limit}&${at}`);
    const balances = await balancesAt(index, principal, at);
    assert.deepEqual(withoutZeros(sums(rows)), withoutZeros(balances));
    const latest = new Map(rows.toReversed().map(row => [nameOf(row), BigInt(row.balance)]));
    assert.deepEqual(withoutZeros(latest), withoutZeros(balances), 'the last balance of each asset');
    const file = await index.page(`${path}?limit=${limit}&${at}&format=ndjson`);
    const lines = file.body
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      lines.filter(line => !('at' in line)),
      rows,
    );
    const begin = blocks[first % blocks.length];
    if (!begin || begin.height > block.height) return;
    const before = begin.height === 1 ? new Map() : await balancesAt(index, principal, `at=${begin.height - 1}`);
    const since = rows.filter(row => row.block.height >= begin.height);
    for (const [name, sum] of sums(since))
      assert.equal(sum, (balances.get(name) ?? 0n) - (before.get(name) ?? 0n), `${name} since ${begin.height}`);
  },
});

async function rowsOf(index: TestIndex, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body, status } = await index.get(`${path}${cursor && `&cursor=${cursor}`}`);
    assert.equal(status, 200, path);
    rows.push(...body.results);
    cursor = body.cursor.next;
  }
  return rows;
}

const nameOf = ({ asset: { type, identifier } }: Row): string => `${type} ${identifier ?? ''}`;

function sums(rows: readonly Row[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    const sign = { in: 1n, out: -1n, self: 0n }[row.direction as 'in' | 'out' | 'self'];
    sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0n) + sign * BigInt(row.amount) - BigInt(row.fee));
  }
  return sums;
}

async function balancesAt(index: TestIndex, principal: string, at: string): Promise<Map<string, bigint>> {
  const { body } = await index.get(`/extended/v1/address/${principal}/balances?${at}`);
  const of = (type: string, tokens: Row, left: string) =>
    Object.entries<Row>(tokens).map(([asset, token]) => [`${type} ${asset}`, BigInt(token[left])] as const);
  return new Map([
    ['stx ', BigInt(body.stx.balance)],
    ...of('ft', body.fungible_tokens, 'balance'),
    ...of('nft', body.non_fungible_tokens, 'count'),
  ]);
}

const withoutZeros = (sums: ReadonlyMap<string, bigint>): Record<string, bigint> =>
  Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort());
