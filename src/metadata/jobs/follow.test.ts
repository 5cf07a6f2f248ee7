import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { MetadataWorld, type WorldOptions } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openDatabase } from '../../base/store/open.ts';
import { followIndex } from './follow.ts';

const HOUR = 3_600_000;

onSqliteAtLeast((engine, openFresh) => {
  /** A world with the collection `cats`, whose tokens 1 to 3 are minted and read. */
  async function withCats(t: Parameters<typeof openFresh>[0], options: WorldOptions = {}) {
    const { database, location } = await openFresh(t);
    const world = await MetadataWorld.open(database, options);
    world.setResultsFor('cats');
    for (const id of [1, 2, 3, 4]) world.document(`ipfs://cats/${id}`, { name: `Cat ${id}` });
    const block = await world.block(undefined, world.deploy('cats'), world.mint('cats', 1, 2, 3));
    await world.work();
    assert.equal(await world.jobs('done'), 4);
    return { world, block, location };
  }
  const tokenJobs = (count: number) => Array.from({ length: count }, (_, i) => `cats ${i + 1} token`);

  test('an update of some tokens reads these anew, one of all tokens all', async t => {
    const { world, block } = await withCats(t);
    const next = await world.block(block, world.notify('cats', { ids: [1, 3] }));
    assert.deepEqual((await world.work()).toSorted(), ['cats 1 token', 'cats 3 token']);
    await world.block(next, world.notify('cats'));
    assert.deepEqual((await world.work()).toSorted(), [...tokenJobs(3), 'cats contract', 'cats refresh'].toSorted());
  });

  test('an update of all tokens passes over those that are frozen themselves; a fork that takes it back does not', async t => {
    const { world, block } = await withCats(t);
    const frozen = await world.block(block, world.notify('cats', { ids: [2], mode: 'frozen' }));
    assert.deepEqual(await world.work(), ['cats 2 token'], 'once more');
    await world.block(frozen, world.notify('cats'));
    const others = ['cats 1 token', 'cats 3 token'];
    assert.deepEqual((await world.work()).toSorted(), [...others, 'cats contract', 'cats refresh']);
    await world.block(await world.block(frozen));
    assert.deepEqual((await world.work()).toSorted(), [...tokenJobs(3), 'cats refresh'].toSorted());
  });

  test('a token that is minted again keeps what was fetched, and is read anew', async t => {
    const { world, block } = await withCats(t);
    await world.block(block, world.mint('cats', 2));
    assert.equal((await world.nft('cats', 2)).body.metadata.name, 'Cat 2');
    assert.deepEqual(await world.work(), ['cats 2 token']);
  });

  test('nothing is read twice for the same event, also after a restart', async t => {
    const { world } = await withCats(t);
    assert.equal(await followIndex(world.context), false);
    await world.db.write(tx => tx.run('DELETE FROM metadata_cursor WHERE seq >= 0'));
    assert.deepEqual(await world.work(), []);
  });

  test('of two processes that follow the same index each entry is counted once', async t => {
    const { world, block, location } = await withCats(t);
    const db = engine === 'postgres' ? openDatabase(location) : world.db;
    await world.block(block, world.mint('cats', 4), world.notify('cats', { ids: [1] }));
    await Promise.all([followIndex(world.context), followIndex({ ...world.context, db }), followIndex(world.context)]);
    if (db !== world.db) await db.close();
    assert.deepEqual((await world.work()).toSorted(), ['cats 1 token', 'cats 4 token']);
    const seen = await world.db.read(q => q.all<{ seq: number }>('SELECT seq FROM metadata_cursor ORDER BY seq'));
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      [-1, 0, 1, 2, 3, 4, 5],
    );
  });

  test('a mint that a fork takes back is not found, and is served again once it is mined in another block', async t => {
    const { world, block } = await withCats(t);
    const mint = world.mint('cats', 4);
    await world.block(block, mint);
    await world.work();
    assert.equal((await world.nft('cats', 4)).status, 200);
    const other = await world.block(block);
    const longer = await world.block(other);
    await world.work();
    assert.equal((await world.nft('cats', 4)).status, 404);
    await world.block(longer, mint);
    const calls = world.node.calls.length;
    assert.equal((await world.nft('cats', 4)).body.metadata.name, 'Cat 4');
    assert.deepEqual(await world.work(), ['cats 4 token']);
    assert.equal(world.node.calls.length, calls + 1);
  });

  test('a notification that is taken back has its tokens read once more', async t => {
    const { world, block } = await withCats(t);
    await world.block(block, world.notify('cats', { ids: [2], mode: 'dynamic', ttl: 60 }));
    await world.work();
    const other = await world.block(block);
    await world.block(other);
    assert.deepEqual(await world.work(), ['cats 2 token']);
    world.now += 48 * HOUR;
    assert.deepEqual(await world.work(), []);
  });

  test('back on the first branch, its events count again', async t => {
    const { world, block } = await withCats(t);
    const first = await world.block(block, world.mint('cats', 4));
    await world.work();
    await world.block(await world.block(block));
    await world.work();
    assert.equal((await world.nft('cats', 4)).status, 404);
    await world.block(await world.block(first));
    assert.deepEqual(await world.work(), ['cats 4 token']);
    assert.equal((await world.nft('cats', 4)).status, 200);
  });

  test('a deploy that is taken back while a job runs: it ends quietly, and nothing is served', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    world.setResultsFor('cats', 2);
    const root = await world.block(undefined);
    await world.block(root, world.deploy('cats'), world.mint('cats', 1));
    world.web.before = async () => {
      const other = await world.block(root);
      await world.block(other);
    };
    world.document('ipfs://cats/1', { name: 'Cat 1' });
    await world.work();
    assert.equal((await world.nft('cats', 1)).status, 404);
    assert.equal(await world.jobs('running'), 0);
    const tokens = await database.read(q => q.all('SELECT token FROM metadata_tokens'));
    assert.deepEqual(tokens, []);
  });

  test('a dynamic token is read again when its time is over, a frozen one is not', async t => {
    const { world, block } = await withCats(t);
    const next = await world.block(block, world.notify('cats', { mode: 'dynamic', ttl: 120 }));
    await world.work();
    world.now += 119_000;
    assert.deepEqual(await world.work(), []);
    world.now += 1_000;
    assert.deepEqual((await world.work()).toSorted(), tokenJobs(3));
    await world.block(next, world.notify('cats', { ids: [1, 2], mode: 'frozen' }));
    await world.work();
    world.now += 120_000;
    assert.deepEqual(await world.work(), ['cats 3 token']);
  });

  test('refreshes of a contract are spread once it has used its budget; those that wait are counted once', async t => {
    const { world, block } = await withCats(t, { limits: { refreshesPerHour: 2 } });
    let top = await world.block(block, world.notify('cats', { ids: [1, 2, 3] }));
    assert.equal((await world.work()).length, 2);
    for (let again = 0; again < 5; again++) {
      top = await world.block(top, world.notify('cats', { ids: [3] }));
      assert.deepEqual(await world.work(), []);
    }
    world.now += HOUR / 2;
    assert.deepEqual(await world.work(), ['cats 3 token']);
  });

  test('new tokens are not refreshes', async t => {
    const { world, block } = await withCats(t, { limits: { refreshesPerHour: 1 } });
    await world.block(block, world.notify('cats', { ids: [1, 2, 3] }), world.mint('cats', 4));
    assert.deepEqual((await world.work()).length, 2);
    assert.equal((await world.nft('cats', 4)).status, 200);
  });

  test('in a long history old entries are forgotten, and a fork beyond them still ends where the index is', async t => {
    const { world, block } = await withCats(t);
    const many = Array.from({ length: 6_200 }, (_, i) => i + 1);
    await world.block(block, world.mint('cats', ...many));
    await world.follow();
    const count = async () =>
      (await world.db.read(q => q.get<{ n: number }>('SELECT COUNT(*) AS n FROM metadata_cursor')))?.n ?? 0;
    assert.ok((await count()) < 6_000);
    await world.block(await world.block(block));
    await world.follow();
    const newest = await world.db.read(q => q.get<{ seq: number }>('SELECT MAX(seq) AS seq FROM metadata_cursor'));
    const events = await world.db.read(q => q.get<{ n: number }>('SELECT COUNT(*) AS n FROM token_events'));
    assert.equal(newest?.seq, (events?.n ?? 0) - 1);
  });
});
