import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertResponses, assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder, repeated } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Delivery } from '../journal/entries.ts';

/** A block, and microblocks of one transaction each on top of it. */
function streaming(length: number) {
  const chain = new ChainBuilder('microblocks');
  const anchor = chain.block();
  const microblocks = chain.microblocks(
    anchor,
    Array.from({ length }, () => [chain.transfer()]),
  );
  return { chain, anchor, microblocks, stream: chain.stream(anchor, microblocks) };
}

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  async function indexOf(...deliveries: Delivery[]): Promise<TestIndex> {
    const index = await openTestIndex(await emptyDatabase());
    await index.deliver(...deliveries);
    return index;
  }

  async function streamedIn(index: TestIndex, block: BuiltBlock): Promise<unknown> {
    return (await index.get(`/extended/v1/block/by_burn_block_hash/${block.burn.hash}`)).body.microblocks_streamed;
  }

  test(`streamed microblocks stand on the tip: their transactions are shown to those who ask for unanchored ones (${engine})`, async () => {
    const { anchor, microblocks, stream } = streaming(2);
    const index = await indexOf(anchor.delivery, stream);
    await assertResponses(index, { blocks: [anchor], standing: microblocks });
    const { body: status } = await index.get('/extended');
    assert.equal(status.chain_tip.microblock_sequence, 1);
    assert.deepEqual(
      await streamedIn(index, anchor),
      microblocks.map(({ hash }) => hash),
    );
    const [newest] = (await index.get('/extended/v1/tx?unanchored=true&limit=1')).body.results;
    assert.deepEqual(
      [newest.is_unanchored, newest.block_hash, newest.block_height, newest.microblock_sequence],
      [true, '0x', anchor.height + 1, 1],
    );
  });

  test(`one message, or a message for each: the microblocks are the same (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(3);
    const expected = await canonicalTables(await indexOf(anchor.delivery, stream));
    const index = await indexOf(anchor.delivery, ...microblocks.map(one => chain.stream(anchor, [one])));
    assertSameTables(await canonicalTables(index), expected);
  });

  test(`a block that accepts them takes their place: each transaction once, with the number it was streamed with (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const next = chain.block({ parent: anchor, microblocks });
    const index = await indexOf(anchor.delivery, stream, next.delivery);
    await assertResponses(index, { blocks: [anchor, next] });
    const { body } = await index.get('/extended/v2/blocks/2/transactions');
    assert.deepEqual(
      body.results.map((tx: Record<string, unknown>) => [tx.microblock_hash, tx.tx_index, tx.is_unanchored]),
      [
        [microblocks[0]?.hash, 0, false],
        [microblocks[1]?.hash, 0, false],
        ['0x', 0, false],
        ['0x', 1, false],
      ],
    );
    const { body: v1 } = await index.get(`/extended/v1/block/by_burn_block_hash/${next.burn.hash}`);
    const hashes = microblocks.map(({ hash }) => hash);
    assert.deepEqual(v1.microblocks_accepted, hashes);
    assert.deepEqual(v1.microblock_tx_count, Object.fromEntries(hashes.map(hash => [hash, 1])));
    assert.deepEqual(await streamedIn(index, anchor), hashes);
  });

  test(`microblocks need not be streamed: a block brings those it accepts (${engine})`, async () => {
    const { chain, anchor, microblocks } = streaming(2);
    const next = chain.block({ parent: anchor, microblocks });
    await assertResponses(await indexOf(anchor.delivery, next.delivery), { blocks: [anchor, next] });
  });

  test(`a block that accepts only the first of them orphans the rest (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(3);
    const next = chain.block({ parent: anchor, microblocks: microblocks.slice(0, 1) });
    const index = await indexOf(anchor.delivery, stream, next.delivery);
    await assertResponses(index, { blocks: [anchor, next] });
    assert.deepEqual(await streamedIn(index, anchor), [microblocks[0]?.hash]);
    const lost = microblocks[2]?.txs[0]?.txId;
    assert.equal((await index.get(`/extended/v1/tx/${lost}/raw`)).status, 200, 'the bytes are kept');
  });

  test(`a block that accepts none leaves nothing of them in the lists (${engine})`, async () => {
    const { chain, anchor, stream } = streaming(2);
    const next = chain.block({ parent: anchor });
    const expected = await canonicalTables(await indexOf(anchor.delivery, next.delivery));
    const index = await indexOf(anchor.delivery, stream, next.delivery);
    assertSameTables(await canonicalTables(index), expected);
  });

  test(`a rival of the tip that is no higher leaves its microblocks alone (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const index = await indexOf(anchor.delivery, stream, chain.block().delivery);
    await assertResponses(index, { blocks: [anchor], standing: microblocks });
  });

  test(`a fork under them takes them away (${engine})`, async () => {
    const { chain, anchor, stream } = streaming(2);
    const rivals = chain.chain(2);
    const index = await indexOf(anchor.delivery, stream, ...rivals.map(block => block.delivery));
    await assertResponses(index, { blocks: rivals });
  });

  test(`a confirmed microblock comes back with its numbers when its branch wins again (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const next = chain.block({ parent: anchor, microblocks });
    const rivals = chain.chain(2, anchor);
    const index = await indexOf(anchor.delivery, stream, next.delivery);
    const numbers = async () => {
      const { body } = await index.get('/extended/v2/blocks/2/transactions');
      return body.results.map((tx: Record<string, unknown>) => [tx.tx_id, tx.tx_index]);
    };
    const before = await numbers();
    await index.deliver(...rivals.map(block => block.delivery));
    await assertResponses(index, { blocks: [anchor, ...rivals] });
    const more = chain.chain(2, next);
    await index.deliver(...more.map(block => block.delivery));
    await assertResponses(index, { blocks: [anchor, next, ...more] });
    assert.deepEqual(await numbers(), before);
  });

  test(`only the first block that accepts a streamed microblock keeps its numbers; a rival has its own, as recorded (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const [first, rival] = [chain.block({ parent: anchor, microblocks }), chain.block({ parent: anchor, microblocks })];
    const index = await indexOf(anchor.delivery, stream, first.delivery);
    const numbers = async () => {
      const { body } = await index.get('/extended/v2/blocks/2/transactions');
      return body.results.map((tx: Record<string, unknown>) => tx.tx_index);
    };
    assert.deepEqual(await numbers(), [0, 0, 0, 1]);
    await index.deliver(rival.delivery, chain.block({ parent: rival }).delivery);
    assert.deepEqual(await numbers(), [2, 3, 0, 1]);
    await index.deliver(...chain.chain(2, first).map(block => block.delivery));
    assert.deepEqual(await numbers(), [0, 0, 0, 1]);
  });

  test(`a microblock that is streamed again after a fork is still that of the block that accepted it first (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const first = chain.block({ parent: anchor, microblocks });
    const index = await indexOf(anchor.delivery, stream, first.delivery);
    const numbers = async () =>
      (await index.get(`/extended/v2/blocks/${first.indexHash}/transactions`)).body.results.map(
        ({ tx_index }: { tx_index: number }) => tx_index,
      );
    const before = await numbers();
    const [elected, other] = [first.burn, chain.burnBlock({ parent: anchor.burn })];
    await index.deliver(anchor.burn.delivery, elected.delivery, other.delivery, repeated(stream));
    await assertResponses(index, { blocks: [anchor], standing: microblocks });
    const rival = chain.block({ parent: anchor, burn: other, microblocks });
    await index.deliver(rival.delivery);
    const back = chain.burnBlock({ parent: elected });
    await index.deliver(back.delivery);
    assert.deepEqual(await numbers(), before);
  });

  test(`a stream with a gap is ignored whole, and the missing part makes it good (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(3);
    const [first, second, third] = microblocks;
    assert.ok(first && second && third);
    const index = await indexOf(anchor.delivery);
    const before = await canonicalTables(index);
    await index.deliver(chain.stream(anchor, [second, third]), chain.stream(anchor, [first, third]));
    assertSameTables(await canonicalTables(index), before);
    await index.deliver(chain.stream(anchor, [first]));
    await assertResponses(index, { blocks: [anchor], standing: [first] });
    await index.deliver(stream);
    await assertResponses(index, { blocks: [anchor], standing: microblocks });
  });

  test(`of two microblocks on the same one the later takes the place of the earlier and of what stood on it (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(3);
    const [first] = microblocks;
    assert.ok(first);
    const rivals = chain.microblocks(first, [[chain.transfer(), chain.transfer()]]);
    const index = await indexOf(anchor.delivery, stream, chain.stream(anchor, rivals));
    await assertResponses(index, { blocks: [anchor], standing: [first, ...rivals] });
    const whole = chain.microblocks(anchor, [[chain.transfer()]]);
    await index.deliver(chain.stream(anchor, whole));
    await assertResponses(index, { blocks: [anchor], standing: whole });
  });

  test(`a microblock on one that had lost its place brings that back; a repeat of the loser does not (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const rivals = chain.microblocks(anchor, [[chain.transfer()]]);
    const index = await indexOf(anchor.delivery, stream, chain.stream(anchor, rivals), repeated(stream));
    await assertResponses(index, { blocks: [anchor], standing: rivals });
    const [, below] = microblocks;
    assert.ok(below);
    const more = chain.microblocks(below, [[chain.transfer()]]);
    await index.deliver(chain.stream(anchor, more));
    await assertResponses(index, { blocks: [anchor], standing: [...microblocks, ...more] });
  });

  test(`a boot block that comes late leaves microblocks on the tip where they are (${engine})`, async () => {
    const chain = new ChainBuilder('microblocks');
    const boot = chain.bootBlock();
    const anchor = chain.block({ parent: boot });
    const [lost, kept] = [
      chain.microblocks(anchor, [[chain.transfer()]]),
      chain.microblocks(anchor, [[chain.transfer()]]),
    ];
    const streams = [lost, kept].map(microblocks => chain.stream(anchor, microblocks));
    const index = await indexOf(anchor.delivery, ...streams);
    const before = await streamedIn(index, anchor);
    assert.deepEqual(before, [kept[0]?.hash]);
    const { headers, body } = await index.get('/extended/v1/tx?unanchored=true');
    await index.deliver(boot.delivery);
    assert.deepEqual(await streamedIn(index, anchor), before);
    const after = await index.get('/extended/v1/tx?unanchored=true');
    assert.ok(after.body.results.length > body.results.length, 'the same page, asked again, has the boot transactions');
    assert.notEqual(after.headers.etag, headers.etag);
    const [newest] = (await index.get('/extended/v1/tx?unanchored=true&limit=1')).body.results;
    assert.equal(newest.tx_id, kept[0]?.txs[0]?.txId);
    assert.equal((await index.get('/extended')).body.chain_tip.microblock_hash, kept[0]?.hash);
  });

  test(`a stream that is repeated, stands on another block than the tip, or comes after its block changes nothing (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const index = await indexOf(anchor.delivery, stream);
    const standing = await canonicalTables(index);
    const foreign = chain.block();
    await index.deliver(repeated(stream), chain.stream(foreign, chain.microblocks(foreign, [[chain.transfer()]])));
    assertSameTables(await canonicalTables(index), standing);
    const next = chain.block({ parent: anchor, microblocks });
    await index.deliver(next.delivery);
    const confirmed = await canonicalTables(index);
    await index.deliver({ ...stream, body: Buffer.concat([stream.body, Buffer.from('  ')]) });
    assertSameTables(await canonicalTables(index), confirmed);
  });

  test(`microblocks before any block, or with a transaction that cannot be read, do no harm (${engine})`, async () => {
    const { chain, anchor, stream } = streaming(2);
    const index = await indexOf(stream, anchor.delivery);
    await assertResponses(index, { blocks: [anchor] });
    const good = chain.transfer();
    const broken = { ...chain.transfer(), body: { ...good.body, txid: chain.hash(), raw_tx: '0x00ff' } };
    const [mixed] = chain.microblocks(anchor, [[good, broken]]);
    assert.ok(mixed);
    await index.deliver(chain.stream(anchor, [mixed]));
    await assertResponses(index, { blocks: [anchor], standing: [{ ...mixed, txs: [good] }] });
  });

  test(`a block waits for its parent: microblocks of the tip stay meanwhile, and go when the chain moves on (${engine})`, async () => {
    const { chain, anchor, microblocks, stream } = streaming(2);
    const next = chain.block({ parent: anchor, microblocks });
    const after = chain.block({ parent: next });
    const index = await indexOf(anchor.delivery, stream, after.delivery);
    await assertResponses(index, { blocks: [anchor], standing: microblocks });
    await index.deliver(next.delivery);
    await assertResponses(index, { blocks: [anchor, next, after] });
  });
});
