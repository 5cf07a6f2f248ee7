import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../crash/random.ts';
import { assertComplete, journalOfDelivered } from '../../crash/reference.ts';
import { sampleEvents } from '../../crash/round.ts';
import { type CrashStore, schemaStore } from '../../crash/store.ts';
import { casesOf, scale } from '../../support/scale.ts';
import { until } from '../../support/until.ts';
import { cleanedUp } from '../cleanup.ts';
import { startClients } from '../clients.ts';
import { historyOf, WATCHED } from '../history.ts';
import { senderOf, startApiNode, startWriter } from '../processes.ts';
import { allPaths } from '../responses.ts';
import { haveSameResponses, positionOf, singleProcess } from '../single.ts';
import { teller } from '../teller.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findClusterPrograms } from './programs.ts';

const programs = findClusterPrograms();
/** Six programs, and failovers that take as long as their leases: too much for a short run. */
const skip = scale === 'short' ? 'in npm run test:all' : 'missing' in programs && programs.missing;
const KILLS = casesOf('FAILOVERS');
const SEED = Number(process.env.CRASH_SEED ?? 1);
const CLIENTS_PER_NODE = 2;
/** A kill comes so many milliseconds after the first event of a part, at most. */
const MOST_DELAY_MS = 1_000;

let cluster: Cluster | undefined;
before(async () => {
  if (skip === false && !('missing' in programs)) cluster = await startCluster(programs);
});
after(() => cluster?.stop());

/** The URL of a pooler that keeps no prepared statements, as pgbouncer before 1.21, for the schema of a store. */
function pooledAs(pooler: string, store: CrashStore): string {
  const url = new URL(store.args[1] ?? '');
  const schema = url.searchParams.get('schema') ?? '';
  return `${pooler}?schema=${schema}&prepare=false`;
}

test('whenever a primary with synchronous replicas fails, nothing acknowledged is lost, and no client is led back or refused without Retry-After', {
  skip,
}, async t => {
  if (!cluster || 'missing' in programs) return;
  t.diagnostic(programs.versions);
  const tell = teller(t);
  const cleanup = cleanedUp(t);
  const random = seededRandom(SEED);
  const events = sampleEvents();
  const expected = await journalOfDelivered(events);
  const history = await historyOf(events);
  await cluster.untilWhole();
  tell('the cluster is whole');
  const store = schemaStore(cluster.primary);
  const [pooled, pooledReplicas] = [pooledAs(cluster.pooled.primary, store), pooledAs(cluster.pooled.replicas, store)];
  const [writer, otherWriter, ...nodes] = await Promise.all([
    startWriter(store.args, cleanup),
    startWriter(store.args, cleanup),
    startApiNode([...store.args, '--read-database', cluster.replicas], cleanup),
    startApiNode(['--database', pooled, '--read-database', pooledReplicas], cleanup),
  ]);
  const writers = [writer, otherWriter];
  tell('the processes are up');
  const clients = startClients(nodes, history, CLIENTS_PER_NODE, await allPaths(nodes[0] as (typeof nodes)[number]));
  cleanup.push(clients.stop);
  const sender = senderOf(events, writers);
  for (let kill = 1; kill <= KILLS; kill++) {
    const delivered = sender.deliverTo(Math.floor((events.length * kill) / (KILLS + 1)));
    await delay(random.next() * MOST_DELAY_MS);
    const what = kill % 3 === 0 ? 'machine' : 'server';
    await cluster.killPrimary(what);
    tell(`primary ${kill} (${what}) is replaced`);
    await delivered;
    await clients.untilAnswered();
    await cluster.untilWhole();
    tell('the cluster is whole again');
  }
  await sender.deliverTo(events.length);
  await until(async () => (await positionOf(store)) === expected.length, 'the index does not catch up');
  await assertComplete(store, expected);
  const single = await singleProcess(store, cleanup);
  for (const node of nodes)
    await until(() => haveSameResponses(node, single, WATCHED), 'the API does not catch up', node);
  const { wrong, answered, unavailable } = await clients.stop();
  tell(`${answered} responses, ${unavailable} of 503; ${sender.refused()} events sent again`);
  assert.equal(wrong.length, 0, `${wrong.length} wrong responses:\n${wrong.slice(0, 10).join('\n')}`);
});
