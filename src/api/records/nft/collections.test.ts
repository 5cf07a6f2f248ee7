import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleMove } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';

const assetOf = (name: string): string => `${accountAddress(9)}.art::${name}`;
const [ALICE, BOB] = [2, 3].map(accountAddress) as [string, string];
const token = (id: number): string => toHex(encodeClarityUint(id));

type Move = readonly [asset: string, id: number, from: string | null, to: string | null];

onSqliteAtLeast((_engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const mine = async (parent: BuiltBlock | undefined, ...moves: Move[]): Promise<BuiltBlock> => {
      const tx = chain.transfer();
      const events = moves.map(([asset, id, from, to]) => ({
        txid: tx.txId,
        committed: true,
        ...sampleMove(assetOf(asset), token(id), from, to),
      }));
      const block = chain.block({ ...(parent && { parent }), txs: [chain.coinbase(), { ...tx, events }] });
      await index.deliver(block.delivery);
      return block;
    };
    const list = async (path = '') => (await index.get(`/extended/v3/tokens/nft${path}`)).body;
    const collections = async () =>
      (await list()).results.map(
        ({ asset_identifier, items, owners, mints }: Record<string, unknown>) =>
          `${String(asset_identifier).split('::')[1]}: ${items} ${owners} ${mints}`,
      );
    return { index, mine, list, collections };
  };

  test('a collection counts the tokens that exist and their owners, and keeps its place when all are burned', async t => {
    const { index, mine, list, collections } = await open(t);
    const first = await mine(undefined, ['ape', 1, null, ALICE], ['ape', 2, null, ALICE], ['cat', 1, null, ALICE]);
    assert.deepEqual(await collections(), ['cat: 1 1 1', 'ape: 2 1 2']);
    const second = await mine(first, ['ape', 2, ALICE, BOB], ['cat', 1, ALICE, null]);
    assert.deepEqual(await collections(), ['ape: 2 2 2', 'cat: 0 0 1']);
    assert.equal((await list(`/${encodeURIComponent(assetOf('cat'))}`)).items, 0);
    assert.equal((await index.get(`/extended/v3/tokens/nft/${encodeURIComponent(assetOf('dog'))}`)).status, 404);
    // A token that stays with its owner, and one whose mint is unknown, count once.
    await mine(second, ['ape', 2, BOB, BOB], ['ape', 3, ALICE, BOB]);
    assert.deepEqual(await collections(), ['ape: 3 2 2', 'cat: 0 0 1']);
  });

  test('a fork takes back what it brought to a collection', async t => {
    const { mine, list, collections } = await open(t);
    const first = await mine(undefined, ['ape', 1, null, ALICE]);
    await mine(first, ['ape', 2, null, BOB], ['cat', 1, null, BOB]);
    assert.deepEqual([(await list()).total, await collections()], [2, ['ape: 2 2 2', 'cat: 1 1 1']]);
    await mine(await mine(first));
    assert.deepEqual([(await list()).total, await collections()], [1, ['ape: 1 1 1']]);
  });

  test('cursors lead through collections and through items, forth and back', async t => {
    const { mine, list } = await open(t);
    await mine(undefined, ...[1, 2, 3, 4, 5].map((id): Move => [`a${id}`, 1, null, id > 2 ? BOB : ALICE]));
    const last = await list(`?limit=2&cursor=1:${encodeURIComponent(assetOf('a3'))}`);
    assert.deepEqual(
      last.results.map((each: { asset_identifier: string }) => each.asset_identifier),
      ['a3', 'a2'].map(assetOf),
    );
    assert.deepEqual(last.cursor, {
      next: `1:${assetOf('a1')}`,
      previous: `1:${assetOf('a5')}`,
      current: `1:${assetOf('a3')}`,
    });
    const items = await list(`/${encodeURIComponent(assetOf('a3'))}/items?cursor=0x01`);
    assert.deepEqual([items.total, items.results], [1, [{ value: { hex: token(1), repr: 'u1' }, owner: BOB }]]);
    const behind = await list(`/${encodeURIComponent(assetOf('a3'))}/items?cursor=0x02`);
    assert.deepEqual([behind.results, behind.cursor.previous], [[], token(1)]);
  });
});
