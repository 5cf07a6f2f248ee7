import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import {
  AAA,
  COIN,
  DEPLOYER,
  FULL_DOCUMENT,
  LARGEST_TOKEN,
  openTokenChain,
  SEMI,
  ZOO,
} from '../../../../test/support/token-chain.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('a fungible token has what its contract says, zeros too, and its metadata in a locale', async t => {
    const { index, coin, ask, metadata } = await openTokenChain(openFresh, t);
    const chainFacts = { tx_id: coin?.txId, sender_address: DEPLOYER, asset_identifier: `${COIN}::coin` };
    await metadata.token(COIN, '1', { name: 'Coin', symbol: 'CN', decimals: 0, totalSupply: '0', uri: 'u' });
    const told = { name: 'Coin', symbol: 'CN', decimals: 0, total_supply: '0', token_uri: 'u' };
    assert.deepEqual(await ask(`/metadata/v1/ft/${COIN}`), [200, { ...told, ...chainFacts }]);
    await metadata.document(COIN, '1', FULL_DOCUMENT, {
      localeName: 'en',
      cachedImage: 'a.png',
      cachedThumbnail: 'b.png',
    });
    await metadata.document(COIN, '1', { ...FULL_DOCUMENT, description: 'Moneda' }, { locale: 'es' });
    const { body } = await index.get(`/metadata/ft/${COIN}?locale=es`);
    assert.deepEqual(
      [body.description, body.image_uri, body.image_canonical_uri, body.metadata.description],
      ['Moneda', '', FULL_DOCUMENT.image, 'Moneda'],
    );
    const full = (await index.get(`/metadata/ft/${COIN}`)).body;
    assert.deepEqual(
      [full.image_uri, full.image_thumbnail_uri, full.metadata.cached_image],
      ['/metadata/v1/images/a.png', '/metadata/v1/images/b.png', '/metadata/v1/images/a.png'],
    );
    await metadata.token(COIN, '1');
    assert.equal((await index.get(`/metadata/ft/${COIN}`)).body.name, undefined);
  });

  test('a semi-fungible token has decimals and supply beside its metadata', async t => {
    const { index, ask, metadata } = await openTokenChain(openFresh, t);
    await metadata.token(SEMI, '3', { uri: 'u', decimals: 0, totalSupply: LARGEST_TOKEN });
    assert.deepEqual(await ask(`/metadata/v1/sft/${SEMI}/3`), [
      200,
      { token_uri: 'u', decimals: 0, total_supply: LARGEST_TOKEN },
    ]);
    await metadata.document(SEMI, '3', { name: 'Semi' });
    assert.equal((await index.get(`/metadata/sft/${SEMI}/3`)).body.metadata.name, 'Semi');
    assert.deepEqual(await ask(`/metadata/sft/${SEMI}/4`), [404, { error: 'Token not found' }]);
  });

  test('the list of fungible tokens has each contract once, filtered and sorted in any letter case', async t => {
    const { index, metadata } = await openTokenChain(openFresh, t);
    const list = async (query = '') => {
      const { status, body } = await index.get(`/metadata/v1/ft${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const ids = async (query = '') =>
      (await list(query)).results.map((token: { contract_principal: string }) => token.contract_principal);
    assert.deepEqual(await ids(), [AAA, COIN, ZOO], 'by contract while there are no names');
    await metadata.token(COIN, '1', { name: 'beta Coin', symbol: 'b', decimals: 6 });
    await metadata.token(ZOO, '1', { name: 'Alpha coin', symbol: 'Z' });
    await metadata.document(COIN, '1', FULL_DOCUMENT, { cachedImage: 'a.png', cachedThumbnail: 'a-thumb.png' });
    await metadata.document(COIN, '1', FULL_DOCUMENT, { locale: 'es' });
    await metadata.document(ZOO, '1', { name: '' });
    const rows: [string, string[]][] = [
      ['', [ZOO, COIN, AAA]],
      ['?order=desc', [COIN, ZOO, AAA]],
      ['?order_by=symbol', [COIN, ZOO, AAA]],
      ['?order_by=symbol&order=desc', [ZOO, COIN, AAA]],
      ['?name=COIN', [ZOO, COIN]],
      ['?name=beta', [COIN]],
      ['?name=', [ZOO, COIN, AAA]],
      ['?name=%25', []],
      ['?symbol=B', [COIN]],
      ['?symbol=bb', []],
      ['?valid_metadata_only=true', [COIN]],
      [`?address=${DEPLOYER}`, [ZOO, COIN, AAA]],
      [`?address=${COIN}`, [COIN]],
      ['?address=SP', []],
      ['?limit=1&offset=1', [COIN]],
      ['?offset=9', []],
    ];
    for (const [query, wanted] of rows) assert.deepEqual(await ids(query), wanted, query);
    const { limit, offset, total, results } = await list('?limit=1&offset=1');
    assert.deepEqual([limit, offset, total], [1, 1, 3]);
    assert.deepEqual(results[0].image_thumbnail_uri, '/metadata/v1/images/a-thumb.png');
    assert.equal('metadata' in results[0], false);
    assert.equal((await index.get('/metadata/ft')).body.total, 3);
  });

  test('parameters of the list are checked', async t => {
    const { index } = await openTokenChain(openFresh, t);
    const rows: [string, string][] = [
      ['limit=0', 'querystring/limit must be at least 1, not 0'],
      ['limit=61', 'querystring/limit must be at most 60, not 61'],
      ['offset=-1', 'querystring/offset must be at least 0, not -1'],
      ['valid_metadata_only=1', 'querystring/valid_metadata_only must be true or false, not "1"'],
      ['name=a&name=b', 'querystring/name must be given once, not ["a","b"]'],
    ];
    for (const [query, message] of rows) {
      const { status, body } = await index.get(`/metadata/v1/ft?${query}`);
      assert.deepEqual([status, body.message], [400, message], query);
    }
    for (const query of ['order=up', 'order_by=supply'])
      assert.equal((await index.get(`/metadata/v1/ft?${query}`)).status, 400);
  });

  test('the list changes its tag with what it shows, not with the tip', async t => {
    const { index, chain, block, metadata } = await openTokenChain(openFresh, t);
    const tag = String((await index.get('/metadata/v1/ft')).headers.etag);
    await index.deliver(chain.block({ parent: block }).delivery);
    assert.equal((await index.get('/metadata/v1/ft', { 'if-none-match': tag })).status, 304);
    await metadata.token(COIN, '1', { name: 'Coin' });
    assert.equal((await index.get('/metadata/v1/ft', { 'if-none-match': tag })).status, 200);
  });

  test('the status tells the tip and how many contracts follow each standard', async t => {
    const { index, block, ask } = await openTokenChain(openFresh, t);
    const wanted = {
      server_version: 'stacks-index v0.0.0',
      status: 'ready',
      chain_tip: { block_height: 1, index_block_hash: block.indexHash },
      token_contracts: { 'sip-009': 1, 'sip-010': 3, 'sip-013': 1 },
    };
    for (const path of ['/metadata/v1', '/metadata/v1/', '/metadata']) assert.deepEqual(await ask(path), [200, wanted]);
    assert.equal((await index.get('/metadata/v1')).headers.etag, `"${block.indexHash}"`);
    const database = await databaseWithTables(openFresh, t);
    const empty = await (await openTestIndex(database)).get('/metadata/v1');
    assert.deepEqual([empty.body.chain_tip, empty.body.token_contracts['sip-009']], [null, 0]);
  });
});
