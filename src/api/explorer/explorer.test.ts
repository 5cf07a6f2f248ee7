import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crawl, OF_SAMPLE } from '../../../test/explorer/crawl.ts';
import { openGrowingChain } from '../../../test/explorer/growing-chain.ts';
import {
  ACCOUNT,
  DEPLOYER,
  FAILED,
  FORK,
  LOST_CONTRACT,
  NAMED_ERROR,
  PAGES,
  STOPPED,
  SWAP,
  WAITING,
} from '../../../test/explorer/pages.ts';
import { Reader } from '../../../test/explorer/reader.ts';
import { replayTask, TASKS } from '../../../test/explorer/tasks.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { replayed } from '../../../test/support/replayed.ts';
import { SampleMetadata } from '../../../test/support/sample-metadata.ts';
import { scale } from '../../../test/support/scale.ts';
import { openTestIndex, type ServedPage, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import type { Database } from '../../base/store/database.ts';
import { addressElsewhere } from './parts/address-forms.ts';

/** Its API refuses deprecated routes, of which pages use several. */
let index: TestIndex;
let page: (path: string, headers?: Readonly<Record<string, string>>) => Promise<ServedPage>;
const archive = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');
let close: () => Promise<void>;
let database: Database;
before(async () => {
  const fresh = await replayed(openFreshOf.sqlite, archive)();
  close = () => fresh.cleanup();
  database = fresh.database;
  index = await openTestIndex(database, { deprecatedRoutes: false });
  page = index.page;
});
after(() => close());

test('every page is a whole document with one heading, a title and its landmarks', async () => {
  for (const path of PAGES) {
    const { status, body, headers } = await page(path);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(body.match(/<h1>/g)?.length, 1, path);
    assert.match(body, /<title>[^<]+ · Stacks explorer<\/title>/);
    for (const landmark of ['<header>', '<main ', '<footer>']) assert.equal(body.split(landmark).length, 2, path);
    assert.doesNotMatch(body, /undefined|NaN|\[object/, path);
  }
});

test('deprecated routes that are switched off are gone for clients', async () => {
  for (const path of ['/extended/v1/tx', '/extended/v1/tx/mempool', '/v1/names/alice.sim']) {
    const { status, headers, body } = await index.page(path);
    assert.equal(status, 410, path);
    assert.equal(headers['access-control-allow-origin'], '*', path);
    const text = 'See https://docs.hiro.so/stacks/api for more information';
    assert.equal(headers.warning, `299 - "Deprecated: ${text}"`);
    assert.equal(body, `{"error":"Gone","message":"This endpoint has been disabled. ${text}"}`);
  }
  assert.equal((await index.page('/extended/v3/transactions')).status, 200);
  const { headers } = await index.page('/extended/v1/search/1');
  assert.equal(headers.warning, '299 - "Deprecated: Use /extended/v3/search instead"');
});

test('the page of a block counts the transactions that it lists, of which the node counts more or fewer', async () => {
  for (const [block, count] of [
    [1, 11],
    [130, 5],
  ]) {
    const { body } = await page(`/explorer/block/${block}`);
    assert.equal(body.match(/<td data-head="Status">/g)?.length, count);
    assert.match(body, new RegExp(`<h2[^>]*>${count} transactions</h2>`));
    assert.match(body, new RegExp(`data-part="lead">.*<dt>Transactions</dt><dd>${count}<`));
    assert.match(body, new RegExp(`aria-label="Block ${block}, ${count} transactions`));
  }
});

test('nothing leads to what cannot be: below the first block, or to the source of a contract without one', async () => {
  const { status, body } = await page('/explorer/contract/ST000000000000000000002AMW42H.none/source');
  assert.equal(status, 200);
  assert.match(body, /Its source is not known/);
  assert.doesNotMatch((await page('/explorer/block/1')).body, /block\/0x0{64}/);
  assert.doesNotMatch((await page('/explorer/btc/0')).body, /btc\/-1/);
});

test('a contract that only a block of a fork deployed is called lost, and leads to no form for its functions', async () => {
  const { body } = await page(`/explorer/contract/${LOST_CONTRACT}`);
  assert.match(body, /Not part of the chain: a fork left the block behind that deployed it\./);
  assert.doesNotMatch(body, /<dt>Deployed<|\/call\//);
  assert.doesNotMatch((await page(`/explorer/contract/${DEPLOYER}.token-a`)).body, /Not part of the chain/);
});

test('the list of tokens names the unit of a supply whose decimals are not known', async () => {
  assert.match((await page('/explorer/tokens')).body, /data-head="Supply"[^>]*>.*?units of<\/small> tokena</);
});

test('every link of every page leads to a page or a record, those to JSON too', async () => {
  assert.ok((await crawl(index, PAGES, OF_SAMPLE)) > 200);
});

test('pages link to no JSON that is an error', async () => {
  const { body } = await page('/explorer/status');
  assert.match(body, /<li><code>GET \/v2\/info<\/code> \(no such record\)/);
  assert.doesNotMatch(body, /href="[^"]*\/v2\/info"/);
});

test('a page allows nothing but files of this server, and no page of others around it', async () => {
  const { headers, body } = await page('/explorer');
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.doesNotMatch(body, /<script>|<style>| style="| on\w+="/);
  assert.equal(headers['access-control-allow-origin'], undefined);
});

test('the same page is a 304, and other encodings are told apart', async () => {
  const { headers } = await page('/explorer/blocks');
  assert.equal((await page('/explorer/blocks', { 'if-none-match': String(headers.etag) })).status, 304);
  assert.equal(headers.vary, 'Accept-Encoding');
});

test('what is not there is a page with the status of the API', async () => {
  for (const [path, status] of [
    ['/explorer/nothing', 404],
    ['/explorer/block/99999', 404],
    [`/explorer/tx/0x${'ab'.repeat(32)}`, 404],
    ['/explorer/tx/nonsense', 400],
    ['/explorer/address/ST000', 400],
    ['/explorer/search?q=nothing-of-this-name', 404],
    [`/explorer/search?q=${DEPLOYER.slice(0, -1)}X.vault::deposit`, 404],
    [`/explorer/search?q=${DEPLOYER.slice(0, 6)}…${DEPLOYER.slice(-6)}.${'a'.repeat(99)}`, 404],
    ['/explorer/name/one-label', 404],
  ] as const) {
    const response = await page(path);
    assert.equal(response.status, status, path);
    assert.match(response.body, /<h1>/);
  }
});

test('search leads to what was typed, in any of its spellings', async () => {
  const block = '0xf095d6b2718e101de3882b2eaf74f4b72ab9b0a1a865915e66c19ed111f56043';
  for (const [typed, to] of [
    [SWAP, `tx/${SWAP}`],
    [SWAP.slice(2).toUpperCase(), `tx/${SWAP}`],
    [block, `block/${block}`],
    [WAITING, `tx/${WAITING}`],
    [FORK, `block/${FORK}`],
    [DROPPED, `tx/${DROPPED}`],
    [ACCOUNT, `address/${ACCOUNT}`],
    [` ${ACCOUNT.toLowerCase()} `, `address/${ACCOUNT}`],
    [`${ACCOUNT}.pool`, `contract/${ACCOUNT}.pool`],
    [`https://explorer.example/txid/${SWAP}?chain=testnet`, `tx/${SWAP}`],
    ['alice.sim', 'name/alice.sim'],
    ['vault', `contract/${DEPLOYER}.vault`],
    ['abort_by_post_condition', 'help'],
    [`${SWAP.slice(0, 8)}…${SWAP.slice(-6)}`, `tx/${SWAP}`],
    [`${WAITING.slice(0, 8)}...${WAITING.slice(-4)}`, `tx/${WAITING}`],
    [`${block.slice(0, 10)}…${block.slice(-6)}`, 'block/156'],
    [`${DEPLOYER.slice(0, 6)}…${DEPLOYER.slice(-6)}.vault`, `contract/${DEPLOYER}.vault`],
    [`${DEPLOYER}.vault::deposit`, `contract/${DEPLOYER}.vault/calls`],
    ['.sim', 'names'],
    ['mempool', 'mempool'],
  ] as const) {
    const { status, headers } = await page(`/explorer/search?q=${encodeURIComponent(typed)}`);
    assert.equal(status, 302, typed);
    assert.equal(new URL(String(headers.location), 'http://a/explorer/search').pathname, `/explorer/${to}`);
  }
  for (const [typed, found] of [
    [ACCOUNT.slice(0, 9), `address/${ACCOUNT}`],
    [SWAP.slice(0, 12), `tx/${SWAP}`],
    [`${DEPLOYER}.token-a::tok`, `token/${encodeURIComponent(`${DEPLOYER}.token-a::tokena`)}`],
    [`${DEPLOYER}.am`, `contract/${DEPLOYER}.amm`],
  ] as const)
    assert.match(
      (await page(`/explorer/search?suggest=1&q=${encodeURIComponent(typed)}`)).body,
      new RegExp(`"${found}"`),
    );
  // A number is a height of both chains, of Bitcoin also where no Stacks block is.
  for (const height of [12, 156]) {
    const both = (await page(`/explorer/search?q=${height}`)).body;
    assert.match(both, new RegExp(`href="block/${height}"`));
    assert.match(both, new RegExp(`href="btc/${height}"`));
  }
  for (const [typed, found] of [
    ['alice', 'name/alice.sim'],
    ['ali', 'name/alice.sim'],
    ['lic', 'name/alice.sim'],
    ['.si', 'names?space=sim'],
    ['get-bal', 'function/get-balance'],
    ['token-a', `contract/${DEPLOYER}.token-a`],
    ['vault.dep', `contract/${DEPLOYER}.vault/calls?function=deposit`],
    ['token-a::get-bal', `contract/${DEPLOYER}.token-a/call/get-balance`],
    ['sim', 'names?space=sim'],
    ['fee', 'mempool'],
    ['stacki', 'stacking'],
  ] as const)
    assert.ok((await page(`/explorer/search?suggest=1&q=${typed}`)).body.includes(`"${found}"`), typed);
});

test('an address that is not of this chain is offered, never followed: mistyped, or of another network', async () => {
  for (const [typed, says] of [
    [`${ACCOUNT.slice(0, -1)}X`, /typing error/],
    [`SP${ACCOUNT.slice(2)}`, /typing error/],
    [addressElsewhere(ACCOUNT), /an address of mainnet; this server has testnet/],
  ] as const) {
    const { status, body } = await page(`/explorer/search?q=${typed}`);
    assert.equal(status, 200, typed);
    assert.match(body, says);
    assert.match(body, new RegExp(`<ul class="hits">.*href="address/${ACCOUNT}"`));
  }
  assert.match((await page('/explorer/search?q=free-name.sim')).body, /not registered.*href="name\/free-name.sim"/s);
  const short = await page(`/explorer/search?q=${encodeURIComponent(`${ACCOUNT.slice(0, 6)}…${ACCOUNT.slice(-6)}`)}`);
  assert.equal(short.headers.location, `./address/${ACCOUNT}`);
  assert.match((await page('/explorer/search?q=0x3500…c8c2dc')).body, /needs the first 6 digits or more/);
  const name = await page('/explorer/name/free-name.sim');
  assert.equal(name.status, 200);
  assert.match(name.body, /Not registered\./);
  assert.match(
    (await page('/explorer/name/a.no-namespace')).body,
    /namespace <b><bdi>\.no-namespace<\/bdi><\/b> does not exist/,
  );
});

test('a name states of which chain the block is at which it expires, and about when that will be', async () => {
  const { body } = await page('/explorer/name/alice.sim');
  assert.match(
    body,
    /<dt>Expires<\/dt><dd>at Stacks block [\d,]+ <small>about .* after the newest block, around \d{4}-\d\d-\d\d,/,
  );
});

test('a search for the function of a contract offers it with what it takes, and its calls show that too', async () => {
  const { status, body } = await page('/explorer/search?q=vault.deposit');
  assert.equal(status, 200);
  assert.match(body, /vault::deposit \(amount uint\)/);
  const calls = (await page(`/explorer/contract/${DEPLOYER}.vault/calls?function=deposit`)).body;
  assert.match(calls, /What it takes.*<bdi>amount<\/bdi> <small>uint</s);
});

test('the movements of a period begin with its sums of STX, which agree with the list', async () => {
  const path = `/explorer/address/${ACCOUNT}?tab=movements`;
  const sums = async (days: string) => {
    const { body } = await page(path + days);
    return Object.fromEntries(
      [...body.matchAll(/<dt>([^<]+)<\/dt><dd>(?:<b>)?<data value="(\d+)"/g)].map(([, name = '', amount = '']) => [
        name,
        BigInt(amount),
      ]),
    );
  };
  const past = (await page(`/explorer/address/${ACCOUNT}?at=&block=120`)).body;
  assert.match(past, /As of block <a href="block\/120">120<\/a>.*/);
  const [day, whole] = [await sums('&from=2026-11-19&to=2026-11-19'), await sums('&to=2027-01-01')];
  const { results } = (
    await index.get(`/extended/v3/principals/${ACCOUNT}/movements?limit=200&from=2026-11-19&to=2026-11-19`)
  ).body;
  const sumOf = (types: readonly string[], direction: string): bigint =>
    results
      .filter(
        (row: { asset: { type: string }; type: string; direction: string }) =>
          row.asset.type === 'stx' && types.includes(row.type) && row.direction === direction,
      )
      .reduce(
        (sum: bigint, { amount, fee }: { amount: string; fee: string }) => sum + BigInt(amount) + BigInt(fee),
        0n,
      );
  if (results.length < 200) {
    assert.equal(day.Received, sumOf(['transfer', 'mint'], 'in'));
    assert.equal(day.Sent, sumOf(['transfer', 'burn'], 'out'));
    assert.equal(day['Fees paid'], sumOf(['fee'], 'out'));
  }
  assert.ok((day.Received ?? 0n) > 0n);
  const of = (sums: Readonly<Record<string, bigint>>, name: string) => sums[name] ?? 0n;
  const end =
    of(day, 'Balance before') + of(day, 'Received') - of(day, 'Sent') - of(day, 'Fees paid') + of(day, 'Miner rewards');
  assert.equal(end, day['Balance after']);
  assert.deepEqual(whole, day, 'the chain is of one day');
  for (const outside of ['&from=2026-11-20', '&to=2026-11-18', '&from=2027-01-02&to=2027-01-01'])
    assert.deepEqual([(await sums(outside)).Received, (await sums(outside)).Sent], [0n, 0n], outside);
});

test('pages claim of a transaction what its status, type and cause allow', async () => {
  for (const [id, word, says, never] of [
    [SWAP, 'Confirmed', /Confirmations/, /fee was paid|Why it/],
    [WAITING, 'Pending', /Why it is pending/, /fee was paid|part of the chain|Confirmations/],
    [FAILED, 'Failed', /Why it failed/, /Why it is pending|It is part of the chain/],
    [
      NAMED_ERROR,
      'Failed',
      /contract returned an error.*returned error u\d+, which its source names/s,
      /post-condition of the sender was not met/,
    ],
    [UNSENT, 'Failed', /The post-condition: .* sends <b>cat u\d+<\/b>/s, /The contract returned/],
    [
      STOPPED,
      'Failed',
      /A post-condition of the sender was not met.*abort_by_post_condition/s,
      /The contract returned/,
    ],
    [DEPLOYMENT, 'Failed', /contract was not deployed/, /contract returned|refused/],
    [DROPPED, 'Replaced', /same nonce.*It was replaced by <a [^>]*>[^<]*<\/a>\./, /fee was paid|Confirmations/],
  ] as const) {
    const { body } = await page(`/explorer/tx/${id}`);
    const main = body.slice(body.indexOf('<main'), body.indexOf('</main>'));
    assert.match(main, new RegExp(`class="chip \\w+"><span aria-hidden="true">.</span> ${word}`), id);
    assert.match(main, says, id);
    assert.doesNotMatch(main, never, id);
  }
});

test('a transaction shows what matters first: the facts, then what moved, then events', async () => {
  const { body } = await page(`/explorer/tx/${SWAP}`);
  const order = [
    'class="lead"',
    '<dt>Fee</dt>',
    'Asset changes',
    'Post-conditions',
    'data-part="events"',
    'Function call',
  ];
  const places = order.map(text => body.indexOf(text));
  assert.ok(!places.includes(-1), String(places));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.match(body, /µSTX a byte/);
});

test('a dropped transaction has the time of its drop', async () => {
  const { body } = await page(`/explorer/tx/${DROPPED}`);
  assert.match(body, /<dt>Dropped<\/dt><dd><time /);
});

/** A contract was to send an NFT. */
const UNSENT = '0x2c232387e5a5025dd9da1bc63b775267ab1ebe9696523d2d2374d44cff707cf1';

/** A deployment that failed. */
const DEPLOYMENT = '0xf6198c39f1b6703bf985970151e3f9f9821a1462083f73d3b8460446f6b669ae';

/** A transaction that another of its nonce replaced. */
const DROPPED = '0x9a14f0559c56edf58f74bf6358f9c993f5c323b2f03633c61135eaeac2f55a15';

test('an account takes few requests, and an address with pending transactions has a next nonce, a contract none', async () => {
  const account = (await page(`/explorer/address/${ACCOUNT}`)).body;
  assert.ok((account.match(/<code>GET /g)?.length ?? 0) <= 16);
  assert.match(account, /<dt>Next nonce<\/dt><dd>\d+</);
  const contract = (await page(`/explorer/contract/${DEPLOYER}.types`)).body;
  assert.match(contract, /pending transactions?</);
  assert.doesNotMatch(contract, /[Nn]ext nonce/);
});

test('addresses have their names beside them, amounts of tokens and swaps are told in words', async () => {
  const { body } = await page('/explorer/tx/0x37284a9bf00167fbd64cb38fd5afbfebac8fad61900fe2df796082a3ec2f6800');
  assert.match(body, /<\/a> <a class="name" href="name\/[^"]+"><bdi>[^<]+<\/bdi>/);
  const swap = (await page(`/explorer/tx/${SWAP}`)).body;
  assert.match(swap, /class="lead">.*swaps <b>.*<\/b> for <b>.*<\/b> at /);
  const calls = (await page(`/explorer/contract/${DEPLOYER}.token-a/calls?function=transfer`)).body;
  assert.match(calls, /sends <b><data value="\d+">/);
  for (const path of PAGES) assert.doesNotMatch((await page(path)).body, /<!--/, path);
});

test('without a node, a read-only function has no form, and its page shows what it takes', async () => {
  const { body } = await page(`/explorer/contract/${DEPLOYER}.token-a/call/get-balance?ask=1&a0=${ACCOUNT}`);
  assert.match(body, /No node answers this server/);
  assert.doesNotMatch(body, /class="call"/);
  assert.equal((await page(`/explorer/contract/${DEPLOYER}.token-a/call/transfer`)).status, 404);
});

test('pages of printed values below the offsets of the newer list are those of the older one', async () => {
  const { status, body } = await page(`/explorer/contract/${DEPLOYER}.amm/events?page=50`);
  assert.equal(status, 200);
  assert.match(body, /\/v1\/contract\/[^<]*offset=1225/);
});

test('browsers are led from / to the explorer, other clients to the status', async () => {
  assert.equal((await page('/', { accept: 'text/html,*/*' })).headers.location, 'explorer');
  assert.equal((await page('/', { accept: 'application/json' })).headers.location, '/extended');
  assert.equal((await page('/')).headers.location, '/extended');
});

test('the balance after a row follows from the balance of the account, on every page of its history', async () => {
  const rows: { change: bigint; after: bigint }[] = [];
  for (const number of [1, 2]) {
    const { body } = await page(`/explorer/address/${ACCOUNT}?page=${number}`);
    const part = body.slice(body.indexOf('<caption>Transactions, the newest first'));
    for (const [, row = ''] of part.matchAll(/<tr>(<td.*?)<\/tr>/gs)) {
      const amounts = [...row.matchAll(/data-head="(?:Change|Balance after)"[^>]*>.*?<data value="(-?\d+)"/g)];
      rows.push({ change: BigInt(amounts[0]?.[1] ?? ''), after: BigInt(amounts[1]?.[1] ?? '') });
    }
  }
  assert.equal(rows.length, 44);
  for (const [i, { change, after }] of rows.entries()) {
    const older = rows[i + 1];
    assert.equal(after - change, older?.after ?? 0n, `row ${i}`);
  }
});

test('a history is filtered as a whole: what was sent or received, of a type, on a day, with a nonce', async () => {
  const rowsOf = async (query: string) => {
    const { body } = await page(`/explorer/address/${ACCOUNT}?${query}`);
    const part = body.slice(body.indexOf('<caption>Transactions, the newest first'));
    return [...part.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, row = '']) => row);
  };
  const sent = await rowsOf('show=sent');
  assert.ok(sent.length > 3);
  const transfers = await rowsOf('show=sent&type=token_transfer');
  assert.ok(transfers.length > 0 && transfers.length < sent.length);
  for (const row of transfers) assert.match(row, new RegExp(`${ACCOUNT}.* sends <b>`, 's'));
  assert.equal((await rowsOf('show=sent&nonce=3')).length, 1);
  const [, day = ''] = /<time datetime="([\d-]+)T/.exec(sent[0] ?? '') ?? [];
  assert.ok((await rowsOf(`show=sent&from=${day}&to=${day}`)).length > 0);
  assert.equal((await rowsOf('show=received&to=1999-01-01')).length, 0);
  assert.equal((await page(`/explorer/address/${ACCOUNT}?show=sent&from=nonsense&nonce=x&type=%3Cb%3E`)).status, 200);
});

test('an account as of a day or a height has the balance after its rows until then, and nothing pending', async () => {
  const { body: now } = await page(`/explorer/address/${ACCOUNT}`);
  const rows = [
    ...now.slice(now.indexOf('<caption>Transactions, the newest first')).matchAll(/<tr>(<td.*?)<\/tr>/gs),
  ].map(([, row = '']) => row);
  const row = rows.find((each, i) => i > 5 && !each.includes(`href="block/${heightIn(rows[i - 1])}"`)) ?? '';
  const balance = /data-head="Balance after"[^>]*><data value="(\d+)"/.exec(row)?.[1];
  const then = await page(`/explorer/address/${ACCOUNT}?at=${heightIn(row)}`);
  assert.equal(then.status, 200);
  assert.ok(balance && then.body.includes(`<dt>Balance</dt><dd><b><data value="${balance}"`));
  assert.doesNotMatch(then.body, /[Pp]ending/);
  const [, day = ''] = /<time datetime="([\d-]+)T/.exec(rows.at(-1) ?? '') ?? [];
  assert.match((await page(`/explorer/address/${ACCOUNT}?at=${day}`)).body, /As of block <a href="block\/\d+"/);
  for (const at of ['1999-01-01', '2999-01-01', 'nonsense'])
    assert.equal((await page(`/explorer/address/${ACCOUNT}?at=${at}`)).status, 200, at);
});

const heightIn = (row = ''): string => /href="block\/(\d+)"/.exec(row)?.[1] ?? '';

test('the chart of a balance spans all of the history, on every page of it', async () => {
  const chartOf = async (query: string) =>
    /<figure class="over-time">.*?<\/figure>/s.exec((await page(`/explorer/address/${ACCOUNT}${query}`)).body)?.[0];
  const chart = await chartOf('');
  assert.ok(chart && chart.split('H').length > 20);
  assert.equal(await chartOf('?page=2'), chart);
  assert.match(
    chart,
    /<svg [^>]*aria-labelledby="balance-title".*<title id="balance-title">.*<desc id="balance-desc">\d+ points/s,
  );
  const amounts = [...chart.matchAll(/<td data-head="Balance"[^>]*><data value="(\d+)"/g)].map(([, amount]) => amount);
  assert.equal(chart.split('V').length - 1, amounts.length * 2 - 1, 'the table behind it has a row for each step');
});

test('collections are listed with their items, owners and mints, and a collection shows who owns each item', async () => {
  const asset = `${DEPLOYER}.birds::bird`;
  const record = (await index.get(`/extended/v3/tokens/nft/${encodeURIComponent(asset)}`)).body;
  assert.ok(record.items > 0 && record.owners > 0 && record.mints >= record.items);
  const row = new RegExp(
    `href="nft/${encodeURIComponent(asset)}".*?>${record.items}<.*?>${record.owners}<.*?>${record.mints}<`,
    's',
  );
  assert.match((await page('/explorer/nfts')).body, row);
  const { body } = await page(`/explorer/nft/${encodeURIComponent(asset)}`);
  const [first] = (await index.get(`/extended/v3/tokens/nft/${encodeURIComponent(asset)}/items?limit=1`)).body.results;
  assert.match(body, new RegExp(`value=${first.value.hex}".*?<small>of .*?address/${first.owner}"`, 's'));
});

test('the supply of a token over time ends with that of now, and has a table behind it', async () => {
  const asset = encodeURIComponent(`${DEPLOYER}.token-a::tokena`);
  assert.match((await page(`/explorer/token/${asset}`)).body, /href="[^"]*\?plot=supply"/);
  const { total, results } = (await index.get(`/extended/v3/tokens/ft/${asset}/supply/history`)).body;
  assert.equal(results.at(-1).total, total);
  const { body } = await page(`/explorer/token/${asset}?plot=supply`);
  const shown = [...body.matchAll(/<td data-head="Supply"[^>]*><data value="(\d+)"/g)].map(([, amount]) => amount);
  assert.deepEqual(
    shown,
    results.map((point: { total: string }) => point.total),
  );
});

test('an account leads to the files of all its movements', async () => {
  const { body } = await page(`/explorer/address/${ACCOUNT}`);
  const files = [...body.matchAll(/href="\.\.(\/extended\/[^"]+)" download/g)].map(([, path = '']) => path);
  assert.equal(files.length, 2);
  for (const path of files) assert.match(String((await page(path)).headers['content-type']), /^text\/csv/);
});

test('paths of the explorer that people know lead to the same things', async () => {
  for (const [path, to] of [
    [`/txid/${SWAP}?chain=testnet`, `/explorer/tx/${SWAP}`],
    ['/block/156', '/explorer/block/156'],
    [`/address/${ACCOUNT}`, `/explorer/address/${ACCOUNT}`],
  ] as const) {
    const { status, headers } = await page(path);
    assert.equal(status, 302);
    assert.equal(new URL(String(headers.location), `http://a${path}`).pathname, to);
  }
});

test('the first view of any page is below 60 kB, with its style and scripts, compressed', async () => {
  const compressed = { 'accept-encoding': 'br' };
  const { body } = await page('/explorer');
  const names = [
    'explorer.css',
    'theme.js',
    'explorer.js',
    'keys.js',
    'live.js',
    'stream.js',
    'suggest.js',
    'times.js',
  ];
  const [, version = ''] = /assets\/(\w+)\//.exec(body) ?? [];
  const sizeOf = async (path: string) => {
    const { status, headers } = await page(path, compressed);
    assert.equal(status, 200, path);
    assert.equal(headers['content-encoding'], 'br', path);
    return Number(headers['content-length']);
  };
  const files = await Promise.all(names.map(name => sizeOf(`/explorer/assets/${version}/${name}`)));
  const shared = files.reduce((sum, size) => sum + size, 0);
  // In the short form a third of the pages: their sizes differ by a few kB.
  for (const path of PAGES.filter((_, i) => scale === 'all' || i % 3 === 0))
    assert.ok(shared + (await sizeOf(path)) < 60_000, path);
});

test('a page counts for its reader: where it has too little room it is a 429, and pages of others are served', async () => {
  const index = await openTestIndex(database, { limits: { maxConcurrentRequests: 8, maxShare: 1 / 4 } });
  const account = `/explorer/address/${ACCOUNT}`;
  const of = (reader: string) => index.page(account, {}, reader);
  assert.equal((await of('192.0.2.1')).status, 200, 'a page and one request at a time');
  // Two pages that hold both places of their reader have none for their requests, until one of them is given up.
  const first = Promise.race([of('192.0.2.1'), of('192.0.2.1')]);
  assert.equal((await of('192.0.2.2')).status, 200);
  const { status, body, headers } = await first;
  assert.equal(status, 429);
  assert.ok(headers['retry-after']);
  assert.match(body, /<h1>/);
});

const READ_OFTEN = ['/explorer', `/explorer/address/${accountAddress(9)}`, '/explorer/block/1'];
/** Of the reads of a page, one in this many is tried. */
const STEP = scale === 'short' ? 9 : 5;
const MIXED = 'its parts may be of different moments';

test('a block that arrives between two requests of a page mixes no figures: the page is made again', async () => {
  const { page, reads, close } = await openGrowingChain();
  for (const path of READ_OFTEN) {
    await page(path);
    const all = reads();
    assert.ok(all > 3, path);
    for (let read = 1; read <= all; read += STEP) {
      const { body } = await page(path, at => at === read);
      assert.equal(body, (await page(path)).body, `${path}: a block before read ${read} of ${all}`);
      assert.ok(!body.includes(MIXED));
    }
  }
  await close();
});

test('where blocks arrive without end, a page still comes, and tells that its parts may differ', async () => {
  const { page, close } = await openGrowingChain();
  const { status, body } = await page('/explorer', at => at % 12 === 0);
  assert.equal(status, 200);
  assert.ok(body.includes(MIXED));
  await close();
});

// The last one, as it adds metadata to the chain.
test('twelve tasks take at most five steps from the first page, each by words of the page before, as documented', async () => {
  const metadata = new SampleMetadata(database);
  for (const name of ['token-a', 'token-b'])
    await metadata.token(`${DEPLOYER}.${name}`, '1', { name: 'Token A', symbol: 'TKA', decimals: 6 });
  const first = await Reader.of(index);
  const failures: string[] = [];
  for (const task of TASKS)
    await replayTask(first, task).catch(error => failures.push(String(error.message).slice(0, 400)));
  assert.deepEqual(failures, []);
  const documented = readFileSync(join(import.meta.dirname, '../../../docs/explorer.md'), 'utf8');
  for (const { question, steps } of TASKS)
    assert.ok(documented.includes(`\n| ${question} | ${steps.length} |`), question);
});
