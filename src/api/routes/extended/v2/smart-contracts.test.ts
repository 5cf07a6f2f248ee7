import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { announced, deployOf } from '../../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { sampleDeploy, samplePrint } from '../../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../test/support/transaction-builder.ts';

const OWNER = accountAddress(9);
const VAULT = `${OWNER}.vault`;
const LOGS = `/extended/v2/smart-contracts/${VAULT}/logs`;
const STATUS = '/extended/v2/smart-contracts/status';
const ANCHORED = 2147483647;

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => openTestIndex(await databaseWithTables(openFresh, t));

  /** Blocks 2, 3 and 4 print: one log, then two of one transaction beside one of another contract, then one. */
  async function withLogs(t: Parameters<typeof openFresh>[0]) {
    const index = await open(t);
    const chain = new ChainBuilder();
    const printing = (...topics: readonly string[]) =>
      chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), {
        events: topics.map(topic => samplePrint(topic === 'other' ? `${OWNER}.other` : VAULT, '0x0703', topic)),
      });
    const transactions = [[], [printing('a')], [chain.transfer(), printing('b', 'other', 'c')], [printing('d')]];
    let top = chain.block({ txs: [] });
    await index.deliver(top.delivery);
    for (const txs of transactions.slice(1)) {
      top = chain.block({ parent: top, txs });
      await index.deliver(top.delivery);
    }
    const page = async (query: string) => {
      const { status, body } = await index.get(`${LOGS}${query}`);
      const topics = body.results?.map((log: { contract_log: { topic: string } }) => log.contract_log.topic).join('');
      return { status, topics, ...body };
    };
    return { index, page };
  }

  test(`logs are listed newest first, with cursors both ways (${engine})`, async t => {
    const { page } = await withLogs(t);
    const all = await page('');
    assert.deepEqual([all.topics, all.total, all.next_cursor, all.prev_cursor], ['dcba', 4, null, null]);
    assert.equal(all.cursor, `4:${ANCHORED}:0:0`);
    const second = await page(`?limit=2&cursor=3:${ANCHORED}:1:0`);
    assert.deepEqual([second.topics, second.next_cursor, second.prev_cursor], ['ba', `4:${ANCHORED}:0:0`, null]);
    const middle = await page('?limit=1&offset=1');
    assert.deepEqual(
      [middle.topics, middle.cursor, middle.next_cursor, middle.prev_cursor],
      ['c', `3:${ANCHORED}:1:2`, `4:${ANCHORED}:0:0`, `3:${ANCHORED}:1:0`],
    );
    const walked: string[] = [];
    for (let cursor: string | null = all.cursor; cursor !== null; ) {
      const { topics, prev_cursor } = await page(`?limit=1&cursor=${cursor}`);
      walked.push(topics);
      cursor = prev_cursor;
    }
    assert.equal(walked.join(''), 'dcba');
  });

  test(`a cursor means the newest log that is not after it (${engine})`, async t => {
    const { page } = await withLogs(t);
    const places: Record<string, string> = {
      [`9:${ANCHORED}:0:0`]: 'd',
      [`4:${ANCHORED}:0:0`]: 'd',
      '4:0:0:0': 'c',
      [`3:${ANCHORED}:1:2`]: 'c',
      [`3:${ANCHORED}:1:1`]: 'b',
      [`3:${ANCHORED}:0:99`]: 'a',
      [`3:${ANCHORED}:7:0`]: 'c',
      '99999999999999999999:0:0:0': 'd',
    };
    for (const [cursor, topic] of Object.entries(places)) {
      assert.equal((await page(`?limit=1&cursor=${cursor}`)).topics, topic, cursor);
    }
    const past = await page('?cursor=9:0:0:0&offset=4');
    assert.deepEqual([past.status, past.topics], [200, '']);
    for (const query of ['1:0:0:0', `1:${ANCHORED}:9:9`]) {
      assert.equal((await page(`?cursor=${query}`)).status, 404, query);
    }
    for (const query of ['cursor=1:2:3', 'cursor=', 'offset=-1', 'offset=1001', 'limit=101'])
      assert.equal((await page(`?${query}`)).status, 400, query);
  });

  test(`a contract that printed nothing has an empty list (${engine})`, async t => {
    const { index } = await withLogs(t);
    const { status, body } = await index.get(`/extended/v2/smart-contracts/${OWNER}.none/logs`);
    const cursors = { next_cursor: null, prev_cursor: null, cursor: null };
    assert.deepEqual([status, body], [200, { limit: 20, offset: 0, total: 0, ...cursors, results: [] }]);
    const past = await index.get(`${LOGS}?offset=4`);
    assert.deepEqual([past.body.total, past.body.results], [4, []]);
  });

  test(`a contract has the status of its newest deployment, else of the pending one that comes first (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const failed = sampleDeploy(chain, 'vault');
    const good = sampleDeploy(chain, 'vault', { functions: [] });
    const root = chain.block({ txs: [failed] });
    const waiting = [5, 4].map(nonce => deployOf('later', 'go', { nonce }));
    await index.deliver(root.delivery, announced(...waiting));
    const statusesOf = async (query: string) => (await index.get(`${STATUS}?${query}`)).body;
    const first = { status: 'abort_by_response', tx_id: failed.txId, contract_id: VAULT, block_height: 1 };
    assert.deepEqual(await statusesOf(`contract_id=${VAULT}`), { [VAULT]: { found: true, result: first } });
    const next = chain.block({ parent: root, txs: [good] });
    await index.deliver(next.delivery);
    const expected = {
      [VAULT]: {
        found: true,
        result: { status: 'success', tx_id: good.txId, contract_id: VAULT, block_height: 2 },
      },
      [`${OWNER}.later`]: {
        found: true,
        result: { status: 'pending', tx_id: waiting[1]?.txId, contract_id: `${OWNER}.later` },
      },
      [`${OWNER}.none`]: { found: false },
    };
    const asked = [VAULT, `${OWNER}.later`, `${OWNER}.none`];
    assert.deepEqual(await statusesOf(asked.map(id => `contract_id=${id}`).join('&')), expected);
    assert.deepEqual(await statusesOf(`contract_id=${asked.join(',')},${VAULT.toLowerCase()}`), expected);
    await index.deliver(
      ...[chain.block({ parent: root, txs: [] })].flatMap(fork => [
        fork.delivery,
        chain.block({ parent: fork, txs: [] }).delivery,
      ]),
    );
    assert.deepEqual(
      await statusesOf(`contract_id=${VAULT}`),
      {
        [VAULT]: { found: true, result: first },
      },
      'the block of the newer one is lost',
    );
  });

  test(`ids that are no contracts are refused by their place (${engine})`, async t => {
    const index = await open(t);
    const refused: Record<string, RegExp> = {
      '': /^querystring\/contract_id is required$/,
      'contract_id=': /^querystring\/contract_id\/0 must be the id of a contract, not ""$/,
      [`contract_id=${VAULT},x`]: /^querystring\/contract_id\/1 must be the id of a contract, not "x"$/,
      [`contract_id=${VAULT}&contract_id=${OWNER}`]: /^querystring\/contract_id\/1 must be the id of a contract/,
      [`contract_id[]=${VAULT}`]: /^querystring\/contract_id must be given as contract_id=a,b/,
    };
    for (const [query, message] of Object.entries(refused)) {
      const { status, body } = await index.get(`${STATUS}?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.message, message, query);
    }
  });
});
