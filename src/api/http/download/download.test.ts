import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { listenRaw } from '../../../../test/support/raw-connections.ts';
import { until } from '../../../../test/support/until.ts';
import { ApiError, overloaded } from '../errors.ts';
import { limit, offset } from '../params.ts';
import { pageOf } from '../schema.ts';
import type { ServerLimits } from '../server.ts';
import { type ShownBlock, shows } from '../shown-block.ts';
import { Type } from '../type.ts';

const BLOCK: ShownBlock = { height: 7, indexBlockHash: '0x1b', burnBlockHeight: 107, isFinal: false };
const TOTAL = 30;

interface ListRequest {
  /** Each page that was read. */
  readonly offset: number;
  readonly limit: number;
  readonly at: string | undefined;
}

/** A server with a list of numbers. @param beforePage may fail */
async function listen(
  t: TestContext,
  {
    limits = {},
    beforePage = () => {},
    text = '',
  }: {
    readonly limits?: Partial<ServerLimits>;
    readonly beforePage?: (offset: number) => void;
    readonly text?: string;
  } = {},
) {
  const read: ListRequest[] = [];
  const { api, port, open } = await listenRaw(t, { maxShare: 1, ...limits }, server => {
    server.get(
      '/extended/v3/numbers',
      {
        config: { cache: 'none' },
        schema: {
          operationId: 'getNumbersV3',
          querystring: Type.Object({ limit: limit(10, 5), offset: offset(), at: Type.Optional(Type.String()) }),
          response: { 200: pageOf(Type.Object({ number: Type.Integer(), text: Type.String() }), 'NumbersPage') },
        },
      },
      async request => {
        const { offset, limit, at } = request.query;
        read.push({ offset, limit, at });
        beforePage(offset);
        shows(request, BLOCK);
        const results = Array.from({ length: Math.min(limit, TOTAL - offset) }, (_, i) => ({
          number: offset + i,
          text,
        }));
        return JSON.stringify({ limit, offset, total: TOTAL, results });
      },
    );
  });
  const get = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`http://127.0.0.1:${port}/extended/v3/numbers${query}`, { headers });
  return { api, get, open, read };
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

/** The status of a response that is read to its end: an unread one holds its connection. */
async function statusOf(response: Response): Promise<number> {
  await response.arrayBuffer();
  return response.status;
}

/** What a client receives until its connection ends, and whether that was the end of the response. */
async function receive(response: Response): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    return { text, isComplete: true };
  } catch {
    return { text, isComplete: false };
  }
}

test('a list comes whole, with the block and the place at the beginning of each page', async t => {
  const { get, read } = await listen(t);
  const response = await get('?format=ndjson&limit=9');
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="v3-numbers-7.ndjson"');
  assert.equal(response.headers.get('x-stacks-tip-index-block-hash'), '0x1b');
  assert.equal(response.headers.get('vary'), 'Accept');
  const lines = linesOf(await response.text());
  assert.deepEqual(lines[0], { at: { height: 7, index_block_hash: '0x1b', burn_block_height: 107 }, offset: 0 });
  assert.deepEqual(
    lines.flatMap(line => ('number' in line ? [line.number] : [])),
    Array.from({ length: TOTAL }, (_, i) => i),
  );
  assert.deepEqual(
    lines.flatMap(line => ('at' in line ? [line.offset] : [])),
    [0, 9, 18, 27],
  );
  assert.deepEqual(
    read.map(({ at }) => at),
    [undefined, '0x1b', '0x1b', '0x1b'],
    'pages after the first name its block',
  );
  const all = await (await get('', { accept: 'text/csv' })).text();
  assert.equal(read.at(-1)?.limit, 10, 'without a limit pages are as long as they may be');
  assert.equal(all.split('\r\n')[0], '"number","text","at","resume"');
  assert.equal(all.split('\r\n')[11], '"10","","0x1b","offset=10"');
});

test('a download goes on from where it was cut, with the same bytes', async t => {
  const { get } = await listen(t);
  const whole = await (await get('?format=ndjson&limit=9')).text();
  const cut = whole.slice(0, whole.lastIndexOf('{"at":'));
  const rest = await (await get('?format=ndjson&limit=9&offset=27&at=0x1b')).text();
  assert.equal(cut + rest, whole);
  const table = await (await get('?format=csv&limit=9')).text();
  const more = await (await get('?format=csv&limit=9&offset=9&at=0x1b')).text();
  const [, ...rows] = more.split('\r\n');
  assert.equal(table.slice(0, table.indexOf('"9",')) + rows.join('\r\n'), table);
});

test('an error ends the connection, and NDJSON names it; no client takes the file for complete', async t => {
  const gone = new ApiError(409, 'The block is not canonical', { code: 'NOT_CANONICAL' });
  const beforePage = (offset: number) => {
    if (offset >= 20) throw gone;
  };
  const { get, api } = await listen(t, { beforePage });
  const { text, isComplete } = await receive(await get('?format=ndjson&limit=10'));
  assert.equal(isComplete, false);
  const lines = linesOf(text);
  assert.equal(lines.length, 2 + 20 + 1);
  assert.deepEqual(lines.at(-1), {
    error: { statusCode: 409, code: 'NOT_CANONICAL', error: 'Conflict', message: 'The block is not canonical' },
  });
  const table = await receive(await get('?format=csv&limit=10'));
  assert.equal(table.isComplete, false);
  assert.equal(table.text.trimEnd().split('\r\n').length, 1 + 20);
  assert.equal(
    await statusOf(await get('?format=csv&offset=20')),
    409,
    'the first page is read before anything is sent',
  );
  await until(async () => api.clients.ledger.held('downloads') === 0, 'the downloads are held');
});

test('in HTTP/1.0, whose responses end with the connection, a download that breaks off is a reset, and a complete one is none', async t => {
  let last = TOTAL;
  const beforePage = (offset: number) => {
    if (offset >= last) throw new ApiError(409, 'The block is not canonical', { code: 'NOT_CANONICAL' });
  };
  const { open } = await listen(t, { beforePage });
  const endOf = async (format: string) => {
    const socket = await open();
    socket.resume().write(`GET /extended/v3/numbers?format=${format}&limit=10 HTTP/1.0\r\nHost: x\r\n\r\n`);
    return Promise.race([once(socket, 'end').then(() => 'end'), once(socket, 'close').then(() => 'reset')]).catch(
      ({ code }) => code,
    );
  };
  assert.equal(await endOf('csv'), 'end');
  last = 20;
  assert.equal(await endOf('csv'), 'ECONNRESET');
  assert.equal(await endOf('ndjson'), 'ECONNRESET');
});

test('a page that the server refuses for now does not cut a download', async t => {
  let refusals = 1;
  const beforePage = (offset: number) => {
    if (offset === 20 && refusals-- > 0) throw overloaded();
  };
  const { get, read } = await listen(t, { beforePage });
  const { text, isComplete } = await receive(await get('?format=csv&limit=10'));
  assert.equal(isComplete, true);
  assert.equal(text.trimEnd().split('\r\n').length, 1 + TOTAL);
  assert.deepEqual(
    read.map(({ offset }) => offset),
    [0, 10, 20, 20],
  );
});

test('a download waits for its client, and one address has its share of them', async t => {
  const limits = { maxDownloads: 2, maxShare: 1 / 2 };
  const { get, open, read, api } = await listen(t, { limits, text: 'x'.repeat(390_000) });
  const socket = await open();
  socket.pause().write('GET /extended/v3/numbers?format=ndjson&limit=3 HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(async () => read.length > 0, 'no page is read');
  assert.equal(await statusOf(await get('?format=csv')), 429);
  assert.equal(await statusOf(await get('')), 200, 'pages are sent beside it');
  const ofDownload = read.filter(({ limit }) => limit === 3).length;
  assert.ok(ofDownload < TOTAL / 3, `${ofDownload} pages are read for a client that reads none`);
  socket.destroy();
  await until(async () => api.clients.ledger.held('downloads') === 0, 'the download is held');
});

test('HEAD has the headers of a download alone', async t => {
  const { api } = await listen(t);
  const { headers, body } = await api.inject({ method: 'HEAD', url: '/extended/v3/numbers?format=csv' });
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(headers['content-length'], undefined, 'nobody knows the length of a download before its end');
  assert.equal(body, '');
});

test('a page that is too large for memory is read again with fewer rows', async t => {
  const { get, read } = await listen(t, { text: 'x'.repeat(1_500_000) });
  const response = await get('?format=ndjson&offset=26');
  const lines = linesOf(await response.text());
  assert.deepEqual(
    lines.map(line => line.number ?? `from ${line.offset}`),
    ['from 26', 26, 27, 'from 28', 28, 29],
  );
  assert.ok(read.length > 2);
});
