import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { fakeImages, MetadataWorld } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { until } from '../../../test/support/until.ts';
import { DecodeBudget } from './image-limits.ts';
import { MetadataRunner } from './runner.ts';

const HOUR = 3_600_000;

test('a contract has an hour of its decode time at once, and its share of every hour after that', () => {
  let now = 0;
  const budget = new DecodeBudget(60_000, () => now);
  assert.ok(budget.has('a'));
  budget.spend('a', 90_000);
  assert.deepEqual([budget.has('a'), budget.has('b')], [false, true]);
  now = HOUR / 2;
  assert.equal(budget.has('a'), false);
  now += 1;
  assert.equal(budget.has('a'), true);
  now = 10 * HOUR;
  budget.spend('a', 59_000);
  assert.equal(budget.has('a'), true);
});

onSqliteAtLeast((_, openFresh) => {
  /** A world with collections whose tokens 1 to `count` have an image of 100 bytes each, stored with a thumbnail of 4. */
  async function withImages(
    t: Parameters<typeof openFresh>[0],
    names: readonly string[],
    count: number,
    options: Partial<Parameters<typeof MetadataWorld.open>[1]>,
  ) {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database, { images: fakeImages(), ...options });
    const tokens = Array.from({ length: count }, (_, at) => at + 1);
    for (const name of names) {
      world.setResultsFor(name);
      for (const id of tokens) {
        world.document(`ipfs://${name}/${id}`, { name: `${name} ${id}`, image: `ipfs://${name}-${id}` });
        world.web.images.set(`ipfs://${name}-${id}`, Buffer.from(`${name} ${id}`.padEnd(100)));
      }
    }
    await world.block(undefined, ...names.flatMap(name => [world.deploy(name), world.mint(name, ...tokens)]));
    return world;
  }
  const imagesOf = async (world: MetadataWorld, name: string, state: string) => {
    const jobs = await world.db.read(queries =>
      queries.all<{ token: string }>(
        "SELECT token FROM metadata_jobs WHERE kind = 'image:' AND contract_id = ? AND state = ?",
        [world.contract(name), state],
      ),
    );
    return jobs.length;
  };
  const logger = pino({ level: 'silent' });
  async function whileRunning(world: MetadataWorld, more: object, work: () => Promise<unknown>): Promise<void> {
    const stopping = new AbortController();
    const runner = new MetadataRunner({ ...world.context, now: Date.now, logger, ...more });
    const ended = runner.run(stopping.signal);
    try {
      await work();
    } finally {
      stopping.abort();
      await ended;
    }
  }

  test('images of a contract end at its quota, those of others go on to the quota of all', async t => {
    const images = fakeImages();
    const limits = { contractImageBytes: 350, imageBytes: 500 };
    const world = await withImages(t, ['cats', 'dogs'], 5, { images, limits });
    await world.work();
    const cats = await imagesOf(world, 'cats', 'done');
    const dogs = await imagesOf(world, 'dogs', 'done');
    assert.ok(cats <= 3 && dogs <= 3, `${cats}, ${dogs}`);
    assert.equal(cats + dogs, 4);
    assert.equal(images.files.size, 8);
    assert.equal((await world.job('cats', '1'))?.state, 'done');
  });

  test('an image that is there already is not counted again', async t => {
    const world = await withImages(t, ['cats'], 5, { limits: { tokenImageBytes: 104, contractImageBytes: 104 } });
    for (let id = 1; id <= 5; id++) world.web.images.set(`ipfs://cats-${id}`, Buffer.from('the same'.padEnd(100)));
    await world.work();
    assert.equal(await imagesOf(world, 'cats', 'done'), 5);
  });

  test('images that take for ever keep no document waiting, and one contract does not have all places', async t => {
    const asked: string[] = [];
    const { store, processor } = fakeImages();
    const askForEver = (bytes: Uint8Array) => {
      asked.push(String(bytes));
      return new Promise<never>(() => {});
    };
    const images = {
      store,
      processor: { ...processor, process: askForEver },
    };
    const world = await withImages(t, ['cats', 'dogs'], 8, { images, limits: { concurrency: 2, imageConcurrency: 2 } });
    await whileRunning(world, {}, async () => {
      await until(async () => (await world.jobs('done')) === 18 && asked.length === 2, 'documents wait');
    });
    assert.deepEqual(asked.map(text => text.slice(0, 4)).toSorted(), ['cats', 'dogs']);
  });

  test('a contract that has used up its decode time waits, and others do not', async t => {
    const { store, processor } = fakeImages();
    const slow = /^cats/;
    const images = {
      store,
      budget: new DecodeBudget(60_000, Date.now),
      processor: {
        ...processor,
        process: (bytes: Uint8Array, signal?: AbortSignal, spent?: (ms: number) => void) => {
          if (slow.test(String(bytes))) spent?.(100_000);
          return processor.process(bytes, signal);
        },
      },
    };
    const world = await withImages(t, ['cats', 'dogs'], 6, { images });
    await whileRunning(world, {}, () =>
      until(async () => (await imagesOf(world, 'dogs', 'done')) === 6, 'the other contract waits'),
    );
    assert.ok((await imagesOf(world, 'cats', 'done')) <= 1);
    assert.ok((await imagesOf(world, 'cats', 'waiting')) >= 5);
  });

  test('below the floor of free disk space nothing is fetched, above it all of it', async t => {
    const world = await withImages(t, ['cats'], 2, {});
    let [free, looks] = [0, 0];
    const freeBytes = async () => {
      looks++;
      return free;
    };
    await whileRunning(world, { freeBytes }, async () => {
      await until(async () => looks >= 2, 'nobody looks at the disk');
      assert.deepEqual([world.node.calls.length, world.web.requests.length, await world.jobs('done')], [0, 0, 0]);
      free = world.limits.freeBytes;
      await until(async () => (await world.jobs('done')) === 5, 'nothing is fetched');
    });
  });
});
