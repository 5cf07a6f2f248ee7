import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openFreshOf } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { replayed } from '../../../test/support/replayed.ts';
import { scale } from '../../../test/support/scale.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { isJsonObject, type JsonValue } from '../../base/lib/json.ts';
import { readArchive } from '../../ingest/node/archive/read.ts';
import { type CompareOptions, type Comparison, compareServers } from './compare.ts';
import { isList } from './differences.ts';
import { SPANS } from './finds.ts';
import { reportOf } from './report.ts';
import { requestCount } from './route-report.ts';
import type { SavedComparison } from './saved-comparison.ts';
import { type Ask, type ComparedResponse, comparedHeaders, ServerAway } from './server.ts';

const archive = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');
/** The sample chain ends before PoX 5. */
const OF_POX_5 = /Bond|Staking/;
/** Events of the archive without its last blocks. */
const EARLIER = 500;

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function openIndex(openFresh = openFreshOf.sqlite): Promise<TestIndex> {
  const { database, cleanup } = await openFresh();
  cleanups.push(cleanup);
  return openTestIndex(database);
}

/** Nothing changes while these tests run, so a response can be kept. */
const askOf =
  (index: TestIndex, responses = new Map<string, ComparedResponse>()): Ask =>
  async path => {
    const known = responses.get(path);
    if (known !== undefined) return known;
    const { status, headers, body } = await index.get(path);
    const response = { status, headers: comparedHeaders(name => headers[name] as string | undefined), body };
    responses.set(path, response);
    return response;
  };

/** A server with a fault: what it answers to some paths is another thing. */
const planted =
  (ask: Ask, paths: RegExp, fault: (response: ComparedResponse) => ComparedResponse): Ask =>
  async path =>
    paths.test(path) ? fault(await ask(path)) : ask(path);

const withBody =
  (change: (body: JsonValue) => JsonValue) =>
  ({ status, headers, body }: ComparedResponse): ComparedResponse => ({
    status,
    headers,
    body: status === 200 ? change(body) : body,
  });

/** Another kind of server: the software of the hosted API. */
const hosted = (ask: Ask): Ask =>
  planted(
    ask,
    /^\/extended$/,
    withBody(body => ({
      ...(isJsonObject(body) ? body : {}),
      server_version: 'stacks-blockchain-api v8.13.2 (master:abc)',
    })),
  );

function compare(ours: Ask, theirs: Ask, options: Partial<CompareOptions> = {}): Promise<Comparison> {
  return compareServers({ ours, theirs, routes: [], samples: 4, random: seeded(1), ...options });
}

const SERVER = { server: 'https://api.example', state: undefined };

/** Numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const differing = ({ routes }: Comparison): string[] =>
  routes.flatMap(({ route, findings }) => (findings.length > 0 ? [route] : []));

describe('a comparison with another server', () => {
  let whole: Ask;
  let earlier: Ask;
  before(async () => {
    const [one, other] = [await openIndex(replayed(openFreshOf.sqlite, archive)), await openIndex()];
    const events = [];
    for await (const row of readArchive(archive)) if (row.kind === 'event') events.push(row);
    await other.journal.append(events.slice(0, EARLIER));
    await other.indexer.catchUp();
    await other.deliver();
    whole = askOf(one);
    earlier = askOf(other);
  });

  test('finds nothing between equal servers, and asks every route that two servers have in common', async () => {
    const comparison = await compare(whole, whole, { samples: 8, random: seeded(3) });
    assert.deepEqual(differing(comparison), []);
    const routes = comparison.routes.filter(({ route }) => !OF_POX_5.test(route));
    const unasked = routes.filter(report => report.omitted?.startsWith('nothing'));
    assert.deepEqual(
      unasked.map(({ route }) => route),
      [],
    );
    const found = routes.filter(({ equal, refused }) => equal > refused);
    assert.equal(found.length, routes.filter(({ omitted }) => omitted === undefined).length);
  });

  test('finds whatever is planted into a response, at its place, and nothing else', async () => {
    const places = fc.constantFrom(
      { paths: /^\/extended\/v2\/blocks\/[^/]+$/, route: 'getBlockV2', field: 'tx_count' },
      { paths: /^\/extended\/v1\/tx\/0x[^/]+$/, route: 'getTransactionByIdV1', field: 'fee_rate' },
      { paths: /^\/extended\/v1\/contract\/S[^/]+$/, route: 'getContractByIdV1', field: 'source_code' },
      { paths: /\/balances$/, route: 'getAccountBalanceV1', field: 'stx' },
      { paths: /^\/v1\/names\/[^/?]+$/, route: 'getNameInfoV1', field: 'status' },
    );
    const faults = fc.constantFrom<(body: JsonValue, field: string) => JsonValue>(
      (body, field) => ({ ...(isJsonObject(body) ? body : {}), [field]: 'planted' }),
      (body, field) => Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => name !== field)),
      body => ({ ...(isJsonObject(body) ? body : {}), planted: null }),
    );
    await fc.assert(
      fc.asyncProperty(places, faults, async ({ paths, route, field }, fault) => {
        const theirs = planted(
          whole,
          paths,
          withBody(body => fault(body, field)),
        );
        const comparison = await compare(whole, theirs, { routes: [route] });
        assert.ok(differing(comparison).includes(route), `${route} is not among ${differing(comparison)}`);
        const places = comparison.routes.flatMap(({ findings }) => findings).flatMap(finding => finding.differences);
        assert.ok(places.every(({ at }) => at.startsWith(field) || at === 'planted'));
      }),
      { numRuns: scale === 'short' ? 4 : 8 },
    );
  });

  test('finds a list in another order, and a page that lacks its last entry', async () => {
    const turned = planted(
      whole,
      /^\/extended\/v2\/blocks(\?|$)/,
      withBody(body =>
        isJsonObject(body) && isList(body.results) ? { ...body, results: body.results.toReversed() } : body,
      ),
    );
    const routes = ['getBlocksV2', 'getBlockListV1'];
    assert.deepEqual(differing(await compare(whole, turned, { routes })), ['getBlocksV2']);
    const short = planted(
      whole,
      /^\/extended\/v1\/block(\?|$)/,
      withBody(body =>
        isJsonObject(body) && isList(body.results) ? { ...body, results: body.results.slice(0, -1) } : body,
      ),
    );
    assert.deepEqual(differing(await compare(whole, short, { routes })), ['getBlockListV1']);
  });

  test('finds another status', async () => {
    const lost = planted(whole, /^\/extended\/v1\/tx\/0x[^/]+\/raw/, ({ headers }) => ({
      status: 404,
      headers,
      body: {},
    }));
    const comparison = await compare(whole, lost, { routes: ['Raw'] });
    assert.deepEqual(differing(comparison), ['getRawTransactionByIdV1']);
    assert.match(
      reportOf(comparison, SERVER),
      /DIFF getRawTransactionByIdV1: .*\n {7}\/extended\/v1\/tx\/.*\n {9}status: 200 here, 404 there/,
    );
  });

  test('with a server that is behind counts what is settled, and takes nothing else for a difference', async () => {
    const comparison = await compare(whole, earlier);
    assert.deepEqual(differing(comparison), []);
    assert.ok(comparison.routes.some(({ undecided }) => undecided > 0));
    const wrong = planted(
      earlier,
      /^\/extended\/v1\/tx\/0x[^/]+$/,
      withBody(body => ({ ...(isJsonObject(body) ? body : {}), fee_rate: '1' })),
    );
    const routes = ['getTransactionByIdV1', 'getBlockV2'];
    assert.deepEqual(differing(await compare(whole, wrong, { routes })), ['getTransactionByIdV1']);
  });

  test('tolerates of the software of the hosted API what the notes say, and only that', async () => {
    const totals = planted(
      hosted(whole),
      /^\/extended\/v2\/burn-blocks(\?|$)/,
      withBody(body => ({ ...(isJsonObject(body) ? body : {}), total: 1_000_000 })),
    );
    const comparison = await compare(whole, totals, { routes: ['getBurnBlocksV2'] });
    assert.deepEqual(differing(comparison), []);
    assert.match(reportOf(comparison, SERVER), /getBurnBlocksV2: .* equal \(\d+ with: documented: getBurnBlocksV2\)/);
    const wrong = planted(
      hosted(whole),
      /^\/extended\/v2\/burn-blocks(\?|$)/,
      withBody(body => ({ ...(isJsonObject(body) ? body : {}), limit: 1_000_000 })),
    );
    assert.deepEqual(differing(await compare(whole, wrong, { routes: ['getBurnBlocksV2'] })), ['getBurnBlocksV2']);
    const answering = (status: number) =>
      planted(hosted(whole), /^\/v1\/names\/[^/?]+$/, ({ headers }) => ({ status, headers, body: {} }));
    const ofNames = async (theirs: Ask, ours = whole) =>
      differing(await compare(ours, theirs, { routes: ['getNameInfoV1'] }));
    assert.deepEqual(await ofNames(answering(404)), []);
    assert.deepEqual(await ofNames(answering(500)), ['getNameInfoV1'], 'a failure where this index has a response');
    assert.deepEqual(await ofNames(hosted(whole), answering(500)), ['getNameInfoV1']);
  });

  test('finds another header, and asks for empty pages, the current cycle and hashes in other spellings', async () => {
    const paths: string[] = [];
    const listening: Ask = async path => {
      paths.push(path);
      return whole(path);
    };
    const uncached = planted(listening, /^\/extended\/v2\/blocks(\?|$)/, response => ({
      ...response,
      headers: { ...response.headers, 'cache-control': 'no-store' },
    }));
    const routes = ['getBlocksV2', 'getBlockV2', 'getStakingCycleV3'];
    const spellings = [
      /^\/extended\/v2\/blocks\?(.*&)?limit=0$/,
      /^\/extended\/v3\/staking\/cycles\/current$/,
      /^\/extended\/v2\/blocks\/[0-9a-f]{64}$/,
      /^\/extended\/v2\/blocks\/0x[0-9A-F]{64}$/,
    ];
    const missing = () => spellings.filter(asked => !paths.some(path => asked.test(path)));
    // Only the first request to a route is sent in other spellings, and it may name a height.
    for (let seed = 1; seed <= 10 && missing().length > 0; seed++) {
      const comparison = await compare(whole, uncached, { routes, samples: 4, random: seeded(seed) });
      assert.deepEqual(differing(comparison), ['getBlocksV2']);
    }
    assert.deepEqual(missing(), []);
  });

  test('beside a stand-in with many documented differences finds one that is not documented, and only that', async () => {
    const changed = (ask: Ask, paths: RegExp, change: (body: Record<string, JsonValue>) => JsonValue): Ask =>
      planted(
        ask,
        paths,
        withBody(body => (isJsonObject(body) ? change({ ...body }) : body)),
      );
    let standIn = hosted(whole);
    standIn = changed(standIn, /^\/extended\/v1\/tx(\?|$)/, body => ({ ...body, total: Number(body.total) - 7 }));
    standIn = changed(standIn, /^\/extended\/v2\/burn-blocks(\?|$)/, body => ({ ...body, total: 1_000_000 }));
    standIn = changed(standIn, /\/block-tenures\//, body => ({ ...body, total: 0, results: [] }));
    standIn = changed(standIn, /average-times/, body => ({ ...body, last_1h: 0 }));
    standIn = changed(standIn, /\/balances\/stx(\?|$)/, body =>
      body.burnchain_lock_height ? { ...body, burnchain_lock_height: 190 } : body,
    );
    standIn = planted(standIn, /./, response => ({
      ...response,
      headers: { ...response.headers, 'access-control-expose-headers': 'x-api-version' },
    }));
    standIn = planted(standIn, /\/v3\/transactions\/[0-9a-f]{64}/, response => ({ ...response, status: 500 }));
    const routes = [
      'getTransactionListV1',
      'getBurnBlocksV2',
      'getTenureBlocksV2',
      'getAverageBlockTimesV2',
      'getPrincipalStxBalanceV2',
      'getTransactionV3',
      'getBlockV2',
    ];
    const comparison = await compare(whole, standIn, { routes, samples: 6 });
    assert.deepEqual(differing(comparison), []);
    for (const { route, tolerated } of comparison.routes) assert.ok(Object.keys(tolerated).length > 0, route);
    const wrong = changed(standIn, /^\/extended\/v2\/blocks\/(0x|\d)[^/?]*$/, body => ({
      ...body,
      miner_txid: '0x00',
    }));
    assert.deepEqual(differing(await compare(whole, wrong, { routes, samples: 6 })), ['getBlockV2']);
  });

  test('sends the other server only requests of the routes that are compared', async () => {
    const paths: string[] = [];
    const listening: Ask = async path => {
      paths.push(path);
      return whole(path);
    };
    let saves = 0;
    const save = async () => void saves++;
    const { routes } = await compare(whole, listening, { routes: ['getRawTransactionByIdV1'], save });
    assert.equal(saves, 5, 'what is done is saved once in each of the four rounds, and at the end');
    assert.equal(paths.filter(path => path !== '/extended').length, routes[0]?.equal);
    assert.ok(
      paths.every(path => path === '/extended' || path.endsWith('/raw')),
      paths.join('\n'),
    );
  });

  test('refuses routes that this API does not have, and names them', async () => {
    const asked = compare(whole, whole, { routes: ['getBlockV2', 'nope', '/extended/v9'] });
    await assert.rejects(asked, {
      name: 'UnknownRoutes',
      message: 'no route has nope or /extended/v9 in its name or path',
    });
  });

  test('says which routes the other server does not have', async () => {
    const older = planted(hosted(whole), /by-block-time/, ({ headers }) => ({
      status: 404,
      headers,
      body: { message: 'Route GET:/extended/v2/blocks/by-block-time/1 not found', error: 'Not Found', statusCode: 404 },
    }));
    const { routes } = await compare(whole, older, { routes: ['getBlockByBlockTimeV2'] });
    assert.deepEqual(
      routes.map(report => [report.route, report.omitted, requestCount(report)]),
      [['getBlockByBlockTimeV2', 'the other server does not have it', 0]],
    );
  });

  test('sends requests about all heights, though lists begin with the newest', async () => {
    const heights = new Set<number>();
    const listening: Ask = async path => {
      const height = /^\/extended\/v1\/block\/by_height\/(\d+)/.exec(path)?.[1];
      if (height !== undefined) heights.add(Number(height));
      return whole(path);
    };
    const { tips, spans } = await compare(whole, listening, { routes: ['getBlockByHeightV1'], samples: 80 });
    const tenths = new Set([...heights].map(height => Math.floor((height * SPANS) / (tips.ours.height + 1))));
    assert.deepEqual([tenths.size, spans], [SPANS, SPANS]);
  });

  test('that is stopped or that a server ends continues with what it has saved, and sends no request twice', async () => {
    const routes = ['getBlockV2', 'getTransactionByIdV1'];
    const broken = planted(
      whole,
      /^\/extended\/v2\/blocks\/[^/]+$/,
      withBody(body => ({ ...(isJsonObject(body) ? body : {}), tx_count: -1 })),
    );
    let newest: SavedComparison | undefined;
    const save = async (state: SavedComparison) => {
      newest = state;
    };
    const saved = (): SavedComparison => JSON.parse(JSON.stringify(newest));
    const sent: string[] = [];
    /** Gives up after some requests. */
    const limited = (most: number, end: () => void): Ask => {
      let left = most;
      return async path => {
        if (left-- === 0) end();
        if (path !== '/extended') sent.push(path);
        return broken(path);
      };
    };
    const away = () => {
      throw new ServerAway('busy');
    };
    const options = { routes, samples: 8, save };
    await assert.rejects(compare(whole, limited(8, away), options), { name: 'ServerAway' });
    const stop = new AbortController();
    const stopped = await compare(
      whole,
      limited(8, () => stop.abort()),
      { ...options, saved: saved(), signal: stop.signal },
    );
    assert.equal(stopped.isFinished, false);
    assert.match(
      reportOf(stopped, SERVER),
      /\nStopped after \d+ requests\. Without --state a new run starts over\.\n$/,
    );
    const last = await compare(whole, limited(-1, away), { ...options, saved: saved() });
    assert.ok(last.isFinished);
    assert.deepEqual(differing(last), ['getBlockV2']);
    const about = sent.filter(path => /^\/extended\/(v2\/blocks|v1\/tx)\/[^/]+$/.test(path));
    const [block] = last.routes;
    assert.ok(new Set(about).size >= 8 && block !== undefined && block.differing > 0);
    // A request whose responses differ is sent once more, at one tip.
    for (const path of new Set(about)) assert.ok(about.filter(each => each === path).length <= 2, path);
    sent.length = 0;
    const again = await compare(whole, limited(-1, away), { ...options, saved: saved() });
    assert.deepEqual([again.routes, sent], [last.routes, []], 'a finished comparison sends nothing');
  });

  test('ends with a sentence that names the next step', async () => {
    const last = async (theirs: Ask, options: Partial<CompareOptions> = {}) =>
      reportOf(await compare(whole, theirs, { routes: ['getBlockV2', 'getBlocksV2'], ...options }), SERVER)
        .trimEnd()
        .split('\n')
        .at(-1);
    assert.equal(
      await last(whole),
      'This index answers as https://api.example does in every request that was compared. Nothing needs to be done.',
    );
    const wrong = planted(
      whole,
      /^\/extended\/v2\/blocks\/[^/]+$/,
      withBody(body => ({ ...(isJsonObject(body) ? body : {}), tx_count: -1 })),
    );
    assert.match(
      (await last(wrong)) ?? '',
      /^Different: 1 of 2 routes\. Run `stacks-index verify`.*`stacks-index compare --with https:\/\/api\.example --routes getBlockV2`/,
    );
    assert.match(
      (await last(earlier)) ?? '',
      /^No difference was found, but \d+ requests could not be decided.*--routes get\w+(,get\w+)*` once both servers/,
    );
    const absent = planted(whole, /^\/extended\/v2\/blocks/, ({ headers }) => ({
      status: 404,
      headers,
      body: { message: 'Route GET:/x not found' },
    }));
    assert.equal(await last(absent), 'Nothing was compared: choose other --routes, or more --samples.');
  });

  test('refuses a server that is no API of a chain', async () => {
    const nothing: Ask = async () => ({ status: 200, headers: {}, body: {} });
    await assert.rejects(compare(whole, nothing), {
      name: 'ServerAway',
      message: 'the other server shows no tip at /extended',
    });
  });
});
