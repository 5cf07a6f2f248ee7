import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';

const TYPES = ['coinbase', 'token_transfer', 'contract_call', 'smart_contract', 'poison_microblock'];
const BLOCKS = 40;
const ACCOUNTS = [8, 9];

/** A transaction as the questions see it, in chain order. */
interface Mined {
  readonly id: string;
  readonly type: string;
  readonly sender: number;
  readonly fee: number;
  readonly time: number;
}

/** Types come in runs, so that lists of types are mixed unevenly. */
function chainOf(): { blocks: readonly BuiltBlock[]; mined: readonly Mined[] } {
  const chain = new ChainBuilder('types');
  const blocks: BuiltBlock[] = [];
  const mined: Mined[] = [];
  for (let height = 1; height <= BLOCKS; height++) {
    const parent = blocks.at(-1);
    const txs: [BuiltTx, Omit<Mined, 'id' | 'time'>][] = [[chain.coinbase(), { type: 'coinbase', sender: 1, fee: 0 }]];
    for (let i = 0; i < (height * 7) % 5; i++) {
      const [from, fee] = [ACCOUNTS[(height + i) % 2] ?? 8, 180 + ((height * i) % 3)];
      txs.push([chain.transfer({ from, fee }), { type: 'token_transfer', sender: from, fee }]);
    }
    if (height > 25) txs.push([chain.call('hub', 'go'), { type: 'contract_call', sender: 8, fee: 180 }]);
    if (height % 9 === 0) {
      txs.push([chain.deploy(`c${height}`, 'go', 9), { type: 'smart_contract', sender: 9, fee: 180 }]);
    }
    const block = chain.block({ ...(parent && { parent }), txs: txs.map(([tx]) => tx) });
    blocks.push(block);
    mined.push(...txs.map(([{ txId: id }, rest]) => ({ id, time: block.burn.time, ...rest })));
  }
  return { blocks, mined };
}

const { blocks, mined } = chainOf();

const question = fc.record({
  type: fc.option(fc.subarray(TYPES, { minLength: 1 }), { nil: undefined }),
  sender: fc.option(fc.constantFrom(...ACCOUNTS), { nil: undefined, freq: 2 }),
  start: fc.option(fc.constantFrom(...blocks.map(({ burn }) => burn.time)), { nil: undefined, freq: 2 }),
  end: fc.option(fc.constantFrom(...blocks.map(({ burn }) => burn.time + 1)), { nil: undefined, freq: 2 }),
  sort: fc.constantFrom('block_height', 'block_height', 'fee', 'burn_block_time'),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 50 }),
  offset: fc.nat(mined.length + 5),
});
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

/** The answer by looking at every transaction. */
function expected({ type, sender, start, end, sort, order, limit, offset }: Question) {
  const key = (tx: Mined): number => (sort === 'fee' ? tx.fee : sort === 'burn_block_time' ? tx.time : 0);
  const sorted = mined
    .filter(tx => type === undefined || type.includes(tx.type))
    .filter(tx => sender === undefined || tx.sender === sender)
    .filter(({ time }) => (start ?? time) <= time && time <= (end ?? time))
    .toSorted((a, b) => key(a) - key(b)); // equal ones stay in chain order
  if (order === 'desc') sorted.reverse();
  return { total: sorted.length, ids: sorted.slice(offset, offset + limit).map(({ id }) => id) };
}

function pathOf({ type, sender, start, end, sort, order, limit, offset }: Question): string {
  const query = new URLSearchParams({ sort_by: sort, order, limit: String(limit), offset: String(offset) });
  if (type) query.set('type', type.join(','));
  if (sender !== undefined) query.set('from_address', accountAddress(sender));
  if (start !== undefined) query.set('start_time', String(start));
  if (end !== undefined) query.set('end_time', String(end));
  return `/extended/v1/tx?${query}`;
}

onEveryEngine((_engine, openFresh) => {
  test('any filters in any order give the page that looking at every transaction gives', {
    timeout: 100_000,
  }, async t => {
    const index = await openTestIndex((await openFresh(t)).database);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    await fc.assert(
      fc.asyncProperty(question, async asked => {
        const { body } = await index.get(pathOf(asked));
        const ids = body.results.map((tx: { tx_id: string }) => tx.tx_id);
        assert.deepEqual({ total: body.total, ids }, expected(asked), pathOf(asked));
      }),
      { numRuns: 400 },
    );
  });
});
