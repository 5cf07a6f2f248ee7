import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVENT_PARTS_OF_TXS, TX_EVENT_PARTS } from '../../src/index/transactions/tables.ts';
import { assertSameTables, canonicalTables } from '../support/chain-assertions.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { damageColumn } from '../support/damage.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { findingsIn } from '../support/findings.ts';
import { CONTRACT, largeBlock, TOKEN } from '../support/large-transactions.ts';
import { reusedDatabase } from '../support/reused-database.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { modelResponse, routeOf } from './model.ts';

const COUNTS = [0, 199, 200, 201, 1_000];

function builtChain() {
  const chain = new ChainBuilder('large');
  const first = chain.block();
  const large = largeBlock(chain, COUNTS, first);
  return { chain, first, large };
}

/** Pages at the ends of parts, and every route that reads all events of a transaction. */
function requests(txIds: readonly string[]): string[] {
  const principals = [7, 9].map(accountAddress);
  const offsets = [0, 150, 200, 980];
  return [
    ...txIds.flatMap(id => [
      ...offsets.flatMap(at => [
        `/extended/v1/tx/${id}?event_limit=100&event_offset=${at}`,
        `/extended/v1/tx/events?tx_id=${id}&limit=60&offset=${at}`,
        `/extended/v3/transactions/${id}/events?limit=60&cursor=${at}`,
        `/extended/v2/addresses/${principals[0]}/transactions/${id}/events?limit=50&offset=${at}`,
      ]),
      `/extended/v1/tx/events?tx_id=${id}&type=stx_lock,smart_contract_log&limit=100&offset=33`,
      ...principals.flatMap(principal => [
        `/extended/v1/address/${principal}/${id}/with_transfers`,
        `/extended/v3/principals/${principal}/transactions/${id}/balance-changes`,
      ]),
    ]),
    ...principals.flatMap(principal => [
      `/extended/v1/address/${principal}/transactions_with_transfers?limit=50`,
      `/extended/v3/principals/${principal}/balance-changes?${txIds.map(id => `tx_id=${id}`).join('&')}`,
      ...[0, 600].flatMap(at => [
        `/extended/v1/tx/events?address=${principal}&limit=50&offset=${at}`,
        `/extended/v1/address/${principal}/assets?limit=50&offset=${at}`,
        `/extended/v1/address/${principal}/stx_inbound?limit=50&offset=${at}`,
      ]),
      `/extended/v3/principals/${principal}/transfers/stx/inbound?limit=50`,
      `/extended/v3/principals/${principal}/transfers/stx/outbound?limit=50`,
    ]),
    `/extended/v1/tx/multiple?${txIds.map(id => `tx_id=${id}`).join('&')}&event_limit=100&event_offset=180`,
    `/extended/v3/tokens/ft/${encodeURIComponent(TOKEN)}/transfers?limit=50`,
    `/extended/v1/contract/${CONTRACT}/events?limit=50`,
  ];
}

onSqliteAtLeast((engine, openFresh) => {
  describe('transactions with many events', () => {
    const emptyDatabase = reusedDatabase(openFresh);

    test(`pages of events are those of the naive model, whichever parts they are in (${engine})`, async () => {
      const { first, large } = builtChain();
      const index = await openTestIndex(await emptyDatabase());
      const deliveries = [first.delivery, large.delivery];
      await index.deliver(...deliveries);
      for (const path of requests(large.txs.map(({ txId }) => txId))) {
        const expected = modelResponse(deliveries, path);
        const actual = await index.get(path);
        assert.equal(actual.status, expected.status, path);
        const { normalise = (body: unknown) => body } = routeOf(path)?.route ?? {};
        if (actual.status === 200)
          assert.deepEqual(normalise(actual.body), normalise(JSON.parse(JSON.stringify(expected.body))), path);
      }
    });

    test(`a fork takes all parts of their events out, and puts them back (${engine})`, async () => {
      const { chain, first, large } = builtChain();
      const [left, right] = [chain.block({ parent: first }), chain.block({ parent: large })];
      const above = chain.block({ parent: left });
      const higher = chain.block({ parent: right });
      const index = await openTestIndex(await emptyDatabase());
      await index.deliver(first.delivery, large.delivery);
      const parts = (await canonicalTables(index))[TX_EVENT_PARTS.name];
      assert.equal(parts?.length, 1 + 4);
      await index.deliver(left.delivery, above.delivery);
      const away = await canonicalTables(index);
      await index.deliver(right.delivery, higher.delivery);
      const back = (await canonicalTables(index))[TX_EVENT_PARTS.name];
      const reference = await openTestIndex(await emptyDatabase());
      await reference.deliver(first.delivery, left.delivery, above.delivery);
      const { undo_log: _, ...expected } = await canonicalTables(reference);
      const { undo_log: __, ...found } = away;
      assertSameTables(found, expected, 'while another branch is the chain');
      assert.deepEqual(back, parts);
    });

    test(`verify tells when a part of their events is damaged or gone (${engine})`, async () => {
      const { first, large } = builtChain();
      const database = await emptyDatabase();
      await (await openTestIndex(database)).deliver(first.delivery, large.delivery);
      assert.deepEqual(await findingsIn(database), []);
      const undone = new Error('taken back');
      const findings = async (damage: Parameters<typeof database.write>[0]): Promise<readonly string[]> => {
        let found: readonly string[] = [];
        const work = database.write(async tx => {
          await damage(tx);
          found = await findingsIn({ ...database, read: readWith => readWith(tx) });
          throw undone;
        });
        await assert.rejects(work, error => error === undone);
        return found;
      };
      for (const column of Object.keys(TX_EVENT_PARTS.columns))
        assert.notDeepEqual(await findings(tx => damageColumn(TX_EVENT_PARTS, column, tx)), [], column);
      const lost = await findings(async tx => {
        await tx.run('DELETE FROM tx_event_parts WHERE seq = 4');
        await tx.run(`UPDATE lists SET length = length - 1 WHERE kind = ${EVENT_PARTS_OF_TXS.code}`);
      });
      assert.ok(lost.some(text => text.includes('tx_event_parts')));
    });
  });
});
