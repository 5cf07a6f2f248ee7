import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { sampleMove } from '../../../test/support/sample-contracts.ts';
import { uintHex } from '../../../test/support/sample-tokens.ts';
import {
  CATS,
  COIN,
  DEPLOYER,
  FULL_DOCUMENT,
  LARGEST_TOKEN,
  MINTED,
  openTokenChain,
  SEMI,
} from '../../../test/support/token-chain.ts';

const e1 = (token: string, query = ''): string => `/metadata/v1/nft/${CATS}/${token}${query}`;
const IN_PROGRESS = [422, { error: 'Token metadata fetch in progress' }];
const UNKNOWN_LOCALE = [422, { error: 'Locale not found' }];
const tokenError = (message: string) => [422, { error: 'Token error', message }];

onSqliteAtLeast((_engine, openFresh) => {
  test('contracts and tokens that the chain does not have are not found, with nothing to keep', async t => {
    const { index, ask, metadata } = await openTokenChain(openFresh, t);
    const noContract = [404, { error: 'Contract not found' }];
    assert.deepEqual(await ask(`/metadata/v1/nft/${DEPLOYER}.dogs/1`), noContract);
    assert.deepEqual(await ask(e1('3')), [404, { error: 'Token not found' }]);
    assert.deepEqual(await ask(e1('3', '?locale=es')), [404, { error: 'Token not found' }]);
    const { headers } = await index.get(e1('3'));
    assert.deepEqual([headers.etag, headers['cache-control']], [undefined, 'no-store']);
    assert.equal(headers['access-control-allow-origin'], '*');
    // Fetched when the chain had it, or a leftover.
    await metadata.token(CATS, '3', { uri: 'x' });
    await metadata.token(`${DEPLOYER}.dogs`, '1', { uri: 'x' });
    assert.deepEqual(await ask(e1('3')), [404, { error: 'Token not found' }]);
    assert.deepEqual(await ask(`/metadata/v1/nft/${DEPLOYER}.dogs/1`), noContract);
  });

  test('a path shows contracts of its standard only', async t => {
    const { ask, metadata } = await openTokenChain(openFresh, t);
    for (const [contract, token] of [
      [CATS, '1'],
      [COIN, '1'],
      [SEMI, '3'],
    ] as const)
      await metadata.token(contract, token);
    const rows: [string, number][] = [
      [`nft/${CATS}/1`, 200],
      [`nft/${COIN}/1`, 404],
      [`nft/${SEMI}/3`, 404],
      [`ft/${COIN}`, 200],
      [`ft/${CATS}`, 404],
      [`ft/${SEMI}`, 404],
      [`sft/${SEMI}/3`, 200],
      [`sft/${CATS}/1`, 404],
      [`sft/${COIN}/1`, 404],
    ];
    for (const prefix of ['/metadata/v1/', '/metadata/'])
      for (const [path, status] of rows) assert.equal((await ask(prefix + path))[0], status, path);
  });

  test('a token that was never processed is in progress in any locale, and asked for', async t => {
    const { ask, metadata, requested } = await openTokenChain(openFresh, t);
    for (const state of [undefined, 'waiting', 'running'])
      for (const query of ['', '?locale=', '?locale=es']) {
        if (state) await metadata.job(CATS, '1', 'token', state);
        assert.deepEqual(await ask(e1('1', query)), IN_PROGRESS, `${state} ${query}`);
      }
    assert.deepEqual(await ask(`/metadata/v1/ft/${COIN}`), IN_PROGRESS);
    assert.deepEqual(await ask(`/metadata/v1/sft/${SEMI}/3`), IN_PROGRESS);
    assert.deepEqual(requested, [...Array(9).fill('cats 1'), 'coin 1', 'semi 3']);
  });

  test('what could not be fetched for good says why; then nobody asks for it', async t => {
    const { ask, metadata, requested } = await openTokenChain(openFresh, t);
    const texts: [number | null, string][] = [
      [101, 'Metadata size is too large to process'],
      [102, 'Image size is too large to process'],
      [103, 'Metadata could not be processed because it took too long to respond'],
      [104, 'Image could not be processed because it took too long to respond'],
      [105, 'Metadata could not be parsed or it does not conform to SIP-016'],
      [106, 'Image processing failed because it could not be parsed'],
      [107, 'Metadata could not be processed because the server responded with an error'],
      [108, 'Image could not be processed because the server responded with an error'],
      [109, 'The token contract produced a Clarity error when trying to fetch metadata'],
      [100, 'Unknown error'],
      [null, 'Unknown error'],
      [999, 'Unknown error'],
    ];
    for (const [reason, message] of texts) {
      await metadata.job(CATS, '1', 'token', 'invalid', reason);
      for (const query of ['', '?locale=es']) assert.deepEqual(await ask(e1('1', query)), tokenError(message));
    }
    await metadata.job(CATS, '1', 'token', 'failed', 107);
    assert.deepEqual(await ask(e1('1')), tokenError('Unknown error'));
    assert.deepEqual(requested, []);
  });

  test('a contract that cannot say its tokens: those of mints are served, for others that is the response', async t => {
    const { ask, metadata } = await openTokenChain(openFresh, t);
    const message = 'The token contract produced a Clarity error when trying to fetch metadata';
    await metadata.job(CATS, '', 'contract', 'invalid', 109);
    await metadata.token(CATS, '1', { uri: 'u' });
    assert.deepEqual(await ask(e1('1')), [200, { token_uri: 'u' }]);
    assert.deepEqual(await ask(e1('2')), IN_PROGRESS);
    assert.deepEqual(await ask(e1('3')), tokenError(message));
    await metadata.job(CATS, '', 'contract', 'failed', 107);
    assert.deepEqual(await ask(e1('3')), [404, { error: 'Token not found' }]);
  });

  test('tokens up to the last that the contract names are there without a mint', async t => {
    const { ask, metadata, requested } = await openTokenChain(openFresh, t);
    await metadata.lastToken(CATS, '5');
    assert.deepEqual(await ask(e1('5')), IN_PROGRESS);
    assert.deepEqual(await ask(e1('6')), [404, { error: 'Token not found' }]);
    assert.deepEqual(requested, ['cats 5']);
    await metadata.lastToken(CATS, null);
    assert.deepEqual(await ask(e1('5')), [404, { error: 'Token not found' }]);
  });

  test('the response has what was fetched, types and order kept, on both paths', async t => {
    const { index, ask, metadata } = await openTokenChain(openFresh, t, {
      enabled: true,
      imagesUrl: 'https://cdn.example/i/',
    });
    const uri = ' https://example.com/{1}.json ';
    await metadata.token(CATS, '1', { uri });
    await metadata.document(CATS, '1', FULL_DOCUMENT, {
      localeName: 'en',
      cachedImage: 'a.png',
      cachedThumbnail: 'a-thumb.png',
    });
    const { name, description, image, attributes, properties, localization } = FULL_DOCUMENT;
    const metadataWanted = {
      sip: 16,
      name,
      description,
      image,
      cached_image: 'https://cdn.example/i/a.png',
      cached_thumbnail_image: 'https://cdn.example/i/a-thumb.png',
      // Values are texts: of anything else, its JSON.
      attributes: attributes.map(({ trait_type, value, display_type }) => ({
        trait_type,
        value: typeof value === 'string' ? value : JSON.stringify(value),
        display_type,
      })),
      properties,
      localization,
    };
    const { body } = await index.get(e1('1'));
    assert.equal(JSON.stringify(body), JSON.stringify({ token_uri: uri, metadata: metadataWanted }));
    assert.deepEqual(await ask(`/metadata/nft/${CATS}/1`), [200, body]);
  });

  test('texts that are missing are empty, lists that are empty are missing', async t => {
    const { ask, metadata } = await openTokenChain(openFresh, t);
    await metadata.token(CATS, '1', { uri: '' });
    await metadata.document(CATS, '1', { name: 'Cat', attributes: [], properties: {} });
    const empty = { description: '', image: '', cached_image: '', cached_thumbnail_image: '' };
    assert.deepEqual(await ask(e1('1')), [200, { metadata: { sip: 16, name: 'Cat', ...empty } }]);
    await metadata.document(CATS, '1', { name: '', description: 'nameless' });
    assert.deepEqual(await ask(e1('1')), [200, {}]);
    await metadata.token(CATS, '2', { uri: 'http://test.com/uri.json' });
    assert.deepEqual(await ask(e1('2')), [200, { token_uri: 'http://test.com/uri.json' }]);
  });

  test('what was fetched once is served, whatever becomes of later attempts', async t => {
    const { index, ask, metadata, requested } = await openTokenChain(openFresh, t);
    await metadata.token(CATS, '1', { uri: 'u' });
    await metadata.document(CATS, '1', { name: 'Cat' });
    const before = await index.get(e1('1'));
    assert.equal(before.status, 200);
    for (const [state, reason] of [
      ['waiting', null],
      ['running', null],
      ['failed', 107],
      ['invalid', 105],
    ] as const) {
      await metadata.job(CATS, '1', 'token', state, reason);
      await metadata.job(CATS, '', 'contract', state, reason);
      assert.deepEqual(await ask(e1('1')), [200, before.body], state);
    }
    assert.deepEqual(requested, []);
  });

  test('a locale is found by its exact name; the default one also by its own', async t => {
    const { index, ask, metadata } = await openTokenChain(openFresh, t);
    await metadata.token(CATS, '1', { uri: 'default-uri' });
    await metadata.document(CATS, '1', FULL_DOCUMENT, { localeName: 'en' });
    await metadata.document(CATS, '1', { ...FULL_DOCUMENT, name: 'Gato' }, { locale: 'es' });
    const nameOf = async (query: string) => {
      const { body } = await index.get(e1('1', query));
      assert.equal(body.token_uri, 'default-uri');
      return body.metadata.name;
    };
    for (const query of ['', '?locale=', '?locale=en', '?other=1']) assert.equal(await nameOf(query), 'Cat');
    assert.equal(await nameOf('?locale=es'), 'Gato');
    for (const locale of ['ES', 'es-MX', 'e', 'fr', '%27', '%F0%9F%90%88']) {
      assert.deepEqual(await ask(e1('1', `?locale=${locale}`)), UNKNOWN_LOCALE, locale);
    }
    await metadata.job(CATS, '1', 'locale:fr', 'waiting');
    assert.deepEqual(await ask(e1('1', '?locale=fr')), IN_PROGRESS);
    await metadata.job(CATS, '1', 'locale:fr', 'invalid', 105);
    assert.deepEqual(await ask(e1('1', '?locale=fr')), UNKNOWN_LOCALE);
    await metadata.token(CATS, '2', { uri: 'u' });
    assert.deepEqual(await ask(e1('2', '?locale=en')), UNKNOWN_LOCALE);
  });

  test('several tokens come in one response: those that are there and were fetched, each once, in the order asked for', async t => {
    const { index, metadata, requested } = await openTokenChain(openFresh, t);
    await metadata.token(COIN, '1', { name: 'Coin', symbol: 'COIN', decimals: 6 });
    await metadata.document(COIN, '1', { name: 'Document' }, { cachedImage: 'a.png' });
    await metadata.token(CATS, LARGEST_TOKEN, { uri: 'u' });
    await metadata.document(CATS, LARGEST_TOKEN, { name: 'Cat' }, { localeName: 'en' });
    await metadata.document(CATS, LARGEST_TOKEN, { name: 'Gato' }, { locale: 'es' });
    await metadata.token(CATS, '3', { uri: 'not of the chain' });
    const asked = `contract=${CATS}:${LARGEST_TOKEN},${COIN},${CATS}:3,${SEMI}:3,${COIN}:1,${DEPLOYER}.none`;
    const several = async (query = '') => (await index.get(`/metadata/v1/search?${asked}${query}`)).body;
    const [cat, coin, ...rest] = await several();
    assert.deepEqual([cat.contract_id, cat.token_type, cat.name, cat.token_uri], [CATS, 'nft', 'Cat', 'u']);
    assert.deepEqual([coin.contract_id, coin.token_number, coin.name, coin.decimals], [COIN, 1, 'Coin', 6]);
    assert.match(coin.image_uri, /a\.png$/);
    assert.deepEqual(rest, []);
    assert.deepEqual(requested, ['semi 3']);
    assert.deepEqual(
      (await several('&locale=es')).map(({ name }: { name?: string }) => name),
      ['Gato', 'Coin'],
    );
    await metadata.lastToken(CATS, '3');
    assert.equal((await several()).length, 3);
    for (const wrong of ['', `${DEPLOYER}`, `${CATS}:01`, `${CATS}:-1`, Array(51).fill(CATS).join(',')])
      assert.equal((await index.get(`/metadata/v1/search?contract=${wrong}`)).status, 400, wrong);
  });

  test('token ids are exact, up to 2^128 - 1', async t => {
    const { index, metadata } = await openTokenChain(openFresh, t);
    for (const id of MINTED) await metadata.token(CATS, id, { uri: `uri of ${id}` });
    for (const id of MINTED) assert.equal((await index.get(e1(id))).body.token_uri, `uri of ${id}`);
  });

  test('a token id has one spelling', async t => {
    const { index } = await openTokenChain(openFresh, t);
    for (const id of ['abc', '1.5', '1.0', '1e2', '-1', '+1', '01', '00', '0x1', '%201', '1%20', '١', '1n', '']) {
      const { status, body } = await index.get(e1(id === '' ? '%20' : id));
      assert.deepEqual(
        [status, body.message],
        [400, `params/token_id must be an integer, not ${JSON.stringify(decodeURIComponent(id) || ' ')}`],
        id,
      );
      assert.deepEqual(body, {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        error: 'Bad Request',
        message: body.message,
      });
    }
    for (const id of [String(2n ** 128n), '9'.repeat(40), '9'.repeat(200)]) {
      const { status, body } = await index.get(e1(id));
      assert.deepEqual(
        [status, body.message],
        [400, `params/token_id must be at most ${LARGEST_TOKEN}, not ${id.slice(0, 100)}`],
      );
    }
  });

  test('what is no contract, and a repeated locale, is named', async t => {
    const { index, ask } = await openTokenChain(openFresh, t);
    const odd = ['SP2.hello', `${DEPLOYER}.1a`, DEPLOYER, `${CATS}.x`];
    for (const principal of odd) {
      for (const path of [`nft/${principal}/1`, `sft/${principal}/1`, `ft/${principal}`]) {
        const { status, body } = await index.get(`/metadata/v1/${path}`);
        assert.equal(status, 400, path);
        assert.match(body.message, /^params\/principal must be the id of a contract, not "/);
      }
    }
    assert.equal((await ask(`/metadata/v1/nft/${DEPLOYER}.${'a'.repeat(40)}/1`))[0], 404);
    const { status, body } = await index.get(e1('1', '?locale=a&locale=b'));
    assert.deepEqual([status, body.message], [400, 'querystring/locale must be given once, not ["a","b"]']);
  });

  test('a response has a tag of its own, which 304 confirms while it holds', async t => {
    const { index, metadata } = await openTokenChain(openFresh, t);
    await metadata.token(CATS, '1', { uri: 'u' });
    await metadata.document(CATS, '1', { name: 'Cat' }, { localeName: 'en' });
    await metadata.document(CATS, '1', { name: 'Gato' }, { locale: 'es' });
    await metadata.token(CATS, '2', { uri: 'u' });
    await metadata.document(CATS, '2', { name: 'Cat' }, { localeName: 'en' });
    const { headers } = await index.get(e1('1'));
    assert.equal(headers['cache-control'], 'public, no-cache, must-revalidate');
    const tag = String(headers.etag);
    assert.match(tag, /^"[0-9a-f]{32}"$/);
    const conditional = (path: string, value: string) => index.get(path, { 'if-none-match': value });
    for (const value of [tag, `W/${tag}`, `"x", ${tag}`, tag.slice(1, -1)]) {
      const response = await conditional(e1('1'), value);
      assert.deepEqual([response.status, response.body, response.headers.etag], [304, undefined, tag]);
      assert.equal(response.headers['cache-control'], 'public, no-cache, must-revalidate');
      assert.equal(response.headers['access-control-allow-origin'], '*');
    }
    assert.equal((await conditional(e1('1'), '*')).status, 200);
    // Another locale, one that is not there, another token.
    assert.equal((await conditional(e1('1', '?locale=es'), tag)).status, 200);
    assert.equal((await conditional(e1('1', '?locale=fr'), tag)).status, 422);
    assert.equal((await conditional(e1('2'), tag)).status, 200);
    assert.equal((await conditional(e1('2', '?locale=en'), tag)).status, 200);
    await metadata.job(CATS, '1', 'token', 'invalid', 105);
    assert.equal((await conditional(e1('1'), tag)).status, 304, 'the last good response stays');
    await metadata.token(CATS, '1', { uri: 'new' });
    const renewed = await conditional(e1('1'), tag);
    assert.deepEqual([renewed.status, renewed.body.token_uri], [200, 'new']);
    assert.notEqual(renewed.headers.etag, tag);
  });

  test('a tag does not outlive the token: a fork that takes it back is a 404, the same mint again a 304', async t => {
    const { index, chain, block, metadata } = await openTokenChain(openFresh, t);
    const call = chain.call('cats', 'act');
    const event = sampleMove(`${CATS}::cat`, uintHex(77), null, DEPLOYER);
    const minting = { ...call, events: [{ txid: call.txId, committed: true, ...event }] };
    await index.deliver(chain.block({ parent: block, txs: [minting] }).delivery);
    await metadata.token(CATS, '77', { uri: 'u' });
    const tag = String((await index.get(e1('77'))).headers.etag);
    const other = chain.block({ parent: block });
    const next = chain.block({ parent: other });
    await index.deliver(other.delivery, next.delivery);
    assert.equal((await index.get(e1('77'), { 'if-none-match': tag })).status, 404);
    await index.deliver(chain.block({ parent: next, txs: [minting] }).delivery);
    assert.equal((await index.get(e1('77'), { 'if-none-match': tag })).status, 304);
  });

  test('without a node to ask, what was never fetched is not available, and the rest is served', async t => {
    const { index, ask, metadata, requested } = await openTokenChain(openFresh, t, {});
    const message = 'This server fetches no token metadata: it was started without --node-rpc';
    const { status, body, headers } = await index.get(e1('1'));
    assert.deepEqual([status, body], [503, { error: 'Token metadata is not available', message }]);
    assert.deepEqual([headers.etag, headers['retry-after']], [undefined, undefined]);
    assert.deepEqual(await ask(e1('3')), [404, { error: 'Token not found' }]);
    await metadata.job(CATS, '1', 'token', 'waiting');
    assert.equal((await ask(e1('1')))[0], 503);
    await metadata.job(CATS, '1', 'token', 'invalid', 105);
    assert.deepEqual(await ask(e1('1')), tokenError('Metadata could not be parsed or it does not conform to SIP-016'));
    await metadata.token(CATS, '2', { uri: 'u' });
    assert.deepEqual(await ask(e1('2')), [200, { token_uri: 'u' }]);
    assert.deepEqual(requested, []);
  });
});
