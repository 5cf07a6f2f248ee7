import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type OpenApiDocument, operationsOf, type Parameter } from '../src/api/http/openapi/document.ts';
import { isValidPrincipal } from '../src/base/codec/index.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { exampleRequests, examplesOf } from './support/example-requests.ts';
import { replayed } from './support/replayed.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { openTestIndex } from './support/test-index.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/** These take more than principals: an address of Bitcoin, whatever can be searched for, the beginning of an id, any token or `stx`. */
const NO_PRINCIPAL = [
  'getBurnchainRewardSlotHoldersByAddressV1',
  'searchByIdV1',
  'searchV3',
  'getFungibleTokens',
  'getPrincipalFtBalanceV2',
  'getFtHoldersV1',
];

onSqliteAtLeast((engine, openFresh) => {
  test(`each route takes every spelling of a principal for the same, and none with a wrong checksum (${engine})`, async t => {
    const { database } = await replayed(openFresh, archive)(t);
    const index = await openTestIndex(database);
    await new SampleMetadata(database).fill();
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const tried = new Set<string>();
    for (const request of exampleRequests(document)) {
      const { operationId, path, method, url, query } = request;
      const { parameters = [] } = document.paths[path]?.[method] ?? {};
      const needed = parameters.filter(({ in: place, required }) => place === 'query' && required).length;
      for (const parameter of parameters.filter(isPrincipal)) {
        const { name, in: place } = parameter;
        const isAsked = place === 'path' ? Object.keys(query).length === needed : name in query;
        if (!isAsked || tried.has(`${operationId} ${name}`)) continue;
        for (const text of texts(url)) {
          const expected = await index.ask(request);
          for (const spelling of spellings(text)) {
            const { status, body } = await index.ask({ ...request, url: url.replace(text, spelling) });
            assert.deepEqual([status, body], [expected.status, expected.body], `${url} with ${spelling}`);
          }
          if (!String(examplesOf(parameter)[0]).includes(text)) continue; // of another parameter
          const wrong = text.replace(/^(S.)(.)/, (_, start, digit) => start + (digit === '2' ? '3' : '2'));
          const { status, body } = await index.ask({ ...request, url: url.replace(text, wrong) });
          assert.equal(status, 400, `${url} with ${wrong}`);
          assert.match(
            body.message,
            /^(params|querystring)\/\w+(\/\d+)? must be (an address|the id of|a contract).*, not "/,
          );
          assert.ok(body.message.includes(wrong), body.message);
          tried.add(`${operationId} ${name}`);
        }
      }
    }
    const all = operationsOf(document).flatMap(({ operation }) =>
      (operation.parameters ?? []).filter(isPrincipal).map(({ name }) => `${operation.operationId} ${name}`),
    );
    assert.deepEqual([...tried].sort(), all.sort());
  });

  if (engine !== 'sqlite') return;
  test('every parameter that takes a principal says so', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const silent = operationsOf(document)
      .filter(({ operation }) => !NO_PRINCIPAL.some(id => operation.operationId.startsWith(id)))
      .flatMap(({ operation }) =>
        (operation.parameters ?? [])
          .filter(parameter => !isPrincipal(parameter) && examples(parameter).some(namesPrincipal))
          .map(({ name }) => `${name} of ${operation.operationId}`),
      );
    assert.deepEqual(silent, []);
  });
});

const isPrincipal = ({ schema }: Parameter): boolean =>
  (schema.format ?? schema.items?.format ?? '').startsWith('stacks-');

const examples = ({ example, examples = {} }: Parameter): unknown[] => [
  example,
  ...Object.values(examples).map(({ value }) => value),
];

const namesPrincipal = (value: unknown): boolean => isValidPrincipal(String(value).split('::', 1)[0] ?? '');

/** The addresses in a URL. */
const texts = (url: string): string[] => [...new Set(url.match(/S[TPNM][0-9A-Z]{27,39}/g) ?? [])];

const spellings = (address: string): string[] => [
  address.toLowerCase(),
  address.replaceAll('0', 'O').replaceAll('1', 'I'),
  address.replaceAll('1', 'l'),
];
