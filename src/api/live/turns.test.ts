/** Clients that read a long log from afar, or many that get the same event: probes and other clients are answered in between. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { TestEventSource } from '../../../test/support/event-source.ts';
import { deliverBlocks } from '../../../test/support/live-server.ts';
import { LONGEST_TURN, turnsDuring } from '../../../test/support/loop-turns.ts';
import { scale } from '../../../test/support/scale.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { PATIENCE_MS } from '../../../test/support/until.ts';
import type { Database } from '../../base/store/database.ts';

const BLOCKS = 20;
const TRANSACTIONS = 20_000;
/** No list has its transactions: all of the chain must be read. */
const NEVER = 'nft:ST000000000000000000002AMW42H.nothing::never';
const FROM_THE_BEGINNING = `topics=${encodeURIComponent(NEVER)}&after=0.0000000000.4`;

/** A server over blocks that have 20,000 transactions together. */
let served: Awaited<ReturnType<typeof serveLongLog>>;
before(async () => {
  served = await serveLongLog();
  // Code that runs for the first time is compiled: that is not what is measured.
  const source = await served.open();
  await source.has('block-end', BLOCKS);
  source.close();
});
after(() => served.close());

async function serveLongLog() {
  const { database, cleanup } = await openFreshOf.sqlite();
  const counted = countStatements(database);
  const index = await openTestIndex(counted, {
    limits: { maxStreamsPerAddress: 100, maxShare: 1 },
    liveLimits: { pingInterval: PATIENCE_MS, maxStall: PATIENCE_MS },
  });
  await deliverBlocks(index, new ChainBuilder(), BLOCKS);
  await multiply(database);
  const { port, close: closeServer } = await index.listen();
  const open = () => TestEventSource.open(port, `/extended/v3/stream?${FROM_THE_BEGINNING}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  const get = async (path: string): Promise<any> => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  const close = async () => {
    await closeServer();
    await cleanup();
  };
  return { open, get, close, statements: () => counted.statements };
}

/** Makes the log long without indexing 20,000 transactions: each block gets copies of the first transfer. */
const multiply = (database: Database): Promise<void> =>
  database.write(async tx => {
    const each = TRANSACTIONS / BLOCKS;
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 2 * ${BLOCKS} UNION ALL SELECT i + 1 FROM n WHERE i < ${TRANSACTIONS - 1})`;
    const columns = 'tx_id, height, type, burn_time, fee, nonce, sender, recipient, contract, function, record';
    await tx.run(`INSERT INTO txs (seq, ${columns}) ${numbers} SELECT i, ${columns} FROM n, txs WHERE seq = 1`);
    await tx.run(
      `INSERT INTO tx_bodies (seq, events, raw) ${numbers} SELECT i, events, raw FROM n, tx_bodies WHERE seq = 1`,
    );
    await tx.run(`UPDATE blocks SET first_tx = seq * ${each}, tx_rows = ${each}`);
  });

function countStatements(database: Database): Database & { readonly statements: number } {
  let statements = 0;
  return {
    ...database,
    get statements() {
      return statements;
    },
    read: (work, sharing) =>
      database.read(
        queries =>
          work({
            all: (sql, params) => {
              statements++;
              return queries.all(sql, params);
            },
            get: (sql, params) => {
              statements++;
              return queries.get(sql, params);
            },
          }),
        sharing,
      ),
  };
}

for (const [count, blocks] of [
  ...(scale === 'short'
    ? []
    : ([
        [1, BLOCKS],
        [3, BLOCKS],
      ] as const)),
  [20, 1],
] as const) {
  test(`while ${count} streams read on from far back, no turn takes long and others are answered in between`, async () => {
    const { open, get } = served;
    let isOver = false;
    let answered = 0;
    const { longest } = await turnsDuring(async () => {
      const sources = await Promise.all(Array.from({ length: count }, open));
      const others = (async () => {
        for (; !isOver; answered++) await get('/extended');
      })();
      for (const source of sources) await source.has('block-end', blocks);
      isOver = true;
      await others;
      for (const source of sources) source.close();
    });
    assert.ok(longest <= LONGEST_TURN, `${longest} ms of CPU in one turn`);
    assert.ok(answered >= 10, `${answered} requests were answered`);
  });
}

test('readings end when their clients disconnect', async () => {
  const { open, get, statements } = served;
  const { longest } = await turnsDuring(async () => {
    const sources = await Promise.all(Array.from({ length: 10 }, open));
    for (const source of sources) source.close();
    await get('/extended');
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    const before = statements();
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    assert.equal(statements(), before);
  });
  assert.ok(longest <= LONGEST_TURN, `${longest} ms of CPU in one turn`);
});

test('a page of events reads at most 10,000 transactions, in turns, and the next one goes on', async () => {
  const ids: string[] = [];
  let pages = 0;
  const { longest } = await turnsDuring(async () => {
    for (let next = '0.0000000000.4', isAtTip = false; !isAtTip; pages++) {
      const path = `/extended/v3/stream/events?topics=${encodeURIComponent(NEVER)}&after=${next}`;
      const { events, ...more } = await served.get(path);
      for (const { id } of events) ids.push(id);
      ({ next, at_tip: isAtTip } = more);
    }
  });
  assert.ok(longest <= LONGEST_TURN, `${longest} ms of CPU in one turn`);
  assert.equal(new Set(ids).size, BLOCKS);
  assert.equal(ids.length, BLOCKS);
  assert.equal(pages, 2);
});

test('where lists have all transactions of the topics, no others are read', async () => {
  const before = served.statements();
  const topics = 'principal:ST000000000000000000002AMW42H,contract-log:ST000000000000000000002AMW42H.nothing';
  const { events } = await served.get(`/extended/v3/stream/events?topics=${topics}&after=0.0000000000.4`);
  assert.equal(events.length, BLOCKS);
  const statements = served.statements() - before;
  assert.ok(statements < BLOCKS, `${statements} statements`);
});
