import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { announced, callOf, transferOf } from '../../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../../test/support/transaction-builder.ts';

const LIST = '/extended/v1/tx/mempool';
const alice = accountAddress(9);
const bob = accountAddress(7);

/** Nine transactions: three transfers and a call of one account, five transfers of another; fees and sizes repeat. */
const TXS: readonly BuiltTx[] = [
  ...[0, 1, 2].map(nonce => transferOf({ from: 9, nonce, fee: 100 })),
  callOf('pool', 'join', { from: 9, nonce: 3, fee: 500 }),
  ...[0, 1, 2, 3, 4].map(nonce => transferOf({ from: 8, nonce, fee: 300 - nonce }, nonce === 4 ? 9 : 7)),
];

onSqliteAtLeast((engine, openFresh) => {
  async function open(t: Parameters<typeof openFresh>[0]): Promise<TestIndex> {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(announced(...TXS.slice(0, 4)), announced(...TXS.slice(4)));
    return index;
  }

  const idsOf = async (index: TestIndex, query: string): Promise<string[]> => {
    const { status, body } = await index.get(`${LIST}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.results.map((tx: { tx_id: string }) => tx.tx_id);
  };

  test(`pages follow each other in every order, equals by id, and none is lost or repeated (${engine})`, async t => {
    const index = await open(t);
    for (const order_by of ['age', 'size', 'fee']) {
      for (const order of ['asc', 'desc']) {
        const all = await idsOf(index, `?order_by=${order_by}&order=${order}`);
        assert.deepEqual([...all].sort(), TXS.map(({ txId }) => txId).sort());
        const paged: string[] = [];
        for (let offset = 0; offset < 9; offset += 2) {
          paged.push(...(await idsOf(index, `?order_by=${order_by}&order=${order}&limit=2&offset=${offset}`)));
        }
        assert.deepEqual(paged, all);
      }
      const [up, down] = await Promise.all(
        ['asc', 'desc'].map(order => idsOf(index, `?order_by=${order_by}&order=${order}`)),
      );
      assert.deepEqual(down, up?.toReversed());
    }
    assert.equal((await idsOf(index, '?order_by=fee&limit=1'))[0], TXS[3]?.txId);
  });

  test(`the newest comes first where nothing else is asked (${engine})`, async t => {
    const index = await open(t);
    const newest = new Set(TXS.slice(4).map(({ txId }) => txId));
    assert.deepEqual(new Set((await idsOf(index, '')).slice(0, 5)), newest);
  });

  test(`filters combine, and the total counts what passes them (${engine})`, async t => {
    const index = await open(t);
    const counts: Record<string, number> = {
      '': 9,
      [`?sender_address=${alice}`]: 4,
      [`?recipient_address=${bob}`]: 7,
      [`?sender_address=${alice}&recipient_address=${bob}`]: 3,
      [`?address=${alice}`]: 5,
      [`?address=${alice}.pool`]: 1,
      [`?recipient_address=${alice}.pool`]: 0,
      [`?address=${accountAddress(99)}`]: 0,
      '?unanchored=true': 9,
      '?offset=9': 9,
      '?offset=9007199254740991': 9,
      '?limit=0': 9,
    };
    for (const [query, total] of Object.entries(counts)) {
      const { status, body } = await index.get(`${LIST}${query}`);
      assert.equal(status, 200, query);
      assert.equal(body.total, total, query);
    }
  });

  test(`the record has the keys of 10.2 in their order (${engine})`, async t => {
    const index = await open(t);
    const { body } = await index.get(`${LIST}?sender_address=${alice}&order_by=fee&limit=1`);
    assert.deepEqual(Object.keys(body), ['limit', 'offset', 'total', 'results']);
    assert.deepEqual(Object.keys(body.results[0]), [
      'tx_id',
      'nonce',
      'fee_rate',
      'sender_address',
      'sponsored',
      'post_condition_mode',
      'post_conditions',
      'anchor_mode',
      'tx_status',
      'replaced_by_tx_id',
      'receipt_time',
      'receipt_time_iso',
      'tx_type',
      'contract_call',
    ]);
  });

  test(`parameters out of bounds are refused by name, whatever they hold (${engine})`, async t => {
    const index = await open(t);
    const refused: Record<string, string> = {
      'limit=51': 'querystring/limit must be at most 50, not 51',
      'limit=-1': 'querystring/limit must be at least 0, not -1',
      'limit=': 'querystring/limit must be an integer, not ""',
      'limit=1&limit=2': 'querystring/limit must be an integer, not ["1","2"]',
      'offset=-1': 'querystring/offset must be at least 0, not -1',
      'offset=9007199254740992': 'querystring/offset must be at most 9007199254740991, not 9007199254740992',
      'offset=x': 'querystring/offset must be an integer, not "x"',
      'unanchored=1': 'querystring/unanchored must be true or false, not "1"',
      'exclude_function_args=': 'querystring/exclude_function_args must be true or false, not ""',
      'sender_address=': 'querystring/sender_address must be an address or the id of a contract, not ""',
      'recipient_address=bogus':
        'querystring/recipient_address must be an address or the id of a contract, not "bogus"',
      'address=%00': 'querystring/address must not contain NUL or an unpaired surrogate',
      [`address=${alice}%00`]: 'querystring/address must not contain NUL or an unpaired surrogate',
      [`sender_address=${alice}&sender_address=${alice}`]: `querystring/sender_address must be given once, not ["${alice}","${alice}"]`,
      [`address=${alice.slice(0, -1)}0`]: `querystring/address must be an address or the id of a contract, not "${alice.slice(0, -1)}0"`,
      [`address=${alice}.`]: `querystring/address must be an address or the id of a contract, not "${alice}."`,
      [`address=${alice}&sender_address=${bob}`]:
        'querystring/address must not be given together with sender_address or recipient_address',
      [`address=${alice}&recipient_address=${bob}`]:
        'querystring/address must not be given together with sender_address or recipient_address',
    };
    for (const [query, message] of Object.entries(refused)) {
      const { status, body } = await index.get(`${LIST}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.message, message, query);
    }
    for (const query of ['order_by=bogus', 'order=up', 'order=', 'order=asc&order=desc']) {
      const { status, body } = await index.get(`${LIST}?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.message, /^querystring\/order(_by)? must be /);
    }
  });

  test(`a filter of confirmed transactions without a value is refused (${engine})`, async t => {
    const index = await open(t);
    for (const name of ['function_name', 'contract_id', 'from_address', 'to_address', 'type', 'nonce'])
      assert.equal((await index.get(`/extended/v1/tx?${name}=`)).status, 400, name);
  });

  test(`hostile text in any parameter is never a failure of the server (${engine})`, async t => {
    const index = await open(t);
    const texts = ["' OR 1=1 --", '%25%00', '\u{10ffff}', '../../', '{"a":1}', 'S'.repeat(4000), '1e400', 'NaN', '[]'];
    const names = [
      'sender_address',
      'recipient_address',
      'address',
      'order_by',
      'order',
      'unanchored',
      'offset',
      'limit',
    ];
    for (const name of names) {
      for (const text of [...texts, `${alice}${"'"}`, `${alice}.${'x'.repeat(200)}`]) {
        const { status } = await index.get(`${LIST}?${name}=${encodeURIComponent(text)}`);
        assert.ok(status === 400 || status === 200, `${name}=${text}: ${status}`);
        assert.equal((await index.get(`/extended/v2/mempool/fees?${name}=${encodeURIComponent(text)}`)).status, 200);
      }
    }
  });

  test(`an empty index has an empty mempool (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    assert.deepEqual((await index.get(LIST)).body, { limit: 20, offset: 0, total: 0, results: [] });
    const { body, headers } = await index.get('/extended/v2/mempool/fees');
    assert.deepEqual(body, { all: { no_priority: 0, low_priority: 0, medium_priority: 0, high_priority: 0 } });
    assert.equal(headers.etag, undefined);
  });
});
