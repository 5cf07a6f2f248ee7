import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runProgram, runServer, type Server } from '../../crash/program.ts';
import { readFound } from '../../crash/reference.ts';
import { ARCHIVE, sampleEvents } from '../../crash/round.ts';
import { directoryStore, schemaStore } from '../../crash/store.ts';
import { scale } from '../../support/scale.ts';
import { until } from '../../support/until.ts';
import { type Cleanup, cleanedUp } from '../cleanup.ts';
import { WATCHED } from '../history.ts';
import { senderOf, startApiNode, startWriter } from '../processes.ts';
import { haveSameResponses } from '../single.ts';
import { teller } from '../teller.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findClusterPrograms } from './programs.ts';

const programs = findClusterPrograms();
const missing = 'missing' in programs ? programs.missing : false;
const skip = missing || (scale === 'short' ? 'in npm run test:all only' : false);
let cluster: Cluster | undefined;
before(async () => {
  if (skip === false && !('missing' in programs)) cluster = await startCluster(programs);
});
after(() => cluster?.stop());

test('what a primary with asynchronous replicas takes with it is told of, shows as gaps, and comes back from an archive', {
  skip,
}, async t => {
  if (!cluster) return;
  const tell = teller(t);
  const cleanup = cleanedUp(t);
  const events = sampleEvents();
  await cluster.setSynchronous(false);
  await cluster.untilWhole();
  const store = schemaStore(cluster.primary);
  const writer = await startWriter(store.args, cleanup);
  const node = await startApiNode([...store.args, '--read-database', cluster.replicas], cleanup);
  const sender = senderOf(events, [writer]);
  await sender.deliverTo(KEPT_EVENTS);
  const kept = await store.look(readFound);
  await cluster.stopSending();
  await sender.deliverTo(KEPT_EVENTS + LOST_EVENTS);
  tell('the replicas have not got the last events');
  await cluster.killPrimary('server');
  tell('the primary is replaced');
  await sender.deliverTo(events.length);
  await until(() => /lost events that were acknowledged/.test(writer.output()), 'the writer does not say it', writer);
  const { stored, length } = lossIn(writer.output());
  assert.ok(
    length >= kept.entries.length,
    `${kept.entries.length} events had reached the replicas, ${length} are there`,
  );
  assert.ok(stored - length <= LOST_EVENTS, `${stored - length} events are lost`);
  assert.equal(await writer.figure('stacks_index_journal_losses_total'), 1);
  const gaps = async () => (await node.get('/extended')).body?.gaps as unknown[] | undefined;
  await until(async () => ((await gaps())?.length ?? 0) > 0, 'no gap shows', node);
  tell(`${stored - length} events are lost, and a gap shows`);

  await cluster.untilWhole();
  const replay = runProgram(['replay', ARCHIVE, ...store.args]);
  assert.equal((await replay.ended).code, 0, replay.output());
  await until(async () => (await gaps())?.length === 0, 'the gap does not close', node);
  const single = await replayed(cleanup);
  await until(() => haveSameResponses(node, single, OF_THE_CHAIN), 'the chain is not what it would be', node);
  tell('the chain is what it would be without the failure');
});

/** Events that reach the replicas, and those after them that do not. */
const KEPT_EVENTS = 300;
const LOST_EVENTS = 30;
/** `/extended` also tells of the journal, which has repeats of pending transactions now. */
const OF_THE_CHAIN = WATCHED.filter(path => path !== '/extended');

/** The writer's report. */
function lossIn(log: string): { readonly stored: number; readonly length: number } {
  const line = log.split('\n').find(each => each.includes('lost events that were acknowledged')) ?? '{}';
  return JSON.parse(line);
}

/** A process on a directory that has got all events. */
async function replayed(cleanup: Cleanup): Promise<Server> {
  const store = directoryStore();
  cleanup.push(store.remove);
  const replay = runProgram(['replay', ARCHIVE, ...store.args]);
  assert.equal((await replay.ended).code, 0, replay.output());
  const server = await runServer(store.args);
  cleanup.push(() => server.kill());
  assert.ok(await server.ready, server.output());
  return server;
}
