import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { scratch } from '../../../test/support/workspace-tables.ts';
import { u64 } from '../../base/lib/number-bytes.ts';
import { LIST_COUNTERS, LISTS } from '../../ingest/indexer/tables.ts';
import { Workspace } from '../../ingest/indexer/workspace.ts';
import { BUSY } from './combined-lists.ts';
import { extendFeeLists, feePath, wholeLength } from './fee-lists.ts';
import { FEE_TXS, LIST_TXS, TXS, TXS_BY_SENDER } from './tables.ts';

const MOST = 2n ** 64n - 1n;
const fees = fc.oneof(fc.bigInt({ min: 0n, max: 5_000n }), fc.bigInt({ min: 0n, max: MOST }));

test('paths of fees sort as fees do, and each fee has one of its own', () => {
  fc.assert(
    fc.property(fees, fees, (a, b) => {
      const [x, y] = [feePath(u64(a)), feePath(u64(b))];
      assert.equal(x < y, a < b);
      assert.equal(x === y, a === b);
    }),
  );
});

test('the beginning of a path tells how long it is', () => {
  for (const fee of [0n, 1n, 2n, 3n, 16n, 17n, 31n, 32n, 3_000n, 2n ** 63n, MOST]) {
    const path = feePath(u64(fee));
    assert.equal(wholeLength(path.slice(0, 2)), path.length, String(fee));
  }
  assert.deepEqual(
    [0n, 1n, 3n, 17n, 3_000n].map(fee => feePath(u64(fee))),
    ['00', '01', '028', '051', '12770'],
  );
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a list that becomes busy writes entries, not the rows of state that change again (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([LISTS, LIST_COUNTERS, LIST_TXS, TXS]);
    await scratch(database, async tx => {
      const workspace = new Workspace([], [TXS_BY_SENDER, FEE_TXS]);
      workspace.attach(tx);
      await workspace.loadLists(TXS_BY_SENDER, ['sender']);
      for (let i = 0; i < BUSY; i++) workspace.append(TXS_BY_SENDER, 'sender', { tx: i });
      const list = workspace.listId(TXS_BY_SENDER, 'sender');
      await extendFeeLists(workspace, [{ list, place: BUSY - 1, tx: BUSY - 1, path: feePath(u64(300n)) }]);
      const written = await tx.get(
        'SELECT (SELECT count(*) FROM list_txs) AS entries, (SELECT count(*) FROM lists) AS state',
      );
      assert.deepEqual(written, { entries: BUSY, state: 0 });
    });
  });
});
