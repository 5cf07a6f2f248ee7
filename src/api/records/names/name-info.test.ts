import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import {
  bns2Operation,
  moved,
  Names,
  namespaceReady,
  operation,
  resolverRecord,
  tokenHex,
  txt,
  zoneFile,
} from '../../../../test/support/sample-names.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { UNLIMITED } from '../../../../test/support/unlimited.ts';
import { filled } from '../../../../test/support/wire-transaction.ts';
import { findName, pageOfNames, pageOfNamespace } from './queries.ts';

const [ALICE, BOB] = [2, 3];
const hashOf = (byte: number): string => Buffer.from(filled(20, byte)).toString('hex');

onSqliteAtLeast((_engine, openFresh) => {
  /** An index with a chain of one block, which launches `sim` with 4000 blocks, below the test's deliveries. */
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const names = new Names(chain);
    let top = chain.block({ txs: [names.with(namespaceReady('sim', 4000))] });
    await index.deliver(top.delivery);
    const get = async (path: string) => {
      const { status, body, headers } = await index.get(path);
      return { status, body, headers };
    };
    return {
      database,
      index,
      chain,
      names,
      get,
      /** The next block on the tip, delivered. */
      mine: async (...txs: BuiltTx[]) => {
        top = chain.block({ parent: top, txs });
        await index.deliver(top.delivery);
        return top;
      },
      info: async (name: string) => (await get(`/v1/names/${name}`)).body,
    };
  };

  test('a name shows its last operation, and the zone file that last came with one', async t => {
    const { index, names, mine, info } = await open(t);
    const registered = names.register('alice.sim', ALICE);
    const block = await mine(registered);
    const expected = {
      address: accountAddress(ALICE),
      blockchain: 'stacks',
      last_txid: registered.txId,
      status: 'name-register',
      zonefile_hash: hashOf(1),
      expire_block: 2 + 4000,
      zonefile: '',
    };
    assert.deepEqual(await info('alice.sim'), expected);
    await index.deliver(
      zoneFile(block, registered, 'alice.sim', 'first', { op: 'name-register', hash: filled(20, 1) }),
    );
    assert.deepEqual(await info('alice.sim'), { ...expected, zonefile: 'first' });
    const renewal = names.renewal('alice.sim');
    await mine(renewal);
    assert.deepEqual(await info('alice.sim'), {
      ...expected,
      address: accountAddress(9),
      last_txid: renewal.txId,
      status: 'name-renewal',
      expire_block: 3 + 4000,
      zonefile: 'first',
    });
    const updated = names.with(operation('name-update', 'alice.sim', ALICE, filled(20, 2)));
    const next = await mine(updated);
    assert.equal((await info('alice.sim')).zonefile, '');
    await index.deliver(zoneFile(next, updated, 'alice.sim', 'second', { hash: filled(20, 2) }));
    const { zonefile, zonefile_hash, expire_block } = await info('alice.sim');
    assert.deepEqual([zonefile, zonefile_hash, expire_block], ['second', hashOf(2), 4 + 4000]);
  });

  test('after a transfer a name shows whom it went to, and expires as it did before that block', async t => {
    const { names, mine, info } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.update('alice.sim', ALICE), names.transfer('alice.sim', ALICE, BOB));
    const { address, status, expire_block, zonefile_hash } = await info('alice.sim');
    assert.deepEqual(
      [address, status, expire_block, zonefile_hash],
      [accountAddress(BOB), 'name-transfer', 2 + 4000, hashOf(1)],
    );
    await mine(names.update('alice.sim', BOB));
    assert.equal((await info('alice.sim')).expire_block, 4 + 4000);
  });

  test('an imported name shows who imported it; before its namespace is launched it expires at 0', async t => {
    const { names, mine, info } = await open(t);
    await mine(names.with(moved(tokenHex('old.late'), null, BOB), operation('name-import', 'old.late', ALICE)));
    await mine(names.with(namespaceReady('late', 0)));
    const { address, expire_block } = await info('old.late');
    assert.deepEqual([address, expire_block], [accountAddress(ALICE), 0]);
    await mine(names.with(operation('name-update', 'old.late', BOB)));
    assert.equal((await info('old.late')).expire_block, 4);
  });

  test('an expiry beyond all heights is shown as the greatest exact integer', async t => {
    const { names, mine, info } = await open(t);
    await mine(names.with(namespaceReady('long', (1n << 128n) - 1n)), names.register('a.long', ALICE));
    assert.equal((await info('a.long')).expire_block, Number.MAX_SAFE_INTEGER);
  });

  test('a name that is unknown or revoked is not found anywhere, until it is registered again', async t => {
    const { index, names, mine, get } = await open(t);
    const registered = names.register('alice.sim', ALICE);
    const block = await mine(registered);
    await index.deliver(zoneFile(block, registered, 'alice.sim', txt('sub', BOB)));
    const paths = ['alice.sim', 'sub.alice.sim', 'alice.sim/zonefile', `alice.sim/zonefile/${hashOf(1)}`];
    const statuses = async () => {
      const all = [];
      for (const path of paths) all.push((await get(`/v1/names/${path}`)).status);
      return all;
    };
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.deepEqual((await get('/v1/names/alice.sim/subdomains')).body, ['sub.alice.sim']);
    assert.deepEqual((await get('/v1/names')).body, ['alice.sim']);
    await mine(names.revoke('alice.sim', ALICE));
    assert.deepEqual(await statuses(), [404, 404, 404, 404]);
    assert.deepEqual((await get('/v1/names/alice.sim')).body, { error: 'cannot find name alice.sim' });
    assert.deepEqual((await get('/v1/names/alice.sim/subdomains')).body, []);
    assert.deepEqual((await get('/v1/names')).body, []);
    assert.deepEqual((await get('/v1/namespaces/sim/names')).body, []);
    await mine(names.registerAgain('alice.sim', ALICE, BOB));
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.deepEqual((await get('/v1/names')).body, ['alice.sim']);
  });

  test('a subdomain is what the newest zone file of the chain states, with the resolver of that file', async t => {
    const { index, chain, names, mine, info, get } = await open(t);
    const first = names.register('id.sim', ALICE);
    const block = await mine(first);
    const [older, newer] = [names.update('id.sim', ALICE), names.update('id.sim', ALICE)];
    const fork = await mine(older);
    const last = await mine(newer);
    await index.deliver(
      zoneFile(last, newer, 'id.sim', txt('one', BOB) + resolverRecord('https://resolver.example'), {
        hash: filled(20, 7),
      }),
      zoneFile(fork, older, 'id.sim', txt('one', ALICE) + txt('two', ALICE)),
    );
    const zonefile = '$ORIGIN';
    const expected = {
      address: accountAddress(BOB),
      blockchain: 'stacks',
      last_txid: newer.txId,
      status: 'registered_subdomain',
      zonefile_hash: '3db929c9bfe95bfe2ae0bc2aa93f2f2e',
      resolver: 'https://resolver.example',
      zonefile,
    };
    const { zonefile_hash } = await info('one.id.sim');
    assert.deepEqual(await info('one.id.sim'), { ...expected, zonefile_hash });
    assert.deepEqual((await get('/v1/names/one.id.sim/zonefile')).body, { zonefile });
    assert.deepEqual((await get(`/v1/names/one.id.sim/zonefile/${zonefile_hash}`)).body, { zonefile });
    assert.equal((await get(`/v1/names/one.id.sim/zonefile/${'00'.repeat(16)}`)).status, 404);
    assert.equal((await info('two.id.sim')).address, accountAddress(ALICE));
    assert.deepEqual((await get('/v1/names/id.sim/subdomains')).body, ['one.id.sim', 'two.id.sim']);
    const unknown = await get('/v1/names/none.id.sim?unanchored=true');
    assert.deepEqual(
      [unknown.status, unknown.headers.location],
      [302, 'https://resolver.example/v1/names/none.id.sim?unanchored=true'],
    );
    // Without the last block, the file of the block before is the newest; without that block too, the name has no file.
    await index.deliver(...chain.chain(3, fork).map(({ delivery }) => delivery));
    assert.equal((await info('one.id.sim')).address, accountAddress(ALICE));
    assert.deepEqual((await get('/v1/names/none.id.sim')).body, {
      error: 'missing resolver from a malformed zonefile',
    });
    await index.deliver(...chain.chain(6, block).map(({ delivery }) => delivery));
    assert.deepEqual((await get('/v1/names/one.id.sim')).body, { error: 'cannot find subdomain one.id.sim' });
    assert.deepEqual((await get('/v1/names/id.sim/subdomains')).body, []);
  });

  test('a resolver that is no web address leads nowhere', async t => {
    const { index, names, mine, get } = await open(t);
    const update = names.update('id.sim', ALICE);
    const block = await mine(names.register('id.sim', ALICE), update);
    for (const target of ['javascript:alert(1)', '//evil.example', 'https:///x', '']) {
      await index.deliver(zoneFile(block, update, 'id.sim', txt('one', BOB) + resolverRecord(target)));
      const { status, body } = await get('/v1/names/none.id.sim');
      assert.deepEqual([status, body], [404, { error: 'missing resolver from a malformed zonefile' }], target);
    }
  });

  test('zone files stay under their hashes; the newest one of the chain is shown without a hash', async t => {
    const { index, names, mine, get } = await open(t);
    const [first, second] = [names.register('alice.sim', ALICE), names.update('alice.sim', ALICE)];
    const block = await mine(first);
    const next = await mine(second);
    assert.deepEqual((await get('/v1/names/alice.sim/zonefile')).body, { zonefile: '' });
    await index.deliver(
      zoneFile(next, second, 'alice.sim', 'zwei ü', { hash: filled(20, 2) }),
      zoneFile(block, first, 'alice.sim', 'eins', { hash: filled(20, 1) }),
    );
    const zoneFileAt = async (rest = '') => (await get(`/v1/names/alice.sim/zonefile${rest}`)).body;
    assert.deepEqual(await zoneFileAt(), { zonefile: 'zwei ü' });
    assert.deepEqual(await zoneFileAt(`/${hashOf(1)}`), { zonefile: 'eins' });
    assert.deepEqual(await zoneFileAt(`/0x${hashOf(2)}`), { zonefile: 'zwei ü' });
    for (const hash of [hashOf(3), 'zz', '0x1', 'abc'])
      assert.deepEqual(await zoneFileAt(`/${hash}`), { error: 'No such name or zonefile' }, hash);
  });

  test('lists are in the order of bytes, a hundred names a page, and revoked names leave no gaps', async t => {
    const { names, mine, get } = await open(t);
    const all = Array.from({ length: 230 }, (_, i) => `n${i}.sim`);
    await mine(names.with(namespaceReady('other', 0)), ...all.map(name => names.register(name, ALICE)));
    await mine(names.register('Zoë.other', BOB), names.register('a_.sim', BOB), names.register('a.unlaunched', BOB));
    await mine(names.revoke('n5.sim', ALICE));
    const sim = [...all.filter(name => name !== 'n5.sim'), 'a_.sim'].sort();
    const listed = [...sim, 'Zoë.other', 'a.unlaunched'].sort();
    const page = async (path: string) => (await get(path)).body;
    for (const number of [0, 1, 2]) {
      assert.deepEqual(await page(`/v1/names?page=${number}`), listed.slice(100 * number, 100 * number + 100));
      assert.deepEqual(await page(`/v1/namespaces/sim/names?page=${number}`), sim.slice(100 * number).slice(0, 100));
    }
    assert.deepEqual(await page('/v1/namespaces/sim/names?page=1.5'), sim.slice(150));
    assert.deepEqual(await page('/v1/namespaces/other/names'), ['Zoë.other']);
    assert.deepEqual(await page('/v1/namespaces'), { namespaces: ['other', 'sim'] });
    for (const [path, status, error] of [
      ['/v1/names?page=3', 400, 'Invalid page'],
      [`/v1/names?page=${Number.MAX_SAFE_INTEGER}`, 400, 'Invalid page'],
      ['/v1/names?page=-1', 400, 'Bad Request'],
      ['/v1/names?page=x', 400, 'Bad Request'],
      ['/v1/namespaces/sim/names?page=3', 400, 'Invalid page'],
      ['/v1/namespaces/sim/names?page=-1', 400, 'Invalid page'],
      ['/v1/namespaces/sim/names?page=1e300', 400, 'Invalid page'],
      ['/v1/namespaces/sim/names?page=x', 400, 'Bad Request'],
      ['/v1/namespaces/unlaunched/names', 400, 'No such namespace'],
      ['/v1/namespaces/none/names', 400, 'No such namespace'],
      ['/v1/names?unanchored=maybe', 400, 'Bad Request'],
    ] as const) {
      const response = await get(path);
      assert.deepEqual([response.status, response.body.error], [status, error], path);
    }
  });

  test('version 2 decides about the names it knows: who has them, and whether they are listed', async t => {
    const { database, index, chain, names, mine, get, info } = await open(t);
    const registered = names.register('alice.sim', ALICE);
    const block = await mine(registered);
    await index.deliver(zoneFile(block, registered, 'alice.sim', 'of version 1'));
    const drop = names.with(...bns2Operation(1, 'alice.sim', null, BOB, 'new-airdrop'));
    const base = await mine(drop);
    const expected = {
      address: accountAddress(BOB),
      blockchain: 'stacks',
      last_txid: drop.txId,
      status: 'name-import',
      zonefile_hash: '',
      expire_block: 0,
      zonefile: '',
    };
    assert.deepEqual(await info('alice.sim'), expected);
    assert.deepEqual((await get('/v1/names/alice.sim/zonefile')).body, { zonefile: '' });
    const inBns1 = await database.read(queries => findName(queries, 'alice.sim', 'v1'));
    assert.deepEqual([inBns1?.address, inBns1?.zonefile], [accountAddress(ALICE), 'of version 1']);
    const moved = names.with(...bns2Operation(1, 'alice.sim', BOB, ALICE, 'transfer-name'));
    const other = names.with(...bns2Operation(2, 'bob.v2', null, BOB, 'new-name'));
    await mine(moved, other);
    assert.deepEqual(await info('alice.sim'), {
      ...expected,
      address: accountAddress(ALICE),
      last_txid: moved.txId,
      status: 'name-transfer',
    });
    assert.deepEqual((await get('/v1/names')).body, ['alice.sim', 'bob.v2']);
    assert.deepEqual((await get('/v1/namespaces')).body, { namespaces: ['sim', 'v2'] });
    assert.deepEqual((await get('/v1/namespaces/v2/names')).body, ['bob.v2']);
    const ofBns1 = await database.read(async queries => [
      await pageOfNames(queries, 0, 'v1', UNLIMITED),
      await pageOfNamespace(queries, 'v2', 0, 'v1', UNLIMITED),
    ]);
    assert.deepEqual(ofBns1, [['alice.sim'], undefined]);
    await mine(names.with(...bns2Operation(1, 'alice.sim', ALICE, null, 'burn-name')));
    assert.equal((await get('/v1/names/alice.sim')).status, 404);
    assert.deepEqual((await get('/v1/names')).body, ['bob.v2']);
    // Registered again, under another number.
    await mine(names.with(...bns2Operation(3, 'alice.sim', null, BOB, 'new-name')));
    assert.equal((await info('alice.sim')).status, 'name-register');
    assert.deepEqual((await get('/v1/names')).body, ['alice.sim', 'bob.v2']);
    await index.deliver(...chain.chain(5, base).map(({ delivery }) => delivery));
    assert.deepEqual(await info('alice.sim'), expected);
    assert.deepEqual((await get('/v1/names')).body, ['alice.sim']);
  });
});
