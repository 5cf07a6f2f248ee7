/** Downloads over HTTP, from an index that moves on meanwhile. */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { test } from 'node:test';
import type { Database } from '../src/base/store/database.ts';
import { privateBytes } from '../src/operate/metrics/private-memory.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { onEveryEngine, openFreshOf } from './support/engines.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { atLength } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';
import { accountAddress } from './support/transaction-builder.ts';
import { bytes } from './support/wire-transaction.ts';

const ROWS = 1_000_000;
/** Events of a stored part. */
const OF_PART = 200;
const MOST_MEMORY = 100 * 1024 * 1024;
const BLOCKS = 20;

/** Without pages of mapped files, which the system takes back. */
const memory = (): number =>
  (process.platform === 'linux' ? privateBytes(readFileSync('/proc/self/status', 'latin1')) : undefined) ??
  process.memoryUsage().rss;

/** Further parts with the events of the first one: applying a block of a million events would take long. */
const MANY_PARTS = `
  WITH RECURSIVE parts (part) AS (SELECT 1 UNION ALL SELECT part + 1 FROM parts WHERE part < ${ROWS / OF_PART - 1})
  INSERT INTO tx_event_parts (seq, tx, part, events)
    SELECT part - 1, b.seq, part, b.events FROM parts, tx_bodies b WHERE b.events IS NOT NULL AND length(b.events) > 5000`;

/** Where a download can go on: the block, the parameter with the place, and the hash of what comes before. */
interface Cut {
  readonly at: string;
  readonly place: string;
  readonly hash: Hash;
}

function cutAt(line: string, hash: Hash): Cut {
  const { at, cursor, offset } = JSON.parse(line);
  const place = cursor == null ? `offset=${offset ?? 0}` : `cursor=${encodeURIComponent(cursor)}`;
  return { at: at.index_block_hash, place, hash };
}

test('a download of a million rows takes at most 100 MB while blocks arrive, and goes on with the same bytes', {
  skip: atLength,
}, async t => {
  const { database, cleanup } = await openFreshOf.sqlite();
  const index = await openTestIndex(database);
  const chain = new ChainBuilder('downloaded');
  const first = chain.block();
  const payment = { sender: accountAddress(9), recipient: accountAddress(7), amount: '1', memo: '' };
  const payments = Array.from({ length: OF_PART }, () => ({ type: 'stx_transfer_event', stx_transfer_event: payment }));
  const huge = chain.tx(bytes(0x04, Buffer.alloc(32)), { events: payments });
  let tip = chain.block({ parent: first, txs: [chain.coinbase(), huge] });
  await index.deliver(first.delivery, tip.delivery);
  await database.write(tx => tx.run(MANY_PARTS));
  const served = await index.listen();
  const path = `/extended/v3/transactions/${huge.txId}/events?format=ndjson`;
  /** Reads a download up to a number of rows, then breaks it off. */
  const read = async (mostRows: number, atBytes: (bytes: number) => Promise<void>, from?: Cut) => {
    const query = from ? `&at=${from.at}&${from.place}` : '';
    const url = { port: served.port, host: '127.0.0.1', path: `${path}${query}`, agent: false };
    const [response] = await once(get(url), 'response');
    let [rows, size, line] = [0, 0, ''];
    const hash = from?.hash ?? createHash('sha256');
    let cut: Cut | undefined;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      const lines = (line + chunk.toString('latin1')).split('\n');
      line = lines.pop() ?? '';
      for (const whole of lines) {
        rows++;
        if (whole.startsWith('{"at":')) cut = cutAt(whole, hash.copy());
        hash.update(`${whole}\n`);
      }
      await atBytes(size);
      if (rows >= mostRows) break;
    }
    return { rows, cut, digest: hash.digest('hex') };
  };
  await read(10_000, async () => undefined); // what every later one uses, too
  const before = memory();
  let most = before;
  let delivered = 0;
  const {
    rows,
    digest,
    cut: end,
  } = await read(Number.POSITIVE_INFINITY, async size => {
    most = Math.max(most, memory());
    if (delivered >= BLOCKS || size < delivered * 1_000_000) return;
    delivered++;
    tip = chain.block({ parent: tip });
    await index.deliver(tip.delivery);
  });
  t.diagnostic(`${rows} lines, ${Math.round((most - before) / 1024 / 1024)} MB more`);
  assert.ok(rows > ROWS, `${rows} lines: a row each, and one of each page`);
  assert.ok(delivered > 0);
  assert.ok(most - before < MOST_MEMORY, `${most - before} bytes`);
  const whole = { at: end?.at ?? '', place: 'limit=100', hash: createHash('sha256') };
  const { cut } = await read(ROWS / 2, async () => undefined, whole);
  assert.ok(cut);
  const rest = await read(Number.POSITIVE_INFINITY, async () => undefined, cut);
  assert.equal(rest.digest, digest, 'what was broken off goes on with the same bytes');
  await served.close();
  await cleanup();
});

/** A database whose reads can be stopped. */
function stoppable(database: Database) {
  let left = Number.POSITIVE_INFINITY;
  let stopped = Promise.withResolvers<void>();
  let resumed = Promise.withResolvers<void>();
  const db: Database = {
    engine: database.engine,
    create: tables => database.create(tables),
    write: work => database.write(work),
    reclaim: table => database.reclaim(table),
    close: () => database.close(),
    read: async work => {
      if (left-- === 0) {
        stopped.resolve();
        await resumed.promise;
      }
      return database.read(work);
    },
  };
  return {
    db,
    /** One read after so many others waits. @returns when it does, and what lets it go on */
    stopAfter(reads: number) {
      left = reads;
      stopped = Promise.withResolvers();
      resumed = Promise.withResolvers();
      return { stopped: stopped.promise, resume: () => resumed.resolve() };
    },
  };
}

/** What a client receives, and whether the response ended as HTTP ends it. */
async function receive(url: string): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of (await fetch(url)).body ?? [])
      text += decoder.decode(chunk as Uint8Array, { stream: true });
    return { text, isComplete: true };
  } catch {
    return { text, isComplete: false };
  }
}

onEveryEngine((engine, openFresh) => {
  test(`a fork that replaces the block of a download ends it, and names the block from which a client goes on (${engine})`, {
    skip: atLength,
  }, async t => {
    const { db, stopAfter } = stoppable(await databaseWithTables(openFresh, t));
    const index = await openTestIndex(db);
    const chain = new ChainBuilder('forked download');
    const served = await index.listen();
    t.after(() => served.close());
    let branch = chain.chain(6);
    await index.deliver(...branch.map(({ delivery }) => delivery));
    for (const form of ['ndjson', 'csv']) {
      const [common, pin] = [branch[2], branch.at(-1)];
      assert.ok(common && pin);
      const url = `http://127.0.0.1:${served.port}/extended/v3/transactions?limit=2&at=${pin.indexHash}&format=${form}`;
      const whole = await receive(url);
      assert.ok(whole.isComplete);
      const { stopped, resume } = stopAfter(2);
      const downloaded = receive(url);
      await stopped;
      const fork = chain.chain(branch.length + 1, common);
      await index.deliver(...fork.map(({ delivery }) => delivery));
      resume();
      const { text, isComplete } = await downloaded;
      assert.equal(isComplete, false, 'no client takes it for complete');
      const advice = `a fork left it above height 3. Drop what is above that height, and continue from at=${common.indexHash}`;
      const begun = text.lastIndexOf('{"error":');
      if (form === 'ndjson') {
        const { error } = JSON.parse(text.slice(begun));
        assert.deepEqual([error.statusCode, error.code], [409, 'NOT_CANONICAL']);
        assert.ok(error.message.endsWith(advice), error.message);
      }
      const rows = form === 'ndjson' ? text.slice(0, begun) : text;
      assert.equal(rows, whole.text.slice(0, rows.length), 'the rows before it are those of the block');
      const resumed = await fetch(url);
      assert.equal(resumed.status, 409);
      assert.ok(((await resumed.json()) as { message: string }).message.endsWith(advice));
      const from = await receive(url.replace(pin.indexHash, common.indexHash));
      assert.ok(from.isComplete, 'a client goes on from the block that the error names');
      branch = [...branch.slice(0, 3), ...fork];
    }
  });
});
