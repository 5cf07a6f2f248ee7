import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JSON_MEDIA, type OpenApiDocument } from '../../src/http/openapi/document.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { chainRequests } from '../chains/requests.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { exampleRequests } from '../support/example-requests.ts';
import fc from '../support/fast-check.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { lockEvent } from '../support/staking-prints.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { assertCompiles } from './compile.ts';
import { SchemaCoverage } from './schema-coverage.ts';

const ROOT = join(import.meta.dirname, '../..');
const TYPES = join(ROOT, 'node_modules/@stacks/blockchain-api-client/lib/generated/schema.d.ts');
const V3 = '/extended/v3/';

/** Paths of version 3 that the published client calls. */
const clientPaths = [...readFileSync(TYPES, 'utf8').matchAll(/^ {4}"(\/extended\/v3\/[^"]+)": \{/gm)].flatMap(
  ([, path]) => path ?? [],
);

/** What our responses have, and the published types have not (docs/compatibility.md). */
const MORE: readonly string[] = ['post_condition_mode'];

/** A response that is kept, as it fills something that no other does. */
interface Kept {
  readonly path: string;
  readonly body: unknown;
}

/** Everything there is to tell of a transaction. */
const WHOLE = '?include=function_args,source_code,post_conditions,result';

/** What these chains do not have: reports of forked microblocks, the newest conditions and unknown words, and rare parts of some types. */
const NEVER_FILLED: readonly RegExp[] = [
  /PoisonMicroblock/,
  /^(MempoolTransactionSummary\|3|WholeTransaction\|9)$/,
  /^(Staking|Pox)PostCondition\.|^PostCondition\|[34]$/,
  /\.(post_condition_mode|condition_code|cause)\|1$/,
  /\.(sponsor|vm_error|replaced_by_tx_id)\|0$/,
  /\.clarity_version\|[01]$/,
  /\.post_conditions\[\]$/,
];

const chain = new ChainBuilder();
/** A transaction of each type that users send. */
const waiting = [chain.transfer(), chain.deploy('waits', 'go'), chain.call('waits', 'go')];

/** It sends transactions that leave out a nonce. */
const SKIPPING = 43;
const skipping = [0, 2].map(nonce => transferOf({ from: SKIPPING, nonce }));

/** Its STX are locked. */
const LOCKED = accountAddress(42);

/** Chains that are made for this, and what is asked about each. */
const CHAINS = 4;
const REQUESTS = 200;

test('responses of version 3 compile against the types of the published client, every field and variant filled', async t => {
  const sample = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const { body } = await sample.get('/openapi.json');
  const document = body as OpenApiDocument;
  const served = clientPaths.filter(path => document.paths[path] !== undefined);
  // Random chains have little of staking: what they have must compile, and need not be everything.
  const filled = served.filter(path => !path.includes('/staking'));
  const coverage = new SchemaCoverage(document);
  const kept: Kept[] = [];
  const schemaOf = (path: string) => document.paths[path]?.get?.responses['200']?.content?.[JSON_MEDIA]?.schema ?? {};
  const templates = served.map(path => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  const keep = async (index: TestIndex, url: string) => {
    const path = templates.find(({ pattern }) => pattern.test(url.replace(/\?.*/, '')))?.path;
    if (path === undefined) return;
    const answer = await index.get(url);
    if (answer.status !== 200) return;
    const isFirst = !kept.some(other => other.path === path);
    if (coverage.add(schemaOf(path), answer.body) || isFirst) kept.push({ path, body: answer.body });
  };

  await sample.replay(join(ROOT, 'examples/sample-chain.tsv.gz'));
  for (const { path, url } of exampleRequests(document)) if (path.startsWith(V3)) await keep(sample, url);
  for (const id of await transactionIds(sample)) {
    await keep(sample, `${V3}transactions/${id}${WHOLE}`);
    await keep(sample, `${V3}transactions/${id}/events`);
  }
  const locking = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const transfer = chain.transfer();
  const lock = { txid: transfer.txId, committed: true, ...lockEvent(LOCKED, 77, 5000) };
  await locking.deliver(chain.block({ txs: [{ ...transfer, events: [...transfer.events, lock] }] }).delivery);
  await keep(locking, `${V3}principals/${LOCKED}/balances/stx`);
  for (const plan of fc.sample(chainPlans({ maxSteps: 40 }), { numRuns: CHAINS, seed: 7 })) {
    const chain = buildChain(plan);
    const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
    await index.deliver(...chain.sent.map(({ delivery }) => delivery));
    const urls = fc.sample(
      chainRequests(chain).filter(url => url.startsWith(V3)),
      { numRuns: REQUESTS, seed: 7 },
    );
    for (const url of new Set(urls)) await keep(index, url);
    const bonds = (await index.get(`${V3}staking/bonds?limit=50`)).body.results;
    for (const list of bonds.flatMap(({ index: bond }: { index: number }) =>
      ['allowlist', 'registrations'].map(name => `${V3}staking/bonds/${bond}/${name}`),
    )) {
      const { results } = (await index.get(`${list}?limit=50`)).body;
      for (const { staker } of results) await keep(index, `${list}/${staker}`);
    }
    await index.deliver(announced(...waiting, ...skipping));
    await keep(index, `${V3}principals/${accountAddress(SKIPPING)}/nonces`);
    const { results } = (await index.get(`${V3}mempool/transactions?limit=50`)).body;
    for (const { tx_id } of results) await keep(index, `${V3}transactions/${tx_id}${WHOLE}`);
  }

  assert.deepEqual(
    filled.filter(path => !kept.some(other => other.path === path)),
    [],
    'methods that were not called',
  );
  const missing = filled.flatMap(path => coverage.missing(schemaOf(path)));
  assert.deepEqual(
    [...new Set(missing)].filter(part => !NEVER_FILLED.some(pattern => pattern.test(part))),
    [],
    'parts of responses that nothing fills',
  );
  compile(kept);
});

/** Of every transaction, by cursors. */
async function transactionIds(index: TestIndex): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await index.get(`${V3}transactions?limit=50${cursor === null ? '' : `&cursor=${cursor}`}`);
    for (const { tx_id } of body.results) ids.push(tx_id);
    cursor = body.cursor.next;
  } while (cursor !== null);
  return ids;
}

/** Compiles each body as what the client gets. @throws with the errors of the compiler */
function compile(kept: readonly Kept[]): void {
  const lines = kept.map(({ path, body }) => `check<'${path}'>(${JSON.stringify(body, withoutMore)});`);
  assertCompiles(`import type { paths } from '${TYPES}';
type Body<P extends keyof paths> = paths[P] extends
  { get: { responses: { 200: { content: { 'application/json': infer B } } } } } ? B : never;
declare function check<P extends keyof paths>(body: Body<P>): void;
${lines.join('\n')}\n`);
}

const withoutMore = (key: string, value: unknown): unknown => (MORE.includes(key) ? undefined : value);
