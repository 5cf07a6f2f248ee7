/** What one response shows as an address, every route that takes addresses accepts. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Entry, OpenApiDocument, Parameter } from '../src/api/http/openapi/document.ts';
import { isBitcoinAddress, isValidPrincipal } from '../src/base/codec/index.ts';
import { openFreshOf } from './support/engines.ts';
import { ENDLESS, exampleRequests, examplesOf } from './support/example-requests.ts';
import { readsOf, urlOf } from './support/operations.ts';
import { RECORDED_ARCHIVES } from './support/recording.ts';
import { referencePath, withoutReference } from './support/reference-material.ts';
import { replayed } from './support/replayed.ts';
import { scale } from './support/scale.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';

/** Of each list. */
const MOST_PAGES = scale === 'short' ? 3 : 100;

/** Kinds of addresses, as routes take them. */
interface Addresses {
  readonly principals: Set<string>;
  readonly bitcoin: Set<string>;
}

/** Adds every address in a value, also where it is a part of a text: `address:balance`, an asset identifier, Clarity in words. */
function collect(value: unknown, into: Addresses): void {
  if (typeof value === 'string') {
    for (const [word] of value.matchAll(/[A-Za-z0-9.-]{20,}/g)) {
      if (isBitcoinAddress(word)) into.bitcoin.add(word);
      if (/^S[PMTN]/.test(word) && isValidPrincipal(word)) into.principals.add(word);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      collect(key, into);
      collect(member, into);
    }
  }
}

/** The addresses in the examples' responses, in all lists that need no parameter, and in the payments of all burn blocks. */
async function addressesOf(index: TestIndex, document: OpenApiDocument): Promise<Addresses> {
  const found: Addresses = { principals: new Set(), bitcoin: new Set() };
  const read = async (url: string) => {
    const { body } = await index.page(url, { accept: 'application/json' });
    const value = JSON.parse(body);
    collect(value, found);
    return value;
  };
  const seen = new Set<string>();
  for (const { method, operationId, url } of exampleRequests(document)) {
    // Of each operation the first: without any parameter that it does not require.
    if (method !== 'get' || operationId === ENDLESS || seen.has(operationId)) continue;
    seen.add(operationId);
    await read(url);
  }
  const lists = readsOf(document).filter(
    ({ operation: { parameters = [] } }) => parameters.some(isLimit) && !parameters.some(({ required }) => required),
  );
  for (const { path, operation } of lists) {
    const { maximum = 20 } = operation.parameters?.find(isLimit)?.schema ?? {};
    const hasOffset = operation.parameters?.some(({ name }) => name === 'offset');
    for (let page = 0; page < (hasOffset ? MOST_PAGES : 1); page++) {
      const { results } = await read(`${path}?limit=${maximum}${hasOffset ? `&offset=${page * maximum}` : ''}`);
      if (!Array.isArray(results) || results.length < maximum) break;
    }
  }
  const { results } = (await index.get('/extended/v2/burn-blocks?limit=30')).body;
  for (const { burn_block_height } of results)
    await read(`/extended/v2/burn-blocks/${burn_block_height}/pox-transactions`);
  return found;
}

const isLimit = ({ name }: Parameter): boolean => name === 'limit';

/** An operation, and one of its parameters that takes addresses. */
interface Taker extends Entry {
  readonly parameter: Parameter;
}

/** The addresses that a parameter is for; undefined where it takes none. */
function takes({ operation: { operationId }, parameter }: Taker, { principals, bitcoin }: Addresses) {
  const { name, schema } = parameter;
  const all = [...principals];
  if (operationId.startsWith('getBurnchain') && name.endsWith('address'))
    return [...bitcoin, ...all.filter(isStandard)];
  if (operationId.startsWith('search') && (name === 'id' || name === 'q')) return [...bitcoin, ...all];
  switch (schema.format ?? schema.items?.format) {
    case 'stacks-principal':
      return all;
    case 'stacks-address':
      return all.filter(isStandard);
    case 'stacks-contract':
      return all.filter(principal => !isStandard(principal));
    default:
      return undefined;
  }
}

const isStandard = (principal: string): boolean => !principal.includes('.');

/** The request to an operation with a value of one parameter; of others it has what it requires. */
function requestWith({ path, operation, parameter }: Taker, address: string): string {
  const required = (operation.parameters ?? []).filter(one => one.required && one !== parameter);
  return urlOf(path, {
    ...Object.fromEntries(required.map(one => [one.name, String(examplesOf(one)[0])])),
    // Without its type a search does not look for one of Bitcoin.
    ...(operation.operationId === 'searchV3' && { type: 'bitcoin_address' }),
    [parameter.name]: address,
  });
}

/** @returns how many principals and addresses of Bitcoin the responses have, and the requests with one that is refused */
async function refusedIn(t: TestContext, archive: string, chainId: number) {
  const { database } = await replayed(openFreshOf.sqlite, archive, chainId)(t);
  const index = await openTestIndex(database, { chainId });
  const document = (await index.get('/openapi.json')).body as OpenApiDocument;
  const addresses = await addressesOf(index, document);
  const refused: string[] = [];
  for (const takers of takersOf(document, addresses)) {
    // Routes of one format share its check: each address goes to one of them, and to the next one in turn.
    const longest = Math.max(...takers.map(({ list }) => list.length));
    for (let i = 0; i < Math.max(longest, takers.length); i++) {
      const { taker, list } = takers[i % takers.length] ?? assert.fail();
      const address = list[i % list.length];
      if (address === undefined) continue;
      const url = requestWith(taker, address);
      const { status, body } = await index.page(url, { accept: 'application/json' });
      if (status === 400) refused.push(`${url}: ${body}`);
    }
  }
  return { principals: addresses.principals.size, bitcoin: addresses.bitcoin.size, refused };
}

/** The parameters that take addresses: those of one format together, others alone. */
function takersOf(document: OpenApiDocument, addresses: Addresses) {
  const found = new Map<string, { readonly taker: Taker; readonly list: readonly string[] }[]>();
  for (const entry of readsOf(document)) {
    for (const parameter of entry.operation.parameters ?? []) {
      const taker = { ...entry, parameter };
      const list = takes(taker, addresses);
      if (list === undefined) continue;
      const key = parameter.schema.format ?? parameter.schema.items?.format ?? entry.operation.operationId;
      found.set(key, [...(found.get(key) ?? []), { taker, list }]);
    }
  }
  assert.ok(found.size > 8, 'formats, and routes that have their own check');
  return found.values();
}

test('every route that takes an address accepts every address that a response has', async t => {
  const sample = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
  const { principals, bitcoin, refused } = await refusedIn(t, sample, 0x80000000);
  assert.deepEqual(refused, []);
  assert.ok(principals > 60 && bitcoin > 5, `${principals} principals, ${bitcoin} addresses of Bitcoin`);
});

describe('addresses in responses about other chains', {
  skip: withoutReference('data') || (scale === 'short' && 'npm run test:all loads them'),
}, () => {
  for (const name of RECORDED_ARCHIVES) {
    test(`every route accepts those of ${name}`, async t => {
      const chainId = name.startsWith('mainnet') ? 1 : 0x80000000;
      const { principals, refused } = await refusedIn(t, referencePath(`data/${name}.tsv.gz`), chainId);
      assert.deepEqual(refused, []);
      assert.ok(principals > 0);
    });
  }
});
