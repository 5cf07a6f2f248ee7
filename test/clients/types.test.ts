/** Responses fit the types that published clients have for them; version 3 has a test of its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { JSON_MEDIA, type OpenApiDocument } from '../../src/http/openapi/document.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { chainRequests } from '../chains/requests.ts';
import { openFreshOf } from '../support/engines.ts';
import { exampleRequests } from '../support/example-requests.ts';
import fc from '../support/fast-check.ts';
import { SampleMetadata } from '../support/sample-metadata.ts';
import { scale } from '../support/scale.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { assertCompiles } from './compile.ts';
import { methodsOfGeneratedClient } from './generated-client.ts';
import { OPENAPI_CLIENTS, routesOf, schemaFileOf } from './openapi-fetch-clients.ts';
import { SchemaCoverage } from './schema-coverage.ts';
import { shapeOf } from './values.ts';

const SAMPLE = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
const V3 = '/extended/v3/';

/** What our responses have, and the types of a client have not: by client, shape of the path, and key. */
const MORE: readonly (readonly [client: string, path: RegExp, keys: readonly string[]])[] = [
  ['client-8', /^\/extended$/, ['lag', 'gaps', 'set_aside']],
  ['client-8', /^\/extended\/v2\/addresses\/\{\}\/transactions$/, ['next_cursor', 'prev_cursor', 'cursor']],
  [
    'client-9',
    /^\/extended$/,
    ['lag', 'gaps', 'set_aside', 'pox_v1_unlock_height', 'pox_v2_unlock_height', 'pox_v3_unlock_height'],
  ],
  ['@hirosystems/token-metadata-api-client', /^\/metadata\/v1\/ft$/, ['asset_identifier']],
  ['@hirosystems/token-metadata-api-client', /^\/metadata\/v1$/, ['index_block_hash']],
];

/** Types that the hosted API breaks, too: its history of a token has null for the sender of a mint and the recipient of a burn. */
const NULL_UPSTREAM = /^\/extended\/v1\/tokens\/nft\/history$/;
/** In version 7 it is a list called `results`, which was never served. */
const UNTRUE_IN_7: ReadonlySet<string> = new Set(['getFilteredEvents']);

/** What nobody fills: only transactions of users wait; nobody has reported a forked microblock; words are known, and hashes there. */
const FILLED_BY_NOBODY: readonly RegExp[] = [
  /PoisonMicroblock/,
  /^Mempool(Coinbase|TenureChange)Transaction|^MempoolTransaction\|[345]$/,
  /^(Coinbase|TenureChange)Transaction\.(events\[\]|post_conditions\[\]|sponsor_|vm_error)/,
  /\.(anchor_mode|post_condition_mode|condition_code|cause)\|1$/,
  /\.(block_hash|microblock_hash|(parent|lock)_\w+|abi|vm_error|chain_tip|signer_key|start_cycle_id|pox_address)\|[01]$/,
  /\.(sender|recipient|pox_v\d_unlock_height|next_cursor|replaced_by_tx_id)\|[01]$/,
];
/** What these chains do not have: conditions of epoch 4, payments of PoX, subdomains, failures, and rich documents of tokens. */
const NOT_ON_THESE_CHAINS: readonly RegExp[] = [
  /^(Staking|Pox)PostCondition\.|^PostCondition\|[34]|^(PoxEventData|PoxTransaction\w*|PoxPostCondition)\b/,
  /^Subdomain\.|^NameInfo\|1$/,
  /^SetAside|^Status\.gaps|^ChainTip\.microblock|^AccountNonces\.detected/,
  /^PendingContractFound|^SearchResponse\.result\|5$/,
  /^Token(Attribute|Localization|Metadata)\.|\.total_supply$|^FoundToken\./,
  /^(Mempool)?(TokenTransfer|SmartContract)Transaction\.(post_conditions\[\]|sponsor_)|^AddressStxEvent\.data\|1/,
];

interface Kept {
  readonly path: string;
  readonly body: unknown;
}

/** Chains that are made for this, and what is asked about each. */
const CHAINS = 4;
const REQUESTS = 250;
/** Transactions of the sample chain whose events are asked for. */
const TRANSACTIONS = 400;

test('responses compile against the types of the published clients, every field and variant filled or named', async t => {
  if (scale === 'short') return t.skip('npm run test:all asks two thousand times');
  const { database } = await openFreshOf.sqlite(t);
  const sample = await openTestIndex(database);
  await sample.replay(SAMPLE);
  await new SampleMetadata(database).fill();
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
  for (const plan of fc.sample(chainPlans({ maxSteps: 40 }), { numRuns: CHAINS, seed: 7 })) {
    const chain = buildChain(plan);
    const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
    await index.deliver(...chain.sent.map(({ delivery }) => delivery));
    const urls = chainRequests(chain).filter(url => !url.startsWith(V3));
    for (const url of new Set(fc.sample(urls, { numRuns: REQUESTS, seed: 7 }))) await keep(index, url);
  }

  const missing = new Set(paths.flatMap(path => coverage.missing(schemaAt(document, path) ?? {})));
  for (const { folder } of OPENAPI_CLIENTS) assertCompiles(sourceForPaths(folder, kept));
  assertCompiles(sourceForMethods(kept));
  assert.deepEqual(
    [...missing].filter(part => ![...FILLED_BY_NOBODY, ...NOT_ON_THESE_CHAINS].some(pattern => pattern.test(part))),
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
    return name === undefined ? [] : [`check('${name}', ${literal(shape, body, more)});`];
  });
  return `import type { paths } from '${schemaFileOf(folder)}';
type Body<P extends keyof paths> = paths[P] extends
  { get: { responses: { 200: { content: { 'application/json': infer B } } } } } ? B : unknown;
declare function check<P extends keyof paths>(path: P, body: Body<P>): void;
${lines.join('\n')}\n`;
}

/** Each body as what a method of version 7 promises. What was added since does not matter, and a member of an enum stands for its text. */
function sourceForMethods(kept: readonly Kept[]): string {
  const methods = methodsOfGeneratedClient().filter(({ method }) => !UNTRUE_IN_7.has(method));
  const lines = kept.flatMap(({ path, body }) =>
    methods
      .filter(each => shapeOf(each.path) === shapeOf(path))
      .map(({ className, method }) => `check('${className}', '${method}', ${literal(shapeOf(path), body, [])});`),
  );
  return `import type * as client from 'client-7';
type Plain<T> = T extends string ? \`\${T}\` : T extends readonly (infer I)[] ? Plain<I>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Promised<C extends keyof typeof client, M> = (typeof client)[C] extends new (...args: never[]) => infer A
  ? M extends keyof A ? A[M] extends (...args: never[]) => Promise<infer R> ? Plain<R> : never : never : never;
declare function check<C extends keyof typeof client, M extends string, B extends Promised<C, M>>(
  of: C, method: M, body: B): void;
${lines.join('\n')}\n`;
}

const literal = (shape: string, body: unknown, more: readonly string[]): string =>
  JSON.stringify(body, (key, value: unknown) => {
    const isNullUpstream = value === null && /^(sender|recipient)$/.test(key) && NULL_UPSTREAM.test(shape);
    return more.includes(key) || isNullUpstream ? undefined : value;
  });
