/** What every list, every hash and every ETag of version 3 keeps, whatever it is about. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OpenApiDocument } from '../src/api/http/openapi/document.ts';
import { ADMIN, ANN, DEE, MANAGERS } from './chains/simulation/cast.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { openFreshOf } from './support/engines.ts';
import { exampleRequests } from './support/example-requests.ts';
import { announced, transferOf } from './support/pending-transactions.ts';
import { replayed } from './support/replayed.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { scale } from './support/scale.ts';
import { lockEvent } from './support/staking-prints.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';
import { todaysEvents } from './support/todays-chain.ts';
import { accountAddress } from './support/transaction-builder.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const fresh = async (t: Parameters<typeof openFreshOf.sqlite>[0]): Promise<TestIndex> =>
  openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
const ofSample = async (t: Parameters<typeof openFreshOf.sqlite>[0]): Promise<TestIndex> =>
  openTestIndex((await replayed(openFreshOf.sqlite, archive)(t)).database);

/** What the sample chain has nothing of, or little, with what the chain of epoch 4.0 has. */
const BOND = '/extended/v3/staking/bonds/1';
const OF_TODAY: readonly string[] = [
  ...['allowlist', 'registrations', 'events'].map(list => `${BOND}/${list}`),
  ...[
    'bonds',
    'signers',
    'cycles/11/signers',
    `cycles/11/signers/${MANAGERS[1]}/stakers`,
    `signers/${MANAGERS[1]}/stakers`,
  ].map(list => `/extended/v3/staking/${list}`),
  ...[ADMIN, ANN, DEE].flatMap(principal =>
    ['staking/bonds', 'balances/ft', 'balances/nft', 'transactions', 'transfers/stx/outbound'].map(
      list => `/extended/v3/principals/${principal}/${list}`,
    ),
  ),
];

/** The first page of every list of version 3, as the document shows how to ask for it. */
async function lists(index: TestIndex): Promise<{ path: string; url: string; cursor: string }[]> {
  const { body } = await index.get('/openapi.json');
  const found = new Map<string, { path: string; url: string; cursor: string }>();
  for (const { path, url, query } of exampleRequests(body as OpenApiDocument)) {
    const { cursor, ...required } = query;
    if (!path.startsWith('/extended/v3/') || cursor === undefined || 'limit' in required || 'seen_tip' in required)
      continue;
    const first = url.replace(/cursor=[^&]*&?/, '').replace(/[?&]$/, '');
    found.set(path, { path, url: first, cursor: String(cursor) });
  }
  return [...found.values()];
}

const withQuery = (url: string, query: string): string => `${url}${url.includes('?') ? '&' : '?'}${query}`;

/** Walks a list by pages of one, forwards and backwards, and compares with a page of many. @returns its length */
async function walk(index: TestIndex, url: string, many: number): Promise<number> {
  const whole = (await index.get(withQuery(url, `limit=${many}`))).body;
  const [one, rows, cursors]: [string, unknown[], string[]] = [withQuery(url, 'limit=1'), [], []];
  let { body } = await index.get(one);
  while (body.results.length > 0) {
    rows.push(body.results[0]);
    cursors.push(body.cursor.current);
    const again = (await index.get(`${one}&cursor=${encodeURIComponent(body.cursor.current)}`)).body;
    assert.deepEqual(again, body, `current of ${url}`);
    if (body.cursor.next === null || rows.length === many) break;
    ({ body } = await index.get(`${one}&cursor=${encodeURIComponent(body.cursor.next)}`));
  }
  assert.deepEqual(rows, whole.results, url);
  assert.equal(new Set(cursors).size, cursors.length, url);
  // Movements are read forward alone (docs/spec/addresses.md#movements).
  if (!('previous' in body.cursor)) return rows.length;
  for (let i = rows.length - 1; i > 0; i--) {
    assert.equal(body.cursor.previous, cursors[i - 1], `previous of ${url}`);
    ({ body } = await index.get(`${one}&cursor=${encodeURIComponent(body.cursor.previous)}`));
    assert.deepEqual(body.results, [rows[i - 1]], url);
  }
  assert.equal(body.cursor.previous, null, url);
  return rows.length;
}

const MANY = scale === 'short' ? 5 : 8;

test('every list of version 3, walked by pages of one, is its page of many, there and back', async t => {
  const sample = await ofSample(t);
  const all = await lists(sample);
  const lengths = new Map<string, number>();
  for (const { path, url } of all)
    if (!/bonds|cycles\/\w+\/signers/.test(url)) lengths.set(path, await walk(sample, url, MANY));
  const today = await fresh(t);
  await today.deliver(...todaysEvents());
  for (const url of OF_TODAY) {
    const { path = url } =
      all.find(list => new RegExp(`^${list.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url)) ?? {};
    lengths.set(path, Math.max(lengths.get(path) ?? 0, await walk(today, url, MANY)));
  }
  assert.deepEqual(
    all.filter(({ path }) => !((lengths.get(path) ?? 0) > 0)).map(({ path }) => path),
    // test/model/cycle-rewards.test.ts compares it with the model on chains with rewards of PoX 5.
    ['/extended/v3/principals/{principal}/staking/rewards'],
    'lists of which no chain has a row',
  );
});

/** Rewards, and lists of events (docs/spec/cursors.md#places-of-events). */
const REFUSES_HUGE =
  /\/((mining|staking)\/rewards|transfers(\/.*)?|bonds\/[0-9]+\/(events|allowlist|registrations)|history|logs)$/;

test('a cursor of any other form is refused by every list, and one beyond every number gets a page, or a 400 from rewards and lists of events', async t => {
  const index = await ofSample(t);
  for (const { url, cursor } of await lists(index)) {
    for (const malformed of ['', '::', '-1', '1:', ' ', '\u0001', `${cursor}\n`]) {
      const { status, body } = await index.get(withQuery(url, `cursor=${encodeURIComponent(malformed)}`));
      assert.deepEqual([status, body.code], [400, 'FST_ERR_VALIDATION'], `${url} ${JSON.stringify(malformed)}`);
      assert.match(body.message, /^querystring\/cursor /);
    }
    if (!/^[0-9]+(:|$)/.test(cursor)) continue;
    const huge = cursor.replace(/^[0-9]+(:[0-9]+(?=:|$))*/, digits => digits.replaceAll(/[0-9]+/g, '9'.repeat(30)));
    const { status } = await index.get(withQuery(url, `cursor=${encodeURIComponent(huge)}`));
    const isRefused = REFUSES_HUGE.test(url.replace(/\?.*/, ''));
    assert.equal(status, isRefused ? 400 : 200, `${url} ${huge}`);
  }
});

test('a hash is the same without 0x and in capitals, in paths, parameters and cursors', async t => {
  const index = await fresh(t);
  const chain = new ChainBuilder();
  const block = chain.block({ txs: [chain.transfer()] });
  await index.deliver(block.delivery, announced(transferOf({ from: 41 }), transferOf({ from: 42 })));
  const sender = accountAddress(10);
  const { body: pending } = await index.get('/extended/v3/mempool/transactions?limit=1');
  const [time = '', id = ''] = pending.cursor.next.split(':');
  const txId = block.txs[0]?.txId ?? '';
  for (const [hash, url] of [
    [txId, (id: string) => `/extended/v3/transactions/${id}?include=result`],
    [txId, (id: string) => `/extended/v3/transactions/${id}/events`],
    [id, (id: string) => `/extended/v3/transactions/${id}`],
    [block.hash, (hash: string) => `/extended/v3/blocks/${hash}/transactions`],
    [block.indexHash, (hash: string) => `/extended/v3/blocks/${hash}/transactions`],
    [block.indexHash, (hash: string) => `/extended/v3/blocks/${hash}/cells`],
    [block.indexHash, (hash: string) => `/extended/v3/transactions?seen_tip=${hash}`],
    [txId, (id: string) => `/extended/v3/principals/${sender}/transactions/${id}/balance-changes`],
    [txId, (id: string) => `/extended/v3/principals/${sender}/balance-changes?tx_id=${id}`],
    [id, (id: string) => `/extended/v3/mempool/transactions?cursor=${time}:${id}`],
    [txId, (hash: string) => `/extended/v3/search?q=${hash}`],
  ] as const) {
    const { status, body } = await index.get(url(hash));
    assert.equal(status, 200, url(hash));
    for (const spelling of [hash.slice(2), hash.slice(2).toUpperCase(), `0x${hash.slice(2).toUpperCase()}`])
      assert.deepEqual((await index.get(url(spelling))).body, body, url(spelling));
  }
});

test('what is to be included is named once', async t => {
  const index = await fresh(t);
  for (const include of ['include=result,result', 'include=result&include=result']) {
    const { status, body } = await index.get(`/extended/v3/transactions/${'0'.repeat(64)}?${include}`);
    assert.equal(status, 400);
    assert.match(body.message, /^querystring\/include must have each item once, not \[/);
  }
});

test('the events of a pending transaction are not found, the transaction is', async t => {
  const index = await fresh(t);
  const chain = new ChainBuilder();
  const waiting = transferOf({ from: 41 });
  await index.deliver(chain.block().delivery, announced(waiting));
  const { body } = await index.get('/extended/v3/mempool/transactions');
  const path = `/extended/v3/transactions/${body.results[0].tx_id}`;
  assert.deepEqual([(await index.get(path)).body.status, (await index.get(`${path}/events`)).status], ['pending', 404]);
});

test('an ETag holds until a block comes: also one that only pays a miner, or lets a lock end', async t => {
  const index = await fresh(t);
  const chain = new ChainBuilder();
  const [miner, staker] = [accountAddress(60), accountAddress(61)];
  const call = chain.call('pool', 'go');
  const first = chain.block();
  const until = first.burn.height + 1;
  const locks = { ...call, events: [{ txid: call.txId, committed: true, ...lockEvent(staker, 70, until) }] };
  const locked = chain.block({ parent: first, txs: [locks] });
  await index.deliver(first.delivery, locked.delivery);
  const stxOf = (who: string) => `/extended/v3/principals/${who}/balances/stx`;
  const seen = new Map<string, string>();
  const statusOf = async (who: string): Promise<number> => {
    const etag = seen.get(who);
    const { status, headers } = await index.get(stxOf(who), etag === undefined ? {} : { 'if-none-match': etag });
    seen.set(who, String(headers.etag));
    return status;
  };
  const both = async () => [await statusOf(miner), await statusOf(staker)];
  assert.deepEqual(await both(), [200, 200]);
  assert.deepEqual(await both(), [304, 304]);
  assert.equal((await index.get(stxOf(staker))).body.locked.amount, '70');

  const reward = {
    ...{ recipient: miner, miner_address: miner, coinbase_amount: '9' },
    ...{ tx_fees_anchored: '0', tx_fees_streamed_confirmed: '0', tx_fees_streamed_produced: '0' },
    ...{ from_stacks_block_hash: first.hash, from_index_consensus_hash: first.indexHash },
  };
  let top = locked;
  while (top.burn.height <= until) {
    top = chain.block({ parent: top, fields: top === locked ? { matured_miner_rewards: [reward] } : {} });
    await index.deliver(top.delivery);
    assert.deepEqual(await both(), [200, 200]);
    assert.deepEqual(await both(), [304, 304]);
  }
  assert.equal((await index.get(stxOf(miner))).body.balance, '9');
  assert.equal((await index.get(stxOf(staker))).body.locked, null);
});
