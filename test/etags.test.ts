/** An ETag names one body of its URL, whatever arrives: a client that has the tag has the body. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type OpenApiDocument, operationsOf } from '../src/api/http/openapi/document.ts';
import type { Delivery } from '../src/ingest/journal/entries.ts';
import { requestsAbout } from './chains/simulation/requests.ts';
import { archiveEvents } from './support/archive-events.ts';
import { onSqliteAtLeast, openFreshOf } from './support/engines.ts';
import { ENDLESS, exampleRequests } from './support/example-requests.ts';
import { announced, dropped, transferOf } from './support/pending-transactions.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { scale } from './support/scale.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';
import { todaysEvents } from './support/todays-chain.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/** Parameters that change on what a body depends. */
const TELLING = ['unanchored', 'include_mempool', 'include_metadata', 'type', ...(scale === 'all' ? ['at'] : [])];

/** The example requests with what they require, and with one of these. */
async function urlsOf(index: TestIndex): Promise<string[]> {
  const document = (await index.get('/openapi.json')).body as OpenApiDocument;
  const optional = new Map(
    operationsOf(document).map(({ operation: { operationId, parameters = [] } }) => [
      operationId,
      parameters.filter(one => !one.required).map(({ name }) => name),
    ]),
  );
  return exampleRequests(document)
    .filter(({ method, operationId }) => method === 'get' && operationId !== ENDLESS)
    .filter(({ operationId, query }) => {
      const added = Object.keys(query).filter(name => optional.get(operationId)?.includes(name));
      return added.length === 0 || (added.length === 1 && TELLING.includes(added[0] ?? ''));
    })
    .map(({ url }) => url);
}

const hash = (digit: string): string => `0x${digit.repeat(64)}`;
/** The orphans and the lost burn block of the arrivals below. */
const LOST = ['/extended/v1/block', '/extended/v2/blocks', '/extended/v3/forks', '/extended/v2/burn-blocks'];
const LOST_URLS = ['c', 'd', 'e'].flatMap(digit => LOST.map(path => `${path}/${hash(digit)}`));

const jsonOf = ({ body }: Delivery) => JSON.parse(Buffer.from(body).toString());
const withBody = (delivery: Delivery, body: unknown): Delivery => ({
  ...delivery,
  body: Buffer.from(JSON.stringify(body)),
});

/** A burn block on another one. */
function nextBurn(parent: Delivery, digit: string): Delivery {
  const { burn_block_hash, burn_block_height, ...body } = jsonOf(parent);
  return withBody(parent, {
    ...body,
    burn_block_hash: hash(digit),
    parent_burn_block_hash: burn_block_hash,
    burn_block_height: burn_block_height + 1,
    consensus_hash: `0x${digit.repeat(40)}`,
    pox_transactions: [
      {
        txid: hash('7'),
        reward_recipients: [{ recipient: 'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc', amt: 5, utxo_idx: 0 }],
      },
    ],
  });
}

/** What changes responses while the tip stays: each is delivered alone. */
function arrivalsAfter(events: readonly Delivery[]): [what: string, deliveries: readonly Delivery[]][] {
  const newest = (path: string): Delivery => {
    const found = events.findLast(event => event.path === path);
    assert.ok(found);
    return found;
  };
  const burn = newest('/new_burn_block');
  const block = newest('/new_block');
  const sibling = (digit: string) =>
    withBody(block, { ...jsonOf(block), block_hash: hash(digit), index_block_hash: hash(digit) });
  const pending = transferOf({ nonce: 5 });
  return [
    ['a burn block', [nextBurn(burn, 'b')]],
    ['a burn block beside it', [nextBurn(burn, 'c')]],
    ['a transaction in the mempool', [announced(pending)]],
    ['its drop', [dropped('StaleGarbageCollect', [pending])]],
    ['an orphan', [sibling('d')]],
    ['a second orphan', [sibling('e')]],
    ['a zone file', events.filter(({ path }) => path === '/attachments/new')],
  ];
}

/** In the short form their bodies are compared after what comes next. */
const LOOKED_AT_LATER = ['a burn block', 'a transaction in the mempool', 'an orphan', 'a second orphan'];

/** Reads every URL after each arrival. */
class Reader {
  readonly #index: TestIndex;
  readonly #urls: readonly string[];
  readonly #bodies = new Map<string, string>();
  readonly #tags = new Set<string>();
  /** URLs that had more than one body. */
  readonly changed = new Set<string>();

  constructor(index: TestIndex, urls: readonly string[]) {
    this.#index = index;
    this.#urls = urls;
  }

  /** No URL has another body under an ETag that it had before. @param after what arrived */
  async look(after: string): Promise<void> {
    for (const url of this.#urls) {
      const { status, headers, body } = await this.#index.page(url, { accept: 'application/json' });
      const { etag } = headers;
      if (etag === undefined) continue;
      assert.ok(status < 400, `${status} of ${url} has an ETag`);
      this.#tags.add(String(etag));
      const key = `${url} ${etag}`;
      assert.equal(body, this.#bodies.get(key) ?? body, `${url} has another body under its ETag after ${after}`);
      if ((this.#bodies.get(url) ?? body) !== body) this.changed.add(url);
      this.#bodies.set(key, body).set(url, body);
    }
  }

  /** A client that has every ETag gets a 304 wherever there is one; the short form asks for a quarter of the URLs. */
  async askWithAllTags(): Promise<void> {
    for (const url of scale === 'all' ? this.#urls : this.#urls.filter((_, i) => i % 4 === 0)) {
      const plain = await this.#index.page(url, { accept: 'application/json' });
      const asked = { accept: 'application/json', 'if-none-match': [...this.#tags].join(', ') };
      const expected = plain.headers.etag === undefined ? plain.status : 304;
      assert.equal((await this.#index.page(url, asked)).status, expected, `${url} for a client that has every ETag`);
    }
  }
}

/** Burn blocks without a Stacks block: they end one reward cycle of the chain, and the next one. */
const ALONE = '123456789abcdef';

onSqliteAtLeast((_engine, openFresh) => {
  test('an ETag names one body of its URL, whatever arrives, and an error has none', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const events = archiveEvents(archive);
    await index.deliver(...events.filter(({ path }) => path !== '/attachments/new'));
    const reader = new Reader(index, [...(await urlsOf(index)), ...LOST_URLS]);
    await reader.look('the chain');
    for (const [what, deliveries] of arrivalsAfter(events)) {
      await index.deliver(...deliveries);
      if (scale === 'all' || !LOOKED_AT_LATER.includes(what)) await reader.look(what);
    }
    await new SampleMetadata(database).fill();
    await reader.look('token metadata');
    await reader.askWithAllTags();
  });

  test('an ETag names one body while burn blocks alone arrive, through reward cycles and the terms of bonds', async t => {
    const poxCycles = { first: 0, length: 10, prepare: 2 };
    const index = await openTestIndex(await databaseWithTables(openFresh, t), { poxCycles });
    const events = todaysEvents();
    await index.deliver(...events);
    const urls = requestsAbout(events).filter(url => /staking|pox|burn|balances|\/stx|search|supply/.test(url));
    const reader = new Reader(index, urls);
    await reader.look('the chain');
    let newest = events.findLast(({ path }) => path === '/new_burn_block');
    for (const [i, digit] of [...ALONE].entries()) {
      assert.ok(newest);
      newest = nextBurn(newest, digit);
      await index.deliver(newest);
      if (scale === 'all' || i % 5 === 4) await reader.look(`burn block ${digit}`);
    }
    for (const path of [
      '/extended/v3/staking/cycles/current',
      '/extended/v3/staking/cycles/13',
      '/extended/v1/burnchain/rewards',
    ])
      assert.ok(reader.changed.has(path), `${path} does not change with burn blocks`);
  });
});

test('every route declares what its ETag changes with', async t => {
  const database = await databaseWithTables(openFreshOf.sqlite, t);
  const document = (await (await openTestIndex(database)).get('/openapi.json')).body as OpenApiDocument;
  assert.deepEqual(
    operationsOf(document)
      .filter(({ method, operation }) => method === 'get' && operation['x-etag'] === undefined)
      .map(({ path }) => path),
    [],
    'routes without `config.cache`: name what the body depends on (src/api/http/caching.ts)',
  );
});
