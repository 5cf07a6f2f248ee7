import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { encodeClarityUint } from '../../base/codec/index.ts';
import { createNodeRpc, type NodeCallErrorKind } from './rpc.ts';

const CONTRACT = 'SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world';

interface Asked {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** A node that answers each call the same. */
async function nodeThat(
  t: TestContext,
  handler: RequestListener,
  limits: { timeoutMs?: number; maxBytes?: number } = {},
) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push({ request, body: Buffer.concat(chunks).toString() });
    handler(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  t.after(close);
  const rpc = createNodeRpc({ base: `http://127.0.0.1:${port}/`, timeoutMs: 20_000, maxBytes: 1_000, ...limits });
  const call = (more: { tip?: string; signal?: AbortSignal } = {}) =>
    rpc.callReadOnly({
      contractId: CONTRACT,
      functionName: 'get-token-uri',
      args: [encodeClarityUint(35)],
      ...more,
    });
  return { asked, call, close };
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('a read-only call', () => {
  test('posts sender and serialised arguments to the function of the contract', async t => {
    const { asked, call } = await nodeThat(t, json({ okay: true, result: '0x0709' }));
    assert.deepEqual(await call(), { ok: true, value: { type: 'ok', value: { type: 'none' } } });
    const [first] = asked;
    assert.equal(first?.request.method, 'POST');
    assert.equal(
      first?.request.url,
      '/v2/contracts/call-read/SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS/hello-world/get-token-uri',
    );
    assert.deepEqual(JSON.parse(first?.body ?? ''), {
      sender: 'SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS',
      arguments: ['0x0100000000000000000000000000000023'],
    });
  });

  test('is about the state after a block where one is given', async t => {
    const { asked, call } = await nodeThat(t, json({ okay: true, result: '0x0709' }));
    await call({ tip: `0x${'ab'.repeat(32)}` });
    assert.match(asked[0]?.request.url ?? '', new RegExp(`\\?tip=${'ab'.repeat(32)}$`));
  });

  const CAUSES: readonly (readonly [cause: string, kind: NodeCallErrorKind])[] = [
    ['Unchecked(NoSuchContract("SP2.x"))', 'unknown-contract'],
    ['RuntimeCheck(NoSuchContract("SP2.x"))', 'unknown-contract'],
    ['NoSuchContract("SP2.x")', 'unknown-contract'],
    ['Unchecked(IncorrectArgumentCount(1, 0))', 'rejected'],
    ['RuntimeCheck(IncorrectArgumentCount(1, 0))', 'rejected'],
    ['RuntimeCheck(UndefinedFunction("get-token-uri"))', 'rejected'],
    ['Unchecked(TypeError(UIntType, IntType))', 'rejected'],
    ['RuntimeCheck(TypeValueError(UIntType, "x"))', 'rejected'],
    ['NotReadOnly', 'rejected'],
    ['UnwrapFailure\n Stack Trace: \nSP2.x:get\n', 'rejected'],
    ['ArithmeticUnderflow', 'rejected'],
    ['', 'rejected'],
    ['Unchecked(CostBalanceExceeded(ExecutionCost {..}, ExecutionCost {..}))', 'too-costly'],
    ['RuntimeCheck(CostBalanceExceeded(ExecutionCost {..}, ExecutionCost {..}))', 'too-costly'],
    ['CostOverflow', 'too-costly'],
    ['ResourceBudgetExceeded', 'too-costly'],
  ];
  for (const [cause, kind] of CAUSES)
    test(`that fails with ${JSON.stringify(cause.slice(0, 60))} is ${kind}`, async t => {
      const { call } = await nodeThat(t, json({ okay: false, cause }));
      assert.deepEqual(await call(), { ok: false, error: { kind, message: cause } });
    });

  const UNAVAILABLE: readonly (readonly [what: string, handler: RequestListener])[] = [
    ['500', json({ error: 'oh' }, 500)],
    ['404 Chain tip not found', (_, response) => void response.writeHead(404).end('Chain tip not found')],
    ['no JSON', (_, response) => void response.end('<html>')],
    ['JSON of another kind', json(['okay'])],
    ['no Clarity value', json({ okay: true, result: '0xff' })],
    ['no hex', json({ okay: true, result: 'zz' })],
    ['too many bytes', json({ okay: true, result: `0x${'00'.repeat(1_000)}` })],
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['a closed connection', (_, response) => void response.destroy()],
  ];
  for (const [what, handler] of UNAVAILABLE)
    test(`answered with ${what} says nothing about the contract`, async t => {
      const { call } = await nodeThat(t, handler);
      const result = await call();
      assert.equal(result.ok ? 'ok' : result.error.kind, 'unavailable');
    });

  for (const status of [400, 408])
    test(`refused with ${status} met the limits of the node`, async t => {
      const { call } = await nodeThat(
        t,
        (_, response) => void response.writeHead(status).end('execution time expired'),
      );
      const result = await call();
      assert.equal(result.ok ? 'ok' : result.error.kind, 'too-costly');
    });

  test('of a node that is not there says nothing about the contract', async t => {
    const { call, close } = await nodeThat(t, json({}));
    await close();
    const result = await call();
    assert.equal(result.ok ? 'ok' : result.error.kind, 'unavailable');
  });

  test('ends when its time is over, also within the response', async t => {
    const { call } = await nodeThat(t, (_, response) => void response.writeHead(200).write('{'), { timeoutMs: 300 });
    const result = await call();
    assert.match(result.ok ? '' : result.error.message, /did not respond within 300 ms/);
  });

  test('throws when it is aborted', async t => {
    const { call } = await nodeThat(t, () => {});
    const controller = new AbortController();
    const result = call({ signal: controller.signal });
    controller.abort(new Error('stop'));
    await assert.rejects(result, /stop/);
  });
});
