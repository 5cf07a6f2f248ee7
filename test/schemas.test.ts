import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonSchema } from '../src/api/http/openapi/components.ts';
import { JSON_MEDIA, type OpenApiDocument, operationsOf, type Response } from '../src/api/http/openapi/document.ts';
import { openFreshOf } from './support/engines.ts';
import { examplesOf } from './support/example-requests.ts';
import { openTestIndex } from './support/test-index.ts';
import { Published, pointer } from './support/validated.ts';

let document: OpenApiDocument;
before(async () => {
  const { database, cleanup } = await openFreshOf.sqlite();
  document = (await (await openTestIndex(database)).get('/openapi.json')).body;
  await cleanup();
});

test('every reference of the document leads to a component, and every component is used', () => {
  const used = new Set(JSON.stringify(document).match(/#\/components\/schemas\/\w+/g));
  const known = Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`);
  assert.deepEqual([...used].sort(), known.sort());
});

test('every schema is valid JSON Schema 2020-12, and allows its example', () => {
  const published = new Published(document);
  for (const name of Object.keys(document.components.schemas)) published.compile(`#/components/schemas/${name}`);
  for (const { path, method, operation } of operationsOf(document)) {
    const json = operation.responses['200']?.content?.[JSON_MEDIA];
    if (json) assert.equal(published.problemOf(path, 200, json.example, method), undefined, path);
    const place = `#/paths/${pointer(path)}/${method}`;
    const body = operation.requestBody?.content[JSON_MEDIA];
    const isValidBody = body && published.compile(`${place}/requestBody/content/${pointer(JSON_MEDIA)}/schema`);
    if (isValidBody) assert.ok(isValidBody(body.example), `example of the body of ${path}`);
    for (const [i, parameter] of (operation.parameters ?? []).entries()) {
      const isValid = published.compile(`${place}/parameters/${i}/schema`);
      // A list in one parameter is text with commas.
      const values = parameter.schema.type === 'array' ? [] : examplesOf(parameter);
      for (const value of values) assert.ok(isValid(value), `example ${value} of ${parameter.name} of ${path}`);
    }
  }
});

/** Keywords of OpenAPI 3.1: those of JSON Schema 2020-12 that schemas use here, and one of its own. `x-` begins an extension. */
const KEYWORDS = new Set(
  `$ref title description type const enum default examples format pattern minLength maxLength minimum maximum minItems maxItems uniqueItems
  items properties required additionalProperties oneOf anyOf discriminator`.split(/\s+/),
);

/** Where a schema has a keyword that linters of OpenAPI do not know. */
function unknownKeywords(schema: JsonSchema, place: string): string[] {
  const { properties = {}, items, oneOf = [], anyOf = [], additionalProperties } = schema;
  const others = [items, additionalProperties].filter(one => typeof one === 'object');
  return [
    ...Object.keys(schema).flatMap(key => (KEYWORDS.has(key) || key.startsWith('x-') ? [] : [`${place}/${key}`])),
    ...Object.entries(properties).flatMap(([name, one]) => unknownKeywords(one, `${place}/${name}`)),
    ...[...others, ...oneOf, ...anyOf].flatMap(one => unknownKeywords(one, place)),
  ];
}

test('schemas have no keyword that linters of OpenAPI refuse, and the document requires no login', () => {
  const content = (parts: { readonly content?: Response['content'] }) =>
    Object.values(parts.content ?? {}).map(({ schema }) => schema);
  const schemas = [
    ...Object.values(document.components.schemas),
    ...operationsOf(document).flatMap(({ operation: { parameters = [], requestBody, responses } }) => [
      ...parameters.map(({ schema }) => schema),
      ...content(requestBody ?? {}),
      ...Object.values(responses).flatMap(content),
    ]),
  ];
  assert.deepEqual(
    schemas.flatMap(schema => unknownKeywords(schema, schema.title ?? '')),
    [],
  );
  assert.deepEqual(document.security, []);
});

test('a response with a key too many, one too few, or another kind of value is noticed', () => {
  const published = new Published(document);
  const path = '/extended/v2/burn-blocks/{height_or_hash}';
  const operation = operationsOf(document).find(entry => entry.path === path)?.operation;
  const example = operation?.responses['200']?.content?.['application/json']?.example as Record<string, unknown>;
  assert.equal(published.problemOf(path, 200, example), undefined);
  assert.match(published.problemOf(path, 200, { ...example, more: 1 }) ?? '', /additional/);
  const { avg_block_time: _left, ...less } = example;
  assert.match(published.problemOf(path, 200, less) ?? '', /required/);
  assert.match(published.problemOf(path, 200, { ...example, avg_block_time: 7.5 }) ?? '', /integer/);
  assert.match(published.problemOf(path, 418, {}) ?? '', /not published/);
  assert.match(published.problemOf('/nowhere', 200, {}) ?? '', /no schema/);
});

test('every path declares its parameters, and each of them has an example to try', () => {
  for (const { path, operation } of operationsOf(document)) {
    const inPath = (operation.parameters ?? []).filter(parameter => parameter.in === 'path');
    const declared = inPath.map(parameter => parameter.name).sort();
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]).sort();
    assert.deepEqual(declared, named, path);
    for (const parameter of operation.parameters ?? []) {
      assert.ok(examplesOf(parameter).length > 0, `${parameter.name} of ${path}`);
    }
  }
});

test('every operation has a name of its own, its words and a known tag, and every parameter its words', () => {
  const tags = new Set(document.tags.map(tag => tag.name));
  const operations = operationsOf(document);
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { path, operation } of operations) {
    const { operationId, summary, tags: own, parameters = [] } = operation;
    assert.match(operationId, /^[a-z][a-zA-Z]+(V\d)?$/, path);
    assert.equal(
      /V\d$/.exec(operationId)?.[0].slice(1),
      /^(?:\/[a-z]+)?\/v(\d)(?:\/|$)/.exec(path)?.[1],
      `${operationId} of ${path}`,
    );
    assert.ok(summary, path);
    assert.ok(own.length === 1 && own.every(tag => tags.has(tag)), path);
    for (const { name, description } of parameters) assert.ok(description, `${name} of ${path}`);
  }
});

test('no row of a list that can be downloaded has a member that lines of places and errors have', () => {
  for (const { path, operation } of operationsOf(document)) {
    if (!operation.parameters?.some(({ name }) => name === 'format')) continue;
    const page = operation.responses['200']?.content?.[JSON_MEDIA]?.example as { readonly results: readonly unknown[] };
    for (const row of page.results)
      assert.deepEqual(
        ['at', 'error'].filter(name => Object.hasOwn(Object(row), name)),
        [],
        path,
      );
  }
});
