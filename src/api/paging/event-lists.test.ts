import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';

const [ANNE, BEN] = [accountAddress(41), accountAddress(42)];
const GOLD = `${accountAddress(9)}.mint::gold`;
const LAST = 2147483647;

/** A transaction that moves a token and an STX to each of these, in turn. */
const moving = (tx: BuiltTx, ...recipients: readonly string[]): BuiltTx => ({
  ...tx,
  events: recipients.flatMap((recipient, i) => [
    event(tx, 2 * i, 'ft_mint_event', { asset_identifier: GOLD, amount: '1', recipient }),
    event(tx, 2 * i + 1, 'stx_mint_event', { amount: '1', recipient }),
  ]),
});

const event = (tx: BuiltTx, event_index: number, type: string, moved: object) => ({
  txid: tx.txId,
  event_index,
  committed: true,
  type,
  [type]: moved,
});

const LISTS = {
  'of a principal and a token, which is sought': `/extended/v3/principals/${ANNE}/transfers/ft/${encodeURIComponent(GOLD)}`,
  'of a principal, which is counted': `/extended/v3/principals/${ANNE}/transfers/stx/inbound`,
};

onSqliteAtLeast((_engine, openFresh) => {
  for (const [list, path] of Object.entries(LISTS)) {
    test(`height:0:0:0 is the whole block, unless the list ${list} has a row at that place`, async t => {
      const index = await openTestIndex(await databaseWithTables(openFresh, t));
      const chain = new ChainBuilder();
      const one = chain.block({ txs: [moving(chain.transfer(), ANNE, ANNE), moving(chain.transfer(), ANNE)] });
      const two = chain.block({ parent: one, txs: [moving(chain.transfer(), ANNE)] });
      const streamed = chain.microblocks(two, [
        [moving(chain.transfer(), path.includes('/ft/') ? ANNE : BEN, ANNE)],
        [moving(chain.transfer(), ANNE)],
      ]);
      await index.deliver(one.delivery, two.delivery, chain.stream(two, streamed));
      const current = async (cursor: string) => {
        const { status, body } = await index.get(`${path}?limit=1&cursor=${cursor}`);
        return status === 200 ? body.cursor.current : body.message;
      };
      const first = path.includes('/ft/') ? 0 : 1;
      assert.equal(await current('1:0:0:0'), `1:${LAST}:1:${first}`);
      assert.equal(await current('1:0:0:1'), null, 'a place before the block');
      assert.equal(await current('2:0:0:0'), `2:${LAST}:0:${first}`);
      assert.equal(await current('3:0:0:0'), first === 0 ? '3:0:0:0' : '3:1:0:1');
      assert.equal(await current(`9:${LAST}:32767:${LAST}`), `3:1:0:${first}`);
      assert.equal(await current(`1:${LAST}:0`), `1:${LAST}:0:${first + 2}`, 'the whole transaction');
      assert.equal(await current(`1:${LAST}:0:2:0`), `1:${LAST}:0:${first === 0 ? 2 : 1}`);
    });
  }

  test('a number of an event that no place has is refused, in a list of nothing too', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    await index.deliver(chain.block({ txs: [moving(chain.transfer(), ANNE)] }).delivery);
    const paths = [...Object.values(LISTS), `/extended/v3/tokens/nft/${encodeURIComponent(GOLD)}/1/history`];
    for (const path of [...paths, '/extended/v3/staking/bonds/7/events']) {
      for (const cursor of [
        `${LAST + 1}:0:0:0`,
        `1:${LAST + 1}:0:0`,
        '1:0:32768:0',
        `1:0:0:${LAST + 1}`,
        `${'9'.repeat(400)}:0:0:0`,
      ]) {
        const { status, body } = await index.get(`${path}?cursor=${cursor}`);
        assert.deepEqual([status, body.message], [400, `Cursor value out of range: ${cursor}`], path);
      }
    }
    for (const members of ['allowlist', 'registrations'])
      assert.equal(
        (await index.get(`/extended/v3/staking/bonds/7/${members}?cursor=${'9'.repeat(30)}:0:0`)).status,
        200,
      );
  });
});
