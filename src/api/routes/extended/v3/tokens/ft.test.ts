import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../test/support/transaction-builder.ts';

const [ANN, BEN] = [41, 42].map(accountAddress);
const TOKEN = `${accountAddress(9)}.k::tok`;
const WEEK = 7 * 86_400;

onSqliteAtLeast((engine, openFresh) => {
  test(`transfers of a token are counted over all blocks, and over those of the week before the newest (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const moving = (parent: BuiltBlock | undefined, time: number, ...moves: object[]) => {
      const tx = chain.transfer();
      const events = moves.map(data => ({
        ...{ txid: tx.txId, committed: true, type: 'ft_transfer_event' },
        ft_transfer_event: { asset_identifier: TOKEN, ...data },
      }));
      return chain.block({ ...(parent && { parent }), txs: [{ ...tx, events }], fields: { block_time: time } });
    };
    const at = 1_750_000_000;
    const first = moving(undefined, at, { sender: BEN, recipient: ANN, amount: '9' });
    const second = moving(first, at + 1, { sender: ANN, recipient: BEN, amount: '9' });
    const third = moving(second, at + WEEK + 1, ...Array(2).fill({ sender: BEN, recipient: ANN, amount: '4' }));
    await index.deliver(first.delivery, second.delivery, third.delivery);
    const totals = async (query = '', asset = TOKEN) => {
      const { body } = await index.get(`/extended/v3/tokens/ft/${encodeURIComponent(asset)}/totals${query}`);
      return [body.supply, body.holders, body.transfers.total, body.transfers.last_7d];
    };
    assert.deepEqual(await totals(), ['0', 1, 4, 3]);
    assert.deepEqual(await totals('?at=2'), ['0', 0, 2, 2]);
    assert.deepEqual(await totals('', `${TOKEN}x`), ['0', 0, 0, 0]);
  });
});
