import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { callOf, transferOf } from '../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import type { Database } from '../../base/store/database.ts';
import { feeListsCheck } from '../../operate/verify/checks/fee-lists.ts';
import { listLengthsCheck } from '../../operate/verify/checks/list-lengths.ts';
import { type CheckOutcome, verifyIndex } from '../../operate/verify/verify.ts';
import { BUSY } from './combined-lists.ts';
import { COMBINED_TXS, FEE_TXS } from './tables.ts';

/** Accounts: the first two become busy, the third does not. */
const [A, B, C] = [9, 8, 7];
const HUB = `${accountAddress(A)}.hub`;

interface Mined {
  readonly tx: BuiltTx;
  readonly type: string;
  readonly sender: string;
  readonly recipient?: string;
  readonly contract?: string;
  readonly fn?: string;
  readonly nonce: number;
  readonly fee: number;
  /** Of its block. */
  readonly time: number;
}

const BLOCKS = 12;
const timeOf = (block: number): number => 1_700_000_000 + 600 * block;

/** Calls of one contract with two functions by A, transfers to two recipients by B, and a few of each by C. */
function transactions(): Mined[] {
  const mined: Omit<Mined, 'time'>[] = [];
  const fees = [300, 180, 300, 2_000];
  const call = (from: number, nonce: number) => {
    const [fn, fee] = [nonce % 10 === 3 ? 'stop' : 'go', fees[nonce % 4] ?? 0];
    const tx = callOf('hub', fn, { from, nonce, fee }, A);
    mined.push({ tx, type: 'contract_call', sender: accountAddress(from), contract: HUB, fn, nonce, fee });
  };
  const pay = (from: number, nonce: number) => {
    const [to, fee] = [nonce % 50 === 7 ? A : C, fees[(nonce + 1) % 4] ?? 0];
    const tx = transferOf({ from, nonce, fee }, to);
    mined.push({ tx, type: 'token_transfer', sender: accountAddress(from), recipient: accountAddress(to), nonce, fee });
  };
  for (let i = 0; i < BUSY + 60; i++) {
    call(A, i);
    pay(B, i);
    if (i % 100 === 0) (i % 200 === 0 ? call : pay)(C, i / 100);
  }
  const size = Math.ceil(mined.length / BLOCKS);
  return mined.map((tx, i) => ({ ...tx, time: timeOf(Math.floor(i / size)) }));
}

/** In equal blocks, each on the one before. */
function blocksOf(chain: ChainBuilder, mined: readonly Mined[]): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  const size = Math.ceil(mined.length / BLOCKS);
  for (let from = 0; from < mined.length; from += size) {
    const parent = blocks.at(-1);
    const txs = mined.slice(from, from + size).map(({ tx }) => tx);
    blocks.push(chain.block({ ...(parent && { parent }), txs, fields: { burn_block_time: timeOf(blocks.length) } }));
  }
  return blocks;
}

const QUERIES: readonly Readonly<Record<string, string>>[] = [A, B, C].flatMap(account => {
  const from_address = accountAddress(account);
  return [
    { from_address, type: 'contract_call' },
    { from_address, type: 'token_transfer,contract_call' },
    { from_address, type: 'coinbase' },
    { from_address, contract_id: HUB },
    { from_address, contract_id: HUB, type: 'contract_call' },
    { from_address, contract_id: HUB, type: 'token_transfer' },
    { from_address, function_name: 'stop' },
    { from_address, contract_id: HUB, function_name: 'stop' },
    { from_address, to_address: accountAddress(C) },
    { from_address, to_address: accountAddress(C), contract_id: HUB },
    { from_address, nonce: '7' },
    { from_address, nonce: '7', contract_id: HUB },
    { contract_id: HUB, function_name: 'go' },
    { from_address },
    { contract_id: HUB },
    { type: 'token_transfer' },
    { type: 'token_transfer,contract_call' },
    { start_time: String(timeOf(2)), end_time: String(timeOf(9)) },
    { type: 'token_transfer,contract_call', end_time: String(timeOf(8)) },
    {},
  ];
});

function passes(tx: Mined, query: Readonly<Record<string, string>>): boolean {
  const { from_address, to_address, contract_id, function_name, nonce, type, start_time, end_time } = query;
  return (
    (from_address === undefined || tx.sender === from_address) &&
    (to_address === undefined || tx.recipient === to_address) &&
    (contract_id === undefined || tx.contract === contract_id) &&
    (function_name === undefined || tx.fn === function_name) &&
    (nonce === undefined || tx.nonce === Number(nonce)) &&
    Number(start_time ?? 0) <= tx.time &&
    tx.time <= Number(end_time ?? Number.POSITIVE_INFINITY) &&
    (type === undefined || type.split(',').includes(tx.type))
  );
}

/** Compares pages of every query with the transactions that must be in it, in chain order. @param at the block as of which; then by fee alone */
async function assertPages(index: TestIndex, mined: readonly Mined[], at?: string): Promise<void> {
  for (const [i, query] of QUERIES.entries()) {
    const wanted = mined.filter(tx => passes(tx, query)).map(({ tx }) => tx.txId);
    const byFee = mined
      .filter(tx => passes(tx, query))
      .map(({ tx, fee }) => ({ fee, txId: tx.txId }))
      .sort((a, b) => a.fee - b.fee)
      .map(({ txId }) => txId);
    // One page of each query in each order is enough: the queries have different offsets.
    const offset = i % 3 === 0 ? 0 : Math.floor(wanted.length / 2) + i;
    const idsOf = async (order: Readonly<Record<string, string>>) => {
      const parameters = new URLSearchParams({
        ...query,
        ...order,
        limit: '7',
        offset: String(offset),
        ...(at && { at }),
      });
      const { status, body } = await index.get(`/extended/v1/tx?${parameters}`);
      assert.equal(status, 200, `${parameters} ${JSON.stringify(body)}`);
      assert.equal(body.total, wanted.length, String(parameters));
      return body.results.map(({ tx_id }: { tx_id: string }) => tx_id);
    };
    const page = (ids: readonly string[]) => ids.slice(offset, offset + 7);
    if (at === undefined) assert.deepEqual(await idsOf({ order: 'asc' }), page(wanted), JSON.stringify(query));
    assert.deepEqual(await idsOf({ sort_by: 'fee', order: 'asc' }), page(byFee), JSON.stringify(query));
    assert.deepEqual(await idsOf({ sort_by: 'fee', order: 'desc' }), page(byFee.toReversed()), JSON.stringify(query));
  }
}

/** How much the checks of these lists find. */
async function findingsOf(database: Database): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const onOutcome = ({ check, total }: CheckOutcome) => {
    found[check.name] = total;
  };
  const checks = [listLengthsCheck, feeListsCheck];
  await verifyIndex({ indexDb: database, journalDb: database, keep: 9, checks, onOutcome });
  return found;
}

/** Takes the last entry out of a list of this kind, and out of its length; or puts both back. */
async function shorten(
  database: Database,
  { kind, by }: { readonly kind: number; readonly by: 1 | -1 },
): Promise<void> {
  await database.write(async tx => {
    const list = await tx.get<{ id: number; length: number }>(
      'SELECT id, length FROM lists WHERE kind = ? ORDER BY name LIMIT 1',
      [kind],
    );
    assert.ok(list);
    // An entry that is out of the way has another list.
    await tx.run('UPDATE list_txs SET list = ? WHERE list = ? AND seq = ?', [
      ...(by < 0 ? [-1, list.id] : [list.id, -1]),
      by < 0 ? list.length - 1 : list.length,
    ]);
    await tx.run('UPDATE lists SET length = ? WHERE kind = ? AND id = ?', [list.length + by, kind, list.id]);
  });
}

onSqliteAtLeast((engine, openFresh) => {
  test(`what busy lists share is a list, from the block on that makes the last of them busy, and a fork takes it back (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    // A search of a busy list would be too long.
    const index = await openTestIndex(database, { limits: { maxRowsSearched: BUSY - 1 } });
    const chain = new ChainBuilder('combined');
    const mined = transactions();
    const blocks = blocksOf(chain, mined);
    const combined = async () =>
      (await index.dump()).lists?.filter(({ kind }) => kind === COMBINED_TXS.code).map(({ length }) => length) ?? [];
    const [last] = blocks.slice(-1);
    assert.ok(last);
    await index.deliver(...blocks.slice(0, -1).map(({ delivery }) => delivery));
    const isBelow = (place: number) => place < mined.length - last.txs.length;
    const before = mined.filter((_, i) => isBelow(i));
    assert.deepEqual(await combined(), []);
    await assertPages(index, before);

    await index.deliver(last.delivery);
    // A and B each with a type, A with the contract, B with the recipient C. Neither function is busy.
    const [sent, toC] = [
      BUSY + 60,
      mined.filter(tx => passes(tx, { from_address: accountAddress(B), to_address: accountAddress(C) })),
    ];
    assert.deepEqual((await combined()).toSorted(), [toC.length, sent, sent, sent]);
    await assertPages(index, mined);
    assert.deepEqual(await findingsOf(database), { totals: 0, fees: 0 });
    const kinds = [COMBINED_TXS, FEE_TXS].map(({ code }) => code);
    for (const kind of kinds) await shorten(database, { kind, by: -1 });
    assert.deepEqual(await findingsOf(database), { totals: 1, fees: 2 }); // the tree of the shortened list is another one, too
    for (const kind of kinds) await shorten(database, { kind, by: 1 });

    // As of the block before, trees of fees are without these, which have the highest and the lowest fees of all.
    const later = Array.from({ length: 100 }, (_, i) =>
      callOf('hub', 'go', { from: A, nonce: BUSY + 60 + i, fee: i % 2 === 0 ? 100 : 9_000 }, A),
    );
    await index.deliver(chain.block({ parent: last, txs: later }).delivery);
    await assertPages(index, mined, String(last.height));

    const parent = blocks.at(-2);
    assert.ok(parent);
    const other = chain.block({ parent, txs: [] });
    const second = chain.block({ parent: other, txs: [] });
    const third = chain.block({ parent: second, txs: [] });
    await index.deliver(other.delivery, second.delivery, third.delivery);
    assert.deepEqual(await combined(), []);
    await assertPages(index, before);
  });
});
