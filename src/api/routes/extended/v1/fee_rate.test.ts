import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../../http/server.ts';
import { addFeeRateRouteV1 } from './fee_rate.ts';

const URL = '/extended/v1/fee_rate';
const api = createServer({ version: '0', tip: { current: () => undefined }, limits: { bodyLimit: 1000 } });
addFeeRateRouteV1(api);

async function post(payload?: string, type = 'application/json') {
  const { statusCode, body, headers } = await api.inject({
    method: 'POST',
    url: URL,
    ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
  });
  return { status: statusCode, body: JSON.parse(body), headers };
}

test('every transaction has the same fee rate, whatever it is', async () => {
  for (const body of [
    '{"transaction":"0x00"}',
    '{"transaction":"x"}',
    '{"transaction":1}',
    '{"transaction":"","a":1}',
  ]) {
    const { status, body: response, headers } = await post(body);
    assert.deepEqual([status, response], [200, { fee_rate: 400 }], body);
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(String(headers.warning), /Deprecated/);
  }
});

test('a body without a transaction is a 400 that names what is missing', async () => {
  const messageOf = async (body?: string, type?: string) => {
    const { status, body: response } = await post(body, type);
    assert.deepEqual([status, response.code], [400, 'FST_ERR_VALIDATION'], body);
    return response.message;
  };
  assert.equal(await messageOf('{}'), 'body/transaction is required');
  for (const body of ['[]', 'null', '"x"', undefined])
    assert.equal(await messageOf(body), `body must be an object, not ${body ?? 'null'}`);
  assert.equal(
    await messageOf('{"transaction":"x"}', 'text/plain'),
    'body must be an object, not "{\\"transaction\\":\\"x\\"}"',
  );
  assert.equal(await messageOf('{"transaction":null}'), 'body/transaction must be text or a number, not null');
});

test('a body that is no JSON is refused, as is one that is too large', async () => {
  const refusal = async (body: string, type?: string) => {
    const { status, body: response } = await post(body, type);
    return [status, response.code];
  };
  for (const body of ['{', '{"transaction":', '{"__proto__":1}', '['.repeat(900)])
    assert.deepEqual(await refusal(body), [400, 'FST_ERR_CTP_INVALID_JSON_BODY'], body);
  assert.deepEqual(await refusal(''), [400, 'FST_ERR_CTP_EMPTY_JSON_BODY']);
  const xml = await refusal('{"transaction":"x"}', 'application/xml');
  assert.deepEqual(xml, [415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE']);
  const large = await refusal(`{"transaction":"${'a'.repeat(1000)}"}`);
  assert.deepEqual(large, [413, 'FST_ERR_CTP_BODY_TOO_LARGE']);
});

test('it cannot be read with GET', async () => {
  assert.equal((await api.inject(URL)).statusCode, 404);
});
