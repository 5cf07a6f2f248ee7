import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder, delivery } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';

const deliver = (index: TestIndex, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

/** Blocks of a coinbase and three transfers. */
function grow(chain: ChainBuilder, count: number, parent?: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let i = 0; i < count; i++) {
    const below = blocks.at(-1) ?? parent;
    blocks.push(
      chain.block({ ...(below && { parent: below }), txs: [chain.coinbase(), ...times(3, () => chain.transfer())] }),
    );
  }
  return blocks;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Follows the links of a list from its first page. @param meanwhile is called after each page */
async function follow(index: TestIndex, first: string, meanwhile: (page: number) => Promise<unknown>) {
  const ids: string[] = [];
  for (let url: string | undefined = first, page = 0; url !== undefined; page++) {
    const { status, headers, body } = await index.get(url);
    if (status !== 200) return { status, ids, message: String(body.message) };
    ids.push(...body.results.map((row: { tx_id: string }) => row.tx_id));
    url = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
    await meanwhile(page);
  }
  return { status: 200, ids, message: '' };
}

onSqliteAtLeast((_engine, openFresh) => {
  test('a height, a hash, a Bitcoin height and a time name the block that a response shows', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const blocks = grow(new ChainBuilder(), 5);
    await deliver(index, blocks);
    const [first, , third, fourth, fifth] = blocks;
    assert.ok(first && third && fourth && fifth);
    const shown = async (at: string) => {
      const { status, headers } = await index.get(`/extended/v3/transactions?at=${at}`);
      return status === 200 ? Number(headers['x-stacks-tip-height']) : status;
    };
    assert.equal(await shown('3'), 3);
    assert.equal(await shown(third.indexHash), 3);
    assert.equal(await shown(third.indexHash.toUpperCase().replace('0X', '0x')), 3);
    assert.equal(await shown(`burn:${third.burn.height}`), 3);
    assert.equal(await shown(`time:${third.burn.time}`), 3);
    assert.equal(await shown(`time:${fourth.burn.time - 1}`), 3, 'the block below the first that is later');
    assert.equal(await shown(`time:${fifth.burn.time}`), 5);
    for (const nothing of [
      '0',
      '6',
      `burn:${fifth.burn.height + 1}`,
      `time:${fifth.burn.time + 1}`,
      `time:${first.burn.time - 1}`,
    ])
      assert.equal(await shown(nothing), 404, nothing);
    for (const malformed of ['', '-1', '0x12', 'burn:', 'time:x', 'latest'])
      assert.equal(await shown(malformed), 400, malformed);
  });

  test('a hash that the index lacks may come, one that a fork replaced names where to continue', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = grow(chain, 3);
    const other = grow(chain, 2, blocks[1]);
    await deliver(index, [...blocks, ...other]);
    const unknown = await index.get(`/extended/v3/transactions?at=0x${'12'.repeat(32)}`);
    assert.deepEqual([unknown.status, unknown.headers['retry-after']], [404, '5']);
    const left = await index.get(`/extended/v3/transactions?at=${blocks[2]?.indexHash}`);
    assert.deepEqual([left.status, left.body.code], [409, 'NOT_CANONICAL']);
    assert.match(left.body.message, new RegExp(`above height 2.*at=${blocks[1]?.indexHash}`));
  });

  test('a client that follows the links reads every row once while blocks arrive, and gets a 409 after a fork', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = grow(chain, 4);
    await deliver(index, blocks);
    const expected = blocks.flatMap(({ txs }) => txs.map(({ txId }) => txId)).toReversed();
    let top = blocks.at(-1);
    const add = async () => {
      const [next] = grow(chain, 1, top);
      top = next;
      return next && deliver(index, [next]);
    };
    for (const list of ['/extended/v3/transactions?limit=3', '/extended/v1/tx?limit=3']) {
      const pinned = `${list}&at=${blocks[3]?.indexHash}`;
      assert.deepEqual(await follow(index, pinned, add), { status: 200, ids: expected, message: '' }, list);
    }
    const isFork = (page: number) => (page === 1 ? deliver(index, grow(chain, 30, blocks[2])) : add());
    const cut = await follow(index, '/extended/v3/transactions?limit=3', isFork);
    assert.deepEqual([cut.status, cut.ids.length], [409, 6]);
    assert.match(cut.message, /Drop what is above that height/);
  });

  test('a page without `at` links to the next one as of the tip that it shows', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const blocks = grow(new ChainBuilder(), 2);
    await deliver(index, blocks);
    const { headers } = await index.get('/extended/v3/transactions?limit=3');
    assert.match(
      String(headers.link),
      new RegExp(`^</extended/v3/transactions\\?limit=3&cursor=[^&]+&at=${blocks[1]?.indexHash}>; rel="next"$`),
    );
    assert.equal((await index.get('/extended/v3/transactions')).headers.link, undefined, 'the last page');
    const ofAnother = await index.get('/extended/v1/tx?limit=3&unanchored=true');
    assert.deepEqual([ofAnother.status, ofAnother.headers.link], [200, undefined], 'the request names another state');
  });

  test('what names another state, and routes without a past, refuse `at`', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const blocks = grow(new ChainBuilder(), 2);
    await deliver(index, blocks);
    const refused = async (url: string) => (await index.get(url)).body.message;
    const address = 'ST000000000000000000002AMW42H';
    const history = `/extended/v1/address/${address}/transactions?at=1`;
    for (const other of [`until_block=${blocks[0]?.indexHash}`, 'height=1', 'unanchored=true'])
      assert.match(await refused(`${history}&${other}`), /querystring\/at must not be given together with/, other);
    assert.match(await refused('/extended/v1/tx/mempool?at=1'), /querystring\/at must not be given to this route/);
    const seen = await index.get(`/extended/v3/transactions?at=1&seen_tip=0x${'0'.repeat(64)}`);
    assert.deepEqual([seen.status, seen.headers['x-stacks-fork-height']], [200, undefined], '`at` wins');
  });

  test('what comes late for blocks below the tip changes the ETags of responses as of a block', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = grow(chain, 4);
    const [first, second, third, fourth] = blocks;
    assert.ok(first && second && third && fourth);
    await index.deliver(first.burn.delivery);
    await deliver(index, blocks);
    const etag = async () => (await index.get(`/extended/v3/staking/rewards?at=${third.indexHash}`)).headers.etag;
    const tags = [await etag()];
    await index.deliver(second.burn.delivery);
    tags.push(await etag());
    // As when a gap is repaired: the Bitcoin block above it is there.
    await index.deliver(fourth.burn.delivery);
    tags.push(await etag());
    await index.deliver(third.burn.delivery);
    tags.push(await etag());
    await index.deliver(delivery('/attachments/new', []));
    tags.push(await etag());
    assert.equal(new Set(tags).size, 5, String(tags));
  });

  test('a response as of a block keeps its ETag while blocks arrive, and may be kept for a day once the block is final', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = grow(chain, 8);
    await deliver(index, blocks.slice(0, 7));
    const pinned = (url: string, height: number) => `${url}?at=${blocks[height - 1]?.indexHash}`;
    const transaction = `/extended/v3/transactions/${blocks[0]?.txs[0]?.txId}`;
    for (const url of [
      '/extended/v3/transactions',
      '/extended/v2/blocks',
      transaction,
      '/extended/v3/tokens/stx/supply',
    ]) {
      const [final, other] = [await index.get(pinned(url, 1)), await index.get(pinned(url, 2))];
      assert.equal(final.headers['cache-control'], 'public, max-age=86400', url);
      assert.equal(other.headers['cache-control'], 'public, no-cache, must-revalidate', url);
      assert.notEqual(final.headers.etag, other.headers.etag, url);
    }
    const names = await index.get(pinned('/v1/names', 1));
    assert.equal(names.headers['cache-control'], 'public, no-cache, must-revalidate', 'zone files may come late');
    const before = await index.get(pinned('/extended/v2/blocks', 2));
    await deliver(index, blocks.slice(7));
    const after = await index.get(pinned('/extended/v2/blocks', 2));
    assert.equal(after.headers.etag, before.headers.etag);
    assert.equal(
      after.headers['cache-control'],
      'public, max-age=86400',
      'six further Bitcoin blocks are above it now',
    );
    for (const url of [pinned('/extended/v2/blocks', 2), pinned(transaction, 2)]) {
      const etag = String((await index.get(url)).headers.etag);
      const fresh = await index.page(url, { 'if-none-match': etag });
      assert.deepEqual([fresh.status, fresh.headers['x-stacks-tip-height']], [304, '2'], url);
    }
    const missing = await index.get(`${pinned(`/extended/v3/transactions/0x${'ab'.repeat(32)}`, 1)}`);
    assert.deepEqual(
      [missing.status, missing.headers['cache-control'], missing.headers.etag],
      [404, 'no-store', undefined],
    );
  });
});
