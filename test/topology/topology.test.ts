import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertComplete, journalOfDelivered } from '../crash/reference.ts';
import { sampleEvents } from '../crash/round.ts';
import { schemaStore } from '../crash/store.ts';
import { missingPostgres, present } from '../support/postgres.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { scale } from '../support/scale.ts';
import { todaysEvents } from '../support/todays-chain.ts';
import { until } from '../support/until.ts';
import { cleanedUp } from './cleanup.ts';
import { startClients } from './clients.ts';
import { historyOf, WATCHED } from './history.ts';
import { senderOf, startApiNode, startWriter, type Writer } from './processes.ts';
import { allPaths, assertSameResponses } from './responses.ts';
import { haveSameResponses, positionOf, singleProcess } from './single.ts';
import { teller } from './teller.ts';
import { startWanderer } from './wanderer.ts';

const CLIENTS_PER_NODE = 2;
/** How long the API is watched while it has an old state only. */
const STALE_MS = 1500;

const CHAINS = [
  { chain: 'the sample chain', read: sampleEvents },
  { chain: 'a chain of epoch 4.0', read: todaysEvents },
];

const skip = scale === 'short' ? 'npm run test:all lets processes and servers fail' : missingPostgres();
let servers: ReplicatedPostgres;
before(async () => {
  if (skip === false) servers = present(await startReplicatedPostgres());
});
after(() => servers?.stop());

for (const { chain, read } of CHAINS)
  test(`whichever process or server fails, nothing is lost, and no client is led back or refused without Retry-After: ${chain}`, {
    skip,
  }, async t => {
    const { primary, replica } = servers;
    const cleanup = cleanedUp(t);
    const tell = teller(t);
    const store = schemaStore(primary.url);
    const readArgs = ['--read-database', replica.url];
    const events = read();
    const startAll = Promise.all([
      startWriter(store.args, cleanup),
      startWriter(store.args, cleanup),
      startApiNode([...store.args, ...readArgs], cleanup),
      startApiNode([...store.args, ...readArgs], cleanup),
    ]);
    const expected = await journalOfDelivered(events);
    const history = await historyOf(events);
    assert.ok(history.movesBack > 0, 'a chain without forks shows little');
    const [writer, otherWriter, ...nodes] = await startAll;
    const writers = [writer, otherWriter];
    const paths = await allPaths(nodes[0]);
    const clients = startClients(nodes, history, CLIENTS_PER_NODE, paths);
    cleanup.push(clients.stop);
    const wanderer = startWanderer(nodes, cleanup);
    const sender = senderOf(events, writers);
    const deliver = (share: number) => sender.deliverTo(Math.round(share * events.length));
    const takeovers: number[] = [];

    /** The events go on to the other one, which takes over. */
    async function killActive(share: number): Promise<Writer> {
      const active = await activeOf(writers);
      await active.kill();
      const killed = performance.now();
      const delivered = deliver(share);
      await activeOf(writers);
      takeovers.push(Math.round(performance.now() - killed));
      await delivered;
      return active;
    }

    tell('the processes are up');
    await deliver(0.15);
    await clients.untilAnswered();

    tell('the active writer is killed');
    const killed = await killActive(0.26);
    await killed.start();

    tell('the replica stops: the API reads the primary');
    await replica.interrupt('SIGINT');
    await deliver(0.38);
    await clients.untilAnswered();

    tell('the primary stops and the replica starts with what it had: that is older than what was seen');
    await primary.interrupt('SIGINT');
    await replica.resume();
    await delay(STALE_MS);
    await primary.resume();
    await deliver(0.47);
    await clients.untilAnswered();

    tell('the replica lags');
    await replica.pauseReplay();
    await deliver(0.59);
    await clients.untilAnswered();
    await replica.resumeReplay();

    tell('the primary crashes: the API reads the replica, events wait');
    await servers.untilReplayed();
    const refused = sender.refused();
    await primary.interrupt('SIGQUIT');
    const delivered = deliver(0.74);
    await until(() => sender.refused() > refused, 'events are taken without a primary');
    await clients.untilAnswered();
    await primary.resume();
    await delivered;

    tell('the active writer is killed while the replica is away');
    await replica.interrupt('SIGQUIT');
    const again = await killActive(0.88);
    await again.start();
    await replica.resume();

    tell('the rest of the events');
    await deliver(1);
    await until(async () => (await positionOf(store)) === expected.length, 'the index does not catch up');
    await assertComplete(store, expected);
    const single = await singleProcess(store, cleanup);
    await servers.untilReplayed();
    const newest = [...WATCHED, '/extended/v1/tx/mempool?limit=50'];
    for (const node of nodes)
      await until(() => haveSameResponses(node, single, newest), 'the API does not catch up', node);
    for (const node of nodes) await wanderer.untilKnows(node);
    await wanderer.stop();
    const { wrong, answered, unavailable } = await clients.stop();
    tell(`${answered} responses, ${unavailable} of 503; takeovers after ${takeovers.join(' and ')} ms`);
    assert.equal(wrong.length, 0, `${wrong.length} wrong responses:\n${wrong.slice(0, 10).join('\n')}`);
    for (const [i, node] of nodes.entries())
      await assertSameResponses(
        node,
        single,
        paths.filter((_, n) => n % nodes.length === i),
      );
    tell(`${paths.length} requests were answered alike`);
  });

/** The one writer that is active, as soon as there is one. */
async function activeOf(writers: readonly Writer[]): Promise<Writer> {
  let active: Writer[] = [];
  await until(async () => {
    const found = await Promise.all(writers.map(writer => writer.isActive()));
    active = writers.filter((_, i) => found[i]);
    return active.length === 1;
  }, 'no writer is active, or several are');
  return active[0] as Writer;
}
