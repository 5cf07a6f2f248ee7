import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { AAA, COIN, openTokenChain, ZOO } from '../../../../test/support/token-chain.ts';
import { looksOf } from './lookalikes.ts';

const isAlike = (a: string, b: string): boolean => looksOf(a).some(look => looksOf(b).includes(look));

test('texts look alike in any letter case, with letters of other alphabets, digits for letters and what nobody sees', () => {
  for (const other of ['SBTC', 'ѕВТС', 'sBТC', ' sBTC ', 's\u200bBTC', 'ｓＢＴＣ'])
    assert.ok(isAlike('sBTC', other), other);
  for (const [a, b] of [
    ['AMI', 'ami'],
    ['USD1', 'USDl'],
    ['USD1', 'USDI'],
    ['G0LD', 'gold'],
  ] as const)
    assert.ok(isAlike(a, b), `${a} ${b}`);
  for (const other of ['sBTD', 'BTC', 'sBTC2', '', '\u200b']) assert.ok(!isAlike('sBTC', other), other);
  assert.ok(!isAlike('', ''));
});

onSqliteAtLeast((engine, openFresh) => {
  test(`tokens that look like one are listed with it, the oldest first, and its page says so (${engine})`, async t => {
    const { index, metadata } = await openTokenChain(openFresh, t);
    const likes = async (contract: string, query = '') => {
      const { status, body } = await index.get(`/metadata/v1/ft/${contract}/lookalikes${query}`);
      assert.equal(status, 200);
      return body.results.map((token: { contract_principal: string }) => token.contract_principal);
    };
    const everyone = [AAA, COIN, ZOO].sort();
    assert.deepEqual([...(await likes(COIN))].sort(), everyone, 'the assets of all three have one name');
    await metadata.token(COIN, '1', { name: 'Gold', symbol: 'GLD', decimals: 6 });
    assert.deepEqual([...(await likes(COIN))].sort(), everyone, 'two have no metadata');
    await metadata.token(AAA, '1', { name: 'Other', symbol: 'OTH' });
    assert.deepEqual([...(await likes(COIN))].sort(), [COIN, ZOO].sort(), 'what has a name goes by it');
    await metadata.token(ZOO, '1', { name: 'Zoo', symbol: 'GLD\u200b' });
    await metadata.token(AAA, '1', { name: 'GОLD', symbol: 'A' });
    const all = await likes(COIN);
    assert.deepEqual([...all].sort(), everyone);
    const { body } = await index.get('/metadata/v1/ft');
    assert.equal(body.total, 3);
    assert.deepEqual(await likes(COIN, '?limit=1&offset=1'), [all[1]]);
    assert.equal((await likes(ZOO)).length, 2);
    const { body: page } = await index.page(`/explorer/token/${COIN}::coin`);
    assert.match(
      page,
      /2 other tokens have a symbol or a name that looks like this one’s, the oldest first: .*Compared: symbols and names/,
    );
    assert.equal((await index.get(`/metadata/v1/ft/${COIN}x/lookalikes`)).status, 404);
  });
});
