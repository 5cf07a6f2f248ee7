import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { PATIENT_LIMITS as limits } from '../../../test/support/patient-limits.ts';
import { encodeAddress } from '../../base/codec/index.ts';
import { addressOrContract, blockRef, contractPrincipal, heightOrHash, normalHash } from './params.ts';
import { FORMATS } from './principals.ts';
import { createServer } from './server.ts';
import { Type } from './type.ts';

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
  async request => JSON.stringify(request.params),
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
    '08',
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
    fc.asyncProperty(anyText({ minLength: 1 }), async text => {
      assert.ok((await block(text.toWellFormed())).statusCode < 500);
    }),
    { numRuns: 200 },
  ));

test('hashes have one form', () => {
  assert.equal(normalHash('ABcd'), '0xabcd');
  assert.equal(normalHash('0xABcd'), '0xabcd');
});

const ADDRESS = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const PRINCIPALS = 'an address or the id of a contract';

test('a principal reaches the handler in the spelling of the index, whatever its letters', async () => {
  const of = async (text: string) => (await api.inject(`/addresses/${encodeURIComponent(text)}`)).json().address;
  const spellings = [
    ADDRESS,
    ADDRESS.toLowerCase(),
    ADDRESS.replace('1', 'I'),
    ADDRESS.replace('1', 'l'),
    ADDRESS.replace('0', 'o'),
  ];
  for (const text of spellings) {
    assert.equal(await of(text), ADDRESS, text);
    assert.equal(await of(`${text}.Pool-1`), `${ADDRESS}.Pool-1`, text);
  }
});

test('what names no principal is refused; the message has the text and what is allowed', async () => {
  const of = async (text: string) => (await api.inject(`/addresses/${encodeURIComponent(text)}`)).json();
  const wrong = [
    'bogus',
    `${ADDRESS.slice(0, -1)}8`,
    ADDRESS.slice(0, -1),
    `${ADDRESS.slice(0, 28)}rubbish`,
    `${ADDRESS}.`,
    `${ADDRESS}.1a`,
    `${ADDRESS}.a.b`,
    `${ADDRESS}.${'n'.repeat(129)}`,
    ` ${ADDRESS}`,
  ];
  for (const text of wrong) {
    const shown = text.slice(0, 100);
    assert.equal((await of(text)).message, `params/address must be ${PRINCIPALS}, not "${shown}"`, text);
  }
  assert.equal((await of(`${ADDRESS}.${'n'.repeat(128)}`)).statusCode, undefined);
});

test('a contract principal has a name', async () => {
  const of = (text: string) => api.inject(`/nft/${text}`);
  assert.equal((await of(`${ADDRESS.toLowerCase()}.a${'-'.repeat(39)}`)).statusCode, 200);
  for (const bad of [ADDRESS, `${ADDRESS}.`, `${ADDRESS}.1a`, `${ADDRESS.slice(0, -1)}8.a`]) {
    assert.equal((await of(bad)).json().message, `params/principal must be the id of a contract, not "${bad}"`);
  }
});

test('every text that a format takes fits the pattern that is published with it', () => {
  const hash = fc.oneof(
    fc.uint8Array({ minLength: 20, maxLength: 20 }),
    fc.nat(20).chain(zeros => fc.uint8Array({ minLength: 20 - zeros, maxLength: 20 - zeros }).map(padded)),
  );
  const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/);
  const letters = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(fc.nat(31), hash, name, letters, (version, bytes, contract, lower) => {
      const spelled = encodeAddress(version, bytes);
      const text = [...spelled].map(letter => (lower.next().value ? letter.toLowerCase() : letter)).join('');
      const given = { address: text, contract: `${text}.${contract}`, asset: `${text}.${contract}::x` };
      for (const [kind, { pattern, spell }] of Object.entries(FORMATS)) {
        for (const value of Object.values(given)) {
          const spelling = spell(value);
          if (spelling === undefined) continue;
          assert.match(value, new RegExp(pattern, 'u'), kind);
          assert.equal(spelling.slice(0, spelled.length), spelled);
        }
      }
      assert.equal(FORMATS['stacks-principal'].spell(given.contract), `${spelled}.${contract}`);
      assert.equal(FORMATS['stacks-address'].spell(given.contract), undefined);
      assert.equal(FORMATS['stacks-contract'].spell(given.address), undefined);
    }),
  );
});

const padded = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: 20 }, (_, i) => bytes[i - 20 + bytes.length] ?? 0);
