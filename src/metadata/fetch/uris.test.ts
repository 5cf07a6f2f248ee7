import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { REASON } from '../errors.ts';
import { DEFAULT_GATEWAYS, type Gateways } from './gateways.ts';
import { fillPlaceholders, isCid, parseDataUrl, resolveUri } from './uris.ts';

const CID0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
const CID1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';

const trusting: Gateways = {
  ipfs: [{ url: 'https://g' }],
  arweave: [{ url: 'https://a' }],
  knownHosts: DEFAULT_GATEWAYS.knownHosts,
  checkCids: false,
};
const checking: Gateways = { ...trusting, checkCids: true };

function urlOf(uri: string, gateways = trusting, locale?: string): string {
  const target = resolveUri(uri, { id: '7', gateways, ...(locale !== undefined && { locale }) });
  if (!target.ok) return `error ${target.error.reason}`;
  return target.value.kind === 'http'
    ? target.value.sources.map(({ url }) => url).join(' ')
    : Buffer.from(target.value.bytes).toString();
}

const TABLE: readonly (readonly [uri: string, url: string])[] = [
  ['https://host/x?y=1', 'https://host/x?y=1'],
  ['HTTPS://HOST/1', 'https://host/1'],
  ['http://user:pw@host/1.json', 'http://host/1.json'],
  ['https://host/1.json#part', 'https://host/1.json'],
  ['ipfs://QmAbC/1.json?x=1#f', 'https://g/ipfs/QmAbC/1.json'],
  ['ipfs://ipfs/QmAbC/1.json', 'https://g/ipfs/QmAbC/1.json'],
  ['ipfs:QmAbC/1.json', 'https://g/ipfs/QmAbC/1.json'],
  ['IPFS://QmAbC/1.json', 'https://g/ipfs/QmAbC/1.json'],
  ['ipfs://QmAbC', 'https://g/ipfs/QmAbC'],
  ['ipfs://QmAbC/a b/ü.json', 'https://g/ipfs/QmAbC/a%20b/%C3%BC.json'],
  ['ipfs://', 'error 105'],
  ['ipfs://ipfs/', 'error 105'],
  ['ipns://k51/x', 'https://g/ipns/k51/x'],
  ['ipns://docs.example.org/x', 'https://g/ipns/docs.example.org/x'],
  ['ar://TxId/9.json', 'https://a/TxId/9.json'],
  ['https://ipfs.io/ipfs/Qm/1.json?x=1', 'https://g/ipfs/Qm/1.json'],
  ['https://ipfs.io/ipns/k51/1.json', 'https://g/ipns/k51/1.json'],
  ['https://ipfs.io/ipfs/Qm/$TOKEN_ID.json', 'https://g/ipfs/Qm/7.json'],
  ['https://ipfs.io/docs/', 'https://ipfs.io/docs/'],
  ['https://QmX.ipfs.dweb.link/1.json', 'https://g/ipfs/QmX/1.json'],
  [`https://${CID1}.ipfs.dweb.link/1.json?x=1`, `https://g/ipfs/${CID1}/1.json`],
  [`https://${CID1}.ipfs.example.org/1.json`, `https://${CID1}.ipfs.example.org/1.json`],
  ['https://x.mypinata.cloud/ipfs/Qm/1', 'https://x.mypinata.cloud/ipfs/Qm/1'],
  ['  https://host/1 ', 'https://host/1'],
  ['https://h/{ID}-{id}.json', 'https://h/7-7.json'],
  ['https://h/{locale}/x', 'https://h//x'],
  ['foo', 'error 105'],
  ['/rel', 'error 105'],
  ['', 'error 105'],
  ['https://', 'error 105'],
  ['http://[::1', 'error 105'],
  ['ftp://host/x', 'error 105'],
  ['file:///etc/passwd', 'error 105'],
  ['javascript:alert(1)', 'error 105'],
  ['ipfs://QmAbC/../../api/v0/config', 'error 105'],
  ['ipfs://QmAbC/%2e%2e/%2E%2E/api', 'error 105'],
  ['ipfs://QmAbC/..\\..\\api', 'error 105'],
  ['ipfs://QmAbC/..%2f..%2fapi', 'error 105'],
  ['ipfs://QmAbC/a/..%5c..%5c..%5capi', 'error 105'],
  ['ipfs://QmAbC/..;/..;x=y/api', 'error 105'],
  ['ipfs://QmAbC/%252e%252e%252f..%25252fapi', 'error 105'],
  ['ipfs://QmAbC/..%3b/..%2f../api', 'error 105'],
  [`ipfs://QmAbC/%${'25'.repeat(20)}2e./api`, 'error 105'],
  ['https://ipfs.io/ipfs/QmAbC/..%2f..%2f..%2fapi', 'error 105'],
  ['ipfs://QmAbC/a/..%2fb%2F1.json', 'https://g/ipfs/QmAbC/b/1.json'],
  ['ipfs://QmAbC/a;b/100%25.json', 'https://g/ipfs/QmAbC/a;b/100%25.json'],
  ['ipfs://../api', 'error 105'],
  ['ar://../x', 'error 105'],
  ['data:application/json,{"name":"D"}', '{"name":"D"}'],
  ['data:application/json;base64,eyJuYW1lIjoiRCJ9', '{"name":"D"}'],
  ['data:,%7B%22name%22%3A%22D%22%7D', '{"name":"D"}'],
  ['data:application/json,{"id":"{id}"}', '{"id":"7"}'],
  ['data:application/json', 'error 105'],
  ['data:;base64,***', 'error 105'],
];
for (const [uri, url] of TABLE) test(`token 7 at '${uri}' is fetched as ${url}`, () => assert.equal(urlOf(uri), url));

test('{locale} becomes the locale', () => {
  assert.equal(urlOf('https://h/{ID}-{locale}.json', trusting, 'es'), 'https://h/7-es.json');
  assert.equal(fillPlaceholders('{LOCALE}$token_id$TOKEN_ID', { id: '1', locale: '$&{id}' }), '$&{id}11');
});

test('gateways are asked in their order, with the path that they have', () => {
  const gateways = { ...trusting, ipfs: [{ url: 'https://one/' }, { url: 'http://127.0.0.1:8080/base/' }] };
  assert.equal(urlOf('ipfs://Qm/1', gateways), 'https://one/ipfs/Qm/1 http://127.0.0.1:8080/base/ipfs/Qm/1');
});

test('without a gateway its URIs lead nowhere', () => {
  assert.equal(urlOf('ar://TxId/1', { ...trusting, arweave: [] }), 'error 105');
});

describe('checked content identifiers', () => {
  const good = [CID0, CID1, CID1.toUpperCase(), 'k2jmtxu61bnhrtj301lw7zizknztocdbeqhxgv76l2q9t36fn9jbzipo'];
  for (const cid of good)
    test(`${cid} is asked for`, () => assert.equal(urlOf(`ipfs://${cid}/1`, checking), `https://g/ipfs/${cid}/1`));
  const bad = [
    'not-a-cid',
    'QmAbC',
    CID0.slice(0, -1),
    `${CID0.slice(0, -1)}l`,
    `${CID0}A`,
    'bafy',
    `${CID1}0`,
    'b'.repeat(200),
  ];
  for (const cid of bad)
    test(`${cid} is refused without asking`, () => assert.equal(urlOf(`ipfs://${cid}/1`, checking), 'error 105'));

  test('in the path of a known gateway, and in its host name whatever the case', () => {
    assert.equal(urlOf(`https://ipfs.io/ipfs/${CID0}/1`, checking), `https://g/ipfs/${CID0}/1`);
    assert.equal(urlOf('https://ipfs.io/ipfs/nothing/1', checking), 'error 105');
    assert.equal(urlOf(`https://${CID0}.ipfs.dweb.link/1`, checking), `https://g/ipfs/${CID0}/1`);
  });
});

test('an error about an image has the number for images', () => {
  const target = resolveUri('foo', { id: '7', gateways: trusting, purpose: 'image' });
  assert.equal(target.ok ? undefined : target.error.reason, REASON.imageUnparsable);
});

test('no text makes it throw, and every URL has a host and no credentials', () => {
  const scheme = fc.constantFrom(
    '',
    'ipfs://',
    'ipns:',
    'ar://',
    'https://',
    'http://a:b@',
    'https://ipfs.io/ipfs/',
    'data:',
  );
  fc.assert(
    fc.property(scheme, anyText(), fc.boolean(), (start, text, checkCids) => {
      const target = resolveUri(start + text, { id: '7', gateways: { ...trusting, checkCids } });
      if (!target.ok || target.value.kind !== 'http') return;
      for (const source of target.value.sources) {
        const url = new URL(source.url);
        assert.match(url.protocol, /^https?:$/);
        assert.ok(url.hostname && !url.username && !url.password);
        if (url.host === 'g') assert.match(url.pathname, /^\/ip[fn]s\/[\w.-]+/);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a data: URL is read as the platform reads it', async () => {
  const head = fc.constantFrom(
    '',
    ';base64',
    'text/plain;base64',
    'application/json',
    'image/svg+xml; charset=utf-8 ; base64',
  );
  const body = fc.oneof(
    anyText(),
    fc.base64String(),
    fc.string({ unit: fc.constantFrom('%', '4', 'a', '=', ' ', '#') }),
  );
  await fc.assert(
    fc.asyncProperty(head, body, async (start, text) => {
      const url = `data:${start},${text}`;
      const expected = await fetch(url).then(
        async response => Buffer.from(await response.arrayBuffer()),
        () => undefined,
      );
      const found = parseDataUrl(url);
      assert.deepEqual(found && Buffer.from(found.bytes), expected);
    }),
    { numRuns: 500 },
  );
});

test('no text makes the check of content identifiers throw', () => {
  fc.assert(fc.property(anyText(), text => void isCid(`Qm${text}`)));
});
