import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Script } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { parse } from 'yaml';
import { limit, offset, text } from '../params.ts';
import { failure } from '../schema.ts';
import { type Api, createServer } from '../server.ts';
import { Type } from '../type.ts';
import { addDocumentation } from './openapi.ts';

const Thing = Type.Object({ name: Type.String() }, { title: 'Thing' });
const Maker = Type.Object({ name: Type.String({ examples: ["it's"] }) }, { title: 'Maker' });
const Busy = Type.Object({ busy: Type.Literal(true) }, { title: 'Busy', description: 'It is busy' });

function makeApi(more: { readonly deprecationHeaders?: boolean } = {}) {
  const server = createServer({ version: '1.2.3', tip: { current: () => undefined }, ...more });
  addDocumentation(server, {
    title: 'A & B',
    version: '1.2.3',
    description: 'With `code` and <b>.',
    tags: [{ name: 'Things', description: 'All of them.' }],
  });
  server.register(async (api: Api) => {
    api.get('/', (_request, reply) => reply.send('')); // without a tag: not documented
    api.get(
      '/things/:id(^[0-9]$)',
      {
        config: { cache: 'tip' },
        schema: {
          operationId: 'getThing',
          summary: 'Get',
          tags: ['Things'],
          deprecated: true,
          params: Type.Object({ id: text('Which.', '"7"') }),
          response: { 200: Thing, 404: Busy },
        },
      },
      async () => '{"name":"a"}',
    );
    api.get(
      '/things',
      {
        schema: {
          operationId: 'listThings',
          summary: 'List <things>',
          tags: ['Things'],
          querystring: Type.Object({ limit: limit(50, 20), offset: offset(), word: text('A word.', 'x') }),
          response: { 200: Thing, 404: failure('No such thing') },
        },
      },
      async () => '{"name":"a"}',
    );
    api.post(
      '/v2/makers',
      {
        schema: { operationId: 'addMaker', summary: 'Add', tags: ['Things'], body: Maker, response: { 200: Thing } },
      },
      async () => '{"name":"a"}',
    );
  });
  return server;
}

const document = async () => (await makeApi().inject('/openapi.json')).json();

test('the document has every route that has a tag, in the order in which they were added', async () => {
  const { paths, components, info, openapi } = await document();
  assert.equal(openapi, '3.1.0');
  assert.deepEqual(info, { title: 'A & B', version: '1.2.3', description: 'With `code` and <b>.' });
  assert.deepEqual(Object.keys(paths), ['/things/{id}', '/things', '/v2/makers']);
  assert.deepEqual(
    Object.values(paths).map(path => Object.keys(path as object)),
    [['get'], ['get'], ['post']],
  );
  assert.deepEqual(Object.keys(components.schemas), ['Busy', 'Error', 'Maker', 'Thing']);
});

test('a parameter has its words, its bounds and its example; one with a default is not required', async () => {
  const { paths } = await document();
  const [limit, offset, word] = paths['/things'].get.parameters;
  assert.deepEqual(limit, {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'Records of the page. 0 stands for the default.',
    schema: { type: 'integer', minimum: 0, maximum: 50, default: 20, 'x-zero-is-default': true },
  });
  assert.equal(offset.required, false);
  assert.equal(word.required, true);
  assert.deepEqual(paths['/things/{id}'].get.parameters, [
    { name: 'id', in: 'path', required: true, description: 'Which.', schema: { type: 'string' }, example: '"7"' },
  ]);
});

test('a route documents what is its own; what all routes have is added', async () => {
  const { paths } = await document();
  const statuses = (path: string) => Object.keys(paths[path].get.responses);
  assert.deepEqual(statuses('/things'), ['200', '400', '404', '503', 'default']);
  assert.deepEqual(statuses('/things/{id}'), ['200', '304', '400', '404', '503', 'default']);
  const { deprecated, responses } = paths['/things/{id}'].get;
  assert.equal(deprecated, true);
  assert.deepEqual(Object.keys(responses[200].headers), ['ETag', 'Cache-Control']);
  assert.deepEqual(responses[200].content['application/json'], {
    schema: { $ref: '#/components/schemas/Thing' },
    example: { name: 'text' },
  });
  assert.equal(responses[404].description, 'It is busy');
  assert.equal(responses[404].content['application/json'].schema.$ref, '#/components/schemas/Busy');
  assert.equal(paths['/things'].get.responses[404].description, 'No such thing');
  assert.equal(
    paths['/things'].get.responses[404].content['application/json'].schema.$ref,
    '#/components/schemas/Error',
  );
});

test('a POST documents its body, and how a body can be wrong', async () => {
  const { requestBody, responses } = (await document()).paths['/v2/makers'].post;
  assert.deepEqual(requestBody, {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Maker' }, example: { name: "it's" } } },
  });
  assert.deepEqual(Object.keys(responses), ['200', '400', '413', '415', '503', 'default']);
});

test('the page shows the body of a POST, and code that sends it in place of a form', async () => {
  const article = articleOf((await makeApi().inject('/doc')).body, 'addMaker');
  assert.match(article, /<b>POST<\/b> <code>\/v2\/makers<\/code>/);
  assert.match(article, /<a href="#record-Maker">Maker<\/a><\/td><td><code>{"name":"it's"}<\/code>/);
  const body = '{"name":"it\\u0027s"}'; // as a shell and a program take it in quotes
  assert.ok(
    article.includes(`curl -X POST -H 'content-type: application/json' -d '${body}' '$API/v2/makers'`),
    article,
  );
  const init = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${body}) }`;
  assert.ok(article.includes(`await fetch('$API/v2/makers', ${init});`), article);
  assert.doesNotMatch(article, /<form/);
});

test('the YAML says what the JSON says', async () => {
  const api = makeApi();
  assert.deepEqual(parse((await api.inject('/openapi.yaml')).body), (await api.inject('/openapi.json')).json());
});

test('a deprecated route says so in a header of every response', async () => {
  const api = makeApi();
  assert.match(String((await api.inject('/things/7')).headers.warning), /Deprecated/);
  assert.equal((await api.inject('/things?word=a')).headers.warning, undefined);
  const silent = makeApi({ deprecationHeaders: false });
  assert.equal((await silent.inject('/things/7')).headers.warning, undefined);
});

test('the three files have a version, and a client that has it gets a 304', async () => {
  const api = makeApi();
  const types = { '/openapi.json': 'application/json', '/openapi.yaml': 'application/yaml', '/doc': 'text/html' };
  for (const [url, type] of Object.entries(types)) {
    const first = await api.inject(url);
    assert.equal(first.statusCode, 200);
    assert.equal(first.headers['content-type'], `${type}; charset=utf-8`);
    assert.equal(first.headers['cache-control'], 'public, no-cache, must-revalidate');
    const again = await api.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
    assert.equal(again.statusCode, 304);
  }
});

test('whoever asks again gets the files compressed, with all their headers', async () => {
  const api = makeApi();
  const ask = () => api.inject({ url: '/doc', headers: { 'accept-encoding': 'br' } });
  const plain = await ask();
  let again = await ask();
  while (again.headers['content-encoding'] === undefined) {
    await setTimeout(1);
    again = await ask();
  }
  assert.equal(brotliDecompressSync(again.rawPayload).toString(), plain.body);
  for (const name of ['content-type', 'content-security-policy', 'cache-control']) {
    assert.equal(again.headers[name], plain.headers[name]);
  }
});

/** The article of the page about an operation. */
function articleOf(page: string, id = ''): string {
  const [article = ''] = new RegExp(`<article id="${id}">[\\s\\S]*?</article>`).exec(page) ?? [];
  return article.replaceAll('&#39;', "'").replaceAll('&quot;', '"');
}

test('an operation of the page can be linked, searched for, tried and copied as code', async () => {
  const { body } = await makeApi().inject('/doc');
  assert.match(body, /<input type="search"/);
  for (const [id, url] of [
    ['getThing', '/things/%227%22'],
    ['listThings', '/things?word=x'],
  ]) {
    const article = articleOf(body, id);
    assert.ok(article.includes(`href="#${id}"`), id);
    assert.ok(body.includes(`<li><a href="#${id}">`), id);
    assert.ok(article.includes(`curl '$API${url}'`), article);
    assert.ok(article.includes(`await fetch('$API${url}')`), id);
    assert.match(article, /<form [\s\S]*<button>Try<\/button>/);
  }
  assert.match(body, /integer, 0 to 50, default 20/);
});

test('the contents of the page show the version of a route, and that it is deprecated', async () => {
  const { body } = await makeApi().inject('/doc');
  assert.ok(body.includes('<li><a href="#addMaker">Add</a><small>v2</small></li>'));
  assert.ok(body.includes('<li><a href="#getThing">Get</a> <span class="tag">deprecated</span></li>'));
});

test('the policy of the page allows its own style and script, which is a program', async () => {
  const { body, headers } = await makeApi().inject('/doc');
  const policy = String(headers['content-security-policy']);
  for (const element of ['style', 'script']) {
    const [, text = ''] = new RegExp(`<${element}>([\\s\\S]*)</${element}>`).exec(body) ?? [];
    const hash = createHash('sha256').update(text).digest('base64');
    assert.ok(policy.includes(`${element}-src 'sha256-${hash}'`), element);
    if (element === 'script') assert.doesNotThrow(() => new Script(text));
  }
  assert.doesNotMatch(body, /\sstyle=|\son\w+=/, 'no attribute that the policy forbids');
});

test('the page loads nothing, and shows texts as they are', async () => {
  const { body, headers } = await makeApi().inject('/doc');
  assert.doesNotMatch(body, /\bsrc=|url\(|@import|<link|https?:/);
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
  assert.match(body, /A &amp; B/);
  assert.match(body, /List &lt;things&gt;/);
  assert.match(body, /<code>code<\/code> and &lt;b&gt;\./);
  assert.match(body, /value="&quot;7&quot;"/);
  assert.match(body, /action="\/things\/%227%22"/);
});
