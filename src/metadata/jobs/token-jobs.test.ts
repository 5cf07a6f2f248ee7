import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { MetadataWorld, okSome, tokenOf, type WorldOptions } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { samplePrint } from '../../../test/support/sample-contracts.ts';
import { sftMintHex, uintHex } from '../../../test/support/sample-tokens.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../base/codec/index.ts';
import { metadataError, rateLimited } from '../errors.ts';

const HOUR = 3_600_000;

onSqliteAtLeast((_, openFresh) => {
  /** A world with the collection `cats`, whose token 1 is minted. */
  async function withCats(t: Parameters<typeof openFresh>[0], options: WorldOptions = {}) {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database, options);
    world.setResultsFor('cats');
    world.document('ipfs://cats/1', { name: 'Tom' });
    const block = await world.block(undefined, world.deploy('cats'), world.mint('cats', 1));
    return { world, block };
  }
  const setUriResult = (world: MetadataWorld, result: Parameters<typeof world.node.results.set>[1]) =>
    world.node.results.set(`${world.contract('cats')}.get-token-uri`, result);
  const outcome = async (world: MetadataWorld) => {
    const job = await world.job('cats', '1');
    return `${job?.state} ${job?.reason}`;
  };

  test('a minted token is read at the tip of the index, its document fetched and served', async t => {
    const { world, block } = await withCats(t);
    assert.equal((await world.nft('cats', 1)).status, 422);
    assert.deepEqual(await world.work(), ['cats contract', 'cats 1 token']);
    const { status, body } = await world.nft('cats', 1);
    assert.equal(status, 200);
    assert.equal(body.token_uri, 'ipfs://cats/1');
    assert.equal(body.metadata.name, 'Tom');
    const call = world.node.calls.find(({ functionName }) => functionName === 'get-token-uri');
    assert.equal(call?.tip, block.indexHash);
    assert.deepEqual(call?.args, [encodeClarityUint(1)]);
    assert.deepEqual(await world.work(), []);
  });

  test('token 0 is read with the argument u0', async t => {
    const { world, block } = await withCats(t);
    world.document('ipfs://cats/0', { name: 'Zero' });
    await world.block(block, world.mint('cats', 0));
    await world.work();
    assert.deepEqual(world.node.calls.map(tokenOf).toSorted(), ['', '0', '1']);
    assert.equal((await world.nft('cats', 0)).body.metadata.name, 'Zero');
  });

  const NO_URI: readonly (readonly [what: string, hex: string])[] = [
    ['(ok none)', '0x0709'],
    ['(ok (some ""))', '0x070a0d00000000'],
  ];
  for (const [what, hex] of NO_URI)
    test(`a contract that returns ${what} has no metadata for the token`, async t => {
      const { world } = await withCats(t);
      setUriResult(world, hex);
      await world.work();
      assert.equal(await outcome(world), 'done null');
      assert.deepEqual((await world.nft('cats', 1)).body, {});
    });

  for (const hex of ['0x080100000000000000000000000000000194', '0x070100000000000000000000000000000005'])
    test(`a contract that returns ${hex} produced a Clarity error`, async t => {
      const { world } = await withCats(t);
      setUriResult(world, hex);
      await world.work();
      assert.equal(await outcome(world), 'invalid 109');
      assert.match((await world.nft('cats', 1)).body.message, /Clarity error/);
    });

  test('a bare string is a token URI, in either kind of string', async t => {
    const { world } = await withCats(t);
    setUriResult(world, '0x0d0000000d697066733a2f2f636174732f31');
    await world.work();
    assert.equal(await outcome(world), 'done null');
    assert.equal((await world.nft('cats', 1)).body.token_uri, 'ipfs://cats/1');
  });

  test('a node that does not know the contract yet, or cannot be asked, is asked again', async t => {
    const { world } = await withCats(t);
    for (const kind of ['unknown-contract', 'unavailable'] as const) {
      setUriResult(world, { kind, message: 'later' });
      await world.work();
      assert.equal(await outcome(world), 'waiting null');
      assert.deepEqual((await world.nft('cats', 1)).body, { error: 'Token metadata fetch in progress' });
      world.now += HOUR;
    }
    setUriResult(world, okSome('ipfs://cats/{id}'));
    await world.work();
    assert.equal((await world.nft('cats', 1)).status, 200);
  });

  test('a rejected call is permanent, and looked at again after an hour', async t => {
    const { world } = await withCats(t);
    setUriResult(world, { kind: 'rejected', message: 'UnwrapFailure' });
    await world.work();
    assert.equal(await outcome(world), 'invalid 109');
    setUriResult(world, okSome('ipfs://cats/{id}'));
    world.now += HOUR - 1;
    assert.deepEqual(await world.work(), []);
    world.now += 1;
    assert.deepEqual(await world.work(), ['cats 1 token']);
    assert.equal((await world.nft('cats', 1)).status, 200);
  });

  test('a call that stays too costly for the node becomes an error of the contract', async t => {
    const { world } = await withCats(t);
    setUriResult(world, { kind: 'too-costly', message: 'CostBalanceExceeded' });
    for (let attempt = 0; attempt < 4; attempt++) {
      await world.work();
      world.now += 60_000;
    }
    assert.equal(await outcome(world), 'invalid 109');
  });

  test('a host that asks to be left alone costs no attempt', async t => {
    const { world } = await withCats(t, { limits: { retries: 0 } });
    world.document('ipfs://cats/1', rateLimited('document', '429', 7_000));
    for (let i = 0; i < 3; i++) {
      await world.work();
      assert.equal(await outcome(world), 'waiting null');
      world.now += 7_000;
    }
    assert.equal((await world.job('cats', '1'))?.attempts, 0);
  });

  test('transient errors end as failed when the retries are used up, and a token without metadata says so then', async t => {
    const { world } = await withCats(t, { limits: { retries: 2 } });
    world.document('ipfs://cats/1', metadataError('document', 'timeout', 'transient', 'slow'));
    for (const state of ['waiting null', 'waiting null', 'failed null']) {
      await world.work();
      assert.equal(await outcome(world), state);
      world.now += 60_000;
    }
    assert.equal((await world.nft('cats', 1)).body.message, 'Unknown error');
  });

  test('a failed refresh keeps what was there, and records the failure', async t => {
    const { world, block } = await withCats(t);
    await world.work();
    world.document('ipfs://cats/1', undefined);
    await world.block(block, world.notify('cats', { ids: [1] }));
    await world.work();
    assert.equal(await outcome(world), 'invalid 107');
    assert.equal((await world.nft('cats', 1)).body.metadata.name, 'Tom');
  });

  test('a refresh replaces the document as a whole, and the version grows only with a change', async t => {
    const { world, block } = await withCats(t);
    world.document('ipfs://cats/1', { name: 'Tom', description: 'a cat', properties: { a: 1 } });
    await world.work();
    const version = async () =>
      (await world.db.read(q => q.get<{ version: number }>('SELECT version FROM metadata_tokens')))?.version;
    assert.equal(await version(), 1);
    const next = await world.block(block, world.notify('cats', { ids: [1] }));
    await world.work();
    assert.equal(await version(), 1);
    world.document('ipfs://cats/1', { name: 'Jerry' });
    await world.block(next, world.notify('cats', { ids: [1] }));
    await world.work();
    assert.equal(await version(), 2);
    const { body } = await world.nft('cats', 1);
    assert.deepEqual(
      [body.metadata.name, body.metadata.description, body.metadata.properties],
      ['Jerry', '', undefined],
    );
  });

  test('a document without a name leaves the token URI alone', async t => {
    const { world } = await withCats(t);
    world.document('ipfs://cats/1', { name: '' });
    await world.work();
    assert.deepEqual((await world.nft('cats', 1)).body, { token_uri: 'ipfs://cats/1' });
  });

  test('a fungible token has its names and amounts, zero too, also while its document fails', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    const results = {
      'get-token-uri': okSome('https://coin.example/coin.json'),
      'get-name': okSome('Coin'),
      'get-symbol': okSome('CN'),
      'get-decimals': `0x07${uintHex(0).slice(2)}`,
      'get-total-supply': `0x07${uintHex(0).slice(2)}`,
    };
    for (const [name, result] of Object.entries(results)) world.node.results.set(name, result);
    await world.block(undefined, world.deploy('coin', 'sip-010'));
    assert.deepEqual(await world.work(), ['coin 1 token']);
    assert.deepEqual(
      world.node.calls.map(({ functionName, args }) => `${functionName} ${args.length}`),
      Object.keys(results).map(name => `${name} 0`),
    );
    const path = `/metadata/v1/ft/${world.contract('coin')}`;
    const failing = (await world.index.get(path)).body;
    assert.deepEqual([failing.name, failing.symbol, failing.decimals, failing.total_supply], ['Coin', 'CN', 0, '0']);
    assert.equal((await world.job('coin', '1'))?.state, 'invalid');
    world.document('https://coin.example/coin.json', { name: 'Coin', description: 'money' });
    world.node.results.set('get-total-supply', { kind: 'rejected', message: 'UnwrapFailure' });
    world.now += HOUR;
    await world.work();
    const { body } = await world.index.get(path);
    assert.deepEqual([body.description, body.decimals, body.total_supply], ['money', 0, undefined]);
  });

  test('a semi-fungible token is asked for its decimals and supply by its number', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    world.node.results.set('get-token-uri', okSome('ipfs://pool/{id}'));
    world.node.results.set('get-decimals', `0x07${uintHex(6).slice(2)}`);
    world.node.results.set('get-total-supply', `0x07${uintHex(2n ** 100n).slice(2)}`);
    world.document('ipfs://pool/3', { name: 'Pool' });
    const printed = samplePrint(world.contract('pool'), sftMintHex(encodeClarityUint(3), accountAddress(7)));
    const mint = world.act('pool', [printed, printed]);
    await world.block(undefined, world.deploy('pool', 'sip-013'), mint);
    assert.deepEqual(await world.work(), ['pool 3 token']);
    assert.deepEqual(world.node.calls.map(tokenOf), ['3', '3', '3']);
    const { body } = await world.index.get(`/metadata/v1/sft/${world.contract('pool')}/3`);
    assert.deepEqual([body.decimals, body.total_supply, body.metadata.name], [6, String(2n ** 100n), 'Pool']);
  });
});
