import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ChainBuilder } from './support/chain-builder.ts';
import { type EngineName, type Fresh, onSqliteAtLeast } from './support/engines.ts';
import { LONGEST_TURN, turnsDuring } from './support/loop-turns.ts';
import { scale } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';
import { accountAddress } from './support/transaction-builder.ts';
import { bytes } from './support/wire-transaction.ts';

/** Parts of 200 events. */
const PARTS = 1_500;

/** Further parts with the events of the first one: applying a block of 300,000 events would take seconds. */
const MANY_PARTS = `
  WITH RECURSIVE parts (part) AS (SELECT 1 UNION ALL SELECT part + 1 FROM parts WHERE part < ${PARTS - 1})
  INSERT INTO tx_event_parts (seq, tx, part, events)
    SELECT part - 1, b.seq, part, b.events FROM parts, tx_bodies b WHERE b.events IS NOT NULL AND length(b.events) > 10000`;

const payer = accountAddress(9);
const chain = new ChainBuilder('huge');
const first = chain.block();
const payments = Array.from({ length: 200 }, () => ({
  type: 'stx_transfer_event',
  stx_transfer_event: { sender: payer, recipient: accountAddress(7), amount: '1', memo: '' },
}));
const huge = chain.tx(bytes(0x04, Buffer.alloc(32)), { events: payments });
const large = chain.block({ parent: first, txs: [chain.coinbase(), huge] });
const id = huge.txId;

const PATHS = [
  `/extended/v1/tx/${id}?event_limit=100&event_offset=299950`,
  `/extended/v1/tx/multiple?tx_id=${id}&event_limit=100&event_offset=150000`,
  `/extended/v1/tx/events?tx_id=${id}&limit=50&offset=250000`,
  `/extended/v1/tx/events?tx_id=${id}&type=stx_asset&limit=50&offset=250000`,
  `/extended/v1/tx/events?address=${payer}&limit=50&offset=100000`,
  `/extended/v3/transactions/${id}/events?limit=50&cursor=299900`,
  `/extended/v2/addresses/${payer}/transactions/${id}/events?limit=50`,
  `/extended/v2/addresses/${payer}/transactions?limit=50&include_events=true`,
  `/extended/v1/address/${payer}/${id}/with_transfers`,
  `/extended/v1/address/${payer}/transactions_with_transfers?limit=50`,
  `/extended/v1/address/${payer}/assets?limit=50`,
  `/extended/v3/principals/${payer}/transactions/${id}/balance-changes`,
  `/extended/v3/principals/${payer}/balance-changes?tx_id=${id}`,
  `/extended/v3/principals/${payer}/transfers/stx/outbound?limit=50`,
  `/extended/v3/stream/events?topics=principal:${payer}&after=0.0000000000.4`,
];

/** The others read their parts with the same statements: at length they are requested too, on SQLite. */
const DIFFERENT = /event_offset=299|v3\/transactions|tx_id=.*limit|with_transfers$|stream/;
const pathsOn = (engine: EngineName) =>
  engine === 'sqlite' && scale === 'all' ? PATHS : PATHS.filter(each => DIFFERENT.test(each));

onSqliteAtLeast((engine, openFresh) => {
  describe('a transaction with 300,000 events', () => {
    let fresh: Fresh;
    let served: { readonly port: number; close(): Promise<void> };

    before(async () => {
      fresh = await openFresh();
      const index = await openTestIndex(fresh.database);
      await index.deliver(first.delivery, large.delivery);
      assert.equal(await fresh.database.write(tx => tx.run(MANY_PARTS)), PARTS - 1);
      served = await index.listen();
      for (const path of pathsOn(engine)) await lengthOf(path.replaceAll(id, first.txs[1]?.txId ?? '')); // compiles
    });
    after(async () => {
      await served.close();
      await fresh.cleanup();
    });

    async function lengthOf(path: string): Promise<number> {
      const [response] = await once(get({ port: served.port, host: '127.0.0.1', path, agent: false }), 'response');
      let bytes = 0;
      for await (const chunk of response) bytes += chunk.length;
      assert.equal(response.statusCode, 200, path);
      return bytes;
    }

    for (const path of pathsOn(engine))
      test(`no turn of the event loop takes long for ${path.replace(id, 'ID')} (${engine})`, async () => {
        let longest = Number.POSITIVE_INFINITY;
        // A collection of garbage may fall into a turn: the better of two runs counts.
        for (let run = 0; run < 2 && longest >= LONGEST_TURN; run++)
          longest = Math.min(longest, (await turnsDuring(() => lengthOf(path))).longest);
        assert.ok(longest < LONGEST_TURN, `${longest} ms`);
      });

    test(`an event of the stream has at most 1 MiB of transfers: with more it has the sums, and says so (${engine})`, async () => {
      const path = `/extended/v3/stream/events?topics=principal:${payer}&after=0.0000000000.4`;
      const response = await fetch(`http://127.0.0.1:${served.port}${path}`);
      const { events } = (await response.json()) as { events: { event: string; data: Record<string, unknown> }[] };
      const told = events.find(({ event, data }) => event === 'principal-tx' && data.tx_id === id)?.data;
      assert.ok(Number(told?.stx_sent) >= 200 * PARTS, 'with the fee');
      assert.equal(told?.stx_transfers_omitted, true);
      assert.deepEqual(told?.stx_transfers, []);
      const others = events.filter(({ event, data }) => event === 'principal-tx' && data.tx_id !== id);
      for (const { data } of others) assert.ok(!('stx_transfers_omitted' in data));
    });
  });
});
