import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JSON_MEDIA, type OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import { openFreshOf } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { assertCompiles } from './compile.ts';
import { everyChain } from './every-field/chain.ts';
import { SIGNER } from './every-field/staking.ts';
import { questionsOfVersion3 } from './every-field/version-3.ts';
import { PublishedTypes } from './published-schema.ts';
import { SchemaCoverage } from './schema-coverage.ts';

const ROOT = join(import.meta.dirname, '../..');
const TYPES = join(ROOT, 'node_modules/@stacks/blockchain-api-client/lib/generated/schema.d.ts');
const V3 = '/extended/v3/';

/** Paths of version 3 that the published client calls. */
const clientPaths = [...readFileSync(TYPES, 'utf8').matchAll(/^ {4}"(\/extended\/v3\/[^"]+)": \{/gm)].flatMap(
  ([, path]) => path ?? [],
);

/** What our responses have, and the published types have not (docs/compatibility.md): everywhere, or beside another member. */
const MORE: readonly (readonly [member: string, beside?: string])[] = [
  ['post_condition_mode'],
  ['auth'],
  ['time_iso'],
  ['enrollment_cutoff'],
  ['projected_time'],
  ['projected_time_iso'],
  ['time', 'pox_cycle'],
  ['rewards', 'paid_out'],
];

/** What the published types have, and no chain can give, with the reason. */
const IMPOSSIBLE: readonly (readonly [reason: string, parts: RegExp])[] = [
  [
    'what is locked is told by the type: outputs of l1, the transaction of l2',
    /registrations\/\{principal\}\|(0\.type=l2|1\.type=l1)$/,
  ],
  ['what is listed waits, and was not dropped', /mempool\/transactions\.results\[\]\|\d\.status=dropped_/],
  ['a transfer always has the 34 bytes of its memo', /token_transfer\.memo\|1$/],
  [
    'a coinbase and a tenure change belong to the block of their miner, so none waits',
    /mempool\/transactions\.results\[\]\|[45]|transactions\/\{tx_id\}\|1[01]/,
  ],
];

/** A response that is kept, as it fills something that no other does. */
interface Kept {
  readonly path: string;
  readonly body: unknown;
}

test('responses of version 3 compile against the types of the published client, every field and variant filled', async t => {
  const empty = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const { body } = await empty.get('/openapi.json');
  const document = body as OpenApiDocument;
  // What a server is, no chain decides.
  const served = Object.keys(document.paths).filter(path => path.startsWith(V3) && path !== `${V3}status`);
  const types = new PublishedTypes(TYPES);
  const schemas = new Map(clientPaths.map(path => [path, types.responseOf(path)]));
  const [coverage, published] = [new SchemaCoverage(document), new SchemaCoverage(document)];
  const kept: Kept[] = [];
  const schemaOf = (path: string) => document.paths[path]?.get?.responses['200']?.content?.[JSON_MEDIA]?.schema ?? {};
  const templates = served.map(path => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  const keep = async (index: TestIndex, url: string) => {
    const path = templates.find(({ pattern }) => pattern.test(url.replace(/\?.*/, '')))?.path;
    if (path === undefined) return undefined;
    const { status, body } = await index.get(url);
    if (status !== 200) return undefined;
    const isFirst = !kept.some(other => other.path === path);
    const isNew = [coverage.add(schemaOf(path), body), published.add(schemas.get(path) ?? {}, body, path)];
    if (isFirst || isNew.includes(true)) kept.push({ path, body });
    return body;
  };

  await keep(empty, `${V3}stream/events`);
  await keep(empty, `${V3}mempool/bands`);
  await keep(empty, `${V3}mempool`);
  const chain = everyChain();
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  await index.deliver(...chain.deliveries);
  for (const url of questionsOfVersion3(chain)) {
    const withQuery = (query: string): string => `${url}${url.includes('?') ? '&' : '?'}${query}`;
    const { cursor } = (await keep(index, url)) ?? {};
    if (!cursor) continue;
    for (let { next } = cursor; next !== null; ) next = (await keep(index, withQuery(`cursor=${next}`)))?.cursor.next;
    const second = (await keep(index, withQuery('limit=1')))?.cursor.next;
    if (second) await keep(index, withQuery(`limit=1&cursor=${second}`));
    await keep(empty, url);
  }
  const length = 10_000;
  for (const poxCycles of [null, { first: 0, length, prepare: 1 }, { first: 0, length, prepare: length - 1 }]) {
    const database = await databaseWithTables(openFreshOf.sqlite, t);
    const other = await openTestIndex(database, { poxCycles });
    await other.deliver(...chain.deliveries);
    for (const path of ['cycles/0', 'cycles/current', `signers/${SIGNER}/cycles`, 'bonds'])
      await keep(other, `${V3}staking/${path}`);
  }

  assert.deepEqual(
    clientPaths.filter(path => !kept.some(other => other.path === path)),
    [],
    'methods that were not called',
  );
  const missing = new Set(served.flatMap(path => coverage.missing(schemaOf(path))));
  // This chain has no rewards of a cycle that were not calculated or claimed; test/model/cycle-rewards.test.ts compares such with the model.
  // Its principals send nothing to themselves; test/properties/movements.ts has such.
  assert.deepEqual(
    [...missing].filter(part => !part.startsWith('StakingCycleRewards.') && part !== 'Movement.direction=self'),
    [],
    'parts of responses that nothing fills',
  );
  const untold = clientPaths.flatMap(path => published.missing(schemas.get(path) ?? {}, path));
  assert.deepEqual(
    untold.filter(part => !IMPOSSIBLE.some(([, parts]) => parts.test(part))),
    [],
    'parts of the published types that nothing fills',
  );
  assert.deepEqual(
    IMPOSSIBLE.filter(([, parts]) => !untold.some(part => parts.test(part))),
    [],
    'exceptions that are none',
  );
  compile(kept.filter(({ path }) => clientPaths.includes(path)));
});

/** Compiles each body as what the client gets; words that the chain has learnt since are no types. @throws with the errors of the compiler */
function compile(kept: readonly Kept[]): void {
  const lines = kept.map(({ path, body }) => `check<'${path}'>(${JSON.stringify(body, withoutMore)});`);
  assertCompiles(`import type { paths } from '${TYPES}';
type Body<P extends keyof paths> = paths[P] extends
  { get: { responses: { 200: { content: { 'application/json': infer B } } } } } ? B : never;
declare function check<P extends keyof paths>(body: Body<P>): void;
declare const newWord: never;
${lines.join('\n').replaceAll(/"(unknown_\d+|rolled_over)"/g, 'newWord')}\n`);
}

function withoutMore(this: object, key: string, value: unknown): unknown {
  const isMore = MORE.some(([member, beside]) => member === key && (beside === undefined || beside in this));
  return isMore ? undefined : value;
}
