import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OpenApiDocument } from '../src/http/openapi/document.ts';
import { onEveryEngine } from './support/engines.ts';
import { readRecording } from './support/recording.ts';
import { requests } from './support/requests.ts';
import { SampleMetadata } from './support/sample-metadata.ts';
import { openTestIndex } from './support/test-index.ts';

const root = join(import.meta.dirname, '..');
const archive = join(root, 'examples/sample-chain.tsv.gz');
const asked = readRecording(join(root, 'test/fixtures/sample-chain.answers.jsonl.gz')).map(({ path }) => path);

/** REQUEST_CASES=100000 tries more; run this file alone then, as `npm test` stops a file after two minutes. */
const CASES = Number(process.env.REQUEST_CASES ?? 2000);
/** Milliseconds. */
const LIMIT = 1000;

onEveryEngine((engine, openFresh) => {
  test(`no request is answered by a server error, late, or otherwise than published (${engine})`, async t => {
    const { database } = await openFresh(t);
    const index = await openTestIndex(database);
    await index.replay(archive);
    const known = [...asked, ...(await new SampleMetadata(database).fill())];
    const document = (await index.get('/openapi.json')).body as OpenApiDocument;
    const statuses = new Map<number, number>();
    const answered = new Set<string>();
    let slowest = { time: 0, path: '' };
    // A request is slow when it is slow each time: others may keep the machine busy.
    const ask = async (path: string, tries = 3): Promise<{ status: number; time: number }> => {
      const start = performance.now();
      const { status } = await index.get(path); // checks the body
      const time = performance.now() - start;
      return time < LIMIT || tries === 1 ? { status, time } : ask(path, tries - 1);
    };
    await fc.assert(
      fc.asyncProperty(requests(document, known), async ({ operationId, path }) => {
        const { status, time } = await ask(path);
        if (time > slowest.time) slowest = { time, path };
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) answered.add(operationId);
        assert.ok(status < 500, `${status} for ${path}`);
        assert.ok(time < LIMIT, `${time} ms for ${path}`);
      }),
      { numRuns: CASES },
    );
    t.diagnostic(`${CASES} requests: ${JSON.stringify(Object.fromEntries(statuses))}`);
    t.diagnostic(`slowest: ${slowest.time.toFixed(1)} ms for ${slowest.path.slice(0, 200)}`);
    const never = Object.values(document.paths).filter(({ get }) => !answered.has(get.operationId));
    assert.deepEqual(
      never.map(({ get }) => get.operationId),
      [],
      'operations that never had an answer',
    );
  });
});
