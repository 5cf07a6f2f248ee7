/** Every route is one of the hosted API, or public because a user requested it, or internal: docs/compatibility.md#what-only-this-index-has. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type Entry, type OpenApiDocument, operationsOf } from '../src/api/http/openapi/document.ts';
import { openFreshOf } from './support/engines.ts';
import { openTestIndex } from './support/test-index.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Routes of the hosted API that no published client calls; /metadata without a version is the older path of /metadata/v1. */
const HOSTED = new Set(
  `getPrincipalInboundStxTransfersV3 getPrincipalOutboundStxTransfersV3 getStxTotalSupplyV3 getStxHoldersV3 getFtTotalSupplyV3 getFtHoldersByBalanceV3
  getNftInstanceHistoryV3 getSmartContractV3 getTransactionsBatchV3 getPrincipalFtTransfersV3 getPrincipalMiningV3 getPrincipalMiningRewardsV3 getBondEventsV3 getMempoolSummaryV3 getStakingCycleV3 searchV3 getStakingOverviewV3 getStakingRewardsV3 getStakingCycleSignersV3 getMetadataStatusV1
  getNftMetadata getSftMetadata getFtMetadata getFungibleTokens getMetadataStatus`.split(/\s+/),
);

/** The name of a route without the version of its path: what clients of that version call it. */
const unversioned = (operationId: string): string => operationId.replace(/V\d$/, '');

/** The calls of published clients: names of functions, and `GET /path`. */
const calls = new Set([...textOf('docs/clients.md').matchAll(/^\| `([^`]+)` \| works/gm)].map(([, call = '']) => call));
const callNames = new Set([...calls].map(call => call.split('.').at(-1)));

const bare = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const calledPaths = new Set([...calls].map(call => bare(call.replace(/^GET /, ''))));

const isCalled = ({ path, operation }: Entry): boolean =>
  callNames.has(unversioned(operation.operationId)) || calledPaths.has(bare(path));

/** The user of each path of the table. */
function onlyHere(): ReadonlyMap<string, string> {
  const [, table = ''] = /^## What only this index has$([\s\S]*?)^## /m.exec(textOf('docs/compatibility.md')) ?? [];
  const rows = [...table.matchAll(/^\| (.*) \| .* \| (.*) \|$/gm)];
  return new Map(
    rows.flatMap(([, paths = '', user = '']) =>
      [...paths.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']): [string, string] => [path, user]),
    ),
  );
}

let operations: readonly Entry[];
before(async () => {
  const fresh = await openFreshOf.sqlite();
  const index = await openTestIndex(fresh.database);
  operations = operationsOf((await index.get('/openapi.json')).body as OpenApiDocument);
  await fresh.cleanup();
});

/** Paths of the metadata API are there without their version too. */
const versioned = (path: string): string => path.replace(/^\/metadata\/(?!v1(\/|$))/, '/metadata/v1/');

test('a route is of the hosted API, or docs/compatibility.md names its user', () => {
  const table = onlyHere();
  assert.ok(table.size > 15, `only ${table.size} paths in the table`);
  const unknown = operations.filter(
    entry => !isCalled(entry) && !HOSTED.has(entry.operation.operationId) && !table.get(versioned(entry.path)),
  );
  assert.deepEqual(
    unknown.map(({ operation }) => operation.operationId),
    [],
  );
});

test('a route is marked as internal exactly where the table says so', () => {
  const table = onlyHere();
  for (const { path, operation } of operations) {
    const isInternal = table.get(versioned(path))?.endsWith('internal') ?? false;
    assert.equal(operation['x-internal'] ?? false, isInternal, operation.operationId);
    if (isInternal) assert.match(operation.description ?? '', /Internal: /);
  }
});

test('an internal route is requested by the explorer, and by no published client', () => {
  const sources = globSync(['src/api/explorer/**/*.ts', 'assets/explorer/*.js'], { cwd: ROOT }).map(textOf).join('\n');
  const internal = operations.filter(({ operation }) => operation['x-internal']);
  assert.ok(internal.length > 10, `only ${internal.length} routes`);
  for (const entry of internal) {
    const pattern = versioned(entry.path)
      .split(/\{\w+\}/)
      .map(part => part.replaceAll('.', '\\.'))
      .join('(\\$\\{[^/]+\\}|\\w+)');
    assert.match(sources, new RegExp(`${pattern}(?![/\\w-])`), entry.operation.operationId);
    assert.ok(!isCalled(entry), `${entry.operation.operationId} is called by a client`);
  }
});

/** Routes of versions 1 and 2 that upstream does not deprecate, as far as is known. */
const NOT_DEPRECATED = new Set<string>(
  `findContractsByTraitV1 getContractsByTraitV1 getAverageBlockTimesV2 getBlockByBlockTimeV2 getBlockV2 getBlocksByBurnBlockV2 getBlocksV2 getBurnBlockPoxTransactionsV2 getBurnBlockV2
  getBurnBlocksV2 getBurnchainAddressPoxTransactionsV2 getMempoolFeePrioritiesV2 getPoxCycleSignerStackersV2 getPoxCycleSignerV2 getPoxCycleSignersV2
  getPoxCycleV2 getPoxCyclesV2 getSignerSignaturesForBlockV2 getSmartContractLogsV2 getSmartContractsStatusV2 getTenureBlocksV2`.split(
    /\s+/,
  ),
);

test('a route below version 3 is deprecated unless upstream keeps it, and what replaces it is a route', () => {
  const older = operations.filter(({ path }) => /^\/(extended\/)?v[12]\//.test(path));
  const kept = older.filter(({ operation }) => !operation.deprecated).map(({ operation }) => operation.operationId);
  assert.deepEqual(new Set(kept), NOT_DEPRECATED);
  const newer = operations.filter(({ path }) => path.startsWith('/extended/v3/'));
  assert.ok(newer.every(({ operation }) => !operation.deprecated));
  const paths = new Set(newer.map(({ path }) => bare(path)));
  const successors = older.flatMap(
    ({ operation }) => /in favour of `(.*)`/.exec(operation.description ?? '')?.[1] ?? [],
  );
  assert.ok(successors.length > 5);
  assert.deepEqual(
    successors.filter(path => !paths.has(bare(path))),
    [],
  );
});
