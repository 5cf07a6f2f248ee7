import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Destinations } from './destinations.ts';

const strict = new Destinations({ allowHosts: [], allowPorts: [80, 443] });
const refusal = (url: string, rules = strict) => rules.refusal(new URL(url));

describe('without permission', () => {
  const refused = [
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::ffff:127.0.0.1]/',
    'http://①②⑦.⓪.⓪.①/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://a.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://intranet/',
    'http://[::1]/',
    'http://[fd00:ec2::254]/',
    'http://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1/',
    'https://example.org:8443/',
    'http://example.org:22/',
    'ftp://example.org/',
    'file:///etc/passwd',
  ];
  for (const url of refused) test(`${url} is refused`, () => assert.ok(refusal(url)));

  for (const url of [
    'http://example.org/',
    'https://EXAMPLE.org:443/x',
    'http://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])
    test(`${url} may be asked`, () => assert.equal(refusal(url), undefined));
});

describe('with permission', () => {
  const rules = new Destinations({
    allowHosts: [
      '127.0.0.1:3000',
      'Storage.internal',
      '::1',
      'web.example:80',
      'http://10.0.0.5:8080/ipfs/',
      '[::3]:7/x',
    ],
    allowPorts: [443],
  });
  const allowed = [
    'http://127.0.0.1:3000/',
    'https://127.0.0.1:3000/',
    'http://storage.INTERNAL/',
    'http://[::1]/',
    'http://web.example/',
    'http://10.0.0.5:8080/ipfs/Qm/1.json',
    'http://[::3]:7/x/y',
  ];
  for (const url of allowed) test(`${url} may be asked`, () => assert.equal(refusal(url, rules), undefined));

  const others = [
    'http://127.0.0.1:3001/',
    'http://storage.internal:9000/',
    'http://a.storage.internal/',
    'http://[::2]/',
    'http://web.example:81/',
    'https://10.0.0.5:8080/ipfs/Qm/1.json',
    'http://10.0.0.5:8080/api/v0/config',
    'http://10.0.0.5:8080/ipfs/../api',
    'http://10.0.0.5:8080/ipfs/..%2fapi',
    'http://10.0.0.5:8080/ipfs/..%5capi',
    'http://10.0.0.5:8080/ipfs/..;/api',
    'http://10.0.0.5:8080/ipfs/%252e%252e%252fapi',
    'http://10.0.0.5:8080/ipfs/a%2fb/..;/..;/api',
    'http://10.0.0.5:8080/ipfs',
    'http://[::3]:7/xy',
  ];
  for (const url of others) test(`${url} is still refused`, () => assert.ok(refusal(url, rules)));

  test('ports of other hosts are the operator’s choice', () => assert.ok(refusal('http://example.org/', rules)));
});
