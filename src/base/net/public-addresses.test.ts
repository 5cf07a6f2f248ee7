import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { isPublicAddress } from './public-addresses.ts';

const BLOCKED = `
  127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 0.1.2.3 192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1
  198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 fe80::1 fc00::1 fd00:ec2::254 ::ffff:7f00:1
  64:ff9b::7f00:1 64:ff9b:1::7f00:1 2002:7f00:1:: 2001::1 2001:db8::1 ff02::1 fec0::1 100::1
  ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::8.8.8.8 64:ff9b::8.8.8.8 3fff::1 3ffe::1 fe80::1%eth0 2001:10::1 4000::1
  172.31.255.255 100.127.255.255 198.19.255.255 168.63.129.16 ::ffff:168.63.129.16 100.100.100.200 192.0.0.192 161.26.0.7 166.11.255.255
  199.36.153.8 2001:0:4136:e378:8000:63bf:3fff:fdd2 fd20:ce::254`;
const PUBLIC = `
  8.8.8.8 2606:4700::1111 ::ffff:808:808 1.1.1.1 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 9.255.255.255 11.0.0.0
  168.63.129.15 168.63.129.17 161.25.255.255 161.27.0.0 166.7.255.255 166.12.0.0 199.36.152.255 199.36.154.0
  198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 2001:200::1 2a00:1450:4001:80b::200e 2003::1`;
const NO_ADDRESS = ['', 'localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1', '[::1]', '01.2.3.4', '1.2.3.4 ', '0x7f.0.0.1'];

const words = (text: string): string[] => text.trim().split(/\s+/);

for (const address of words(BLOCKED))
  test(`${address} is not public`, () => assert.equal(isPublicAddress(address), false));
for (const address of words(PUBLIC)) test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));
for (const text of NO_ADDRESS)
  test(`'${text}' is no address, so not public`, () => assert.equal(isPublicAddress(text), false));

/** An independent judge: addresses as numbers, ranges as first and last. */
const bits = (address: bigint, from: number, to: number): bigint =>
  (address >> BigInt(from)) & ((1n << BigInt(to - from)) - 1n);
const within = (address: bigint, first: bigint, size: bigint): boolean => address >= first && address < first + size;

function isPublic4(a: bigint): boolean {
  const [top, second] = [bits(a, 24, 32), bits(a, 16, 24)];
  if (top === 0n || top === 10n || top === 127n || top >= 224n) return false;
  if (top === 100n && second >= 64n && second <= 127n) return false;
  if (top === 169n && second === 254n) return false;
  if (top === 172n && second >= 16n && second <= 31n) return false;
  if (top === 192n && second === 168n) return false;
  if (top === 198n && (second === 18n || second === 19n)) return false;
  if (a === 0xa83f8110n || bits(a, 16, 32) === 0xa11an || bits(a, 18, 32) === 0x2982n || bits(a, 8, 32) === 0xc72499n)
    return false;
  const nets24 = ['c00000', 'c00002', 'c01fc4', 'c034c1', 'c05863', 'c0af30', 'c63364', 'cb0071'];
  return !nets24.some(net => bits(a, 8, 32) === BigInt(`0x${net}`));
}

function isPublic6(a: bigint): boolean {
  if (bits(a, 32, 128) === 0xffffn) return isPublic4(bits(a, 0, 32));
  const at = (groups: bigint, width: number) => groups << BigInt(128 - width);
  if (!within(a, at(0x2000n, 16), at(0x2000n, 16))) return false;
  if (within(a, at(0x2001_0000n, 32), at(0x200n, 32))) return false;
  if (bits(a, 96, 128) === 0x20010db8n || bits(a, 112, 128) === 0x2002n || bits(a, 112, 128) === 0x3ffen) return false;
  return !(bits(a, 80, 128) === 0x2620004f8000n || bits(a, 108, 128) === 0x3fff0n);
}

const text4 = (a: bigint): string => [24, 16, 8, 0].map(from => bits(a, from, from + 8)).join('.');
const text6 = (a: bigint): string =>
  Array.from({ length: 8 }, (_, group) => bits(a, 112 - 16 * group, 128 - 16 * group).toString(16)).join(':');

/** Addresses anywhere, and at the edges of the listed ranges. */
const edges4 = words(`${BLOCKED} ${PUBLIC}`)
  .filter(text => /^[\d.]+$/.test(text))
  .map(text => text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n));
const starts6 = [
  0n,
  0x64ff9bn << 96n,
  1n << 120n,
  0x2000n << 112n,
  0x20010000n << 96n,
  0x20010200n << 96n,
  0x20010db8n << 96n,
]
  .concat([0x2002n << 112n, 0x2003n << 112n, 0x3ffen << 112n, 0x3fffn << 112n, 0x3fff1n << 108n, 0x4000n << 112n])
  .concat([0xfc00n << 112n, 0xfe80n << 112n, 0xff00n << 112n, 0x2620004f8000n << 80n, 0xffffn << 32n, 1n << 48n]);
const near = (starts: readonly bigint[], last: bigint) =>
  fc
    .tuple(fc.constantFrom(...starts), fc.bigInt(-3n, 3n))
    .map(([start, step]) => (start + step + last + 1n) % (last + 1n));
const last4 = 2n ** 32n - 1n;
const last6 = 2n ** 128n - 1n;

test('a slow judge with numbers agrees on IPv4', () => {
  fc.assert(
    fc.property(fc.oneof(fc.bigInt(0n, last4), near(edges4, last4)), a => {
      assert.equal(isPublicAddress(text4(a)), isPublic4(a), text4(a));
    }),
    { numRuns: 5000 },
  );
});

test('a slow judge with numbers agrees on IPv6, mapped addresses among them', () => {
  const mapped = fc.oneof(fc.bigInt(0n, last4), near(edges4, last4)).map(a => a + (0xffffn << 32n));
  fc.assert(
    fc.property(fc.oneof(fc.bigInt(0n, last6), near(starts6, last6), mapped), a => {
      assert.equal(isPublicAddress(text6(a)), isPublic6(a), text6(a));
    }),
    { numRuns: 5000 },
  );
});

test('how an IPv6 address is written does not matter', () => {
  for (const text of ['0:0:0:0:0:ffff:127.0.0.1', '::FFFF:7F00:1', '0000:0000:0000:0000:0000:ffff:7f00:0001'])
    assert.equal(isPublicAddress(text), false, text);
});
