import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../src/api/http/openapi/components.ts';
import { type OpenApiDocument, operationsOf, type Parameter } from '../src/api/http/openapi/document.ts';
import { FORMAT_CHECKS } from '../src/api/http/principals.ts';
import { openFreshOf } from './support/engines.ts';
import { exampleBody, examplesOf } from './support/example-requests.ts';
import fc from './support/fast-check.ts';
import { replayed } from './support/replayed.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { casesOf, scale } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/** What a schema cannot say, or one parameter does not decide: these may be refused though their schemas allow them. */
const MORE_IS_CHECKED: readonly (readonly [parameter: RegExp, what: string])[] = [
  [/^trait_abi of /, 'that it is the JSON of a trait'],
  [/^(burnchain_)?address of getBurnchain/, 'the checksum of an address of Bitcoin, of any form'],
  [/^token_id of /, 'that it is a number up to 2^128 - 1'],
  [/^page of /, 'that there is such a page'],
  [/^at of getNamespaceNamesV1$/, 'that the namespace was there'],
  [/^(name|tld) of /, 'that there is such a name or namespace, or could be'],
  [/^(until_block|block_hash) of getAccount/, 'that it is a height above 0 or a hash with 0x'],
  [/ of getFilteredEventsV1$/, 'that it is asked for a transaction, or a principal'],
  [/^topics of /, 'that each is a topic'],
  [/^q of searchV3$/, 'that it can be an id, or a part of a name'],
  [/^tx_id of getPoxEventsByTransactionV1$/, 'that it has 0x'],
];

/** Without a node there is no response. */
const GOES_TO_A_NODE = /^\/v2\//;

/** The documented constraints of a single parameter. */
const schemas = new Ajv2020({ strict: false, formats: FORMAT_CHECKS, code: { optimize: false } });
/** Many parameters have the same schema. */
const compiled = new Map<string, ValidateFunction>();

test('what the schema of a parameter allows is accepted, and all else is refused', async t => {
  const { database } = await replayed(openFreshOf.sqlite, archive)(t);
  const index = await openTestIndex(database);
  await new SampleMetadata(database).fill();
  const document = (await index.get('/openapi.json')).body as OpenApiDocument;
  const wrong = new Map<string, string[]>();
  let [allowed, refused] = [0, 0];
  for (const { path, method, operation } of operationsOf(document)) {
    const { operationId, parameters = [], requestBody } = operation;
    for (const parameter of parameters) {
      const text = schemaOf(parameter);
      const isValid = compiled.get(text) ?? schemas.compile(parameter.schema);
      const noted: string[] = [];
      const isFree = MORE_IS_CHECKED.some(([name]) => name.test(`${parameter.name} of ${operationId}`));
      // In the short form most texts go to one parameter of each schema: routes share what checks it.
      const isKnown = scale === 'short' && compiled.has(text);
      compiled.set(text, isValid);
      for (const given of new Set(isKnown ? ownTexts(parameter).slice(0, AGAIN) : edgesOf(parameter))) {
        if (parameter.in === 'path' && ['', '.', '..'].includes(given)) continue; // another path
        const url = urlOf(path, parameters, parameter, given);
        const { status } = await index.ask({ method, url, body: requestBody && exampleBody(requestBody) });
        const isAllowed = isValid(meaningOf(given, parameter.schema)) as boolean;
        if (isAllowed) allowed++;
        else refused++;
        // Another word in a path can be another route, or none.
        const isRefused = status === 400 || (status === 404 && parameter.in === 'path');
        const isAnswered = status < 500 || (status === 503 && GOES_TO_A_NODE.test(path));
        if (!isAnswered || (isAllowed ? status === 400 && !isFree : !isRefused))
          noted.push(`${given} is ${isAllowed ? 'allowed' : 'not allowed'} and has ${status}`);
      }
      if (noted.length > 0) wrong.set(`${parameter.name} of ${operationId}`, noted.slice(0, 3));
    }
  }
  assert.deepEqual(wrong, new Map());
  t.diagnostic(`${allowed} allowed and ${refused} refused`);
  assert.ok(allowed > 100 && refused > 100);
});

/** A request whose other parameters are examples, if they are required, and else left out. */
function urlOf(path: string, parameters: readonly Parameter[], tried: Parameter, text: string): string {
  const query: string[] = [];
  let url = path;
  for (const parameter of parameters) {
    if (!parameter.required && parameter !== tried) continue;
    const value = encodeURIComponent(parameter === tried ? text : String(examplesOf(parameter)[0]));
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, value);
    else query.push(`${parameter.name}=${value}`);
  }
  return query.length > 0 ? `${url}?${query.join('&')}` : url;
}

const schemaOf = (parameter: Parameter): string => JSON.stringify([parameter.in, parameter.schema]);

/** Texts at and beside the edges of what is allowed. */
function ownTexts({ schema, ...parameter }: Parameter): string[] {
  const members = [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const bounds = members.flatMap(({ minimum, maximum }) => [minimum, maximum].filter(bound => bound !== undefined));
  return [
    ...bounds.flatMap(bound => [bound - 1, bound, bound + 1]).filter(Number.isSafeInteger),
    ...members.flatMap(({ enum: words = [], const: word }) => [...words, ...(word === undefined ? [] : [word])]),
    ...examplesOf({ ...parameter, schema }),
  ]
    .map(String)
    .filter(text => text.length < 200);
}

/** Those, and others in changed forms, of other kinds, and at random. */
function edgesOf(parameter: Parameter): string[] {
  const own = ownTexts(parameter);
  const changed = (scale === 'short' ? own.slice(0, CHANGED) : own).flatMap(text => [
    text.toUpperCase(),
    text.toLowerCase(),
    `${text}x`,
    text.slice(0, -1),
  ]);
  const random = fc.sample(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), RANDOM);
  const common = scale === 'short' ? COMMON.filter((_, i) => i % 2 === own.length % 2) : COMMON;
  const texts = [...own, ...changed, ...common, ...random];
  return texts.filter(text => !text.includes('\0') && text.length < 200);
}

/** In the short form so many of the own texts of a parameter are tried in changed forms, and half of the common ones. */
const CHANGED = 2;
/** Own texts that go to further parameters with the same schema, in the short form. */
const AGAIN = 4;
const COMMON = ['', 'true', '0', '1', '1.5', 'x', 'latest', '0x', `0x${'ab'.repeat(32)}`, 'ab'.repeat(32), '-1'];
/** Texts at random for each parameter. */
const RANDOM = Math.ceil(casesOf('REQUEST_CASES') / 1000);

/** The value that a text of a URL is, by the rules of docs/spec/http.md#parameters. */
function meaningOf(text: string, schema: JsonSchema): unknown {
  const { type, anyOf } = schema;
  if (type === 'array') return text.split(',');
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (anyOf?.some(member => member.type === 'integer'))
    return /^(0|[1-9][0-9]{0,62})$/.test(text) ? Number(text) : text;
  if (type === 'number') return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'integer') return /^(0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : text;
  return text;
}
