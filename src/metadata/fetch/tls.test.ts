import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { outcome, testFetcher } from '../../../test/support/fetcher.ts';
import { redirectTo, selfSigned, startHostileWeb } from '../../../test/support/hostile-web.ts';

const NAME = 'secure.example.org';
const certificate = selfSigned(NAME);
const skip = typeof certificate === 'string' ? certificate : false;
const pages = { '/down': redirectTo(`http://${NAME}/good.json`), '/same': redirectTo('/good.json') };

/** Requests a path from the server with that certificate, and returns the result. */
async function ask(path: string, name = NAME) {
  if (typeof certificate === 'string') throw new Error(certificate);
  const secure = await startHostileWeb(pages, certificate);
  try {
    const fetcher = testFetcher({ allowHosts: [`${name}:${secure.port}`] });
    const result = await fetcher.fetchDocument(`https://${name}:${secure.port}${path}`, { id: '7' });
    return { ...outcome(result), requests: secure.requests.length };
  } finally {
    await secure.close();
  }
}

test('a certificate that nobody vouches for is refused, nothing is asked', { skip }, async () => {
  const { error, requests } = await ask('/good.json');
  assert.deepEqual([error?.reason, error?.kind, requests], [107, 'slow-retry', 0]);
});

describe('with a certificate that counts', { skip }, () => {
  test('documents are fetched, redirects followed', async () => {
    await trusted(async () => {
      assert.equal((await ask('/good.json')).document?.name, 'Good');
      assert.equal((await ask('/same')).document?.name, 'Good');
    });
  });

  test('another name is refused', async () => {
    await trusted(async () => {
      const { error, requests } = await ask('/good.json', 'other.example.org');
      assert.deepEqual([error?.reason, error?.kind, requests], [107, 'slow-retry', 0]);
    });
  });

  test('a redirect from https: to http: is refused', async () => {
    await trusted(async () => {
      const { error, requests } = await ask('/down');
      assert.deepEqual([error?.kind, requests], ['blocked', 1]);
      assert.match(error?.message ?? '', /from https: to http:/);
    });
  });
});

test('a server that never speaks TLS ends at the connect deadline', async () => {
  const mute = createServer(socket => socket.on('error', () => {}).resume());
  await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve));
  try {
    const fetcher = testFetcher({
      allowHosts: [`${NAME}:${(mute.address() as AddressInfo).port}`],
      limits: { connectMs: 300 },
    });
    const url = `https://${NAME}:${(mute.address() as AddressInfo).port}/`;
    const { error } = outcome(await fetcher.fetchDocument(url, { id: '7' }));
    assert.deepEqual([error?.reason, error?.kind], [103, 'transient']);
    assert.match(error?.message ?? '', /no connection/);
  } finally {
    await new Promise(resolve => mute.close(resolve));
  }
});

async function trusted(task: () => Promise<void>): Promise<void> {
  const usual = getCACertificates('default');
  setDefaultCACertificates(typeof certificate === 'string' ? usual : [...usual, certificate.cert]);
  await task().finally(() => setDefaultCACertificates(usual));
}
