import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import { type HostilePages, hostilePages, outcome, testFetcher } from '../../../test/support/fetcher.ts';
import { until } from '../../../test/support/until.ts';

let web: HostilePages['web'];
let at: HostilePages['at'];
let fetchPage: HostilePages['fetchPage'];
before(async () => {
  ({ web, at, fetchPage } = await hostilePages());
});
after(() => web.close());

describe('destinations', () => {
  /** Client sockets that this process makes meanwhile. */
  async function socketsDuring(task: () => Promise<unknown>): Promise<number> {
    let sockets = 0;
    const count = () => sockets++;
    subscribe('net.client.socket', count);
    await task().finally(() => unsubscribe('net.client.socket', count));
    return sockets;
  }

  test('without permission a private address gets no connection', async () => {
    const before = web.connections();
    const fetcher = testFetcher({ allowPorts: [80, 443, web.port] });
    for (const url of [
      at('/good.json'),
      at('/good.json', '127.0.0.1'),
      at('/good.json', '[::1]'),
      at('/x', 'localhost'),
    ]) {
      const { error } = outcome(await fetcher.fetchDocument(url, { id: '7' }));
      assert.deepEqual([error?.kind, error?.reason], ['blocked', 107], url);
    }
    assert.equal(web.connections(), before);
  });

  test('with it, the same name and port are asked', async () => {
    const fetcher = testFetcher({ allowHosts: [`web.example.org:${web.port}`] });
    assert.equal(outcome(await fetcher.fetchDocument(at('/good.json'), { id: '7' })).document?.name, 'Good');
  });

  const FORBIDDEN = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '2130706433',
    '10.0.0.1',
  ];
  for (const host of FORBIDDEN)
    test(`a redirect to ${host} is not followed, no socket is made`, async () => {
      const to = encodeURIComponent(`http://${host}/latest/meta-data/`);
      let found: Awaited<ReturnType<typeof fetchPage>> | undefined;
      const sockets = await socketsDuring(async () => {
        found = await fetchPage(`/to?url=${to}`);
      });
      assert.equal(found?.error?.kind, 'blocked');
      assert.equal(sockets, 1); // the one to the redirecting server
    });

  test('a redirect to a name at a private address makes no connection', async () => {
    const before = web.connections();
    const { error } = await fetchPage(`/to?url=${encodeURIComponent(at('/good.json', 'inside.example.org'))}`, {
      allowPorts: [80, web.port],
    });
    assert.equal(error?.kind, 'blocked');
    assert.equal(web.connections(), before + 1);
  });

  test('a redirect to another port of the allowed host is refused', async () => {
    const { error } = await fetchPage(`/to?url=${encodeURIComponent('http://web.example.org:9/')}`);
    assert.equal(error?.kind, 'blocked');
  });

  for (const url of ['file:///etc/passwd', 'data:application/json,{"name":"X"}', 'javascript:1', 'ipfs://x'])
    test(`a redirect to ${url} is refused`, async () => {
      assert.equal((await fetchPage(`/to?url=${encodeURIComponent(url)}`)).error?.kind, 'blocked');
    });

  test('proxy settings have no effect', async () => {
    process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    try {
      assert.equal((await fetchPage('/good.json')).document?.name, 'Good');
    } finally {
      delete process.env.HTTP_PROXY;
    }
  });
});

describe('requests', () => {
  test('say who asks, want no encoding, and carry neither credentials nor cookies', async () => {
    const fetcher = testFetcher({ allowHosts: [`web.example.org:${web.port}`] });
    await fetcher.fetchDocument(at('/good.json', 'user:secret@web.example.org'), { id: '7' });
    const request = web.requests.at(-1);
    assert.deepEqual(request?.headers, {
      'user-agent': 'stacks-index/1.2.3 (+token metadata)',
      accept: 'application/json, */*;q=0.5',
      'accept-encoding': 'identity',
      host: `web.example.org:${web.port}`,
      connection: 'close',
    });
    assert.equal(request?.method, 'GET');
  });

  test('credentials in a redirect are not sent', async () => {
    await fetchPage(`/to?url=${encodeURIComponent(at('/good.json', 'user:secret@web.example.org'))}`);
    assert.equal(web.requests.at(-1)?.url, '/good.json');
    assert.equal(web.requests.at(-1)?.headers.authorization, undefined);
  });

  test('aborting closes the socket at once', async () => {
    const fetcher = testFetcher({ allowHosts: [`web.example.org:${web.port}`] });
    for (const path of ['/silent', '/drip']) {
      const stop = new AbortController();
      const before = web.requests.length;
      const fetching = assert.rejects(fetcher.fetchDocument(at(path), { id: '7', signal: stop.signal }), /enough/);
      await until(() => web.requests.length > before, 'nothing is asked');
      stop.abort(new Error('enough'));
      await fetching;
      await until(() => web.open() === 0, 'the connection stays open');
    }
  });

  test('no socket stays open after errors', async () => {
    for (const path of ['/large.json', '/bomb.json', '/loop', '/status?code=500']) await fetchPage(path);
    await until(() => web.open() === 0, 'the connection stays open');
  });
});
