/** Webhooks as an operator has them: the command line, a server that is killed, an index that is built anew. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { hooks } from '../src/cli/commands/hooks.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { responseOf, runServer } from './crash/program.ts';
import { callProgram } from './support/call-program.ts';
import { type BuiltBlock, ChainBuilder } from './support/chain-builder.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, openPlace } from './support/places.ts';
import { freePort } from './support/postgres.ts';
import { scale } from './support/scale.ts';
import { until } from './support/until.ts';

const BEGINNING = '0.0000000000.4';
const OPERATOR = 'secret-of-the-operator';

interface Received {
  readonly body: string;
  readonly signature: string;
  readonly heights: readonly number[];
}

async function openReceiver(t: TestContext) {
  const received: Received[] = [];
  const receiver = {
    received,
    host: '',
    /** How a request is answered. */
    respond: (response: ServerResponse): void => void response.end(),
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { events } = JSON.parse(body) as { events: { data: { block: { height: number } } }[] };
    received.push({
      body,
      signature: String(request.headers['x-stacks-index-signature']),
      heights: events.map(({ data }) => data.block.height),
    });
    receiver.respond(response);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  receiver.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

function built(chain: ChainBuilder, count: number, parent?: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let last = parent; blocks.length < count; ) {
    last = chain.block(last ? { parent: last } : {});
    blocks.push(last);
  }
  return blocks;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`what is added on the command line is delivered in order, across a kill and a reindex, and signed (${engine})`, async t => {
    if (scale === 'short') return t.skip('npm run test:all kills and rebuilds it');
    const place = await openPlace(openFresh, t);
    const receiver = await openReceiver(t);
    const allow = ['--hooks-allow-hosts', receiver.host];
    const call = async (...args: string[]) => {
      let printed = '';
      await hooks(readOptions(['hooks', ...args, ...place.args], {}), part => {
        printed += part;
      });
      return printed;
    };
    const chain = new ChainBuilder();
    const blocks = built(chain, 5);
    await deliverTo(
      place,
      blocks.slice(0, 2).map(({ delivery }) => delivery),
    );

    await assert.rejects(call('add', `http://${receiver.host}/hook`), /url is not allowed: port \d+ is not allowed/);
    const added = await call('add', `http://${receiver.host}/hook`, '--after', BEGINNING, ...allow);
    const [, id = '', secret = ''] = /^id\t([0-9a-f]{16})\nsecret\t([0-9a-f]{64})\n$/.exec(added) ?? [];
    assert.ok(id, added);

    // The server dies before the second body is confirmed.
    const metricsPort = await freePort();
    const variables = { STACKS_INDEX_HOOKS_SECRET: OPERATOR };
    const start = () => runServer([...place.args, ...allow, '--metrics-port', String(metricsPort)], variables);
    const operate = (path: string, init: RequestInit = {}) =>
      responseOf(`http://127.0.0.1:${metricsPort}${path}`, init);
    let server = await start();
    await until(() => receiver.received.length === 1, 'nothing is delivered', server);
    receiver.respond = () => undefined;
    assert.equal(
      (await server.post({ path: '/new_block', body: blocks[2]?.delivery.body ?? Buffer.alloc(0) })).status,
      200,
    );
    await until(() => receiver.received.length === 2, 'block 3 is not delivered', server);
    await server.kill();
    receiver.respond = response => void response.end();
    assert.equal((await callProgram(['reindex', ...place.args, '--chain-id', '0x80000000'])).code, 0);
    server = await start();
    await server.ready;
    for (const { delivery } of blocks.slice(3))
      assert.equal((await server.post({ path: '/new_block', body: delivery.body })).status, 200);
    await until(() => receiver.received.at(-1)?.heights.at(-1) === 5, 'block 5 is not delivered', server);

    const bodies = receiver.received.map(({ body }) => body);
    assert.equal(bodies[2], bodies[1], 'what was not confirmed is sent again as it was');
    const told = receiver.received.filter(({ body }, i) => body !== bodies[i - 1]).flatMap(({ heights }) => heights);
    assert.deepEqual(told, [1, 2, 3, 4, 5]);
    for (const { body, signature } of receiver.received) {
      const [, time, v1] = /^t=(\d+),v1=(.*)$/.exec(signature) ?? [];
      assert.equal(v1, createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
    }
    assert.equal((await operate('/hooks')).status, 401);
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const { results = [] } = (await operate('/hooks', { headers })).body ?? {};
    assert.deepEqual(
      (results as { id: string }[]).map(each => each.id),
      [id],
    );
    const isAtTip = async () => {
      const { text: metrics } = await operate('/metrics');
      const figure = (name: string) =>
        /^} (\d+)/.exec(metrics.split(`stacks_index_webhooks{figure="${name}"`)[1] ?? '')?.[1];
      return ['active', 'parked', 'lag_blocks'].map(figure).join() === '1,0,0' && Number(figure('delivered')) > 0;
    };
    await until(isAtTip, 'the metrics do not tell that all is delivered', server);
    const listed = await call();
    assert.match(
      listed,
      new RegExp(`^${id}\tactive\thttp://${receiver.host}/hook\tblock\t5\\.[0-9a-f]{10}\\.4\t0\t-\n$`),
    );
    assert.equal(listed.includes(secret), false);
    await call('remove', id);
    assert.equal(await call(), '');
    await server.kill('SIGTERM');
  });
});
