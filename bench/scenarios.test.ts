import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { operationsOf } from '../src/api/http/openapi/document.ts';
import { onSqliteAtLeast } from '../test/support/engines.ts';
import { apiDocument } from '../test/support/operations.ts';
import { replayed } from '../test/support/replayed.ts';
import { SampleMetadata } from '../test/support/sample-metadata.ts';
import { scale } from '../test/support/scale.ts';
import { openTestIndex } from '../test/support/test-index.ts';
import { scenarios, shortSet } from './scenarios.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

/** Scenarios that the sample chain has no entity for. */
const WITHOUT_ENTITIES: readonly string[] = [
  'getBondAllowlistEntriesV3',
  'getBondAllowlistEntryV3',
  'getBondEventsV3',
  'getBondRegistrationV3',
  'getBondRegistrationsV3',
  'getBondV3',
  'getBurnBlockPoxTransactionsV2',
  'getBurnchainAddressPoxTransactionsV2',
  'getStakingCycleSignerStakersV3',
  'getStakingSignerStakersV3',
  'getStakingSignerV3',
];

/** Paths of a scenario: evenly spread over all that it has. */
const ASKED = scale === 'short' ? 1 : 5;
/** Scenarios whose pages are requested. */
const EVERY = scale === 'short' ? 8 : 1;

onSqliteAtLeast((engine, openFresh) => {
  test(`every page that benchmarks measure gets 200, and every scenario has a route (${engine})`, async t => {
    const { database } = await replayed(openFresh, archive)(t);
    const index = await openTestIndex(database);
    await new SampleMetadata(database).fill();
    const all = await scenarios(database);

    const empty = all.filter(({ paths }) => paths.length === 0).map(({ name }) => name);
    assert.deepEqual(empty, WITHOUT_ENTITIES);
    const measured = new Set(all.map(({ name }) => name.split(/[ ,]/)[0] ?? ''));
    const published = operationsOf(await apiDocument()).map(({ operation }) => operation.operationId);
    assert.deepEqual(
      [...measured].filter(name => !published.includes(name)),
      [],
      'scenarios without a route',
    );
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length, 'two scenarios have the same name');
    assert.equal(shortSet(all).length, 9);
    for (const [i, { name, paths }] of all.entries()) {
      if (i % EVERY !== 0) continue;
      const step = Math.ceil(paths.length / ASKED);
      for (const path of paths.filter((_, i) => i % step === 0)) {
        const { status } = await index.get(path);
        assert.equal(status, 200, `${name}: ${path}`);
      }
    }
  });
});
