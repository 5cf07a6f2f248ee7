/** Statements of a page that wait for each other: on PostgreSQL each round is a way to the server and back, which costs more than a short statement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queries } from '../../src/base/store/database.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { sampleDeploy, sampleFunction, sampleMove, samplePrint } from '../support/sample-contracts.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';

/** The same database. Statements that are sent in one turn of the event loop are one round. */
function counted(database: Database): { readonly database: Database; rounds(): number } {
  let rounds = 0;
  let isOpen = false;
  const sent = async () => {
    if (!isOpen) rounds++;
    isOpen = true;
    await nextTurn();
    isOpen = false;
  };
  const over = (queries: Queries): Queries => ({
    all: async (sql, params) => {
      await sent();
      return queries.all(sql, params);
    },
    get: async (sql, params) => {
      await sent();
      return queries.get(sql, params);
    },
  });
  return {
    database: { ...database, read: (work, sharing) => database.read(queries => work(over(queries)), sharing) },
    rounds: () => rounds,
  };
}

test('pages of one record, and of a list by its name, read all that they need at once', async t => {
  const { database, rounds } = counted(await databaseWithTables(openFreshOf.sqlite, t));
  const index = await openTestIndex(database);
  const chain = new ChainBuilder();
  const deploy = sampleDeploy(chain, 'vault', { functions: [sampleFunction('get-name')] });
  const first = chain.block({ txs: [deploy] });
  await index.deliver(first.delivery);
  const contract = (await index.get(`/extended/v1/tx/${deploy.txId}`)).body.smart_contract.contract_id;
  const alice = accountAddress(9);
  const events = [samplePrint(contract, '0x0703'), sampleMove(`${contract}::cat`, '0x0703', null, alice)];
  const call = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), { events });
  const second = chain.block({ parent: first, txs: [call] });
  await index.deliver(second.delivery);
  const pages = [
    '/extended/v2/blocks/2',
    '/extended/v2/burn-blocks/latest',
    `/extended/v1/tx/${call.txId}`,
    `/extended/v1/tx/${call.txId}/raw`,
    `/extended/v1/contract/${contract}`,
    `/extended/v1/contract/${contract}/events`,
    `/extended/v2/addresses/${alice}/transactions/${call.txId}/events`,
    `/extended/v1/tokens/nft/mints?asset_identifier=${contract}::cat`,
  ];
  for (const page of pages) {
    const before = rounds();
    const { status, body } = await index.get(page);
    assert.equal(status, 200, page);
    assert.notEqual(body.total, 0, page);
    assert.equal(rounds() - before, 1, page);
  }
});
