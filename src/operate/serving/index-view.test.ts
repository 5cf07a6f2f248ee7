import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { Database, Queries, Row } from '../../base/store/database.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { EMPTY_STATE, type IndexState } from '../../ingest/indexer/index-state.ts';
import { IndexView } from './index-view.ts';
import type { ReadableSource } from './read-source.ts';

const logger = pino({ level: 'silent' });
const away = () => new RetryableDatabaseError('CONNECTION_REFUSED', 'away');

/** A source at the position that the test sets. A query returns its name and position. */
class FakeSource implements ReadableSource {
  readonly engine = 'postgres';
  readonly name: string;
  position: number;
  /** Of its journal. */
  length = 0;
  isUp = true;
  /** Reads that fail, as those do whose snapshot another reader has ended. */
  conflicts = 0;
  /** The sharing keys that reads of the index received, in order. */
  readonly sharing: (object | undefined)[] = [];

  constructor(name: string, position: number) {
    this.name = name;
    this.position = position;
  }

  get index(): Database {
    const get = async (sql: string) => {
      const value = sql.includes("'state'") ? JSON.stringify(this.#state()) : String(this.position);
      if (sql.includes('FROM journal')) return { seq: this.length };
      return sql.includes('meta') ? { value } : { name: this.name, position: this.position };
    };
    // The view and these tests call `get` only.
    const queries = { get } as unknown as Queries;
    const read: Database['read'] = (work, sharing) => {
      this.sharing.push(sharing);
      if (this.conflicts-- > 0) return Promise.reject(new RetryableDatabaseError('CONFLICT', 'the snapshot has ended'));
      return this.isUp ? work(queries) : Promise.reject(away());
    };
    const refuse = () => Promise.reject(new Error('read only'));
    return { engine: 'postgres', create: refuse, write: refuse, reclaim: refuse, read, close: async () => {} };
  }

  get journal(): Database {
    return this.index;
  }

  get metadata(): Database {
    return this.index;
  }

  #state(): IndexState {
    return { ...EMPTY_STATE, position: this.position };
  }

  async look(): Promise<IndexState> {
    if (!this.isUp) throw away();
    return this.#state();
  }

  async close(): Promise<void> {}
}

async function viewOf(t: TestContext, sources: FakeSource[], fallback?: FakeSource): Promise<IndexView> {
  const view = await IndexView.open({ sources, logger, ...(fallback && { fallback }) });
  t.after(() => view.close());
  return view;
}

interface ApiResponse extends Row {
  name: string;
  position: number;
}

async function ask(view: IndexView): Promise<ApiResponse> {
  const row = await view.index.read(queries => queries.get<ApiResponse>('whatever'));
  return row ?? assert.fail();
}

const shown = (view: IndexView): number | undefined => view.state?.position;

const follow = (view: IndexView, position: number) => view.follow({ kind: 'index', generation: 0, position });

test('sources that show the same are read in turns', async t => {
  const sources = [new FakeSource('a', 5), new FakeSource('b', 5)];
  const view = await viewOf(t, sources);
  const names = [await ask(view), await ask(view), await ask(view), await ask(view)].map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['a', 'a', 'b', 'b']);
});

test('a source that is behind what was shown is not read until it has caught up', async t => {
  const [fast, slow] = [new FakeSource('fast', 5), new FakeSource('slow', 5)];
  const view = await viewOf(t, [fast, slow]);
  fast.position = 6;
  const followed = follow(view, 6);
  while (shown(view) !== 6) await delay(1);
  for (let i = 0; i < 4; i++) assert.equal((await ask(view)).name, 'fast');
  slow.position = 6;
  await followed;
  const names = new Set([(await ask(view)).name, (await ask(view)).name]);
  assert.deepEqual([...names].toSorted(), ['fast', 'slow']);
});

test('what is shown never goes back, whatever sources come and go', async t => {
  const sources = ['a', 'b', 'c'].map(name => new FakeSource(name, 0));
  const fallback = new FakeSource('primary', 0);
  const view = await viewOf(t, sources, fallback);
  let random = 7;
  const next = (below: number): number => {
    random = (random * 48271) % 2147483647;
    return random % below;
  };
  let highest = 0;
  for (let round = 0; round < 400; round++) {
    fallback.position += next(2);
    for (const source of sources) {
      if (next(4) === 0) source.isUp = !source.isUp;
      // As a replica does that is started again, or made anew.
      if (next(8) === 0) source.position = Math.max(0, source.position - next(9));
      if (next(2) === 0) source.position = Math.min(fallback.position, source.position + next(4));
    }
    fallback.isUp = next(5) !== 0;
    await Promise.race([follow(view, fallback.position), delay(3)]);
    const before = shown(view) ?? 0;
    assert.ok(before >= highest, `${before} after ${highest}`);
    highest = before;
    const response = await ask(view).catch(error => {
      assert.ok(error instanceof RetryableDatabaseError);
    });
    if (response)
      assert.ok(response.position >= highest, `${response.name} shows ${response.position}, ${highest} was shown`);
  }
});

test('what a response was made from is shown before anybody sees it, also when nobody has told of it', async t => {
  const [a, b] = [new FakeSource('a', 5), new FakeSource('b', 5)];
  const view = await viewOf(t, [a, b]);
  a.position = 6;
  const responses = [await ask(view), await ask(view)];
  assert.deepEqual(responses.map(({ name }) => name).toSorted()[0], 'a');
  assert.equal(shown(view), 6);
  for (let i = 0; i < 4; i++) assert.equal((await ask(view)).name, 'a', 'b shows less than was seen');
});

test('reads share a snapshot only while the same is shown', async t => {
  const source = new FakeSource('a', 5);
  const view = await viewOf(t, [source]);
  await ask(view);
  await ask(view);
  source.position = 6;
  await follow(view, 6);
  await ask(view);
  source.position = 7; // no message: the next look shows it
  await ask(view);
  await ask(view);
  const [first, second, third, fourth, fifth] = source.sharing;
  assert.ok(first !== undefined && first === second);
  assert.ok(third !== undefined && third !== second, 'a snapshot from before would be older than what is shown');
  assert.equal(fourth, third);
  assert.ok(fifth !== undefined && fifth !== fourth);
});

test('a read that fails because of another one is tried again alone', async t => {
  const source = new FakeSource('a', 5);
  const view = await viewOf(t, [source]);
  source.conflicts = 1;
  assert.equal((await ask(view)).name, 'a');
  const [first, second] = source.sharing;
  assert.ok(first !== undefined && second === undefined);
});

test('a source that shows less than it did gives no response', async t => {
  const [a, b] = [new FakeSource('a', 5), new FakeSource('b', 5)];
  const view = await viewOf(t, [a, b]);
  a.position = 3;
  for (let i = 0; i < 4; i++) assert.equal((await ask(view)).name, 'b');
});

test('the fallback is read only while no source can be', async t => {
  const [replica, primary] = [new FakeSource('replica', 5), new FakeSource('primary', 5)];
  const view = await viewOf(t, [replica], primary);
  assert.equal((await ask(view)).name, 'replica');
  replica.isUp = false;
  assert.equal((await ask(view)).name, 'primary', 'the request that finds out is answered too');
  primary.position = 7;
  await follow(view, 7);
  assert.equal(shown(view), 7);
  replica.isUp = true;
  replica.position = 6;
  const caughtUp = follow(view, 7);
  await delay(5);
  assert.equal((await ask(view)).name, 'primary', 'the replica is still behind');
  replica.position = 7;
  await caughtUp;
  assert.equal((await ask(view)).name, 'replica');
});

test('how far a replica is behind is told', async t => {
  const [replica, primary] = [new FakeSource('replica', 5), new FakeSource('primary', 9)];
  const view = await viewOf(t, [replica], primary);
  assert.deepEqual(view.replicas(), [{ isUp: true, lag: 4 }]);
  assert.equal(shown(view), 5);
  assert.equal(view.newest, 9);
});

test('when nothing can be read, requests fail in a way that may be tried again, and go on by themselves', async t => {
  const source = new FakeSource('only', 5);
  const view = await viewOf(t, [source]);
  source.isUp = false;
  await assert.rejects(ask(view), { name: 'RetryableDatabaseError' });
  source.isUp = true;
  assert.equal((await ask(view)).name, 'only');
});

test('a primary that has lost its newest transactions takes back what is shown', async t => {
  const source = new FakeSource('primary', 9);
  const view = await viewOf(t, [source]);
  source.position = 8;
  await follow(view, 8);
  assert.equal(shown(view), 8);
});

test('a primary that is behind what was shown, and has its events, is not read until they are indexed', async t => {
  const [replica, primary] = [new FakeSource('replica', 9), new FakeSource('primary', 9)];
  const view = await viewOf(t, [replica], primary);
  replica.isUp = false;
  primary.position = 8;
  primary.length = 9;
  await follow(view, 9);
  assert.equal(shown(view), 9);
  await assert.rejects(ask(view), { name: 'RetryableDatabaseError' });
  primary.position = 9;
  await follow(view, 9);
  assert.equal((await ask(view)).name, 'primary');
});

test('a process that only reads cannot write', async t => {
  const view = await viewOf(t, [new FakeSource('only', 5)]);
  await assert.rejects(
    view.index.write(async () => {}),
    { code: 'MISUSE' },
  );
});

test('a read before any index was found says that, whatever keeps the index', async t => {
  const source = new FakeSource('a', 1);
  source.isUp = false;
  const view = await viewOf(t, [source]);
  await assert.rejects(
    view.index.read(async () => undefined),
    {
      name: 'RetryableDatabaseError',
      message: 'no index can be read yet',
      hint: /^A process that writes makes the index/,
    },
  );
});
