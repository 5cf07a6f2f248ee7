import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { transferOf } from '../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';

const OWNER = 21;
const GOLD = `${accountAddress(9)}.gold::gold`;

/** The part of OWNER in a transaction. */
const PARTS = {
  sender: (chain: ChainBuilder) => chain.transfer({ from: OWNER }),
  recipient: (chain: ChainBuilder) => chain.transfer({ to: OWNER }),
  sponsor: () => transferOf({ from: 9, sponsor: { from: OWNER, nonce: sponsored++ } }),
  gold: (chain: ChainBuilder) => {
    const tx = chain.transfer({ from: 9, to: 8 });
    const moved = { asset_identifier: GOLD, amount: '3', sender: accountAddress(9), recipient: accountAddress(OWNER) };
    return { ...tx, events: [{ txid: tx.txId, committed: true, type: 'ft_transfer_event', ft_transfer_event: moved }] };
  },
  nothing: (chain: ChainBuilder) => chain.transfer({ from: 9, to: 8 }),
};
type Part = keyof typeof PARTS;
let sponsored = 0;

const IN_STX: readonly Part[] = ['sender', 'recipient', 'sponsor'];
const IN_TRANSFERS: readonly Part[] = ['sender', 'recipient', 'gold'];

onSqliteAtLeast((engine, openFresh) => {
  const pathOf = (route: string) => `/extended/v1/address/${accountAddress(OWNER)}/${route}`;

  async function idsOf(index: TestIndex, route: string, query = '') {
    const { body } = await index.get(`${pathOf(route)}${query}`);
    return {
      total: body.total,
      ids: body.results.map((record: { tx_id?: string; tx?: { tx_id: string } }) => record.tx_id ?? record.tx?.tx_id),
    };
  }

  test(`each history has what belongs to it, at every offset, up to every block, and of every block (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('histories');
    // Long runs of what one of them leaves out, and single ones.
    const plan: readonly Part[][] = [
      ['gold', 'gold', 'sender'],
      ['nothing'],
      Array.from({ length: 9 }, () => 'gold' as const),
      ['recipient', 'sponsor', 'gold', 'sponsor'],
      Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? 'gold' : 'sender')),
      ['sponsor', 'sponsor', 'sponsor', 'nothing', 'gold'],
      ['sender'],
    ];
    const mined: { readonly height: number; readonly part: Part; readonly tx: BuiltTx }[] = [];
    let parent: BuiltBlock | undefined;
    for (const [i, parts] of plan.entries()) {
      const txs = parts.map(part => ({ height: i + 1, part, tx: PARTS[part](chain) }));
      parent = chain.block({ ...(parent && { parent }), txs: txs.map(({ tx }) => tx) });
      await index.deliver(parent.delivery);
      mined.unshift(...txs.toReversed());
    }
    for (const [route, members] of [
      ['transactions', IN_STX],
      ['transactions_with_transfers', IN_TRANSFERS],
    ] as const) {
      const own = mined.filter(({ part }) => members.includes(part));
      const ids = (rows: typeof mined) => rows.map(({ tx }) => tx.txId);
      for (let offset = 0; offset <= own.length; offset += 3)
        assert.deepEqual(
          await idsOf(index, route, `?limit=4&offset=${offset}`),
          { total: own.length, ids: ids(own.slice(offset, offset + 4)) },
          `${route} from ${offset}`,
        );
      for (let height = 1; height <= plan.length; height++) {
        const until = own.filter(entry => entry.height <= height);
        assert.deepEqual(await idsOf(index, route, `?until_block=${height}&limit=50`), {
          total: until.length,
          ids: ids(until),
        });
        const within = own.filter(entry => entry.height === height);
        assert.deepEqual(await idsOf(index, route, `?height=${height}`), { total: within.length, ids: ids(within) });
      }
      for (const none of ['?height=-1', '?height=99']) assert.equal((await idsOf(index, route, none)).total, 0);
      assert.equal((await idsOf(index, route, '?until_block=99')).total, own.length);
      for (const [bad, status] of [
        ['until_block=0', 400],
        ['until_block=x', 400],
        ['until_block=3&height=3', 400],
        ['until_block=3&unanchored=true', 400],
        [`until_block=0x${'ab'.repeat(32)}`, 404],
      ] as const)
        assert.equal((await index.get(`${pathOf(route)}?${bad}`)).status, status, bad);
    }
  });

  test(`a block has all its transactions in the history of transfers, whatever the limit (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('a block');
    const txs = Array.from({ length: 30 }, () => PARTS.sender(chain));
    await index.deliver(chain.block({ txs }).delivery);
    const { body } = await index.get(`${pathOf('transactions_with_transfers')}?height=1&limit=2&offset=1`);
    assert.deepEqual([body.limit, body.offset, body.total, body.results.length], [2, 1, 30, 30]);
  });

  test(`what a transaction moved is told from the view of the principal (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('moves');
    const owner = accountAddress(OWNER);
    const tx = transferOf({ from: OWNER, fee: 5, sponsor: { from: 9, nonce: 1 } });
    const event = (type: string, fields: object) => ({ txid: tx.txId, committed: true, type, [type]: fields });
    const events = [
      event('stx_transfer_event', { sender: owner, recipient: owner, amount: '100', memo: '' }),
      event('stx_mint_event', { recipient: owner, amount: '7' }),
      event('stx_transfer_event', { sender: accountAddress(9), recipient: accountAddress(8), amount: '1', memo: '' }),
      event('ft_burn_event', { asset_identifier: GOLD, sender: owner, amount: '4' }),
      event('nft_mint_event', { asset_identifier: `${GOLD}s`, recipient: owner, raw_value: '0x0703', value: true }),
    ];
    const fromGold = PARTS.gold(chain);
    await index.deliver(chain.block({ txs: [{ ...tx, events }, fromGold] }).delivery);
    const [, { tx: record, ...moved }] = (await index.get(pathOf('transactions_with_transfers'))).body.results;
    assert.equal(record.tx_id, tx.txId);
    const stx = {
      stx_sent: '105',
      stx_received: '107',
      stx_transfers: [
        { amount: '7', sender: '', recipient: owner },
        { amount: '100', sender: owner, recipient: owner },
      ],
    };
    assert.deepEqual(moved, {
      ...stx,
      ft_transfers: [{ asset_identifier: GOLD, amount: '4', sender: owner, recipient: '' }],
      nft_transfers: [
        { asset_identifier: `${GOLD}s`, value: { hex: '0x0703', repr: '(ok true)' }, sender: '', recipient: owner },
      ],
    });
    const { body: single } = await index.get(pathOf(`${tx.txId}/with_transfers`));
    const { tx: same, ...movedStx } = single;
    assert.deepEqual([same.tx_id, movedStx], [tx.txId, stx]);
    for (const [id, status] of [
      [fromGold.txId, 404],
      [`0x${'ab'.repeat(32)}`, 404],
      ['abc', 400],
    ] as const)
      assert.equal((await index.get(pathOf(`${id}/with_transfers`))).status, status);
  });
});
