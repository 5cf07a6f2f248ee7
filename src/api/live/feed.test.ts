import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverBlocks } from '../../../test/support/live-server.ts';
import { announced, transferOf } from '../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../base/store/database.ts';
import { readLog } from './chain.ts';
import type { LogEntry } from './entry.ts';
import { ChainFeed, type Receiver } from './feed.ts';
import { BEGINNING, type LogPosition } from './token.ts';
import { parseTopic, TopicSet } from './topics.ts';

/** Reads the log until it can join the feed, as a stream does, and keeps what it got. */
class Listener implements Receiver {
  readonly topics = new TopicSet([parseTopic('block') ?? assert.fail()]);
  readonly ids: string[] = [];
  #place: LogPosition = BEGINNING;

  async join(feed: ChainFeed, db: Database): Promise<void> {
    const most = { blocks: { content: 3, headers: 3 }, events: 3, transactions: 100, distance: 1000, ahead: 0 };
    while (!feed.join(this, this.#place)) {
      const from = this.#place;
      const { entries, to, isAtTip } = await db.read(queries =>
        readLog(queries, from, this.topics, most, () => nextTurn()),
      );
      await this.take(entries, to);
      if (isAtTip) await feed.ready();
      await nextTurn();
    }
  }

  async take(entries: readonly LogEntry[], place: LogPosition): Promise<void> {
    for (const { id } of entries) {
      await nextTurn();
      this.ids.push(id);
    }
    this.#place = place;
  }
}

test('receivers that join and leave while others are given events miss nothing, and get nothing twice', async t => {
  const database = await databaseWithTables(openFreshOf.sqlite, t);
  const index = await openTestIndex(database);
  const chain = new ChainBuilder();
  const listeners = new Set<() => void>();
  const changes = {
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const feed = new ChainFeed({ db: database, changes, pause: () => nextTurn() });
  const begin = () => {
    const listener = new Listener();
    return { listener, joined: listener.join(feed, database) };
  };
  let last = (await deliverBlocks(index, chain, 2)).at(-1);
  const started = Array.from({ length: 10 }, begin);
  await Promise.all(started.map(({ joined }) => joined));
  for (let round = 0; round < 10; round++) {
    last = (await deliverBlocks(index, chain, 2, last)).at(-1);
    for (const listener of listeners) listener();
    for (let turn = 0; turn < round; turn++) await nextTurn();
    started.push(begin());
    const leaving = started.shift()?.listener;
    if (leaving) feed.leave(leaving);
  }
  await Promise.all(started.map(({ joined }) => joined));
  const all = Array.from({ length: last?.height ?? 0 }, (_, i) => String(i + 1));
  const heightsOf = ({ ids }: Listener) => ids.map(id => id.split('.')[0]);
  for (const { listener } of started) {
    await until(() => listener.ids.length >= all.length, `a receiver has ${heightsOf(listener).join(' ')}`);
    assert.deepEqual(heightsOf(listener), all);
  }
  await feed.close();
});

test('who listens to the mempool right after another one left hears of what comes then', async t => {
  const database = await databaseWithTables(openFreshOf.sqlite, t);
  const index = await openTestIndex(database);
  await deliverBlocks(index, new ChainBuilder(), 1);
  let changed = () => {};
  const changes = {
    onChange: (listener: () => void) => {
      changed = listener;
      return () => {};
    },
  };
  // A slow read makes the scan of the mempool rest for four times as long.
  const slow: Pick<Database, 'read'> = { read: work => delay(100).then(() => database.read(work)) };
  const feed = new ChainFeed({ db: { ...database, ...slow }, changes, pause: () => nextTurn() });
  t.after(() => feed.close());
  const heard: string[] = [];
  const join = async () => {
    const receiver: Receiver = {
      topics: new TopicSet([parseTopic('mempool') ?? assert.fail()]),
      take: async entries => void heard.push(...entries.map(({ event }) => event)),
    };
    while (!feed.join(receiver, await feed.ready()));
    await feed.settled();
    return receiver;
  };
  feed.leave(await join());
  await join();
  await index.deliver(announced(transferOf({ from: 11, nonce: 0 })));
  changed();
  await until(() => heard.includes('mempool'), 'the second receiver hears nothing');
});
