import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { replayed } from '../../../test/support/replayed.ts';
import { readTransaction, transactionV1, version1Text } from './stored.ts';

onSqliteAtLeast((engine, openFresh) => {
  it(`what is read of a stored transaction renders the text that is served unread, of every kind (${engine})`, async t => {
    const archive = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');
    const { database } = await replayed(openFresh, archive)(t);
    const rows = await database.read(queries => queries.all<{ record: string }>('SELECT record FROM txs'));
    const kinds = new Set<string>();
    for (const { record } of rows) {
      const tx = readTransaction(record);
      kinds.add(tx.payload.type);
      assert.equal(JSON.stringify(transactionV1(tx)), version1Text(record));
    }
    assert.deepEqual([...kinds].sort(), [
      'coinbase',
      'contract_call',
      'poison_microblock',
      'smart_contract',
      'tenure_change',
      'token_transfer',
    ]);
  });
});
