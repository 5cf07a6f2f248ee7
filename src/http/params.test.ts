import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { limits } from '../../test/support/injected.ts';
import { addressOrContract, blockRef, contractPrincipal, heightOrHash, normalHash } from './params.ts';
import { createServer } from './server.ts';

const api = createServer({ version: '0', tip: { current: () => undefined }, limits });
after(() => api.close());
api.get(
  '/blocks/:height_or_hash',
  { schema: { params: Type.Object({ height_or_hash: heightOrHash() }) } },
  async request => JSON.stringify(blockRef(request.params.height_or_hash)),
);
api.get(
  '/addresses/:address',
  { schema: { params: Type.Object({ address: addressOrContract('SP1') }) } },
  async () => '{}',
);
api.get(
  '/nft/:principal',
  { schema: { params: Type.Object({ principal: contractPrincipal('SP1.a') }) } },
  async () => '{}',
);

const block = (text: string) => api.inject(`/blocks/${encodeURIComponent(text)}`);

test('a block is named by latest, a hash with or without 0x, or digits', async () => {
  const hash = `0x${'ab'.repeat(32)}`;
  assert.deepEqual((await block('latest')).json(), { latest: true });
  assert.deepEqual((await block(hash)).json(), { hash });
  assert.deepEqual((await block('AB'.repeat(32))).json(), { hash });
  assert.deepEqual((await block('8')).json(), { height: 8 });
  assert.deepEqual((await block('08')).json(), { height: 8 });
});

test('64 digits are a hash, never a height', async () => {
  assert.deepEqual((await block('1'.repeat(64))).json(), { hash: `0x${'1'.repeat(64)}` });
});

test('digits beyond every height name a block that does not exist', async () => {
  for (const digits of ['9007199254740993', '9'.repeat(63), '9'.repeat(240)]) {
    assert.deepEqual((await block(digits)).json(), { height: Number.MAX_SAFE_INTEGER });
  }
});

test('any other word is refused by a text that says what is allowed', async () => {
  const wrong = [
    'average-times',
    'abc',
    '1.5',
    'LATEST',
    'true',
    'null',
    '-1',
    '0x8',
    '1e0',
    ' 8',
    '8.0',
    '0xffffffff',
    `0X${'ab'.repeat(32)}`,
  ];
  for (const text of wrong) {
    const response = await block(text);
    const message = `params/height_or_hash must be "latest" or a hash (64 hex digits, with or without 0x) or a height in digits, not "${text}"`;
    assert.equal(
      response.body,
      JSON.stringify({ statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message }),
    );
  }
});

test('a block reference is total: any text gives a response below 500', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async text => {
      assert.ok((await block(text.toWellFormed())).statusCode < 500);
    }),
    { numRuns: 200 },
  ));

test('hashes have one form', () => {
  assert.equal(normalHash('ABcd'), '0xabcd');
  assert.equal(normalHash('0xABcd'), '0xabcd');
});

test('an address must only begin like a principal; the message has what is allowed', async () => {
  const of = (text: string) => api.inject(`/addresses/${text}`);
  const address = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
  for (const good of [address, `${address}.${'n'.repeat(128)}`, `${address.slice(0, 28)}rubbish`]) {
    assert.equal((await of(good)).statusCode, 200, good);
  }
  assert.equal((await of('bogus')).json().message, 'params/address must be an address or a contract id, not "bogus"');
});

test('a contract principal has a name of 1 to 40 characters', async () => {
  const address = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
  const of = async (text: string) => (await api.inject(`/nft/${text}`)).statusCode;
  assert.equal(await of(`${address}.a${'-'.repeat(39)}`), 200);
  for (const bad of [
    address,
    `${address}.`,
    `${address}.1a`,
    `${address}.a${'b'.repeat(40)}`,
    `${address.toLowerCase()}.a`,
  ]) {
    assert.equal(await of(bad), 400, bad);
  }
});
