import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { ClientAddresses, parseSubnet } from './client-address.ts';

const trusting = (...texts: readonly string[]) =>
  new ClientAddresses(texts.map(text => parseSubnet(text) ?? assert.fail(text)));

const requestFrom = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test('X-Forwarded-For of a peer that is not trusted is ignored', () => {
  assert.equal(trusting().ofRequest(requestFrom('192.0.2.1', '198.51.100.7')), '192.0.2.1');
  assert.equal(trusting('10.0.0.0/8').ofRequest(requestFrom('192.0.2.1', '198.51.100.7')), '192.0.2.1');
});

test('the client is the rightmost entry that is no trusted proxy', () => {
  const addresses = trusting('10.0.0.0/8', '127.0.0.1');
  assert.equal(addresses.ofRequest(requestFrom('10.1.2.3', '203.0.113.9, 198.51.100.7, 10.9.9.9')), '198.51.100.7');
  assert.equal(addresses.ofRequest(requestFrom('::ffff:127.0.0.1', '198.51.100.7:4711')), '198.51.100.7');
  assert.equal(addresses.ofRequest(requestFrom('10.1.2.3')), '10.1.2.3');
  assert.equal(addresses.ofRequest(requestFrom('10.1.2.3', '198.51.100.7, unknown')), '10.1.2.3');
});

test('what a client writes into X-Forwarded-For never changes the address that its proxy appends', () => {
  const addresses = trusting('10.0.0.0/8');
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), fc.ipV4(), (forged, client) => {
      fc.pre(!client.startsWith('10.'));
      assert.equal(addresses.ofRequest(requestFrom('10.0.0.1', `${forged},${client}`)), client);
    }),
  );
});

test('all addresses of an IPv6 /64 count as one client, whatever their notation', () => {
  const addresses = trusting();
  const clientOf = (address: string) => addresses.ofRequest(requestFrom(address));
  assert.equal(clientOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(clientOf('2001:0DB8:0001:0002::1'), '2001:db8:1:2::/64');
  assert.equal(clientOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(clientOf('::1'), '0:0:0:0::/64');
  fc.assert(
    fc.property(fc.ipV6(), address => {
      const [first, second] = [clientOf(address), clientOf(new URL(`http://[${address}]`).hostname.slice(1, -1))];
      assert.equal(first, second);
    }),
  );
});

test('connections of a trusted proxy belong to no client', () => {
  const addresses = trusting('10.0.0.0/8', 'fd00::/8');
  assert.equal(addresses.ofConnection({ remoteAddress: '10.0.0.1' }), undefined);
  assert.equal(addresses.ofConnection({ remoteAddress: '::ffff:10.0.0.1' }), undefined);
  assert.equal(addresses.ofConnection({ remoteAddress: 'fd00::7' }), undefined);
  assert.equal(addresses.ofConnection({ remoteAddress: '::ffff:192.0.2.1' }), '192.0.2.1');
});

test('only a network in CIDR notation is a network', () => {
  assert.deepEqual(parseSubnet('10.0.0.0/8'), { address: '10.0.0.0', prefix: 8, family: 'ipv4' });
  assert.deepEqual(parseSubnet('::1'), { address: '::1', prefix: 128, family: 'ipv6' });
  for (const text of [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '1.2.3.4/8/8',
    'fd00::/129',
    '10.0.0.0/-1',
  ])
    assert.equal(parseSubnet(text), undefined, text);
});
