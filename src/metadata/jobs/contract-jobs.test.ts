import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { MetadataWorld, type WorldOptions } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { ClientRequests } from './enqueue.ts';

onSqliteAtLeast((_, openFresh) => {
  /** A world with the collection `cats`, which counts its tokens up to `last`. */
  async function withCats(t: Parameters<typeof openFresh>[0], last: number, options: WorldOptions = {}) {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database, options);
    world.setResultsFor('cats', last);
    for (const id of [1, 2, 3, 4]) world.document(`ipfs://cats/${id}`, { name: `Cat ${id}` });
    const block = await world.block(undefined, world.deploy('cats'));
    const requests = new ClientRequests(world.context);
    /** Passes the requests of clients on to the worker. */
    const passOn = async () => {
      for (const [contractId, token] of world.requested.splice(0)) await requests.request(contractId, token);
    };
    return { world, block, passOn };
  }

  test('the tokens that a contract counts are read without a mint event, from 1 on', async t => {
    const { world } = await withCats(t, 3);
    const ran = await world.work();
    assert.deepEqual(ran, ['cats contract', 'cats 1 token', 'cats 2 token', 'cats 3 token']);
    assert.equal((await world.nft('cats', 3)).body.metadata.name, 'Cat 3');
    assert.equal((await world.nft('cats', 4)).status, 404);
    assert.equal((await world.nft('cats', 0)).status, 404);
  });

  test('a contract that counts no token has none until one is minted', async t => {
    const { world, block } = await withCats(t, 0);
    assert.deepEqual(await world.work(), ['cats contract']);
    await world.block(block, world.mint('cats', 4));
    assert.deepEqual(await world.work(), ['cats 4 token']);
  });

  test('of more tokens than are fetched unasked each is fetched when it is asked for', async t => {
    const { world, passOn } = await withCats(t, 3, { limits: { eagerTokens: 2 } });
    assert.deepEqual(await world.work(), ['cats contract']);
    assert.equal((await world.nft('cats', 3)).status, 422);
    await passOn();
    assert.deepEqual(await world.work(), ['cats 3 token']);
    assert.equal((await world.nft('cats', 3)).status, 200);
  });

  test('when nothing is fetched unasked, minted tokens wait for a client too', async t => {
    const { world, block, passOn } = await withCats(t, 0, { limits: { eagerTokens: 0 } });
    const next = await world.block(block, world.mint('cats', 4));
    assert.deepEqual(await world.work(), ['cats contract']);
    assert.equal((await world.nft('cats', 4)).status, 422);
    await passOn();
    assert.deepEqual(await world.work(), ['cats 4 token']);
    await world.block(next, world.notify('cats'));
    assert.deepEqual((await world.work()).toSorted(), ['cats 4 token', 'cats contract', 'cats refresh']);
  });

  test('clients can have only so many jobs made of one contract in an hour', async t => {
    const { world, passOn } = await withCats(t, 4, { limits: { eagerTokens: 0, requestsPerHour: 2 } });
    await world.work();
    for (const id of [1, 2, 3]) await world.nft('cats', id);
    await passOn();
    assert.equal((await world.work()).length, 2);
    world.now += 3_600_000;
    await world.nft('cats', 3);
    await passOn();
    assert.deepEqual(await world.work(), ['cats 3 token']);
  });

  test('a request brings a waiting job to the front, but not before its time', async t => {
    const { world, passOn } = await withCats(t, 3);
    await world.follow();
    const [contract] = await world.queue.claim(1);
    assert.ok(contract);
    await world.run(contract);
    await world.nft('cats', 3);
    await passOn();
    const [first] = await world.queue.claim(1);
    assert.equal(first?.token, '3');
    await world.queue.finish(first, {
      ok: false,
      error: { error: { reason: 107, kind: 'rate-limited', message: '429', retryAfterMs: 60_000 } },
    });
    await world.nft('cats', 3);
    await passOn();
    assert.deepEqual(await world.work(), ['cats 1 token', 'cats 2 token']);
  });

  test('a contract that cannot count does not block tokens that are minted', async t => {
    const { world, block } = await withCats(t, 0);
    world.node.results.set('get-last-token-id', '0x080100000000000000000000000000000001');
    world.node.results.delete(`${world.contract('cats')}.get-last-token-id`);
    await world.work();
    assert.equal((await world.job('cats', '', 'contract'))?.reason, 109);
    await world.block(block, world.mint('cats', 4));
    await world.work();
    assert.equal((await world.nft('cats', 4)).status, 200);
  });

  test('a number beyond all bounds makes no jobs', async t => {
    const { world } = await withCats(t, 10_000_000_000);
    assert.deepEqual(await world.work(), ['cats contract']);
    assert.equal((await world.nft('cats', 9_999_999_999)).status, 422);
  });
});
