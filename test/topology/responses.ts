import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { ApiResponse, Server } from '../crash/program.ts';
import { ENDLESS } from '../support/example-requests.ts';
import fc from '../support/fast-check.ts';
import { readRecording } from '../support/recording.ts';
import { requests } from '../support/requests.ts';
import { scale } from '../support/scale.ts';
import { until } from '../support/until.ts';

/** The short form sends one in so many requests. */
const SHARE = scale === 'short' ? 20 : 1;
/** Requests beside the recorded ones. */
const MADE = 500;
/** They tell how the program runs, and by which version it was made. */
const STATUS = /^\/(extended(\/v[13]\/status)?\/?)?(\?|$)/;
/** A node answers these, and these servers have none. */
const OF_A_NODE = /^\/v2\//;
const AT_ONCE = 8;
const recorded = readRecording(join(import.meta.dirname, '../fixtures/sample-chain.responses.jsonl.gz'));

export type ApiServer = Pick<Server, 'get' | 'output'>;

/** The same requests of every endpoint for each server: those that were recorded for the sample chain, and some made from the document. */
export async function allPaths(server: ApiServer): Promise<string[]> {
  const known = recorded.map(({ path }) => path);
  const document = JSON.parse((await server.get('/openapi.json')).text) as OpenApiDocument;
  const made = fc
    .sample(requests(document, known), { numRuns: MADE, seed: 1 })
    .flatMap(({ method, path, operationId }) => (method === 'get' && operationId !== ENDLESS ? [path] : []));
  const all = [...new Set([...known, ...made])].filter(
    path => !STATUS.test(path) && !OF_A_NODE.test(path) && URL.canParse(path, 'http://host'),
  );
  return all.filter((_, i) => i % SHARE === 0);
}

/** Every response, status and text, is that of the other server. @throws with the first ones that are not */
export async function assertSameResponses(
  actual: ApiServer,
  expected: ApiServer,
  paths: readonly string[],
): Promise<void> {
  const different: string[] = [];
  let good = 0;
  const queue = [...paths];
  const ask = async () => {
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const [have, want] = await Promise.all([responseOf(actual, path), responseOf(expected, path)]);
      if (want.status === 200) good++;
      if (have.status === want.status && have.text === want.text) continue;
      different.push(
        `${path}\n  ${have.status} ${have.text.slice(0, 300)}\n  ${want.status} ${want.text.slice(0, 300)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  assert.equal(
    different.length,
    0,
    `${different.length} of ${paths.length} differ:\n${different.slice(0, 5).join('\n')}`,
  );
  // Most requests are about the sample chain; other chains have less of what they ask for.
  assert.ok(good > paths.length / 4, `only ${good} of ${paths.length} requests were answered 200`);
}

/** The response to a request that a busy server may refuse at first: on a slow machine it does. */
async function responseOf(server: ApiServer, path: string): Promise<ApiResponse> {
  let response = await server.get(path);
  const isRefused = () => response.status === 503 && JSON.parse(response.text).code === 'OVERLOADED';
  await until(async () => {
    if (isRefused()) response = await server.get(path);
    return !isRefused();
  }, `${path} is refused for ever`);
  return response;
}
