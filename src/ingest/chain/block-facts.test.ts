import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import fc from '../../../test/support/fast-check.ts';
import type { BuiltTx } from '../../../test/support/transaction-builder.ts';
import { parseEvent } from '../node/events/parse.ts';
import { type BlockFacts, type DecodedBlock, readBlock, withBootBlock } from './block-facts.ts';

const chain = new ChainBuilder('block facts');

function read({ delivery }: Pick<BuiltBlock, 'delivery'>): DecodedBlock {
  const event = parseEvent(delivery.path, delivery.body);
  assert.ok(event.ok && event.value.path === '/new_block', JSON.stringify(event));
  return readBlock(event.value.block, 'testnet');
}

/** The facts of a block with these transactions. */
function factsOf(txs: readonly BuiltTx[]): BlockFacts {
  const { facts, unreadable } = read(chain.block({ txs }));
  assert.deepEqual(unreadable, []);
  return facts;
}

const amountsOf = (facts: BlockFacts): string[][] =>
  facts.txs.map(tx => tx.events.map(event => (event.kind === 'stx' ? event.amount : event.kind)));

/** A transfer with as many events as amounts are given, some of them rolled back. */
function transferOf(amounts: readonly number[], committed: readonly boolean[] = [], status = 'success'): BuiltTx {
  const tx = chain.transfer({ status });
  const events = amounts.map((amount, i) => ({
    ...{ txid: tx.txId, committed: committed[i] ?? true, type: 'stx_mint_event' },
    stx_mint_event: { recipient: 'ST000000000000000000002AMW42H', amount: String(amount) },
  }));
  return { ...tx, events };
}

test('events in effect are numbered 0, 1, 2 ... in each transaction, in the order of their place in the block', () => {
  const specs = fc.record({
    amounts: fc.array(fc.nat(1000), { maxLength: 5 }),
    committed: fc.array(fc.boolean(), { maxLength: 5 }),
    status: fc.constantFrom('success', 'abort_by_response', 'abort_by_post_condition', 'problematic_skipped', 'new'),
  });
  fc.assert(
    fc.property(fc.array(specs, { maxLength: 4 }), txs => {
      const facts = factsOf(txs.map(({ amounts, committed, status }) => transferOf(amounts, committed, status)));
      const expected = txs.map(({ amounts, committed, status }) =>
        status === 'success' ? amounts.filter((_, i) => committed[i] ?? true).map(String) : [],
      );
      assert.deepEqual(amountsOf(facts), expected);
      for (const tx of facts.txs)
        assert.deepEqual(
          tx.events.map(({ index }) => index),
          [...tx.events.keys()],
        );
    }),
    { numRuns: 60 },
  );
});

test('events that were rolled back leave no hole in the numbers', () => {
  const facts = factsOf([transferOf([1, 2, 3], [true, false, true])]);
  assert.deepEqual(
    facts.txs[0]?.events.map(event => [event.index, event.kind === 'stx' && event.amount]),
    [
      [0, '1'],
      [1, '3'],
    ],
  );
});

test('an event of a kind that is not known yet is left out, and leaves no hole either', () => {
  const tx = transferOf([1, 2]);
  const strange = { txid: tx.txId, committed: true, type: 'teleport_event', teleport_event: {} };
  const [first, second] = tx.events;
  assert.ok(first && second);
  const facts = factsOf([{ ...tx, events: [first, strange, second] }]);
  assert.deepEqual(
    facts.txs[0]?.events.map(({ index }) => index),
    [0, 1],
  );
});

test('transactions of accepted microblocks come first, by sequence; then the anchored ones', () => {
  const parent = chain.block();
  const microblocks = chain.microblocks(parent, [[chain.transfer(), chain.transfer()], [chain.transfer()]]);
  const block = chain.block({ parent, microblocks });
  const { facts } = read(block);
  const [coinbase, transfer, ...streamed] = block.txs;
  assert.deepEqual(
    facts.txs.map(tx => tx.txId),
    [...streamed, coinbase, transfer].map(tx => tx?.txId),
  );
  assert.deepEqual(
    facts.txs.map(tx => [tx.microblock?.sequence ?? null, tx.txIndex]),
    [
      [0, 2],
      [0, 3],
      [1, 4],
      [null, 0],
      [null, 1],
    ],
  );
});

test('the microblocks a block accepted are those its transactions name, with the number of transactions of each', () => {
  const parent = chain.block();
  const microblocks = chain.microblocks(parent, [[chain.transfer()], [chain.transfer(), chain.transfer()]]);
  const { facts } = read(chain.block({ parent, microblocks }));
  assert.deepEqual(
    facts.microblocks,
    microblocks.map(({ hash, parentHash, sequence, txs }) => ({ hash, parentHash, sequence, txCount: txs.length })),
  );
  assert.deepEqual(facts.parentMicroblock, { hash: microblocks[1]?.hash, sequence: 1 });
  assert.equal(factsOf([]).parentMicroblock, null, 'all zero is none');
});

test('the count of transactions is the length of the node’s list, with those that cannot be read', () => {
  const whole = chain.transfer();
  const broken = { ...whole, body: { ...whole.body, raw_tx: '0x8080' } };
  const block = chain.block({ txs: [chain.coinbase(), broken] });
  const { facts, unreadable } = read(block);
  assert.equal(facts.txCount, 2);
  assert.equal(facts.txs.length, 1);
  assert.deepEqual(
    unreadable.map(({ txId }) => txId),
    [whole.txId],
  );
});

test('a block without a cost of its own costs what its transactions cost (nodes before 2.05)', () => {
  const { facts } = read(chain.block({ txs: [chain.transfer(), chain.transfer()] }));
  assert.deepEqual(facts.cost, { runtime: 10, read_count: 8, read_length: 6, write_count: 4, write_length: 2 });
  const anchored_cost = { runtime: 1, read_count: 1, read_length: 1, write_count: 1, write_length: 1 };
  assert.deepEqual(read(chain.block({ fields: { anchored_cost } })).facts.cost, anchored_cost);
});

test('a block without a time of its own has that of its burn block (before Nakamoto)', () => {
  const block = chain.block();
  assert.equal(read(block).facts.blockTime, block.burn.time);
  assert.equal(read(chain.block({ fields: { block_time: 123 } })).facts.blockTime, 123);
});

test('boot transactions join block 1, numbered from 1, and keep their own times; the count stays that of block 1', () => {
  const boot = chain.bootBlock([chain.transfer({ from: 0 }), chain.transfer({ from: 0 })]);
  const first = chain.block({ parent: boot });
  const [bootFacts, firstFacts] = [read(boot).facts, read(first).facts];
  const merged = withBootBlock(firstFacts, bootFacts);
  assert.equal(merged.txCount, 2);
  assert.deepEqual(
    merged.txs.map(({ txId, txIndex, ownTimes }) => [txId, txIndex, ownTimes?.blockTime ?? null]),
    [
      [first.txs[0]?.txId, 0, null],
      [boot.txs[0]?.txId, 1, boot.burn.time],
      [first.txs[1]?.txId, 1, null],
      [boot.txs[1]?.txId, 2, boot.burn.time],
    ],
  );
  assert.equal(merged.blockHash, first.hash);
});

test('an empty boot block, as nodes repeat it, adds nothing', () => {
  const first = read(chain.block()).facts;
  assert.deepEqual(withBootBlock(first, read(chain.bootBlock([])).facts), first);
});

test('a reward set counts only with the cycle it is for', () => {
  const reward_set = {
    signers: [{ signing_key: '02'.repeat(33), weight: 3, stacked_amt: '5' }],
    pox_ustx_threshold: '1',
  };
  assert.equal(read(chain.block({ fields: { reward_set, cycle_number: 7 } })).facts.rewardSet?.cycle, 7);
  assert.equal(read(chain.block({ fields: { reward_set } })).facts.rewardSet, null);
});
