import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delivery } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { assertFound, assertMissed, blockFound, find, openSearch } from '../../../../test/support/searches.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

const STRANGER = accountAddress(42);

onSqliteAtLeast((_engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);
  const open = async () => openSearch(await emptied());

  const miss = (entity_type: string, error: string) => ({ found: false, result: { entity_type }, error });

  test('every miss names the kind of id, and the term as it was given', async () => {
    const { index } = await open();
    const hex = 'CD'.repeat(32);
    const noTerm = (term: string) =>
      `The term "${term}" is not a valid block hash, transaction ID, contract principal, or account address principal`;
    const misses = [
      [hex, miss('unknown_hash', `No block or transaction found with hash "0x${hex.toLowerCase()}"`)],
      [` ${STRANGER} `, miss('standard_address', `No principal found with address "${STRANGER}"`)],
      [`${STRANGER}.a`, miss('contract_address', `No principal found with address "${STRANGER}.a"`)],
      [`${STRANGER}.a.b`, miss('invalid_term', noTerm(`${STRANGER}.a.b`))],
      [' a"b ', miss('invalid_term', noTerm('a"b'))],
      [' ', miss('invalid_term', noTerm(''))],
      ['1', miss('invalid_term', noTerm('1'))],
      ['é\u{1f600}%', miss('invalid_term', noTerm('é\u{1f600}%'))],
    ] as const;
    for (const [id, expected] of misses) {
      for (const withMetadata of [false, true]) {
        const { status, body, headers } = await find(index, id, withMetadata);
        assert.deepEqual([status, JSON.stringify(body)], [404, JSON.stringify(expected)]);
        assert.equal(headers['content-type'], 'application/json; charset=utf-8');
        assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
      }
    }
  });

  test('include_metadata is true or false, once', async () => {
    const { index, chain, mine } = await open();
    const { hash } = await mine(undefined, chain.coinbase());
    const ask = (query: string) => index.get(`/extended/v1/search/${hash}${query}`);
    for (const query of [
      '',
      '?',
      '?include_metadata=false',
      '?INCLUDE_METADATA=true',
      '?include_metadata[]=true',
      '?other=1',
    ])
      assert.equal((await ask(query)).body.result.metadata, undefined, query);
    for (const value of ['', '=', '=1', '=TRUE', '=foo']) {
      const { status, body } = await ask(`?include_metadata${value}`);
      assert.deepEqual(
        [status, body.message],
        [400, `querystring/include_metadata must be true or false, not "${value.slice(1)}"`],
        value,
      );
    }
  });

  test('an id of any length and content gets a response, and no id is no route', async () => {
    const { index } = await open();
    const ids = [
      'a'.repeat(1024),
      `${STRANGER}.${'a'.repeat(128)}`,
      "' OR 1=1 --",
      '\u{feff}',
      '../..',
      '%',
      '\\u0000',
    ];
    for (const id of ids) assert.equal((await find(index, id)).status, 404, id);
    for (const [id, status] of [
      ['%00', 400],
      ['%ED%A0%80', 400],
      ['%zz', 400],
      ['a'.repeat(1025), 414],
    ] as const)
      assert.equal((await index.get(`/extended/v1/search/${id}`)).status, status, id);
    for (const path of ['/extended/v1/search', '/extended/v1/search/']) {
      const { status, body } = await index.get(path);
      assert.deepEqual([status, body.message], [404, `Route GET:${path} not found`]);
    }
    assert.equal((await index.get('/extended/v1/search/1/')).body.result.entity_type, 'invalid_term');
  });

  test('hostile events leave a search working', async () => {
    const { index, chain, mine } = await open();
    await index.deliver(delivery('/new_mempool_tx', ['0x', '0x00', `0x${'ff'.repeat(100)}`]));
    const { txId } = chain.transfer();
    const block = chain.block({
      txs: [{ txId, body: { ...chain.coinbase().body, txid: txId, raw_tx: '0xff' }, events: [] }],
    });
    await index.deliver(block.delivery);
    await assertMissed(index, txId, 'unknown_hash', true);
    await mine(block);
    await assertFound(index, block.hash, blockFound(block), true);
  });
});
