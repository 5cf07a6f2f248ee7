import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Database } from '../../base/store/database.ts';
import type { UnreadWatch } from '../http/unread.ts';
import type { ChainFeed } from './feed.ts';
import { DEFAULT_LIVE_LIMITS } from './limits.ts';
import type { Replays } from './replays.ts';
import { Stream } from './stream.ts';
import { BEGINNING } from './token.ts';
import type { TopicSet } from './topics.ts';

test('a stream whose readings make no progress pauses in each of them, so that it cannot hold the event loop', async () => {
  const response = Object.assign(new EventEmitter(), { writableLength: 0, socket: null });
  let [readings, pauses] = [0, 0];
  const db = {
    read: async () => {
      if (++readings === 20) response.emit('close');
      return { entries: [], to: BEGINNING, isAtTip: false };
    },
  };
  const stream = new Stream(
    {
      ...{ limits: DEFAULT_LIVE_LIMITS, payload: undefined, heartbeat: 15, client: '127.0.0.1' },
      db: db as unknown as Database,
      feed: { join: () => false, leave: () => {} } as unknown as ChainFeed,
      response: response as unknown as ServerResponse,
      topics: {} as TopicSet,
      replays: { run: (_client: string, _hasLeft: unknown, read: () => unknown) => read() } as unknown as Replays,
      unread: { watch: () => ({ fits: () => true, release: () => {} }) } as unknown as UnreadWatch,
      pause: () => {
        pauses++;
        return undefined;
      },
      untilKnown: async () => {},
      onDrop: () => {},
    },
    BEGINNING,
  );
  await stream.run('{}', undefined);
  assert.deepEqual([readings, pauses], [20, 20]);
});
