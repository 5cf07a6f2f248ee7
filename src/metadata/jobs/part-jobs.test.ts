import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { fakeImages, MetadataWorld } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { metadataError } from '../errors.ts';

const LOCALIZATION = { uri: 'ipfs://cats/{id}/{locale}', default: 'en', locales: ['en', 'es', 'de'] };

onSqliteAtLeast((_, openFresh) => {
  /** A world with token 1 of `cats`, whose document has an image and names locales. */
  async function withCats(t: Parameters<typeof openFresh>[0], images = fakeImages()) {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database, { images });
    world.setResultsFor('cats');
    world.document('ipfs://cats/1', {
      name: 'Tom',
      description: 'a cat',
      image: 'ipfs://tom',
      localization: LOCALIZATION,
    });
    world.document('ipfs://cats/1/es', { name: 'Tomás' });
    world.web.images.set('ipfs://tom', Buffer.from('a picture of tom'));
    const block = await world.block(undefined, world.deploy('cats'), world.mint('cats', 1));
    return { world, block, images };
  }
  const job = async (world: MetadataWorld, kind: string) => {
    const row = await world.job('cats', '1', kind);
    return row && `${row.state} ${row.reason}`;
  };

  test('locales and image follow the document; each is best effort', async t => {
    const { world, images } = await withCats(t);
    const ran = await world.work();
    assert.deepEqual(ran.slice(0, 2), ['cats contract', 'cats 1 token']);
    assert.deepEqual(ran.slice(2).toSorted(), ['cats 1 image:', 'cats 1 locale:de', 'cats 1 locale:es']);
    const { body } = await world.nft('cats', 1);
    assert.equal(body.metadata.name, 'Tom');
    assert.match(body.metadata.cached_image, /[0-9a-f]{32}\.png$/);
    assert.match(body.metadata.cached_thumbnail_image, /[0-9a-f]{32}-thumb\.png$/);
    assert.equal(images.files.size, 2);
    const spanish = (await world.nft('cats', 1, '?locale=es')).body.metadata;
    assert.deepEqual(
      [spanish.name, spanish.description, spanish.cached_image],
      ['Tomás', 'a cat', body.metadata.cached_image],
    );
    assert.equal((await world.nft('cats', 1, '?locale=en')).body.metadata.name, 'Tom');
    assert.deepEqual((await world.nft('cats', 1, '?locale=de')).body, { error: 'Locale not found' });
    assert.equal(await job(world, 'locale:de'), 'invalid 107');
  });

  test('an image that fails costs only the cached fields', async t => {
    const { world } = await withCats(t);
    world.web.images.set('ipfs://tom', metadataError('image', 'tooLarge', 'permanent', '10 TB'));
    await world.work();
    const { status, body } = await world.nft('cats', 1);
    assert.deepEqual([status, body.metadata.name, body.metadata.cached_image], [200, 'Tom', '']);
    assert.equal(body.metadata.image, 'ipfs://tom');
    assert.equal(await job(world, 'image:'), 'invalid 102');
  });

  test('a locale with another image has it fetched too', async t => {
    const { world, images } = await withCats(t);
    world.document('ipfs://cats/1/es', { image: 'ipfs://tomas' });
    world.web.images.set('ipfs://tomas', Buffer.from('un retrato de Tomás'));
    const ran = await world.work();
    assert.ok(ran.includes('cats 1 image:es'));
    const spanish = (await world.nft('cats', 1, '?locale=es')).body.metadata;
    assert.notEqual(spanish.cached_image, (await world.nft('cats', 1)).body.metadata.cached_image);
    assert.notEqual(spanish.cached_image, '');
    assert.equal(images.files.size, 4);
  });

  test('a document that no longer names locales and images has none', async t => {
    const { world, block } = await withCats(t);
    await world.work();
    world.document('ipfs://cats/1', { name: 'Tom', image: 'ipfs://other' });
    await world.block(block, world.notify('cats', { ids: [1] }));
    await world.work();
    assert.equal((await world.nft('cats', 1)).body.metadata.cached_image, '');
    assert.deepEqual((await world.nft('cats', 1, '?locale=es')).body, { error: 'Locale not found' });
    assert.equal(await job(world, 'locale:es'), undefined);
  });

  test('a refresh keeps cached images of the same image, and locales until they are read again', async t => {
    const { world, block } = await withCats(t);
    await world.work();
    const { cached_image: cached } = (await world.nft('cats', 1)).body.metadata;
    await world.block(block, world.notify('cats', { ids: [1] }));
    await world.follow();
    const [token] = await world.queue.claim(1);
    assert.ok(token);
    await world.run(token);
    assert.equal((await world.nft('cats', 1)).body.metadata.cached_image, cached);
    assert.equal((await world.nft('cats', 1, '?locale=es')).body.metadata.name, 'Tomás');
  });

  test('of two refreshes at once the result is that of one, never of both', async t => {
    const { world, block } = await withCats(t);
    await world.work();
    let top = block;
    const seen: string[] = [];
    let read = 0;
    world.web.before = async uri => {
      if (uri !== 'ipfs://cats/1' || ++read > 1) return;
      // While the first refresh is under way, the next one is announced and the documents change.
      top = await world.block(top, world.notify('cats', { ids: [1] }));
      await world.follow();
      seen.push((await world.nft('cats', 1)).body.metadata.name);
    };
    top = await world.block(top, world.notify('cats', { ids: [1] }));
    const ran = await world.work();
    assert.deepEqual(seen, ['Tom']);
    assert.equal(ran.filter(each => each === 'cats 1 token').length, 2);
    const locales = await world.db.read(q =>
      q.all<{ locale: string }>('SELECT locale FROM metadata_documents ORDER BY locale'),
    );
    assert.deepEqual(
      locales.map(({ locale }) => locale),
      ['', 'es'],
    );
    assert.equal(await world.jobs('waiting'), 0);
  });
});
