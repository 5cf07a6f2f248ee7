import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import {
  sampleDeploy,
  sampleFunction,
  sampleInterface,
  samplePrint,
} from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { functionsOfContractsNow } from './queries.ts';

const id = (name: string, account = 9): string => `${accountAddress(account)}.${name}`;
const path = (name: string): string => `/extended/v1/contract/${id(name)}`;
const PING = [sampleFunction('ping')];

onSqliteAtLeast((_engine, openFresh) => {
  /** An index with a chain of one block below the test's deliveries. */
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const first = chain.block();
    await index.deliver(first.delivery);
    /** A block on another, delivered. */
    const mine = async (parent: BuiltBlock, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
      const block = chain.block({ parent, txs });
      await index.deliver(block.delivery);
      return block;
    };
    const shown = async (name: string) => {
      const { status, body } = await index.get(path(name));
      assert.equal(status, 200);
      return body;
    };
    return { index, database, chain, first, mine, shown };
  };

  test('a contract is shown as it was deployed, with its interface as text', async t => {
    const { chain, first, mine, shown } = await open(t);
    const source = '(print "\\u{0} é \u{1f600}")\n';
    const deploy = sampleDeploy(chain, 'a', { functions: PING, source, clarityVersion: 3 });
    await mine(first, deploy);
    const body = await shown('a');
    const { abi, ...rest } = body;
    assert.deepEqual(rest, {
      tx_id: deploy.txId,
      canonical: true,
      contract_id: id('a'),
      block_height: 2,
      clarity_version: 3,
      source_code: source,
    });
    assert.deepEqual(JSON.parse(String(abi)), sampleInterface(PING));
    assert.equal(Object.keys(body).join(), 'tx_id,canonical,contract_id,block_height,clarity_version,source_code,abi');
  });

  test('an unversioned deployment has no Clarity version, a failed one no interface', async t => {
    const { chain, first, mine, shown } = await open(t);
    await mine(first, sampleDeploy(chain, 'a'));
    assert.deepEqual([(await shown('a')).clarity_version, (await shown('a')).abi], [null, null]);
  });

  test('version 3 shows a contract with its deployment and what is asked for, and none whose deployment failed', async t => {
    const { index, chain, first, mine, shown } = await open(t);
    const deploy = sampleDeploy(chain, 'a', { functions: PING, clarityVersion: 3 });
    await mine(first, deploy, sampleDeploy(chain, 'b'));
    const of = (rest: string) => index.get(`/extended/v3/smart-contracts/${rest}`);
    const { tx_id, block, bitcoin_block } = (await index.get(`/extended/v3/transactions/${deploy.txId}`)).body;
    const plain = { contract_id: id('a'), clarity_version: 3, tx_id, block, bitcoin_block };
    assert.deepEqual((await of(id('a'))).body, plain);
    const { source_code, abi } = await shown('a');
    assert.deepEqual((await of(`${id('a')}?include=abi,source_code`)).body, { ...plain, source_code, abi });
    assert.equal((await of(id('b'))).status, 404);
  });

  test('a contract that is deployed after a failed attempt hides the attempt, also within one block', async t => {
    const { chain, first, mine, shown } = await open(t);
    const failed = await mine(first, sampleDeploy(chain, 'a'));
    const good = sampleDeploy(chain, 'a', { functions: PING });
    await mine(failed, sampleDeploy(chain, 'b'), good, sampleDeploy(chain, 'b', { functions: PING }));
    assert.equal((await shown('a')).tx_id, good.txId);
    assert.notEqual((await shown('b')).abi, null);
  });

  test('an attempt that fails later does not hide the contract that is there', async t => {
    const { index, chain, first, mine, shown } = await open(t);
    const good = sampleDeploy(chain, 'a', { functions: PING });
    const block = await mine(first, good);
    await mine(block, sampleDeploy(chain, 'a'));
    assert.equal((await shown('a')).tx_id, good.txId);
    const { body } = await index.get(
      '/extended/v1/contract/by_trait?trait_abi={"functions":[{"name":"ping","args":[]}]}',
    );
    assert.equal(body.results.length, 1);
  });

  test('what only an orphaned fork deployed is shown as not canonical, and again as canonical when the fork wins', async t => {
    const { chain, first, mine, shown, index } = await open(t);
    const deploy = sampleDeploy(chain, 'a', { functions: PING });
    const losing = await mine(first, deploy);
    const winning = await mine(await mine(first), sampleDeploy(chain, 'b'));
    assert.deepEqual([(await shown('a')).canonical, (await shown('a')).tx_id], [false, deploy.txId]);
    assert.equal((await shown('b')).canonical, true);
    assert.equal((await index.get('/extended/v1/contract/by_trait?trait_abi={"functions":[]}')).status, 404);
    await mine(await mine(losing));
    assert.deepEqual([(await shown('a')).canonical, (await shown('b')).canonical], [true, false]);
    assert.equal(winning.height, 3);
  });

  test('what a block deploys that is never applied is shown as not canonical', async t => {
    const { chain, first, mine, shown } = await open(t);
    await mine(first);
    await mine(first, sampleDeploy(chain, 'a', { functions: PING })); // as high as the tip, but later
    assert.equal((await shown('a')).canonical, false);
    assert.notEqual((await shown('a')).abi, null);
  });

  test('a canonical deployment comes before an orphaned one, even if it failed', async t => {
    const { chain, first, mine, shown } = await open(t);
    await mine(first, sampleDeploy(chain, 'a', { functions: PING }));
    const failed = sampleDeploy(chain, 'a');
    await mine(await mine(first, failed));
    assert.deepEqual([(await shown('a')).canonical, (await shown('a')).tx_id], [true, failed.txId]);
  });

  test('of orphaned deployments the one with an interface comes first, then the highest', async t => {
    const { chain, first, mine, shown } = await open(t);
    const [low, high] = [sampleDeploy(chain, 'a', { functions: PING }), sampleDeploy(chain, 'a')];
    const [tip, side] = [await mine(first), await mine(first, low)];
    await mine(await mine(await mine(tip)));
    await mine(side, high);
    assert.equal((await shown('a')).tx_id, low.txId);
    const [b2, b3] = [sampleDeploy(chain, 'b'), sampleDeploy(chain, 'b')];
    await mine(await mine(first, b2), b3);
    assert.equal((await shown('b')).tx_id, b3.txId);
  });

  test('of deployments in orphaned blocks of one height the first seen is shown, and names pending calls', async t => {
    const { database, index, chain, first, mine, shown } = await open(t);
    await mine(await mine(first));
    for (const name of ['a', 'b']) {
      const deploys = ['int128', 'uint128'].map(type =>
        sampleDeploy(chain, name, { functions: [sampleFunction('ping', type)] }),
      );
      // Whichever of the two hashes is lower: it comes first of one contract, last of the other.
      const made = deploys.map(deploy => ({ deploy, block: chain.block({ parent: first, txs: [deploy] }) }));
      const byHash = made.toSorted((x, y) => (x.block.indexHash < y.block.indexHash ? -1 : 1));
      const [seen, late] = name === 'a' ? byHash : byHash.toReversed();
      assert.ok(seen && late);
      await index.deliver(seen.block.delivery, late.block.delivery);
      assert.equal((await shown(name)).tx_id, seen.deploy.txId);
      const functionOf = await database.read(queries => functionsOfContractsNow(queries, [id(name)]));
      assert.equal(functionOf(id(name), 'ping')?.args[0]?.type, made[0] === seen ? 'int128' : 'uint128');
    }
  });

  test('what a microblock deploys is shown at once, and the same when a block accepts or an other orphans it', async t => {
    const { index, chain, first, shown } = await open(t);
    const deploy = sampleDeploy(chain, 'a', { functions: PING });
    const microblocks = chain.microblocks(first, [[deploy, sampleDeploy(chain, 'b', { functions: PING })]]);
    await index.deliver(chain.stream(first, microblocks));
    assert.deepEqual([(await shown('a')).canonical, (await shown('a')).block_height], [true, 2]);
    const before = await shown('a');
    const accepting = chain.block({ parent: first, microblocks });
    await index.deliver(accepting.delivery);
    assert.deepEqual(await shown('a'), before);
    const other = chain.block({ parent: first, txs: [deploy] });
    await index.deliver(other.delivery, chain.block({ parent: other }).delivery);
    assert.equal((await shown('a')).canonical, true);
    assert.equal((await shown('b')).canonical, false);
  });

  test('contracts of the boot block are those of block 1, whichever arrives first', async t => {
    for (const bootFirst of [true, false]) {
      const index = await openTestIndex(await databaseWithTables(openFresh, t));
      const chain = new ChainBuilder();
      const boot = chain.bootBlock([sampleDeploy(chain, 'boot', { functions: PING })]);
      const first = chain.block();
      for (const block of bootFirst ? [boot, first] : [first, boot]) await index.deliver(block.delivery);
      const { body } = await index.get(path('boot'));
      assert.deepEqual([body.canonical, body.block_height], [true, 1]);
    }
  });

  test('calls are named after the interface that is canonical, now as when the block was applied', async t => {
    const { database, chain, first, mine } = await open(t);
    await mine(
      first,
      sampleDeploy(chain, 'a', { functions: [sampleFunction('ping', 'uint128')] }),
      sampleDeploy(chain, 'b'),
    );
    const functionOf = await database.read(queries => functionsOfContractsNow(queries, [id('a'), id('b'), id('c')]));
    assert.deepEqual(functionOf(id('a'), 'ping')?.args, [{ name: 'a0', type: 'uint128' }]);
    for (const name of ['b', 'c']) assert.equal(functionOf(id(name), 'ping'), undefined);
  });

  test('the name of a contract is found as it is written; what is no id is refused', async t => {
    const { index, chain, first, mine } = await open(t);
    await mine(first, sampleDeploy(chain, 'a', { functions: PING }));
    for (const other of ['A', 'aa']) assert.equal((await index.get(path(other))).status, 404, other);
    const nowhere = await index.get(`/extended/v1/contract/${accountAddress(9)}`);
    assert.deepEqual([nowhere.status, nowhere.body.message], [404, 'cannot find contract by ID']);
    for (const other of [id('a.b'), id('a '), 'x', '%25', '%27', "a'--", '\u{1f600}'.repeat(20), 'a'.repeat(250)]) {
      const { status, body } = await index.get(`/extended/v1/contract/${encodeURIComponent(other)}`);
      assert.equal(status, 400);
      assert.match(body.message, /^params\/contract_id must be an address or the id of a contract, not "/);
    }
    assert.equal((await index.get('/extended/v1/contract/%00')).status, 400);
    assert.equal((await index.get(`/extended/v1/contract/${'a'.repeat(1025)}`)).status, 414);
  });

  test('a contract id with a name of 128 characters is found', async t => {
    const { chain, first, mine, shown } = await open(t);
    await mine(first, sampleDeploy(chain, 'n'.repeat(128), { functions: PING }));
    assert.equal((await shown('n'.repeat(128))).block_height, 2);
  });

  test('an interface of any shape is kept and shown', async t => {
    const { chain, first, mine, shown, index } = await open(t);
    const odd = [{}, { functions: 'x' }, { functions: [null, 1, {}, { name: 7 }, { name: '\u0000' }, { name: 'f' }] }];
    await mine(first, ...odd.map((contractInterface, i) => sampleDeploy(chain, `odd-${i}`, { contractInterface })));
    for (const [i, expected] of odd.entries())
      assert.deepEqual(JSON.parse(String((await shown(`odd-${i}`)).abi)), expected);
    const { body } = await index.get('/extended/v1/contract/by_trait?trait_abi={"functions":[]}');
    assert.deepEqual(
      body.results.map((record: { contract_id: string }) => record.contract_id),
      [id('odd-2')],
    );
  });

  test('what a contract prints is listed newest first, whatever the topic', async t => {
    const { index, chain, first, mine } = await open(t);
    const print = (topic: string) => samplePrint(id('a'), '0x0703', topic);
    const other = samplePrint(id('b'), '0x03');
    const tx = sampleDeploy(chain, 'a', { functions: PING, events: [print('one'), other, print('two')] });
    await mine(first, tx, sampleDeploy(chain, 'b', { functions: PING, events: [print('thr\u0000ee')] }));
    const { body } = await index.get(`${path('a')}/events`);
    assert.deepEqual(
      body.results.map((log: { event_index: number; contract_log: { topic: string } }) => [
        log.event_index,
        log.contract_log.topic,
      ]),
      [
        [0, 'thr\u0000ee'],
        [2, 'two'],
        [0, 'one'],
      ],
    );
    assert.deepEqual(body.results[1], {
      event_index: 2,
      event_type: 'smart_contract_log',
      tx_id: tx.txId,
      contract_log: { contract_id: id('a'), topic: 'two', value: { hex: '0x0703', repr: '(ok true)' } },
    });
    assert.deepEqual(Object.keys(body), ['limit', 'offset', 'results']);
    for (const [query, topics] of [
      ['limit=1', ['thr\u0000ee']],
      ['limit=1&offset=1', ['two']],
      ['offset=2', ['one']],
      ['offset=3', []],
      ['offset=9007199254740991', []],
    ] as const) {
      const page = (await index.get(`${path('a')}/events?${query}`)).body;
      assert.deepEqual(
        page.results.map((log: { contract_log: { topic: string } }) => log.contract_log.topic),
        topics,
      );
    }
  });

  test('prints of a fork that loses are gone, and back when it wins; those of microblocks are listed at once', async t => {
    const { index, chain, first, mine } = await open(t);
    const printing = () => sampleDeploy(chain, 'a', { functions: PING, events: [samplePrint(id('a'), '0x03')] });
    const count = async () => (await index.get(`${path('a')}/events`)).body.results.length;
    const losing = await mine(first, printing(), printing());
    assert.equal(await count(), 2);
    const other = await mine(await mine(first));
    assert.equal(await count(), 0);
    await index.deliver(chain.stream(other, chain.microblocks(other, [[printing()]])));
    assert.equal(await count(), 1);
    await mine(await mine(losing));
    assert.equal(await count(), 2);
  });

  test('a contract that does not exist or never printed has an empty list', async t => {
    const { index } = await open(t);
    const { status, body } = await index.get(`/extended/v1/contract/${id('a')}/events`);
    assert.deepEqual([status, body], [200, { limit: 20, offset: 0, results: [] }]);
  });

  test('events of what is no principal, or has a wrong checksum, are refused by name', async t => {
    const { index } = await open(t);
    for (const other of ['nothing', id('1'), id('a').replace('.', 'X.')]) {
      const { status, body } = await index.get(`/extended/v1/contract/${other}/events`);
      assert.deepEqual(
        [status, body.message],
        [400, `params/contract_id must be an address or the id of a contract, not "${other}"`],
      );
    }
  });
});
