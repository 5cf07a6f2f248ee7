import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced } from '../../../../test/support/pending-transactions.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { sampleDeploy, sampleFunction } from '../../../../test/support/sample-contracts.ts';
import { Names, namespaceReady } from '../../../../test/support/sample-names.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';

const OWNER = accountAddress(9);
const OTHER = accountAddress(8);

/** Of a result what identifies it. */
const idOf = ({ type, result }: { readonly type: string; readonly result: Readonly<Record<string, unknown>> }) => [
  type,
  result.tx_id && type !== 'smart_contract' ? result.tx_id : null,
  result.contract_id && type !== 'token' ? result.contract_id : null,
  result.asset_identifier ??
    result.principal ??
    result.name ??
    result.namespace ??
    result.function_name ??
    result.address ??
    result.hash,
];
const shortIdOf = (hit: Parameters<typeof idOf>[0]): string => {
  const [type, ...ids] = idOf(hit);
  return `${type} ${ids.find(id => typeof id === 'string') ?? ''}`;
};

/** A transfer of a fungible token beside what a transaction does. */
const moving = (tx: BuiltTx, asset: string): BuiltTx => {
  const moved = { asset_identifier: asset, sender: OWNER, recipient: OTHER, amount: '5' };
  const place = { txid: tx.txId, committed: true };
  return { ...tx, events: [...tx.events, { ...place, type: 'ft_transfer_event', ft_transfer_event: moved }] };
};

onSqliteAtLeast((engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);

  describe(`search of version 3 (${engine})`, () => {
    const open = async () => {
      const index = await openTestIndex(await emptied());
      const chain = new ChainBuilder();
      const ask = (q: string, rest = '') => index.get(`/extended/v3/search?q=${encodeURIComponent(q)}${rest}`);
      const ids = async (q: string, rest = ''): Promise<string[]> => {
        const { status, body } = await ask(q, rest);
        assert.equal(status, 200, q);
        return body.results.map(shortIdOf);
      };
      const deploy = (name: string, from = 9) =>
        sampleDeploy(chain, name, { from, functions: [sampleFunction('ping')] });
      const mine = async (parent: BuiltBlock | undefined, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
        const block = chain.block({ ...(parent && { parent }), txs: [chain.coinbase(), ...txs] });
        await index.deliver(block.burn.delivery, block.delivery);
        return block;
      };
      return { index, chain, ask, ids, deploy, mine };
    };

    test('results have the members of version 3, under the same key whatever their type', async () => {
      const { index, chain, ask, deploy, mine } = await open();
      const vault = deploy('vault');
      const coin = `${OWNER}.vault::coin`;
      const block = await mine(undefined, vault, moving(chain.transfer(), coin));
      const results = async (q: string, rest = '') => (await ask(q, rest)).body.results;
      const [{ result: listed }] = await results(block.hash);
      assert.deepEqual(Object.keys(listed), ['height', 'hash', 'index_hash', 'time', 'time_iso']);
      assert.deepEqual([listed.height, listed.index_hash], [1, block.indexHash]);
      assert.deepEqual(await results(String(block.burn.height)), [
        { type: 'bitcoin_block', result: { height: block.burn.height, hash: block.burn.hash } },
      ]);
      const { body: transaction } = await index.get(`/extended/v3/transactions/batch?tx_id=${vault.txId}`);
      assert.deepEqual(await results(vault.txId), [{ type: 'transaction', result: transaction.results[0] }]);
      const { body: contract } = await index.get(`/extended/v3/smart-contracts/${OWNER}.vault`);
      assert.deepEqual(await results(`${OWNER}.vault`, '&type=smart_contract'), [
        { type: 'smart_contract', result: contract },
      ]);
      const parts = { asset_type: 'ft', contract_id: `${OWNER}.vault`, asset_name: 'coin' };
      assert.deepEqual(await results(coin, '&type=token'), [
        { type: 'token', result: { asset_identifier: coin, ...parts } },
      ]);
      assert.deepEqual(await results(OWNER, '&type=address'), [{ type: 'address', result: { principal: OWNER } }]);
    });

    test('the class of a text decides what is searched; a text of no class is a 400 that lists what a text can be', async () => {
      const { ask } = await open();
      const statusOf = async (q: string, rest = '') => (await ask(q, rest)).status;
      const hash = 'ab'.repeat(32);
      for (const q of ['1234567', '12345678', '0x1234567a', '123456789abcdef01', hash, `0X${hash}`, '2147483647'])
        assert.equal(await statusOf(q), 200, q);
      for (const q of ['ST2ABC', 'SABC', 'S.a', `${OWNER}.`, 'abc', 'a-b', 'a::b', 'coin::gold', ' abc '])
        assert.equal(await statusOf(q), 200, q);
      for (const q of [
        '',
        '  ',
        '0x1234567',
        '1'.repeat(65),
        'ST',
        '-ab',
        '1ab',
        'foo.btc',
        'a b c',
        'coin::',
        '::coin',
      ])
        assert.equal(await statusOf(q), 400, q);
      const { body } = await ask('foo.btc');
      assert.deepEqual([body.statusCode, body.error, body.code], [400, 'Bad Request', undefined]);
      assert.match(body.message, /^querystring\/q must be .*8 digits.*6 characters.*3 characters.*not "foo.btc"$/);
      assert.equal(await statusOf('abc', '&type=block&type=address'), 200);
      for (const rest of ['&type=none', '&type=block,block', '&type=block&type=block'])
        assert.equal(await statusOf('abc', rest), 400, rest);
      assert.equal(await statusOf('foo.btc', '&type=name'), 200);
      assert.deepEqual((await ask('abc', '&type=block')).body, { results: [] });
    });

    test('names match in any case: nearer to the beginning first, then the shorter, then the newest; not in the address', async () => {
      const { ids, deploy, mine } = await open();
      const names = ['a-pool', 'pool-party', 'Pool', 'old-pool-a', 'swimming-pool', 'po-ol'];
      const first = await mine(undefined, ...names.map(name => deploy(name)));
      await mine(first, deploy('Pool', 8));
      const found = ['8.Pool', '9.Pool', '9.pool-party', '9.a-pool', '9.old-pool-a', '9.swimming-pool'];
      const idOfName = (name: string) => `smart_contract ${accountAddress(Number(name[0]))}${name.slice(1)}`;
      assert.deepEqual(await ids('pOOl'), found.map(idOfName));
      assert.deepEqual(await ids(OWNER.slice(3, 9).replace(/^[0-9]+/, '')), []);
    });

    test('an address of six characters finds addresses by their transactions, then contracts and assets below them', async () => {
      const { chain, ids, deploy, mine } = await open();
      const asset = `${OWNER}.vault::coin`;
      const old = deploy('aaa');
      await mine(undefined, old, deploy('zzz'), deploy('vault'), moving(chain.transfer({ from: 9, to: 8 }), asset));
      const below = ['vault', 'zzz', 'aaa'].map(name => `smart_contract ${OWNER}.${name}`);
      assert.deepEqual(await ids(OWNER), [`address ${OWNER}`, ...below, `token ${asset}`]);
      assert.deepEqual(await ids(OWNER.toLowerCase()), [`address ${OWNER}`, ...below, `token ${asset}`]);
      assert.deepEqual(await ids(`${OTHER.slice(0, 9)}`), [`address ${OTHER}`]);
      const shared = [...OWNER].findIndex((letter, i) => letter !== OTHER[i]);
      if (shared >= 6) assert.deepEqual((await ids(OWNER.slice(0, shared), '&type=address'))[0], `address ${OWNER}`);
    });

    test('pending transactions, functions and Bitcoin addresses are found only by their type', async () => {
      const { index, chain, ids, deploy } = await open();
      const waits = chain.transfer();
      const burn = chain.burnBlock({ slots: ['1Hs1Pjv2bBK4xwVa2r5XbYfVHG3eNLZuJG'] });
      const block = chain.block({ burn, txs: [chain.coinbase(), deploy('vault')] });
      await index.deliver(burn.delivery, block.delivery, announced(waits));
      assert.deepEqual(await ids(waits.txId), []);
      assert.deepEqual(await ids(waits.txId.slice(0, 12), '&type=pending_transaction'), [
        `pending_transaction ${waits.txId}`,
      ]);
      assert.deepEqual(await ids('pin'), []);
      assert.deepEqual(await ids('pin', '&type=function'), ['function ping']);
      assert.deepEqual(await ids('1Hs1Pjv', '&type=bitcoin_address'), [
        'bitcoin_address 1Hs1Pjv2bBK4xwVa2r5XbYfVHG3eNLZuJG',
      ]);
    });

    test('names are found by their beginning, then by what is inside their label, and a fork takes that back', async () => {
      const { chain, ids, mine } = await open();
      const names = new Names(chain);
      const launched = chain.transfer();
      const ready = { txid: launched.txId, committed: true, ...namespaceReady('sim', 0) };
      const first = await mine(undefined, { ...launched, events: [ready] });
      const registered = ['lice.sim', 'alice.sim', 'malice-lice.sim', 'li.sim'].map(name => names.register(name, 9));
      await mine(first, ...registered);
      const found = async (q: string) => (await ids(q, '&type=name')).map(hit => hit.replace('name ', ''));
      assert.deepEqual(await found('lice'), ['lice.sim', 'alice.sim', 'malice-lice.sim']);
      assert.deepEqual(await found('LICE.s'), ['lice.sim', 'alice.sim', 'malice-lice.sim']);
      assert.deepEqual(await found('ice'), ['lice.sim', 'alice.sim', 'malice-lice.sim']);
      for (const behind of ['ce.sim', 'sim', '.sim', 'e-l%']) assert.deepEqual(await found(behind).catch(() => []), []);
      assert.deepEqual(await ids('.SI', '&type=namespace,name'), ['namespace sim']);
      assert.deepEqual(await ids('s', '&type=namespace'), ['namespace sim']);
      await mine(await mine(first));
      assert.deepEqual(await found('ice'), []);
      assert.deepEqual(await ids('sim', '&type=namespace'), ['namespace sim']);
    });

    test('the ETag changes with either chain; with pending transactions there is none', async () => {
      const { index, chain, ask, mine } = await open();
      const block = await mine(undefined);
      const { headers } = await ask('102');
      const again = () => index.get('/extended/v3/search?q=102', { 'if-none-match': String(headers.etag) });
      assert.equal((await again()).status, 304);
      const next = chain.burnBlock({ parent: chain.burnBlock({ parent: block.burn }), height: 102 });
      await index.deliver(chain.burnBlock({ parent: block.burn }).delivery, next.delivery);
      assert.equal((await again()).status, 200);
      assert.equal((await ask('102', '&type=pending_transaction,block')).headers.etag, undefined);
    });
  });
});
