import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import fc from '../../../test/support/fast-check.ts';
import type { Delivery } from '../journal/entries.ts';
import { parseEvent } from '../node/events/parse.ts';
import { attachStream, readMicroblocks, type StreamedMicroblock, unanchoredBlock } from './microblocks.ts';

const microblock = (hash: string, parentHash: string, sequence: number): StreamedMicroblock => ({
  hash,
  parentHash,
  sequence,
  txs: [],
});

/** `length` microblocks in a chain, of which the first `shared` are those of every other such chain. */
function chainOf(name: string, length: number, shared: number): StreamedMicroblock[] {
  const hashAt = (i: number): string => (i < 0 ? 'anchor' : `${i < shared ? 'shared' : name} ${i}`);
  return Array.from({ length }, (_, i) => microblock(hashAt(i), hashAt(i - 1), i));
}

const hashesOf = (chain: readonly { readonly hash: string }[]): string[] => chain.map(({ hash }) => hash);

const standing = (known: readonly StreamedMicroblock[], message: readonly StreamedMicroblock[]) => {
  const attached = attachStream(known, message);
  return attached && hashesOf(attached.standing);
};

test('a stream attaches where its first new microblock stands; what stood beyond gives way', () => {
  const lengths = fc.record({ before: fc.nat(5), streamed: fc.nat(5), shared: fc.nat(5), skip: fc.nat(5) });
  fc.assert(
    fc.property(lengths, ({ before, streamed, shared, skip }) => {
      const onTip = chainOf('standing', before, shared);
      const whole = chainOf('streamed', streamed, shared);
      const common = Math.min(before, streamed, shared);
      const hasNews = streamed > Math.max(common, skip);
      const hasGap = skip > common;
      assert.deepEqual(standing(onTip, whole.slice(skip)), hasNews && !hasGap ? hashesOf(whole) : undefined);
    }),
    { numRuns: 500 },
  );
});

test('a microblock on one that had lost its place brings that back', () => {
  const [lost, winner] = [chainOf('a', 2, 0), chainOf('b', 2, 0)];
  const next = microblock('a 2', 'a 1', 2);
  const known = [...lost, ...winner];
  assert.deepEqual(standing(known, [next]), hashesOf([...lost, next]));
  assert.equal(attachStream(known, lost), undefined, 'a repeat of it does not');
});

test('a stream that lacks a microblock in its middle has a gap', () => {
  const [first, , third] = chainOf('a', 3, 0);
  assert.ok(first && third);
  assert.equal(attachStream([], [first, third]), undefined);
  assert.equal(attachStream([first], [third]), undefined);
});

test('microblocks whose numbers do not follow one another are a gap, whatever their parents', () => {
  const [first] = chainOf('a', 1, 0);
  assert.ok(first);
  assert.equal(attachStream([], [first, microblock('b', first.hash, 2)]), undefined);
  assert.equal(attachStream([first], [microblock('b', first.hash, 2)]), undefined);
});

test('microblocks that do not name each other as parents are a gap, whatever their numbers', () => {
  const [first] = chainOf('a', 1, 0);
  assert.ok(first);
  assert.equal(attachStream([], [first, microblock('b', 'elsewhere', 1)]), undefined);
});

test('the first microblock of a stream is known by its number 0, as not every node names the anchor as its parent', () => {
  const first = microblock('a', 'whatever', 0);
  assert.deepEqual(attachStream([], [first]), { fresh: [first], standing: [first] });
});

const chain = new ChainBuilder('microblocks');

function read(delivery: Delivery) {
  const event = parseEvent(delivery.path, delivery.body);
  assert.ok(event.ok && event.value.path === '/new_microblocks');
  return { message: event.value.microblocks, ...readMicroblocks(event.value.microblocks, 'testnet') };
}

test('a message is read into its microblocks in the order of their sequence, each with its transactions in order', () => {
  const anchor = chain.block();
  const made = chain.microblocks(anchor, [
    [chain.transfer(), chain.transfer()],
    [chain.transfer()],
    [chain.transfer(), chain.transfer(), chain.transfer()],
  ]);
  const { microblocks, unreadable } = read(chain.stream(anchor, made.toReversed()));
  assert.deepEqual(unreadable, []);
  assert.deepEqual(
    microblocks.map(({ hash, parentHash, sequence, txs }) => [hash, parentHash, sequence, txs.map(tx => tx.txId)]),
    made.map(({ hash, parentHash, sequence, txs }) => [hash, parentHash, sequence, txs.map(tx => tx.txId)]),
  );
  assert.deepEqual(
    microblocks.map(({ txs }) => txs.map(({ txIndex }) => txIndex)),
    [[0, 1], [0], [0, 1, 2]],
    'numbers start at 0 in each microblock',
  );
});

test('an unanchored microblock is shown one above the tip, without block hash and burn block', () => {
  const anchor = chain.block();
  const { message, microblocks } = read(chain.stream(anchor, chain.microblocks(anchor, [[chain.transfer()]])));
  const [first] = microblocks;
  assert.ok(first);
  const { hash: blockHash, indexHash: indexBlockHash, height } = anchor;
  const tip = {
    ...{ blockHash, indexBlockHash, height, parentIndexBlockHash: '', burnBlockHash: anchor.burn.hash },
    ...{ burnBlockHeight: anchor.burn.height, burnView: null, arrival: 0, journalSeq: 1 },
  };
  const block = unanchoredBlock(first, tip, { burnBlockTime: message.burn_block_timestamp });
  assert.deepEqual(
    [block.height, block.blockHash, block.parentBlockHash, block.burnBlockHeight, block.burnBlockTime],
    [anchor.height + 1, '', anchor.hash, -1, -1],
  );
  assert.deepEqual(block.microblocks, [{ hash: first.hash, parentHash: first.parentHash, sequence: 0, txCount: 1 }]);
  assert.equal(block.blockTime, anchor.burn.time, 'no clock: every index shows the same time');
});
