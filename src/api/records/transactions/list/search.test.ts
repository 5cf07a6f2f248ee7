import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import fc from '../../../../../test/support/fast-check.ts';
import { reusedDatabase } from '../../../../../test/support/reused-database.ts';
import { casesOf } from '../../../../../test/support/scale.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx, unhex } from '../../../../../test/support/transaction-builder.ts';
import { decodeTransaction } from '../../../../base/codec/index.ts';
import { feeOf } from '../../../../index/transactions/record.ts';
import type { Delivery } from '../../../../ingest/journal/entries.ts';

const TYPES = ['coinbase', 'token_transfer', 'contract_call', 'smart_contract', 'poison_microblock'];
const BLOCKS = 36;
const FORK = 20;
const ACCOUNTS = [8, 9];
const BEGIN = 1_700_000_000;
const PERIOD = 600;
/** A transaction as the questions see it. */
interface Mined {
  readonly id: string;
  readonly type: string;
  readonly sender: string;
  readonly recipient: string | undefined;
  readonly contract: string | undefined;
  readonly calledFunction: string | undefined;
  readonly nonce: number;
  readonly fee: bigint;
  readonly time: number;
  readonly isAnchored: boolean;
}

/** The deliveries that the index gets, and the transactions that it must show: in chain order. */
interface World {
  readonly deliveries: readonly Delivery[];
  readonly mined: readonly Mined[];
}

/** By how much the time of each burn block is before that of its place. */
const lags = fc.array(fc.constantFrom(0, 0, 0, 0, 1, PERIOD, 3 * PERIOD, 12 * PERIOD), {
  minLength: BLOCKS,
  maxLength: BLOCKS,
});
const shape = fc.record({ lags, hasBoot: fc.boolean(), hasFork: fc.boolean(), microblocks: fc.nat(2) });
type Shape = typeof shape extends fc.Arbitrary<infer S> ? S : never;

function worldOf({ lags, hasBoot, hasFork, microblocks: standing }: Shape): World {
  const chain = new ChainBuilder('search');
  const boot = hasBoot ? [chain.bootBlock()] : [];
  const mine = (parent: BuiltBlock | undefined, txs: readonly BuiltTx[], time: number) =>
    chain.block({ ...(parent && { parent }), txs, fields: { burn_block_time: time } });
  const blocks: BuiltBlock[] = [];
  const lost: BuiltBlock[] = [];
  const mined: Mined[] = [];
  for (const [i, lag] of lags.entries()) {
    // Two Stacks blocks a burn block.
    const time = BEGIN + Math.floor(i / 2) * PERIOD - lag;
    const block = mine(blocks.at(-1), transactionsOf(chain, i + 1), time);
    const [coinbase, ...others] = block.txs;
    // The transaction of the boot block is numbered 1.
    const boots = i === 0 ? boot.flatMap(({ txs }) => txs) : [];
    mined.push(...[...(coinbase ? [coinbase] : []), ...boots, ...others].map(tx => minedIn(tx, time, true)));
    blocks.push(block);
    // A branch far ahead of its time, and then far behind that: nothing of it may stay.
    for (let n = 0; hasFork && i === FORK && n < 4; n++)
      lost.push(mine(lost.at(-1) ?? block, [chain.transfer()], time + (n % 2 === 0 ? 90 : 20) * PERIOD));
  }
  const [trunk, rest] = [blocks.slice(0, FORK + 1), blocks.slice(FORK + 1)];
  const top = blocks.at(-1);
  const streamed = top
    ? chain.microblocks(top, [[chain.transfer()], [chain.call('hub', 'go')]].slice(0, standing))
    : [];
  mined.push(...streamed.flatMap(({ txs }) => txs).map(tx => minedIn(tx, -1, false)));
  const stream = top && streamed.length > 0 ? [chain.stream(top, streamed)] : [];
  return {
    deliveries: [...[...boot, ...trunk, ...lost, ...rest].map(({ delivery }) => delivery), ...stream],
    mined,
  };
}

/** Types come in runs, so that lists of types are mixed unevenly. */
function transactionsOf(chain: ChainBuilder, height: number): BuiltTx[] {
  const txs = [chain.coinbase()];
  for (let i = 0; i < (height * 7) % 5; i++)
    txs.push(chain.transfer({ from: ACCOUNTS[(height + i) % 2] ?? 8, to: 7 + (i % 2), fee: 180 + ((height * i) % 3) }));
  if (height > 25) txs.push(chain.call('hub', height % 2 === 0 ? 'go' : 'stop'));
  if (height % 9 === 0) txs.push(chain.deploy(`c${height}`, 'go', 9));
  return txs;
}

function minedIn({ txId: id, body }: BuiltTx, time: number, isAnchored: boolean): Mined {
  const decoded = decodeTransaction(unhex(String(body.raw_tx)));
  assert.ok(decoded.ok);
  const { payload, origin } = decoded.value;
  return {
    id,
    type: payload.kind,
    sender: origin.address,
    recipient: payload.kind === 'token_transfer' ? payload.recipient : undefined,
    contract: payload.kind === 'contract_call' ? payload.contractId : undefined,
    calledFunction: payload.kind === 'contract_call' ? payload.functionName : undefined,
    nonce: Number(origin.nonce),
    fee: feeOf(decoded.value),
    time,
    isAnchored,
  };
}

/** Times of burn blocks and times beside them; no limit, before all, after all. */
const time = fc.oneof(
  { weight: 12, arbitrary: fc.nat(BLOCKS * PERIOD).map(seconds => BEGIN + seconds - 2 * PERIOD) },
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.integer({ min: -2, max: BLOCKS / 2 }), fc.integer({ min: -1, max: 1 }))
      .map(([n, s]) => BEGIN + n * PERIOD + s),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, -2, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER) },
);
const question = fc.record({
  type: fc.option(fc.subarray(TYPES, { minLength: 1 }), { nil: undefined }),
  from_address: fc.option(fc.constantFrom(...ACCOUNTS.map(accountAddress)), { nil: undefined, freq: 2 }),
  to_address: fc.option(fc.constantFrom(...[6, 7, 8].map(accountAddress)), { nil: undefined, freq: 1 }),
  contract_id: fc.option(fc.constantFrom(`${accountAddress(9)}.hub`, `${accountAddress(9)}.no`), {
    nil: undefined,
    freq: 1,
  }),
  function_name: fc.option(fc.constantFrom('go', 'stop'), { nil: undefined, freq: 1 }),
  nonce: fc.option(fc.nat(120), { nil: undefined, freq: 1 }),
  start_time: fc.option(time, { nil: undefined }),
  end_time: fc.option(time, { nil: undefined }),
  unanchored: fc.boolean(),
  sort_by: fc.constantFrom('block_height', 'block_height', 'fee', 'burn_block_time'),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 50 }),
  offset: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(160)),
});
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

/** The response by looking at every transaction. */
function expected({ mined }: World, asked: Question) {
  const { type, sort_by, order, limit, offset } = asked;
  const equals = <T>(wanted: T | undefined, value: T | undefined) => wanted === undefined || wanted === value;
  const key = (tx: Mined): bigint =>
    sort_by === 'fee' ? tx.fee : sort_by === 'burn_block_time' ? BigInt(tx.time) : 0n;
  const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = mined
    .filter(tx => asked.unanchored || tx.isAnchored)
    .filter(tx => type === undefined || type.includes(tx.type))
    .filter(tx => equals(asked.from_address, tx.sender) && equals(asked.to_address, tx.recipient))
    .filter(tx => equals(asked.contract_id, tx.contract))
    .filter(tx => equals(asked.function_name, tx.calledFunction))
    .filter(tx => equals(asked.nonce, tx.nonce))
    .filter(tx => (asked.start_time ?? tx.time) <= tx.time && tx.time <= (asked.end_time ?? tx.time))
    .toSorted((a, b) => compare(key(a), key(b))); // equal ones stay in chain order
  if (order === 'desc') sorted.reverse();
  return { total: sorted.length, ids: sorted.slice(offset, offset + limit).map(({ id }) => id) };
}

function pathOf(asked: Question): string {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return `/extended/v1/tx?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test('any question gives the page that looking at every transaction gives, whatever the times of burn blocks', async () => {
    for (const drawn of fc.sample(shape, casesOf('SEARCH_RUNS', engine))) {
      const world = worldOf(drawn);
      const index = await openTestIndex(await emptyDatabase());
      await index.deliver(...world.deliveries);
      const check = fc.asyncProperty(question, async asked => {
        const { status, body } = await index.get(pathOf(asked));
        assert.equal(status, 200, pathOf(asked));
        const ids = body.results.map((tx: { tx_id: string }) => tx.tx_id);
        const what = () => `${pathOf(asked)} of ${JSON.stringify(drawn)}`;
        assert.deepEqual({ total: body.total, ids }, expected(world, asked), what());
      });
      await fc.assert(check, { numRuns: 120 });
    }
  });

  test('the first and the last number that a time can be work where no block is late', async () => {
    const index = await openTestIndex(await emptyDatabase());
    const blocks = new ChainBuilder().chain(2);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    const all = blocks.flatMap(({ txs }) => txs).length;
    const totalOf = async (question: string) => {
      const { status, body } = await index.get(`/extended/v1/tx?${question}`);
      assert.equal(status, 200, question);
      return body.total;
    };
    const { MIN_SAFE_INTEGER: first, MAX_SAFE_INTEGER: last } = Number;
    for (const [question, total] of [
      [`start_time=${first}`, all],
      [`start_time=${last}`, 0],
      [`end_time=${first}`, 0],
      [`end_time=${last}`, all],
      [`start_time=${first}&end_time=${last}&unanchored=true&sort_by=fee`, all],
    ] as const)
      assert.equal(await totalOf(question), total, question);
  });

  test('nonce 0 is a nonce like others, and bounds of time include themselves', async () => {
    const index = await openTestIndex(await emptyDatabase());
    const world = worldOf({ lags: Array<number>(BLOCKS).fill(0), hasBoot: true, hasFork: false, microblocks: 1 });
    await index.deliver(...world.deliveries);
    const idsOf = async (question: string): Promise<string[]> => {
      const { status, body } = await index.get(`/extended/v1/tx?unanchored=true&limit=50&order=asc&${question}`);
      assert.equal(status, 200, question);
      assert.equal(body.total, body.results.length, question);
      return body.results.map((tx: { tx_id: string }) => tx.tx_id);
    };
    const those = (isIn: (tx: Mined) => boolean) => world.mined.filter(isIn).map(({ id }) => id);
    assert.ok(those(({ nonce }) => nonce === 0).length > 0);
    assert.deepEqual(
      await idsOf('nonce=0'),
      those(({ nonce }) => nonce === 0),
    );
    const times = [...new Set(world.mined.map(({ time }) => time))].sort((a, b) => a - b);
    const middle = times[times.length >> 1] ?? 0;
    assert.deepEqual(
      await idsOf(`start_time=${middle}&end_time=${middle}`),
      those(({ time }) => time === middle),
    );
    for (const [question, isIn] of [
      [`start_time=${middle + 1}&end_time=${middle + 900}`, (t: number) => t > middle && t <= middle + 900],
      [`start_time=${middle - 900}&end_time=${middle - 1}`, (t: number) => t >= middle - 900 && t < middle],
      [`start_time=${middle}&end_time=${middle - 1}`, () => false],
      ['end_time=0', (t: number) => t <= 0],
      ['end_time=-1', (t: number) => t <= -1],
    ] as const)
      assert.deepEqual(
        await idsOf(question),
        those(({ time }) => isIn(time)),
        question,
      );
  });

  test('a nonce of a sender is found by an index, and passes the filter with the shortest list, too', async () => {
    const index = await openTestIndex(await emptyDatabase());
    const chain = new ChainBuilder('one');
    // Builders count nonces alike: three senders have each nonce.
    const calls = [8, 7, 6].map(from => {
      const builder = from === 8 ? chain : new ChainBuilder(String(from));
      return [builder.call('hub', 'go', { from }), builder.call('hub', 'go', { from })];
    });
    const txs = [...calls.flat(), chain.transfer()];
    await index.deliver(chain.block({ txs }).delivery);
    const [first] = calls[0] ?? [];
    const { body: call } = await index.get(`/extended/v1/tx/${first?.txId}`);
    const totalOf = async (type: string) => {
      const question = `from_address=${call.sender_address}&nonce=${call.nonce}&type=${type}`;
      return (await index.get(`/extended/v1/tx?${question}`)).body.total;
    };
    assert.equal((await index.get(`/extended/v1/tx?nonce=${call.nonce}`)).body.total, 3);
    assert.deepEqual([await totalOf('contract_call'), await totalOf('token_transfer')], [1, 0]);
  });
});
