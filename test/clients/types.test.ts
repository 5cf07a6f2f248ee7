/** Responses fit the types that published clients have for them; version 3 has a test of its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { JSON_MEDIA, type OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import { openFreshOf } from '../support/engines.ts';
import { exampleRequests } from '../support/example-requests.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { SampleMetadata } from '../support/sample-metadata.ts';
import { scale } from '../support/scale.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { assertCompiles } from './compile.ts';
import { everyChain } from './every-field/chain.ts';
import { QUESTIONS_OF_THE_EMPTY_CHAIN, questionsOfOlderVersions } from './every-field/older-versions.ts';
import { methodsOfGeneratedClient } from './generated-client.ts';
import { OPENAPI_CLIENTS, routesOf, schemaFileOf } from './openapi-fetch-clients.ts';
import { SchemaCoverage } from './schema-coverage.ts';
import { shapeOf } from './values.ts';

const SAMPLE = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
const V3 = '/extended/v3/';

/** What our responses have, and the types of a client have not: by client, shape of the path, and key. */
const MORE: readonly (readonly [client: string, path: RegExp, keys: readonly string[]])[] = [
  ['client-8', /^\/extended$/, ['lag', 'gaps', 'set_aside']],
  ['client-8', /^\/extended\/v2\/burn-blocks\/\{\}$/, ['canonical']],
  ['client-8', /^\/extended\/v2\/addresses\/\{\}\/transactions$/, ['next_cursor', 'prev_cursor', 'cursor']],
  [
    'client-9',
    /^\/extended$/,
    ['lag', 'gaps', 'set_aside', 'pox_v1_unlock_height', 'pox_v2_unlock_height', 'pox_v3_unlock_height'],
  ],
  ['client-9', /^\/extended\/v2\/burn-blocks\/\{\}$/, ['canonical']],
  ['@hirosystems/token-metadata-api-client', /^\/metadata\/v1\/ft$/, ['asset_identifier']],
  ['@hirosystems/token-metadata-api-client', /^\/metadata\/v1$/, ['index_block_hash']],
];

/** Null where the types of some clients have none, by shape of the path and key. */
const NULLS: readonly (readonly [path: RegExp, keys: readonly string[]])[] = [
  // The hosted API has it, too: the sender of a mint, the recipient of a burn.
  [/^\/extended\/v1\/tokens\/nft\/history$/, ['sender', 'recipient']],
  // Of a deployment that failed; version 9 has it too.
  [/^\/extended\/v1\/contract\/\{\}$/, ['abi']],
  // Before the first block.
  [/^\/metadata\/v1$/, ['chain_tip']],
];
/** In version 7 it is a list called `results`, which was never served. */
const UNTRUE_IN_7: ReadonlySet<string> = new Set(['getFilteredEvents']);

/** What no chain can give, with the reason. */
const IMPOSSIBLE: readonly (readonly [reason: string, parts: RegExp])[] = [
  ['an archive is loaded beside the chain, by serve', /^(ArchiveLoad|Status\.archive_load)/],
  ['a repair rebuilds blocks; no event of a node does', /^(RebuiltBlocks|Status\.rebuilt)/],
  [
    'a coinbase and a tenure change belong to the block of their miner, so none waits',
    /^Mempool(Coinbase|TenureChange)Transaction\.|^MempoolTransaction\|[45]$|^MempoolTransactionFound\..*=(coinbase|tenure_change)$/,
  ],
];

interface Kept {
  readonly path: string;
  readonly body: unknown;
}

/** Transactions of the sample chain whose events are requested. */
const TRANSACTIONS = 400;

test('responses compile against the types of the published clients, every field and variant filled or named', async t => {
  if (scale === 'short') return t.skip('npm run test:all asks two thousand times');
  const database = await databaseWithTables(openFreshOf.sqlite, t);
  const sample = await openTestIndex(database);
  await sample.replay(SAMPLE);
  const metadata = await new SampleMetadata(database).fill();
  const document = (await sample.get('/openapi.json')).body as OpenApiDocument;
  const paths = Object.keys(document.paths).filter(path => !path.startsWith(V3) && schemaAt(document, path));
  const coverage = new SchemaCoverage(document);
  const kept: Kept[] = [];
  const templates = paths.map(path => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  const keep = async (index: TestIndex, url: string) => {
    const asked = url.replace(/\?.*/, '');
    const path = paths.find(each => each === asked) ?? templates.find(({ pattern }) => pattern.test(asked))?.path;
    if (path === undefined) return;
    const { status, body } = await index.get(url);
    if (status !== 200) return;
    const isFirst = !kept.some(other => other.path === path);
    if (coverage.add(schemaAt(document, path) ?? {}, body) || isFirst) kept.push({ path, body });
  };

  for (const { path, url } of exampleRequests(document)) if (!path.startsWith(V3)) await keep(sample, url);
  for (const url of metadata) await keep(sample, url);
  for (let offset = 0; offset < TRANSACTIONS; offset += 50) {
    const { body } = await sample.get(`/extended/v1/tx?limit=50&offset=${offset}`);
    for (const { tx_id, sender_address } of body.results) {
      await keep(sample, `/extended/v2/addresses/${sender_address}/transactions/${tx_id}/events`);
      await keep(sample, `/extended/v1/address/${sender_address}/${tx_id}/with_transfers`);
    }
  }
  const { body: pending } = await sample.get('/extended/v1/tx/mempool?limit=50');
  for (const { tx_id, sender_address } of pending.results) {
    await keep(sample, `/extended/v1/search/${tx_id}?include_metadata=true`);
    await keep(sample, `/extended/v1/address/${sender_address}/nonces`);
  }
  const empty = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  for (const url of QUESTIONS_OF_THE_EMPTY_CHAIN) await keep(empty, url);
  const everything = everyChain();
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  await index.deliver(...everything.deliveries);
  for (const url of questionsOfOlderVersions(everything)) await keep(index, url);

  const missing = new Set(paths.flatMap(path => coverage.missing(schemaAt(document, path) ?? {})));
  assert.deepEqual(
    IMPOSSIBLE.filter(([, parts]) => ![...missing].some(part => parts.test(part))),
    [],
    'exceptions that are none',
  );
  for (const { folder } of OPENAPI_CLIENTS) assertCompiles(sourceForPaths(folder, kept));
  assertCompiles(sourceForMethods(kept));
  assert.deepEqual(
    [...missing].filter(part => !IMPOSSIBLE.some(([, parts]) => parts.test(part))),
    [],
    'parts of responses that nothing fills',
  );
});

const schemaAt = (document: OpenApiDocument, path: string) =>
  document.paths[path]?.get?.responses['200']?.content?.[JSON_MEDIA]?.schema;

/** Each body as what a client with one type a path gets. What the types do not describe is unknown. */
function sourceForPaths(folder: string, kept: readonly Kept[]): string {
  const published = new Map(routesOf(folder).map(({ path }) => [shapeOf(path), path]));
  const lines = kept.flatMap(({ path, body }) => {
    const shape = shapeOf(path);
    const name = published.get(shape);
    const more = MORE.filter(([client, pattern]) => client === folder && pattern.test(shape)).flatMap(
      ([, , keys]) => keys,
    );
    return name === undefined ? [] : [`check('${name}', ${literal(folder, shape, body, more)});`];
  });
  return `import type { paths } from '${schemaFileOf(folder)}';
type Body<P extends keyof paths> = paths[P] extends
  { get: { responses: { 200: { content: { 'application/json': infer B } } } } } ? B : unknown;
declare function check<P extends keyof paths>(path: P, body: Body<P>): void;
declare const untyped: never;
${lines.join('\n')}\n`;
}

/** Each body as what a method of version 7 promises. What was added since does not matter, and a member of an enum stands for its text. */
function sourceForMethods(kept: readonly Kept[]): string {
  const methods = methodsOfGeneratedClient().filter(({ method }) => !UNTRUE_IN_7.has(method));
  const lines = kept.flatMap(({ path, body }) =>
    methods
      .filter(each => shapeOf(each.path) === shapeOf(path))
      .map(
        ({ className, method }) => `check('${className}', '${method}', ${literal('client-7', shapeOf(path), body)});`,
      ),
  );
  return `import type * as client from 'client-7';
type Plain<T> = T extends string ? \`\${T}\` : T extends readonly (infer I)[] ? Plain<I>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Promised<C extends keyof typeof client, M> = (typeof client)[C] extends new (...args: never[]) => infer A
  ? M extends keyof A ? A[M] extends (...args: never[]) => Promise<infer R> ? Plain<R> : never : never : never;
declare function check<C extends keyof typeof client, M extends string, B extends Promised<C, M>>(
  of: C, method: M, body: B): void;
declare const untyped: never;
${lines.join('\n')}\n`;
}

/** A body as source for a client; what its types cannot know fits everywhere. */
const literal = (client: string, shape: string, body: unknown, more: readonly string[] = []): string =>
  JSON.stringify(body, (key, value: unknown) => {
    const isNull = value === null && NULLS.some(([path, keys]) => path.test(shape) && keys.includes(key));
    if (isNull || isUnknown(value) || (client !== 'client-9' && isSinceVersion8(value))) return UNTYPED;
    if (more.includes(key)) return undefined;
    return isContractPrincipal(value) ? { ...value, metadata: UNTYPED } : value;
  }).replaceAll(`"${UNTYPED}"`, 'untyped');
const UNTYPED = 'what the types do not have';

/** What a search finds of a contract that is not deployed: the types have metadata of deployments only. */
const isContractPrincipal = (value: unknown): value is { readonly metadata: object } =>
  typeof value === 'object' &&
  value !== null &&
  'entity_type' in value &&
  value.entity_type === 'contract_address' &&
  'metadata' in value &&
  typeof value.metadata === 'object' &&
  value.metadata !== null &&
  'balance' in value.metadata;

/** A word that this program does not know either. */
const isUnknown = (value: unknown): boolean => typeof value === 'string' && /^unknown_\d+$/.test(value);

/** What epoch 4.0 has brought: a status, and kinds of post-conditions. */
const isSinceVersion8 = (value: unknown): boolean =>
  value === 'problematic_skipped' ||
  (typeof value === 'object' &&
    value !== null &&
    'condition_code' in value &&
    'type' in value &&
    (value.type === 'staking' || value.type === 'pox'));
