import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { PATIENT_LIMITS as limits } from '../../../test/support/patient-limits.ts';
import { isStorable } from '../../base/store/values.ts';
import * as params from './params.ts';
import { createServer } from './server.ts';
import { Type } from './type.ts';
import { textForm } from './validation.ts';

const api = createServer({ version: '0', tip: { current: () => undefined }, limits });
after(() => api.close());

api.get(
  '/every/:height_or_hash/:tx_id/:address/:free',
  {
    schema: {
      params: Type.Object({
        height_or_hash: params.heightOrHash(),
        tx_id: params.txId('0x00'),
        address: params.addressOrContract('SP1'),
        free: params.text('Any text.'),
      }),
      querystring: Type.Object({
        offset: params.offset(),
        limit: params.limit(50, 20),
        kept: params.limit(50, 20, 'kept'),
        type: Type.Optional(params.listOf('Kinds.', ['coinbase', 'contract_call'])),
        unanchored: params.flag('Whether.'),
        order: params.oneOf('Direction.', ['asc', 'desc'], 'desc'),
        nonce: Type.Optional(params.integer('Nonce.', { minimum: 0 })),
        start_time: Type.Optional(params.integer('Seconds.')),
        function_name: Type.Optional(params.text('A name.')),
        cursor: Type.Optional(params.blockCursor('0x00')),
        sender: Type.Optional(params.principalParam('Who.', 'SP1')),
        contract: Type.Optional(params.contractPrincipal('SP1.a')),
      }),
    },
  },
  async request => JSON.stringify(request.query),
);
api.get('/required', { schema: { querystring: Type.Object({ trait_abi: params.text('JSON.') }) } }, async () => '{}');
api.get(
  '/forms/:seven/:eight',
  {
    schema: {
      params: Type.Object({
        seven: Type.String({ ...textForm('^7$', 'a seven') }),
        eight: Type.String({ ...textForm('^8$', 'an eight'), examples: ['8'] }),
      }),
    },
  },
  async () => '{}',
);
api.get('/undeclared/:id', async () => '{}');
api.get(
  '/cycles/:cycle_number/signers',
  { schema: { params: Type.Object({ cycle_number: params.integer('Number.') }) } },
  async request => JSON.stringify(request.params),
);
api.get('/bounded', { schema: { querystring: Type.Object({ offset: params.offset(-300, 300) }) } }, async request =>
  JSON.stringify(request.query),
);

const HASH = 'ab'.repeat(32);
const ADDRESS = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const PATH = `/every/latest/${HASH}/${ADDRESS}/x`;

/** The value that a query parameter ends up with. */
async function queryValue(query: string, name: string): Promise<unknown> {
  const response = await api.inject(`${PATH}?${query}`);
  assert.equal(response.statusCode, 200, `${query}: ${response.body}`);
  return response.json()[name];
}

/** The message of a request that must be refused by validation. */
async function refusal(url: string): Promise<string> {
  const response = await api.inject(url);
  assert.equal(response.statusCode, 400, `${url}: ${response.body}`);
  const { message, ...rest } = response.json();
  assert.deepEqual(rest, { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request' });
  return message;
}

describe('integers', () => {
  test('each has one form, its decimal digits', async () => {
    assert.equal(await queryValue('offset=5', 'offset'), 5);
    assert.equal(await queryValue('start_time=-5', 'start_time'), -5);
    for (const text of ['+5', ' 5', '5 ', '5.0', '5e0', '0x5', '05', '0.5e1', '-0', '-05', '٥'])
      assert.equal(
        await refusal(`${PATH}?start_time=${encodeURIComponent(text)}`),
        `querystring/start_time must be an integer, not "${text}"`,
      );
  });
  for (const text of ['', 'abc', '1.5', 'true', 'null', '1e400', 'Infinity', 'NaN', '5,6', '1;offset=1', '[]', '1n']) {
    test(`"${text}" is not one`, async () =>
      assert.equal(await refusal(`${PATH}?offset=${text}`), `querystring/offset must be an integer, not "${text}"`));
  }
  test('a bare name is not one', async () =>
    assert.equal(await refusal(`${PATH}?offset`), 'querystring/offset must be an integer, not ""'));
  test('twice is not one', async () =>
    assert.equal(await refusal(`${PATH}?limit=1&limit=1`), 'querystring/limit must be an integer, not ["1","1"]'));
  test('bounds are named', async () => {
    assert.equal(await refusal(`${PATH}?limit=51`), 'querystring/limit must be at most 50, not 51');
    assert.equal(await refusal(`${PATH}?limit=-1`), 'querystring/limit must be at least 0, not -1');
    assert.equal(await refusal(`${PATH}?offset=-1`), 'querystring/offset must be at least 0, not -1');
    assert.equal(await refusal('/bounded?offset=301'), 'querystring/offset must be at most 300, not 301');
    assert.equal(await refusal('/bounded?offset=-301'), 'querystring/offset must be at least -300, not -301');
  });
  test('what a number does not hold exactly is out of bounds, never an error of the database', async () => {
    for (const huge of ['9007199254740992', '9223372036854775808', '9'.repeat(300)]) {
      assert.match(
        await refusal(`${PATH}?offset=${huge}`),
        /^querystring\/offset must be at most 9007199254740991, not /,
      );
      assert.match(
        await refusal(`${PATH}?nonce=${huge}`),
        /^querystring\/nonce must be at most 9007199254740991, not /,
      );
    }
    assert.equal(await queryValue('offset=9007199254740991', 'offset'), Number.MAX_SAFE_INTEGER);
    assert.match(
      await refusal(`${PATH}?start_time=-${'9'.repeat(300)}`),
      /start_time must be at least -9007199254740991, not -1e\+300/,
    );
  });
  test('limit=0 is the default, except where it is kept', async () => {
    assert.equal(await queryValue('limit=0', 'limit'), 20);
    assert.equal(await queryValue('kept=0', 'kept'), 0);
  });
  test('in a path', async () => {
    assert.equal(await refusal('/cycles/abc/signers'), 'params/cycle_number must be an integer, not "abc"');
    assert.equal(await refusal('/cycles//signers'), 'params/cycle_number must be an integer, not ""');
    for (const text of ['05', '5.0'])
      assert.equal(await refusal(`/cycles/${text}/signers`), `params/cycle_number must be an integer, not "${text}"`);
    assert.deepEqual((await api.inject('/cycles/5/signers')).json(), { cycle_number: 5 });
    assert.deepEqual((await api.inject('/cycles/-1/signers')).json(), { cycle_number: -1 });
  });
});

describe('booleans', () => {
  test('true and false', async () => {
    assert.equal(await queryValue('unanchored=true', 'unanchored'), true);
    assert.equal(await queryValue('unanchored=false', 'unanchored'), false);
    assert.equal(await queryValue('', 'unanchored'), false);
  });
  for (const text of ['=', '=1', '=0', '=on', '=yes', '=TRUE', '=null', '']) {
    test(`unanchored${text} is not one`, async () =>
      assert.equal(
        await refusal(`${PATH}?unanchored${text}`),
        `querystring/unanchored must be true or false, not "${text.slice(1)}"`,
      ));
  }
  test('twice is not one', async () =>
    assert.equal(
      await refusal(`${PATH}?unanchored=true&unanchored=true`),
      'querystring/unanchored must be true or false, not ["true","true"]',
    ));
});

describe('words and lists', () => {
  test('a word that is none of those allowed is named once, with all that are', async () => {
    assert.equal(await refusal(`${PATH}?order=ASC`), 'querystring/order must be one of asc, desc, not "ASC"');
    assert.equal(await refusal(`${PATH}?order=`), 'querystring/order must be one of asc, desc, not ""');
    assert.equal(
      await refusal(`${PATH}?order=asc&order=desc`),
      'querystring/order must be given once, not ["asc","desc"]',
    );
    const long = await refusal(`${PATH}?order=${'%22'.repeat(1000)}`);
    assert.ok(long.length < 300, 'of a long value only the beginning is shown');
  });
  test('a list is comma-separated or repeated', async () => {
    assert.deepEqual(await queryValue('type=coinbase,contract_call', 'type'), ['coinbase', 'contract_call']);
    assert.deepEqual(await queryValue('type=coinbase&type=contract_call', 'type'), ['coinbase', 'contract_call']);
  });
  test('a list in brackets is refused, never ignored', async () => {
    const message = (name: string) =>
      `querystring/type must be given as type=a,b or repeated, not as ${JSON.stringify(name)}`;
    for (const name of ['type[]', 'type[0]', 'type['])
      assert.equal(await refusal(`${PATH}?${encodeURIComponent(name)}=coinbase`), message(name));
    assert.equal(await refusal(`${PATH}?type[]=coinbase&type=coinbase`), message('type[]'));
    assert.equal(await queryValue('limit[]=7&types[]=a', 'limit'), 20);
  });
  test('the element that is wrong is named; a repeated list is not split', async () => {
    assert.match(
      await refusal(`${PATH}?type=`),
      /^querystring\/type\/0 must be one of coinbase, contract_call, not ""$/,
    );
    assert.match(
      await refusal(`${PATH}?type=coinbase,`),
      /^querystring\/type\/1 must be one of coinbase, contract_call, not ""$/,
    );
    assert.match(
      await refusal(`${PATH}?type=coinbase,coinbase&type=coinbase`),
      /^querystring\/type\/0 must be one of .*, not "coinbase,coinbase"$/,
    );
  });
  test('free text is given once', async () => {
    assert.equal(await queryValue('function_name=', 'function_name'), '');
    assert.equal(
      await refusal(`${PATH}?function_name=a&function_name=b`),
      'querystring/function_name must be given once, not ["a","b"]',
    );
  });
});

describe('which failure is reported', () => {
  test('the first parameter in schema order, not in the order of the URL', async () =>
    assert.equal(await refusal(`${PATH}?limit=51&offset=-1`), 'querystring/offset must be at least 0, not -1'));
  test('the path before the query', async () =>
    assert.match(
      await refusal(`/every/latest/zz/${ADDRESS}/x?offset=-1`),
      /^params\/tx_id must be a hash \(64 hex digits, with or without 0x\), not "zz"$/,
    ));
  test('a missing parameter', async () =>
    assert.equal(await refusal('/required'), 'querystring/trait_abi is required'));
  test('unknown names are ignored, names are case-sensitive', async () => {
    assert.equal(await queryValue('LIMIT=abc&limit[]=7&__proto__=1&constructor=2', 'limit'), 20);
  });
});

describe('text that no database holds', () => {
  test('NUL is refused with the name of the parameter', async () => {
    const text = 'must not contain NUL or an unpaired surrogate';
    assert.equal(await refusal(`${PATH}?function_name=a%00b`), `querystring/function_name ${text}`);
    assert.equal(await refusal(`${PATH}?type=coinbase&type=%00`), `querystring/type ${text}`);
    assert.equal(await refusal(`/every/latest/${HASH}/${ADDRESS}/%00`), `params/free ${text}`);
  });
  test('also in a path parameter without a schema', async () =>
    assert.match(await refusal('/undeclared/a%00'), /^params\/id must not contain NUL/));
  test('not in a parameter nobody reads', async () =>
    assert.equal((await api.inject('/undeclared/a?x=%00')).statusCode, 200));
  test('half a character is not storable, a whole one is', () => {
    assert.equal(isStorable('\ud83d'), false);
    assert.equal(isStorable('\ud83d\ude00'), true);
    assert.equal(isStorable('a\0'), false);
  });
});

test('no query string and no path makes a server error', async () => {
  const names = [
    'offset',
    'limit',
    'kept',
    'type',
    'unanchored',
    'order',
    'nonce',
    'start_time',
    'function_name',
    'cursor',
  ];
  const value = fc.oneof(
    anyText().map(text => encodeURIComponent(text.toWellFormed())),
    fc.string(),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.constantFrom('%00', '%ff', '%ED%A0%80', '%', '', 'true', '0', '-0', '1e999', `0x${HASH}`, 'latest', '%E2%80'),
  );
  const name = fc.oneof(fc.constantFrom(...names, 'sender', 'contract', '__proto__', 'toString'), value);
  const query = fc.array(fc.tuple(name, value), { maxLength: 6 });
  const segment = value.map(text => text.replace(/[/?#\s]/g, '') || '-');
  await fc.assert(
    fc.asyncProperty(
      query,
      fc.array(segment, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      async (pairs, path, valid) => {
        const url = `${valid ? PATH : `/every/${path.join('/')}`}?${pairs.map(pair => pair.join('=')).join('&')}`;
        const response = await api.inject(url);
        assert.ok(response.statusCode < 500, `${url}: ${response.statusCode} ${response.body}`);
        if (response.statusCode >= 400) assert.equal(typeof response.json().error, 'string');
      },
    ),
    { numRuns: 500 },
  );
});

test('of a text whose form has words, an error says these', async () => {
  assert.equal((await api.inject('/forms/7/8')).statusCode, 200);
  assert.equal(await refusal('/forms/8/8'), 'params/seven must be a seven, not "8"');
  assert.equal(await refusal('/forms/7/7'), 'params/eight must be an eight, not "7"');
});
