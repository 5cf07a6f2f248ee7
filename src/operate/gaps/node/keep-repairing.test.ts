import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { before, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { openPlace, type Place } from '../../../../test/support/places.ts';
import {
  beginningsOfTenures,
  blocksOfClassA,
  chainOfNode,
  type KnownToNode,
  NODE_TOKEN,
  startReplayingNode,
  type Tamper,
  withoutBlocks,
} from '../../../../test/support/replaying-node.ts';
import { todaysEvents } from '../../../../test/support/todays-chain.ts';
import { until } from '../../../../test/support/until.ts';
import type { Database } from '../../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../../index/index-schema.ts';
import { readGaps } from '../../../ingest/indexer/gaps.ts';
import { Indexer } from '../../../ingest/indexer/indexer.ts';
import { Journal } from '../../../ingest/journal/journal.ts';
import type { NewBlock } from '../../../ingest/node/events/block.ts';
import { openIndexToRead, openStorage } from '../../storage/storage.ts';
import { DEFAULT_NODE_ACCESS, RepairClient } from './client.ts';
import { keepRepairing, type RepairOutcome } from './keep-repairing.ts';

const events = todaysEvents();
const [block = assert.fail()] = blocksOfClassA(events);
const [beginning = assert.fail()] = beginningsOfTenures(events).filter(
  ({ index_block_hash: hash }) => hash !== block.parent_index_block_hash,
);

let chain: ReadonlyMap<string, KnownToNode>;
before(async () => {
  chain = await chainOfNode(events);
});

/** Repairs a place that lacks a block, with an indexer that applies what is added. */
async function start(t: TestContext, target: Place, missing: readonly NewBlock[], tamper?: Tamper) {
  const storage = await openStorage(target);
  const journal = new Journal(storage.journalDb);
  await journal.append(withoutBlocks(events, missing));
  const silent = pino({ level: 'silent' });
  const schema = INDEX_SCHEMA;
  const indexer = new Indexer({ db: storage.indexDb, journal, chainId: target.chainId, schema, logger: silent });
  await indexer.catchUp();
  const node = await startReplayingNode(t, chain, tamper);
  const stopping = new AbortController();
  const { signal } = stopping;
  const outcomes: RepairOutcome[] = [];
  const log: string[] = [];
  let rounds = 0;
  const access = { ...DEFAULT_NODE_ACCESS, url: node.url, token: NODE_TOKEN, pauseMs: 0, retryMs: 0 };
  const running = keepRepairing(
    {
      journalDb: countingReads(storage.journalDb, () => rounds++),
      openIndex: () => openIndexToRead(storage),
      chainId: target.chainId,
      cycles: undefined,
      clients: [new RepairClient(access, signal)],
      delayMs: 1,
    },
    {
      add: async deliveries => {
        await journal.append(deliveries);
        await indexer.catchUp();
      },
      onOutcome: outcome => outcomes.push(outcome),
      logger: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
      signal,
    },
  );
  const stop = async () => {
    stopping.abort();
    await running;
  };
  t.after(async () => {
    await stop();
    await storage.close();
  });
  const gaps = () => storage.indexDb.read(readGaps);
  /** Waits until it has looked at the gaps some more times. */
  const someRounds = () => {
    const wanted = rounds + 6;
    return until(() => rounds >= wanted, 'it does not look');
  };
  return { outcomes, log, gaps, stop, journal, node, someRounds };
}

/** A database whose reads are counted: each round begins with one. */
const countingReads = (database: Database, onRead: () => void): Database =>
  new Proxy(database, {
    get: (target, name) => {
      if (name === 'read') onRead();
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

onSqliteAtLeast((engine, openFresh) => {
  test(`a node that is busy, lies or is cut off costs attempts, which end after ten, and nothing is stored (${engine})`, async t => {
    const tampers: readonly Tamper[] = [
      path => (path === '/v2/info' ? (response: ServerResponse) => void response.destroy() : undefined),
      path => (path.startsWith('/v3/blocks/') ? Buffer.from('no block') : undefined),
      path =>
        path === `/v3/blocks/${block.index_block_hash.slice(2)}`
          ? (response: ServerResponse) => void response.writeHead(404).end()
          : undefined,
    ];
    const place = await openPlace(openFresh, t);
    for (const tamper of tampers) {
      const { outcomes, log, gaps, stop, journal } = await start(t, place, [block], tamper);
      const length = await journal.length();
      await until(() => log.some(line => line.includes('no further attempt')), 'the attempts do not end');
      await stop();
      assert.deepEqual(
        outcomes,
        Array.from({ length: 10 }, () => 'failed'),
      );
      assert.equal((await gaps()).length, 1);
      assert.equal(await journal.length(), length);
    }
  });

  test(`a block that is not of class A is refused once, with the reason, and others are rebuilt (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const { outcomes, log, gaps, stop, someRounds } = await start(t, place, [block, beginning]);
    await until(() => outcomes.length === 2, 'they are not tried');
    assert.deepEqual(outcomes.toSorted(), ['rebuilt', 'refused']);
    const refusals = () => log.filter(line => line.includes('is not rebuilt'));
    assert.match(refusals().join(), /a tenure begins/);
    await someRounds();
    await stop();
    assert.equal(refusals().length, 1);
    assert.deepEqual(
      (await gaps()).map(({ missingParent }) => missingParent),
      [beginning.index_block_hash],
    );
  });

  test(`while an archive is loaded nothing is repaired, as it may have the block (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const storage = await openStorage(place);
    await new Journal(storage.journalDb).beginLoads(['/archive.zst']);
    await storage.close();
    const { outcomes, node, journal, someRounds } = await start(t, place, [block]);
    await someRounds();
    assert.deepEqual([outcomes, node.seen], [[], []]);
    await journal.beginLoads([]);
    await until(() => outcomes.length > 0, 'it is not repaired afterwards');
    assert.deepEqual(outcomes, ['rebuilt']);
  });
});
