import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { assertLinearTime } from '../../../test/support/linear-time.ts';
import { resolverOf } from '../../api/records/names/zone-files.ts';
import { subdomainRecords as statedBy, subdomainHash } from './zone-file.ts';

const subdomainRecords = (text: string) => statedBy(text).map(({ label, owner }) => ({ label, owner }));

const one = { label: 'sub', owner: 'ST1' };

test('TXT records name subdomains; other records, directives, blank lines and line ends of any kind are passed over', () => {
  const text = [
    '$ORIGIN id1.sim',
    '$TTL 3600',
    'one\tTXT\t"owner=ST1" "seqn=0" "parts=1" "zf0=abc="',
    '',
    'two TXT "owner=ST2" "seqn=1"\r',
    '_http._tcp\tIN\tURI\t10\t1\t"https://example.com/owner=ST3"',
  ].join('\n');
  assert.deepEqual(subdomainRecords(text), [
    { label: 'one', owner: 'ST1' },
    { label: 'two', owner: 'ST2' },
  ]);
});

for (const [rule, line] of [
  ['strings may be bare', 'sub TXT owner=ST1 seqn=0'],
  ['a TTL and a class may stand before the type, in any case', 'sub 3600 in txt "owner=ST1"'],
  ['a class may stand before the TTL', 'sub IN 1h TXT "owner=ST1"'],
  ['the owner need not come first', 'sub TXT "seqn=0" "owner=ST1"'],
  ['the first owner counts', 'sub TXT "owner=ST1" "owner=ST2"'],
  ['what stands behind a second = is not part of the owner', 'sub TXT "owner=ST1=x"'],
  ['a comment ends a line', 'sub TXT "owner=ST1" ; "owner=ST2"'],
  ['a quote that is not closed ends with the line', 'sub TXT "owner=ST1'],
  ['strings may touch', 'sub TXT "seqn=0""owner=ST1"'],
  ['blanks before a line do not matter', '  \t sub TXT "owner=ST1"'],
  ['a backslash takes a quote into the string', 'sub TXT "x=\\"owner=ST2" "owner=ST1"'],
] as const) {
  test(rule, () => assert.deepEqual(subdomainRecords(line), [one]));
}

for (const [rule, line] of [
  ['an entry without an owner is no subdomain', 'sub TXT "seqn=0" "parts=0"'],
  ['an empty owner is none', 'sub TXT "owner="'],
  ['a record without a label is no subdomain', 'TXT "owner=ST1"'],
  ['an owner in a comment is none', 'sub TXT ; "owner=ST1"'],
  ['an owner that nobody could ask for is left out', `sub TXT "owner=${'A'.repeat(251)}"`],
  ['a label that no index takes is left out', `${'a'.repeat(251)} TXT "owner=ST1"`],
  ['NUL, which no database takes, is left out', 'sub TXT "owner=ST\u00001"'],
  ['another type of record is no subdomain', 'sub CNAME "owner=ST1"'],
] as const) {
  test(rule, () => assert.deepEqual(subdomainRecords(line), []));
}

test('of records with the same label the last counts', () => {
  assert.deepEqual(subdomainRecords('sub TXT "owner=ST2"\nsub TXT "owner=ST1"'), [one]);
});

test('labels and owners of up to 250 characters are taken', () => {
  const [label, owner] = ['a'.repeat(250), 'B'.repeat(250)];
  assert.deepEqual(subdomainRecords(`${label} TXT "owner=${owner}"`), [{ label, owner }]);
});

test('any text gives a response, and only subdomains that a database and the API can hold', () => {
  const pieces = fc.constantFrom(
    'owner=',
    'TXT',
    'IN',
    '"',
    '\\',
    ';',
    '=',
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    'ST1',
    '3600',
    '\u{1f600}',
  );
  const text = fc.oneof(
    fc.array(fc.oneof(pieces, anyText()), { maxLength: 40 }).map(all => all.join('')),
    fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes).toString('utf8')),
  );
  fc.assert(
    fc.property(text, content => {
      for (const { label, owner } of subdomainRecords(content)) {
        for (const part of [label, owner]) assert.ok(part.length > 0 && part.length <= 250 && !part.includes('\0'));
        assert.ok(!/[\r\n]/.test(label + owner));
      }
    }),
    { numRuns: 3000 },
  );
});

for (const [kind, piece] of [
  ['quotes that are not closed', 'owner=\\"'],
  ['backslashes', '\\'],
  ['blanks', ' '],
  ['empty strings', '""'],
  ['equal signs', 'owner='],
  ['comments', 'owner=;'],
  ['lines', 'a TXT owner=b\n'],
] as const) {
  test(`a long run of ${kind} takes time linear in its length`, () => {
    const zoneFile = (size: number) => `x TXT "owner=a${piece.repeat(Math.floor(size / piece.length))}`;
    assertLinearTime(250_000, zoneFile, subdomainRecords);
  });
}

test('parts of the zone file of a subdomain are joined as they stand, up to a second =, and read as Base64', () => {
  const [record] = statedBy('sub TXT "owner=ST1" "zf1=JE9S" "parts=2" "zf0=SUdJTg=="');
  assert.equal(Buffer.from(record?.zoneFile ?? []).toString(), '$ORIGIN');
  assert.equal(Buffer.from(subdomainHash(Buffer.from('abc'))).toString('hex'), 'b00361a396177a9cb410ff61f20015ad');
});

test('the resolver is the target of the last URI record whose name tells so', () => {
  const lines = [
    '_http._tcp\tIN\tURI\t10\t1\t"https://resolver.example/not"',
    '_resolver URI 10 1 "https://first.example"',
    '_resolver 3600 IN uri 10 1 https://second.example',
    '_resolver TXT "https://third.example"',
  ];
  assert.equal(resolverOf(lines.join('\n')), 'https://second.example');
  assert.equal(resolverOf(lines.slice(0, 1).join('\n')), '');
  assert.equal(resolverOf('_resolver URI'), '');
});
