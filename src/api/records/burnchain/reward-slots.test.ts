import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder, repeated } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';

const X = 'mnvi1WQb3cm2QMeeKe6G9D7L1GsjmmGTda';
const Y = 'mk4zAE1iVWf5PJAgeX83rSXnzF5zQBiqf1';
const SEGWIT = 'tb1qpps365ce8vk7x7c6gnxuduu4qvfzqme9kuxe9p';
const path = (rest = '') => `/extended/v1/burnchain/reward_slot_holders${rest}`;

/** [burn height, slot, address] of a page, and its total. */
async function slots(index: TestIndex, url = path()): Promise<{ total: number; slots: [number, number, string][] }> {
  const { status, body } = await index.get(url);
  assert.equal(status, 200, url);
  const records = body.results as { burn_block_height: number; slot_index: number; address: string }[];
  return { total: body.total, slots: records.map(slot => [slot.burn_block_height, slot.slot_index, slot.address]) };
}

onSqliteAtLeast((_engine, openFresh) => {
  test('slots are listed newest burn block first, highest slot first, each as the node spells its holder', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.burnBlock({ slots: [X, Y] });
    const empty = chain.burnBlock({ parent: first });
    const third = chain.burnBlock({ parent: empty, slots: [X, X, SEGWIT] });
    await index.deliver(first.delivery, empty.delivery, third.delivery);
    assert.deepEqual(await slots(index), {
      total: 5,
      slots: [
        [102, 2, SEGWIT],
        [102, 1, X],
        [102, 0, X],
        [100, 1, Y],
        [100, 0, X],
      ],
    });
    const { body } = await index.get(path('?limit=1&offset=3'));
    assert.deepEqual(body, {
      limit: 1,
      offset: 3,
      total: 5,
      results: [{ canonical: true, burn_block_hash: first.hash, burn_block_height: 100, address: Y, slot_index: 1 }],
    });
  });

  test('slots of an address are found by each of its spellings', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.burnBlock({ slots: [X, SEGWIT, X] });
    const second = chain.burnBlock({ parent: first, slots: [Y, X] });
    await index.deliver(first.delivery, second.delivery);
    const ofX = {
      total: 3,
      slots: [
        [101, 1, X],
        [100, 2, X],
        [100, 0, X],
      ],
    };
    assert.deepEqual(await slots(index, path(`/${X}`)), ofX);
    assert.deepEqual(await slots(index, path(`/%20${X}%20`)), ofX);
    // The Stacks address of the same hash.
    assert.deepEqual(await slots(index, path('/ST18MDW2PDTBSCR1ACXYRJP2JX70FWNM6YY2VX4SS')), ofX);
    assert.deepEqual(await slots(index, path(`/${SEGWIT.toUpperCase()}`)), { total: 1, slots: [[100, 1, SEGWIT]] });
    assert.deepEqual(await slots(index, path(`/${X}?limit=1&offset=1`)), { total: 3, slots: [[100, 2, X]] });
  });

  test('an address without slots has an empty list, whatever its network', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    for (const address of [X, '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d', 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7']) {
      assert.deepEqual(await slots(index, path(`/${address}`)), { total: 0, slots: [] });
    }
    assert.deepEqual((await index.get(path())).body, { limit: 96, offset: 0, total: 0, results: [] });
  });

  test('the total is that of the list, also past its end', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(new ChainBuilder().burnBlock({ slots: [X, Y] }).delivery);
    assert.deepEqual(await slots(index, path('?offset=2')), { total: 2, slots: [] });
    assert.deepEqual(await slots(index, path(`/${X}?offset=${Number.MAX_SAFE_INTEGER}`)), { total: 1, slots: [] });
  });

  test('a burn fork takes the displaced slots away, and the branch that wins again brings them back', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const base = chain.burnBlock({ slots: [X] });
    const left = chain.burnBlock({ parent: base, slots: [X, Y] });
    await index.deliver(base.delivery, left.delivery);
    const { address_reward_slots, reward_slots } = await index.dump();
    const before = await slots(index);
    const right = chain.burnBlock({ parent: base, slots: [SEGWIT] });
    await index.deliver(right.delivery);
    assert.deepEqual((await slots(index)).slots, [
      [101, 0, SEGWIT],
      [100, 0, X],
    ]);
    assert.deepEqual(await slots(index, path(`/${Y}`)), { total: 0, slots: [] });
    assert.deepEqual(await slots(index, path(`/${X}`)), { total: 1, slots: [[100, 0, X]] });
    const leftAgain = chain.burnBlock({ parent: left });
    await index.deliver(leftAgain.delivery);
    assert.deepEqual(await slots(index), before);
    const after = await index.dump();
    assert.deepEqual(
      [after.address_reward_slots?.length, after.reward_slots],
      [address_reward_slots?.length, reward_slots],
    );
  });

  test('a burn block below the tip displaces all above it, also where no block names its parent', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const burn = (height: number, ...holders: string[]) => chain.burnBlock({ height, slots: holders, linked: false });
    await index.deliver(
      burn(100, X).delivery,
      burn(101, X).delivery,
      burn(102, Y).delivery,
      burn(101, SEGWIT).delivery,
    );
    assert.deepEqual((await slots(index)).slots, [
      [101, 0, SEGWIT],
      [100, 0, X],
    ]);
    await index.deliver(burn(100).delivery);
    assert.deepEqual(await slots(index), { total: 0, slots: [] });
  });

  test('a burn block that is known and delivered again changes nothing', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.burnBlock({ slots: [X] });
    const second = chain.burnBlock({ parent: first, slots: [Y] });
    await index.deliver(first.delivery, second.delivery);
    const before = await slots(index);
    await index.deliver(repeated(first.delivery), repeated(second.delivery));
    assert.deepEqual(await slots(index), before);
  });

  test('forks of the Stacks chain leave the slots alone', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const burn = chain.burnBlock({ slots: [X, Y] });
    const base = chain.block({ burn });
    await index.deliver(burn.delivery, base.delivery);
    const before = await slots(index);
    const left = chain.chain(1, base);
    const right = chain.chain(2, base);
    await index.deliver(...[...left, ...right].map(block => block.delivery));
    assert.equal((await index.state()).tip?.indexBlockHash, right.at(-1)?.indexHash);
    assert.deepEqual(await slots(index), before);
  });

  test('the ETag of slots changes with a burn block, without a new tip', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    await index.deliver(chain.block().delivery);
    const urls = [path(), path(`/${X}`)];
    const tags = () => Promise.all(urls.map(async url => (await index.get(url)).headers.etag));
    const before = await tags();
    await index.deliver(chain.burnBlock({ slots: [X] }).delivery);
    for (const [i, url] of urls.entries()) {
      const etag = String(before[i]);
      assert.equal((await index.get(url, { 'if-none-match': etag })).status, 200);
      const newer = String((await tags())[i]);
      assert.equal((await index.get(url, { 'if-none-match': newer })).status, 304);
    }
  });

  test('every wrong parameter of the slots is a client error or a valid response, never a server error', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const invalid = (shown: string) => `Address ${shown} is not a valid Bitcoin or STX address.`;
    const expected: [string, number, string?][] = [
      [path('/bogus'), 400, invalid('bogus')],
      [path('/%20bogus%20'), 400, invalid('bogus')],
      [path(`/${'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'}.pool`), 400],
      [path('/%00'), 400],
      [path('/%zz'), 400],
      [path('/%F0%9F%92%A9'), 400],
      [path(`/${'1'.repeat(1024)}`), 400],
      [path(`/${'1'.repeat(1025)}`), 414],
      [path('/'), 200],
    ];
    for (const place of ['', `/${X}`]) {
      expected.push(
        [path(`${place}?limit=250`), 200],
        [path(`${place}?limit=0`), 200],
        [path(`${place}?limit=251`), 400, 'querystring/limit must be at most 250, not 251'],
        [path(`${place}?limit=-1`), 400, 'querystring/limit must be at least 0, not -1'],
        [path(`${place}?limit=1.5`), 400, 'querystring/limit must be an integer, not "1.5"'],
        [path(`${place}?limit=1&limit=1`), 400, 'querystring/limit must be an integer, not ["1","1"]'],
        [path(`${place}?offset=-1`), 400, 'querystring/offset must be at least 0, not -1'],
        [path(`${place}?offset=`), 400, 'querystring/offset must be an integer, not ""'],
        [path(`${place}?offset=9007199254740992`), 400],
      );
    }
    for (const [url, status, message] of expected) {
      const response = await index.get(url);
      assert.equal(response.status, status, `${url}: ${JSON.stringify(response.body)}`);
      if (message !== undefined) assert.equal(response.body.message, message, url);
    }
  });
});
