import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OpenApiDocument } from '../src/api/http/openapi/document.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { exampleRequests, problemOfExample } from './support/example-requests.ts';
import { replayed } from './support/replayed.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { atLength } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

onSqliteAtLeast((engine, openFresh) => {
  // In the short form api-table.test.ts sends them, and judges the responses in the same way.
  test(`every example of the document is a request that works (${engine})`, { skip: atLength }, async t => {
    const { database } = await replayed(openFresh, archive)(t);
    const index = await openTestIndex(database);
    await new SampleMetadata(database).fill();
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const requests = exampleRequests(document);
    const wrong: string[] = [];
    for (const request of requests) {
      const problem = problemOfExample(request, await index.ask(request));
      if (problem !== undefined) wrong.push(problem);
    }
    assert.deepEqual(wrong, []);
    t.diagnostic(`${requests.length} requests`);
  });
});
