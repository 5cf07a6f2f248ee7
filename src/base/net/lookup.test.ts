import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { BlockedAddressError, type Resolver, trustingLookup, vettedLookup } from './destinations.ts';

const at = (...addresses: string[]): LookupAddress[] =>
  addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));

function ask(lookup: LookupFunction, all = true): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) =>
    lookup('a.example', { all }, (error, found) => (error ? reject(error) : resolve(found))),
  );
}

test('public addresses are handed on', async () => {
  const lookup = vettedLookup(async () => at('8.8.8.8', '2606:4700::1111'));
  assert.deepEqual(await ask(lookup), at('8.8.8.8', '2606:4700::1111'));
  assert.equal(await ask(lookup, false), '8.8.8.8');
});

test('one private address among public ones condemns the name', async () => {
  const lookup = vettedLookup(async () => at('8.8.8.8', '10.0.0.1'));
  await assert.rejects(ask(lookup), BlockedAddressError);
});

test('a name is resolved once, and what was checked is what is connected to', async () => {
  const addresses = [at('8.8.8.8'), at('127.0.0.1')];
  let asked = 0;
  const rebinding: Resolver = async () => addresses[asked++] ?? [];
  const lookup = vettedLookup(rebinding);
  assert.deepEqual(await ask(lookup), at('8.8.8.8'));
  assert.equal(asked, 1);
  await assert.rejects(ask(lookup), BlockedAddressError); // the next connection is judged anew
});

test('a name without addresses, and a resolver that fails, are errors', async () => {
  await assert.rejects(ask(vettedLookup(async () => [])), { code: 'ENOTFOUND' });
  await assert.rejects(ask(vettedLookup(() => Promise.reject(new Error('no server')))), /no server/);
});

test('a host that the operator named may be private', async () => {
  assert.deepEqual(await ask(trustingLookup(async () => at('127.0.0.1'))), at('127.0.0.1'));
});
