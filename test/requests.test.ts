import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type OpenApiDocument, operationsOf } from '../src/api/http/openapi/document.ts';
import { partOfArchive } from './crash/round.ts';
import { onEveryEngine } from './support/engines.ts';
import { ENDLESS, exampleRequests, NOT_IN_SAMPLE } from './support/example-requests.ts';
import fc from './support/fast-check.ts';
import { readRecording } from './support/recording.ts';
import { replayed } from './support/replayed.ts';
import { type Request, requests } from './support/requests.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { casesOf, scale } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';

const root = join(import.meta.dirname, '..');
const archive = join(root, 'examples/sample-chain.tsv.gz');
const asked = readRecording(join(root, 'test/fixtures/sample-chain.responses.jsonl.gz')).map(({ path }) => path);

/** What is no price is asked of the node, and there is none. */
const GOES_TO_A_NODE = /^\/v2\//;
/** So many requests meet every operation. */
const ENOUGH_FOR_ALL = 10_000;
/** A request is slow when it takes as many times as long as half of the others, each time that it is made. */
const SLOW = 500;
/** Of the slowest requests so many are made again: others may have kept the machine busy. */
const SUSPECTS = 10;
const TRIES = 5;

/** The beginning of the chain: on PostgreSQL the sample chain is replayed whole once, by its own test. */
function partOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-part-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return partOfArchive(directory, 200);
}

onEveryEngine((engine, openFresh) => {
  test(`no request is answered by a server error, slowly, or otherwise than published (${engine})`, async t => {
    const { database } = await replayed(openFresh, engine === 'postgres' && scale === 'short' ? partOf(t) : archive)(t);
    const index = await openTestIndex(database);
    const cases = casesOf('REQUEST_CASES', engine);
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const examples = exampleRequests(document).map(({ url }) => url);
    const known = [...asked, ...examples, ...(await new SampleMetadata(database).fill())];
    const statuses = new Map<number, number>();
    const answered = new Set<string>();
    const times: { readonly request: Request; readonly time: number }[] = [];
    const ask = async (request: Request): Promise<number> => {
      const { method, path, body } = request;
      const start = performance.now();
      const { status } = await index.ask({ method, url: path, body }); // checks the response
      times.push({ request, time: performance.now() - start });
      return status;
    };
    await fc.assert(
      fc.asyncProperty(requests(document, known), async request => {
        const { operationId, path } = request;
        const status = await ask(request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) answered.add(operationId);
        assert.ok(status < 500 || (status === 503 && GOES_TO_A_NODE.test(path)), `${status} for ${path}`);
      }),
      { numRuns: cases },
    );
    t.diagnostic(`${cases} requests: ${JSON.stringify(Object.fromEntries(statuses))}`);
    const slowest = times.toSorted((a, b) => b.time - a.time);
    const usual = slowest[slowest.length >> 1]?.time ?? 0;
    for (const { request, time } of slowest.slice(0, SUSPECTS)) {
      const { path } = request;
      t.diagnostic(`${time.toFixed(1)} ms (half of all: less than ${usual.toFixed(2)}) for ${path.slice(0, 200)}`);
      for (let tries = 1; tries <= TRIES; tries++) {
        await ask(request);
        if ((times.at(-1)?.time ?? 0) < SLOW * usual) break;
        assert.notEqual(tries, TRIES, `slow: ${path}`);
      }
    }
    if (cases < ENOUGH_FOR_ALL) return;
    const names = operationsOf(document).map(({ operation }) => operation.operationId);
    assert.deepEqual(
      names.filter(name => !answered.has(name) && name !== ENDLESS && !NOT_IN_SAMPLE.test(name)),
      [],
      'operations that never had a response',
    );
  });
});
