import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { deprecated } from './deprecation.ts';
import type { Texts } from './openapi/document.ts';
import { addDocumentation } from './openapi.ts';
import { limit, offset, text } from './params.ts';
import { createServer } from './server.ts';

const texts: Texts = {
  title: 'A & B',
  version: '1.2.3',
  description: 'With `code` and <b>.',
  tags: [{ name: 'Things', description: 'All of them.' }],
  operations: {
    '/things': { operationId: 'listThings', tag: 'Things', summary: 'List <things>' },
    '/things/:id(^[0-9]$)': { operationId: 'getThing', tag: 'Things', summary: 'Get', notFound: 'No such thing' },
  },
  parameters: {
    limit: { description: 'Records.' },
    offset: { description: 'Skipped.' },
    id: { description: 'Which.', example: '"7"' },
  },
};

const answer = Type.Object({ name: Type.String() }, { title: 'Thing' });
const busy = Type.Object({ busy: Type.Literal(true) }, { title: 'Busy' });

function makeApi() {
  const api = createServer({ version: '1.2.3', tip: { current: () => undefined } });
  addDocumentation(api, texts);
  api.get('/', (_request, reply) => reply.send('')); // without a response: not documented
  api.get(
    '/things/:id(^[0-9]$)',
    {
      config: { response: answer, errors: { 404: busy }, cache: 'tip' },
      onRequest: deprecated,
      schema: { params: Type.Object({ id: text() }) },
    },
    async () => '{"name":"a"}',
  );
  const querystring = Type.Object({ limit: limit(50, 20), offset: offset() });
  api.get('/things', { config: { response: answer }, schema: { querystring } }, async () => '{"name":"a"}');
  return api;
}

test('the document has every route that publishes a schema, in the order of the texts', async () => {
  const { paths, components, info } = (await makeApi().inject('/openapi.json')).json();
  assert.deepEqual(info, { title: 'A & B', version: '1.2.3', description: 'With `code` and <b>.' });
  assert.deepEqual(Object.keys(paths), ['/things', '/things/{id}']);
  assert.deepEqual(Object.keys(components.schemas), ['Busy', 'Error', 'Thing']);
});

test('parameters are described with their defaults and bounds', async () => {
  const { paths } = (await makeApi().inject('/openapi.json')).json();
  const descriptions = paths['/things'].get.parameters.map(
    (parameter: { description: string }) => parameter.description,
  );
  assert.deepEqual(descriptions, [
    'Records. 0 to 50, default 20, 0 stands for the default.',
    'Skipped. At least 0, default 0.',
  ]);
  const [id] = paths['/things/{id}'].get.parameters;
  assert.deepEqual(id, {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Which.',
    schema: { type: 'string' },
    example: '"7"',
  });
});

test('statuses follow from the route', async () => {
  const { paths } = (await makeApi().inject('/openapi.json')).json();
  const statuses = (path: string) => Object.keys(paths[path].get.responses);
  assert.deepEqual(statuses('/things'), ['200', '400', '503', 'default']);
  assert.deepEqual(statuses('/things/{id}'), ['200', '304', '400', '404', '503', 'default']);
  const { get } = paths['/things/{id}'];
  assert.equal(get.deprecated, true);
  assert.equal(get.responses[404].content['application/json'].schema.$ref, '#/components/schemas/Busy');
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
