import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type HostilePages, hostilePages, outcome, testFetcher } from '../../../test/support/fetcher.ts';
import type { MetadataErrorKind } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';

let web: HostilePages['web'];
let at: HostilePages['at'];
let fetchPage: HostilePages['fetchPage'];
before(async () => {
  ({ web, at, fetchPage } = await hostilePages());
});
after(() => web.close());

describe('documents', () => {
  const DOCUMENTS: readonly (readonly [path: string, name: string, requests: number])[] = [
    ['/good.json', 'Good', 1],
    ['/relative', 'Good', 2],
    ['/odd-type', 'Odd', 1],
    ['/gzip.json', 'Zipped', 1],
    ['/nul.json', 'a\ufffdb', 1],
    ['/surrogate.json', 'a\ufffdb', 1],
  ];
  for (const [path, name, requests] of DOCUMENTS)
    test(`${path} gives a document after ${requests} request(s)`, async () => {
      const found = await fetchPage(path);
      assert.deepEqual({ name: found.document?.name, requests: found.requests }, { name, requests });
    });

  test('locales are listed once', async () => {
    const { document } = await fetchPage('/locales.json');
    assert.deepEqual(document?.localization?.locales, ['en', 'es', 'de']);
  });

  test('of a locale may lack a name, any other may not', async () => {
    const template = 'data:,{"description":"{locale}"}';
    const result = await testFetcher().fetchDocument(template, { id: '7', locale: 'es' });
    assert.deepEqual(outcome(result).document, { name: '', description: 'es', image: '' });
    assert.equal(outcome(await testFetcher().fetchDocument(template, { id: '7' })).error?.reason, 105);
  });

  test('keep {id} where it is not to be replaced', async () => {
    const result = await testFetcher({ replaceIds: false, allowHosts: [`web.example.org:${web.port}`] }).fetchDocument(
      at('/good.json'),
      { id: '7' },
    );
    assert.equal(outcome(result).document?.image, 'ipfs://x/{id}.png');
  });

  test('in a data: URI needs no request', async () => {
    const result = await testFetcher().fetchDocument('data:application/json,{"name":"D {id}"}', { id: '7' });
    assert.equal(outcome(result).document?.name, 'D 7');
  });
});

describe('errors', () => {
  const over = (bytes: number) => ({ limits: { documentBytes: 3000 }, path: `?bytes=${bytes}` });
  const soon = { documentMs: 2000 };
  type Row = readonly [
    path: string,
    reason: number,
    kind: MetadataErrorKind,
    requests: number,
    changed?: Partial<MetadataLimits>,
  ];
  const ERRORS: readonly Row[] = [
    ['/status?code=404', 107, 'slow-retry', 1],
    ['/status?code=410', 107, 'slow-retry', 1],
    ['/status?code=403', 107, 'slow-retry', 1],
    ['/status?code=400', 107, 'permanent', 1],
    ['/status?code=300', 107, 'permanent', 1],
    ['/status?code=500', 107, 'transient', 1],
    ['/status?code=503', 107, 'transient', 1],
    ['/loop', 105, 'permanent', 6],
    ['/to?url=http%3A%2F%2F%5B', 107, 'permanent', 1],
    [`/sized${over(3001).path}`, 101, 'permanent', 1, over(3001).limits],
    [`/sized-unannounced${over(3001).path}`, 101, 'permanent', 1, over(3001).limits],
    ['/zipped?bytes=3001', 101, 'permanent', 1, { documentBytes: 3000 }],
    ['/zipped?bytes=3000', 105, 'permanent', 1, { documentBytes: 3000 }],
    ['/large.json', 101, 'permanent', 1],
    ['/silent', 103, 'transient', 1, soon],
    ['/drip', 103, 'transient', 1, soon],
    ['/bomb.json', 101, 'permanent', 1],
    ['/bomb.json', 101, 'permanent', 1, { documentBytes: 100_000_000 }],
    ['/no-end-of-name.json', 101, 'permanent', 1],
    ['/false-gzip.json', 105, 'permanent', 1],
    ['/zstd.json', 105, 'permanent', 1],
    ['/reset', 107, 'transient', 1],
    ['/cut', 107, 'transient', 1],
    ['/html', 105, 'permanent', 1],
    ['/empty', 105, 'permanent', 1],
    ['/deep.json', 105, 'permanent', 1],
  ];
  for (const [path, reason, kind, requests, changed] of ERRORS)
    test(`${path}${changed ? ' with other limits' : ''} is ${kind} ${reason} after ${requests} request(s)`, async () => {
      const { error, ...found } = await fetchPage(path, changed ? { limits: changed } : {});
      assert.deepEqual(
        { reason: error?.reason, kind: error?.kind, requests: found.requests },
        { reason, kind, requests },
      );
    });

  test('one deadline covers all redirects', async () => {
    const { error, requests } = await fetchPage('/slow-loop', { limits: soon });
    assert.equal(error?.reason, 103);
    assert.ok(requests < 6);
  });

  test('3000 bytes under a limit of 3000 are read', async () => {
    const { error } = await fetchPage('/sized?bytes=3000', { limits: { documentBytes: 3000 } });
    assert.equal(error?.reason, 105); // blanks are no document
  });

  test('a data: URI has the same limit', async () => {
    const result = await testFetcher().fetchDocument(`data:,${' '.repeat(2_000_000)}x`, { id: '7' });
    assert.equal(outcome(result).error?.reason, 101);
  });

  test('a name that does not exist is tried again later, a resolver that fails soon', async () => {
    for (const [code, kind] of [
      ['ENOTFOUND', 'slow-retry'],
      ['EAI_AGAIN', 'transient'],
    ]) {
      const resolver = () => Promise.reject(Object.assign(new Error('no'), { code }));
      const result = await testFetcher({ resolver }).fetchDocument('https://a.example.org/', { id: '7' });
      assert.deepEqual([outcome(result).error?.kind, outcome(result).error?.reason], [kind, 107]);
    }
  });

  test('a resolver that never answers ends at the connect deadline', async () => {
    const fetcher = testFetcher({ resolver: () => new Promise(() => {}), limits: { connectMs: 200 } });
    const { error } = outcome(await fetcher.fetchDocument('https://a.example.org/', { id: '7' }));
    assert.deepEqual([error?.kind, error?.reason], ['transient', 103]);
  });
});

describe('rate limits', () => {
  const wait = async (path: string) => (await fetchPage(path)).error;
  const RATES: readonly (readonly [path: string, ms: number])[] = [
    ['/rate-limited?after=7', 7000],
    ['/rate-limited', 60_000],
    ['/rate-limited?after=abc', 60_000],
    ['/rate-limited?after=999999999', 3_600_000],
    ['/rate-limited?after=Thu,+01+Jan+2015+12:00:00+GMT', 60_000],
    ['/rate-limited?after=7&status=503', 7000],
  ];
  for (const [path, retryAfterMs] of RATES)
    test(`${path}: ${retryAfterMs} ms`, async () => {
      const error = await wait(path);
      assert.deepEqual(
        { kind: error?.kind, retryAfterMs: error?.retryAfterMs },
        { kind: 'rate-limited', retryAfterMs },
      );
    });

  test('the next request to the host is not made', async () => {
    const fetcher = testFetcher({ allowHosts: [`web.example.org:${web.port}`] });
    const before = web.requests.length;
    await fetcher.fetchDocument(at('/rate-limited?after=7'), { id: '7' });
    const { error } = outcome(await fetcher.fetchDocument(at('/good.json'), { id: '7' }));
    assert.equal(error?.kind, 'rate-limited');
    assert.ok(error.retryAfterMs && error.retryAfterMs <= 7000);
    assert.equal(web.requests.length, before + 1);
  });

  test('a date one hour ahead is about an hour', async () => {
    const ahead = new Date(Date.now() + 1_800_000).toUTCString();
    const error = await wait(`/rate-limited?after=${encodeURIComponent(ahead)}`);
    assert.ok(error?.retryAfterMs && Math.abs(error.retryAfterMs - 1_800_000) < 120_000);
  });
});

describe('images', () => {
  test('are bytes, whatever they are, under limits of their own', async () => {
    const fetcher = testFetcher({
      allowHosts: [`web.example.org:${web.port}`],
      limits: { documentBytes: 10, imageBytes: 2000 },
    });
    const image = (path: string) => fetcher.fetchImage(at(path), { id: '7' });
    const svg = await image('/script.svg');
    assert.ok(svg.ok && svg.value.length > 10);
    assert.match(web.requests.at(-1)?.headers.accept ?? '', /^image/);
    const large = await image('/sized?bytes=2001');
    assert.equal(large.ok ? undefined : large.error.reason, 102);
    const zipped = await image('/zipped?bytes=2001');
    assert.equal(zipped.ok ? undefined : zipped.error.reason, 102);
    const missing = await image('/none');
    assert.equal(missing.ok ? undefined : missing.error.reason, 108);
    const odd = await fetcher.fetchImage('javascript:alert(1)', { id: '7' });
    assert.equal(odd.ok ? undefined : odd.error.reason, 106);
    const inline = await fetcher.fetchImage('data:image/svg+xml,%3Csvg/%3E', { id: '7' });
    assert.equal(inline.ok && Buffer.from(inline.value).toString(), '<svg/>');
  });
});
