/** A list of a million rows, downloaded while blocks arrive, takes the memory of a page. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { test } from 'node:test';
import { privateBytes } from '../src/operate/metrics/private-memory.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { openFreshOf } from './support/engines.ts';
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

test('a download of a million rows takes at most 100 MB while blocks arrive', { skip: atLength }, async t => {
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
  const read = async (mostRows: number, atBytes: (bytes: number) => Promise<void>) => {
    const [response] = await once(get({ port: served.port, host: '127.0.0.1', path, agent: false }), 'response');
    let [rows, size] = [0, 0];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows++;
      await atBytes(size);
      if (rows >= mostRows) break;
    }
    return rows;
  };
  await read(10_000, async () => undefined); // what every later one uses, too
  const before = memory();
  let most = before;
  let delivered = 0;
  const rows = await read(Number.POSITIVE_INFINITY, async size => {
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
  await served.close();
  await cleanup();
});
