import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { outcome, testFetcher } from '../../../test/support/fetcher.ts';
import { type HostileWeb, jsonPage, page, redirectTo, startHostileWeb } from '../../../test/support/hostile-web.ts';
import { DEFAULT_GATEWAYS } from './gateways.ts';

const at = (host: string) => `http://${host}.example.org:${web.port}`;
const gateways = (checkCids = false) => ({
  ...DEFAULT_GATEWAYS,
  checkCids,
  ipfs: [{ url: at('one'), headers: { authorization: 'Bearer token' } }, { url: at('two') }],
});
const setting = () => ({
  gateways: gateways(),
  allowHosts: [at('one'), at('two'), 'else.example.org'],
});
const hosts = (from: number) => web.requests.slice(from).map(request => request.headers.host?.split('.')[0]);
let web: HostileWeb;
let first = 500;
before(async () => {
  web = await startHostileWeb({
    '/ipfs/x/7': (request, response) => {
      const isFirst = request.headers.host?.startsWith('one.');
      response.writeHead(isFirst ? first : 200).end('{"name":"From a gateway"}');
    },
    '/ipfs/mixed/7': (request, response) => {
      response.writeHead(request.headers.host?.startsWith('one.') ? 404 : 503).end();
    },
    '/ipfs/away/7': redirectTo('http://else.example.org/elsewhere'),
    '/ipfs/large/7': page(' '.repeat(2000)),
    '/ipfs/within/7': redirectTo('/ipfs/within/8'),
    '/ipfs/within/8': jsonPage({ name: 'Within' }),
    '/ipfs/out/7': redirectTo('/elsewhere'),
    '/elsewhere': jsonPage({ name: 'Elsewhere' }),
  });
});
after(async () => {
  await web.close();
});

test('the next one is asked when the first has it not or fails', async () => {
  for (first of [404, 500, 429]) {
    const from = web.requests.length;
    const result = await testFetcher(setting()).fetchDocument('ipfs://x/{id}', { id: '7' });
    assert.equal(outcome(result).document?.name, 'From a gateway');
    assert.deepEqual(hosts(from), ['one', 'two']);
  }
});

test('one that keeps failing is asked last', async () => {
  first = 500;
  const fetcher = testFetcher(setting());
  for (let time = 0; time < 3; time++) await fetcher.fetchDocument('ipfs://x/7', { id: '7' });
  const from = web.requests.length;
  await fetcher.fetchDocument('ipfs://x/7', { id: '7' });
  assert.deepEqual(hosts(from), ['two']);
});

test('of their errors the one counts that is worth another attempt', async () => {
  const result = await testFetcher(setting()).fetchDocument('ipfs://mixed/7', { id: '7' });
  assert.equal(outcome(result).error?.kind, 'transient');
});

test('what is too large at one is not asked of the next', async () => {
  const from = web.requests.length;
  const result = await testFetcher({ ...setting(), limits: { documentBytes: 1000 } }).fetchDocument('ipfs://large/7', {
    id: '7',
  });
  assert.equal(outcome(result).error?.reason, 101);
  assert.deepEqual(hosts(from), ['one']);
});

test('the header of a gateway goes to its origin only, not along with a redirect', async () => {
  const fetcher = testFetcher({ ...setting(), allowHosts: [at('one'), at('two')] });
  const from = web.requests.length;
  await fetcher.fetchDocument('ipfs://away/7', { id: '7' });
  const seen = web.requests.slice(from).map(({ headers }) => [headers.host?.split('.')[0], headers.authorization]);
  assert.deepEqual(seen, [
    ['one', 'Bearer token'],
    ['two', undefined],
  ]);
});

test('the header of a gateway goes with requests for content, not to other paths of its host', async () => {
  const fetcher = testFetcher(setting());
  const headersOf = async (uri: string) => {
    const from = web.requests.length;
    await fetcher.fetchDocument(uri, { id: '7' });
    return web.requests.slice(from).map(({ headers }) => headers.authorization);
  };
  assert.deepEqual(await headersOf('ipfs://within/7'), ['Bearer token', 'Bearer token']);
  assert.deepEqual(await headersOf('ipfs://out/7'), ['Bearer token', undefined]);
  assert.deepEqual(await headersOf(`${at('one')}/elsewhere`), [undefined]);
});

test('what is no content identifier is not asked for', async () => {
  const from = web.requests.length;
  const result = await testFetcher({ ...setting(), gateways: gateways(true) }).fetchDocument('ipfs://not-a-cid/7', {
    id: '7',
  });
  assert.equal(outcome(result).error?.reason, 105);
  assert.equal(web.requests.length, from);
});
