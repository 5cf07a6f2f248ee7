import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OpenApiDocument } from '../src/api/http/openapi/document.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { ENDLESS, type ExampleRequest, exampleRequests, NOT_IN_SAMPLE } from './support/example-requests.ts';
import { replayed } from './support/replayed.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { openTestIndex } from './support/test-index.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/**
 * What the document says is answered otherwise: `address` beside the other two, two names of a block, events of both or of neither,
 * `until_block` with microblocks or a height.
 */
const isContradiction = ({ operationId, query }: ExampleRequest): boolean =>
  (operationId === 'getMempoolTransactionListV1' && 'address' in query && Object.keys(query).some(isOtherAddress)) ||
  (operationId === 'getFilteredEventsV1' && 'tx_id' in query === 'address' in query) ||
  (operationId === 'getAccountNoncesV1' && 'block_height' in query && 'block_hash' in query) ||
  ('until_block' in query && (query.unanchored === true || 'height' in query)) ||
  ('at' in query && (query.unanchored === true || NAMES_OF_A_STATE.some(name => name in query)));
const NAMES_OF_A_STATE = ['until_block', 'height', 'block_height', 'block_hash'];
const isOtherAddress = (name: string): boolean => name === 'sender_address' || name === 'recipient_address';

/** What to do about an example that finds nothing. */
const NOT_FOUND_HINT = 'give it another example, or name it in NOT_IN_SAMPLE of test/support/example-requests.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`every example of the document is a request that works (${engine})`, async t => {
    const { database } = await replayed(openFresh, archive)(t);
    const index = await openTestIndex(database);
    await new SampleMetadata(database).fill();
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const requests = exampleRequests(document);
    const wrong: string[] = [];
    for (const request of requests) {
      const { status, body } = await index.ask(request); // checks the body against its schema
      if (status === 404 && NOT_IN_SAMPLE.test(request.operationId)) continue;
      if (status !== (isContradiction(request) ? 400 : request.operationId === ENDLESS ? 406 : 200))
        wrong.push(`${status} ${request.url}`);
      else if (
        Object.keys(request.query).length < 2 &&
        body.results?.length === 0 &&
        !NOT_IN_SAMPLE.test(request.operationId)
      )
        wrong.push(`nothing found: ${request.url} (${NOT_FOUND_HINT})`);
    }
    assert.deepEqual(wrong, []);
    t.diagnostic(`${requests.length} requests`);
  });
});
