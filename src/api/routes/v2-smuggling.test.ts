/** Requests that two servers could read differently: the node never gets a second request out of one. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { serveProxy } from '../../../test/support/node-proxy.ts';
import { respondJson, startStubNode } from '../../../test/support/stub-node.ts';

/** Sends bytes as they are, and gives all that comes back until the connection is closed. */
function sendRaw(port: number, text: string): Promise<string> {
  return new Promise(resolve => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      response += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(response));
  });
}

const HIDDEN = 'POST /v3/block_proposal HTTP/1.1\r\nHost: node\r\nContent-Length: 0\r\n\r\n';
const CHUNKED = `0\r\n\r\n${HIDDEN}`;
const request = (line: string, headers: readonly string[], body = '') =>
  [`${line} HTTP/1.1`, 'Host: api', ...headers, 'Connection: close', '', body].join('\r\n');
const POST = 'POST /v2/transactions';

/** Requests that are ambiguous: every server must refuse them. */
const AMBIGUOUS: readonly string[] = [
  request(POST, ['Content-Length: 6', 'Transfer-Encoding: chunked'], CHUNKED),
  request(POST, ['Transfer-Encoding: chunked', 'Content-Length: 6'], CHUNKED),
  request(POST, ['Content-Length: 0', `Content-Length: ${HIDDEN.length}`], HIDDEN),
  request(POST, ['Content-Length: 0, 5'], HIDDEN),
  request(POST, ['Content-Length: +0'], HIDDEN),
  request(POST, ['Content-Length: 0x10'], HIDDEN),
  request(POST, ['Content-Length : 0'], HIDDEN),
  request(POST, ['Transfer-Encoding: xchunked'], HIDDEN),
  request(POST, ['Transfer-Encoding: chunked, identity'], CHUNKED),
  request(POST, ['Transfer-Encoding : chunked'], CHUNKED),
  request(POST, ['X-Folded: a\r\n Transfer-Encoding: chunked', 'Content-Length: 5'], CHUNKED),
  request(POST, ['X-Nul: a\0b', 'Content-Length: 0']),
  request('GET /v2/info HTTP/1.1\r\nX: y', []),
  request('CONNECT /v2/info', ['Content-Length: 0']),
  request('TRACE /v2/info', []),
];

test('a request whose length or lines are ambiguous does not reach the node with another one inside', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, '00'));
  const { port } = await serveProxy(t, node.url);
  for (const text of AMBIGUOUS) {
    node.seen.length = 0;
    const response = await sendRaw(port, text);
    const shown = JSON.stringify(text.slice(0, 120));
    assert.doesNotMatch(response, /^HTTP\/1\.1 5/m, shown);
    assert.ok(!node.seen.some(({ url }) => url.includes('proposal')), shown);
    assert.ok(node.seen.length <= 1, shown);
  }
});

test('a header that is named as one of the connection takes no length and no host from the node', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, '00'));
  const { ask } = await serveProxy(t, node.url);
  const headers = { connection: 'close, content-length, host, content-type', 'content-type': 'application/json' };
  const { status } = await ask('/v2/fees/transaction', { method: 'POST', headers, body: '{"a":1}' });
  assert.equal(status, 200);
  const [seen] = node.seen;
  assert.equal(seen?.body.toString(), '{"a":1}');
  assert.equal(seen?.headers.host, `127.0.0.1:${node.port}`);
});

test('what is encoded, once or twice, stays so, and makes no header and no other path', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const { ask } = await serveProxy(t, node.url);
  const long = `/v2/info?${'q=1&'.repeat(2000)}`;
  for (const path of ['/v2/info%0d%0aX-Evil:%20yes', '/v2/info%00', '/v2/%252e%252e/info', '/v2/a%2520b?%2526', long]) {
    node.seen.length = 0;
    const { status } = await ask(path);
    assert.ok(status === 200 || (status >= 400 && status < 500), `${path.slice(0, 40)}: ${status}`);
    for (const { url, headers } of node.seen) {
      assert.equal(url, path);
      assert.equal(headers['x-evil'], undefined);
    }
  }
  assert.equal((await ask(`/v2/info?${'q'.repeat(20_000)}`)).status, 431);
});

test('an upgrade opens no tunnel to the node', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const { port } = await serveProxy(t, node.url);
  const upgrade = ['GET /v2/info HTTP/1.1', 'Host: api', 'Upgrade: websocket', 'Connection: Upgrade', '', HIDDEN];
  const response = await sendRaw(port, upgrade.join('\r\n'));
  assert.doesNotMatch(response, /^HTTP\/1\.1 (101|5)/m);
  assert.ok(!node.seen.some(({ url, headers }) => url.includes('proposal') || headers.upgrade !== undefined));
});
