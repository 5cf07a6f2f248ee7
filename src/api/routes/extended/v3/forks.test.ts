import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import type { Row, SqlValue } from '../../../../base/store/database.ts';
import { fatesOf } from '../../../records/forks/fates.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`a branch is a fork while another is the chain, and each has its turn (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [a, b] = [chain.block(), chain.block()];
    await index.deliver(a.delivery);
    assert.equal((await index.get('/extended/v3/forks')).body.total, 0);
    await index.deliver(b.delivery);
    const ids = async () => (await index.get('/extended/v3/forks')).body.results.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(), [b.indexHash]);
    const b2 = chain.block({ parent: b });
    await index.deliver(b2.delivery);
    assert.deepEqual(await ids(), [a.indexHash]);
    const a2 = chain.block({ parent: a });
    const a3 = chain.block({ parent: a2 });
    await index.deliver(a2.delivery, a3.delivery);
    assert.deepEqual(await ids(), [b.indexHash]);
    const { body } = await index.get(`/extended/v3/forks/${b2.hash}`);
    assert.deepEqual([body.id, body.fork_point, body.block_count, body.last_height], [b.indexHash, null, 2, 2]);
    assert.deepEqual(
      body.blocks.map((block: { replaced_by: { index_hash: string } }) => block.replaced_by.index_hash),
      [a.indexHash, a2.indexHash],
    );
    assert.equal((await index.get(`/extended/v3/forks/${a.hash}`)).status, 404);
  });

  test(`blocks of a fork that wait for their parent are in none until it comes (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const [lost, kept] = [chain.block({ parent: first }), chain.block({ parent: first })];
    const above = chain.block({ parent: lost });
    const tip = chain.block({ parent: chain.block({ parent: kept }) });
    await index.deliver(first.delivery, kept.delivery, above.delivery, tip.delivery);
    assert.equal((await index.get('/extended/v3/forks')).body.total, 0);
    await index.deliver(lost.delivery);
    const { results } = (await index.get('/extended/v3/forks')).body;
    assert.deepEqual(
      results.map((fork: { id: string; block_count: number }) => [fork.id, fork.block_count]),
      [[kept.indexHash, 1]],
    );
  });

  test(`each transaction of a fork says where it is now: mined again, waiting, or gone (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const [coinbase, again, waits] = [chain.coinbase(), chain.transfer(), transferOf({ from: 41 })];
    const lost = chain.block({ parent: first, txs: [coinbase, again, waits] });
    const other = chain.block({ parent: first, txs: [chain.coinbase(), again] });
    const tip = chain.block({ parent: other });
    await index.deliver(first.delivery, announced(waits), lost.delivery, other.delivery, tip.delivery);
    const { body } = await index.get(`/extended/v3/forks/${lost.indexHash}`);
    assert.deepEqual(
      body.transactions.map((tx: { tx_id: string; status: string; mined_in: { index_hash: string } | null }) => [
        tx.tx_id,
        tx.status,
        tx.mined_in?.index_hash,
      ]),
      [
        [coinbase.txId, 'gone', undefined],
        [again.txId, 'mined', other.indexHash],
        [waits.txId, 'pending', undefined],
      ],
    );
  });

  test(`of a lost block with very many transactions no more are read than are told of (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const first = chain.block();
    const lost = chain.block({ parent: first, txs: Array.from({ length: 450 }, () => chain.transfer()) });
    const other = chain.block({ parent: first });
    const tip = chain.block({ parent: other });
    await index.deliver(first.delivery, lost.delivery, other.delivery, tip.delivery);
    const { blocks, transactions } = (await index.get(`/extended/v3/forks/${lost.indexHash}`)).body;
    assert.equal(transactions.length, 200);
    let most = 0;
    await database.read(queries =>
      fatesOf(
        {
          get: (sql, params) => queries.get(sql, params),
          async all<R extends Row>(sql: string, params?: readonly SqlValue[]) {
            const rows = await queries.all<R>(sql, params);
            most = Math.max(most, rows.length);
            return rows;
          },
        },
        blocks,
      ),
    );
    assert.equal(most, 200);
  });
});
