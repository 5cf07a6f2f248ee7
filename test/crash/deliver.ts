import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { runServer, type Server, untilIndexed } from './program.ts';
import { contentOf, journalOfDelivered } from './reference.ts';
import type { Round } from './round.ts';

/** One in so many kills comes while the process starts. */
const STARTING_SHARE = 6;
const MOST_DELAY_MS = 25;

/** Where the node is: what it sends next, and how many entries of the journal it relies on. */
interface Node {
  next: number;
  entries: number;
}

/** What the journal must hold, and a way there: `serve` is killed while a node posts events to it, each until its 200. */
export async function deliverRounds(events: readonly Delivery[]) {
  const { expected, isEntry } = await entriesOf(events);
  return { expected, play: (round: Round) => play(round, isEntry) };
}

/** The contents of the journal once all are delivered, and whether each of them becomes an entry: a repeat does not. */
export async function entriesOf(events: readonly Delivery[]) {
  const journal = await journalOfDelivered(events);
  const expected = journal.map(contentOf);
  const isEntry = events.map(() => false);
  for (let i = 0, at = 0; i < events.length && at < expected.length; i++) {
    const event = events[i];
    if (event !== undefined && contentOf(event) === expected[at]) {
      isEntry[i] = true;
      at++;
    }
  }
  return { expected, isEntry };
}

async function play(round: Round, isEntry: readonly boolean[]): Promise<void> {
  const { stats, random, store, events } = round;
  const node: Node = { next: 0, entries: 0 };
  const acknowledged = () => {
    if (isEntry[node.next]) node.entries++;
    node.next++;
    stats.acknowledged++;
  };
  let startMs = 1000;
  while (round.killsLeft() > 0 && node.next < events.length) {
    const server = await runServer(store.args);
    const started = performance.now();
    const whileStarting = random.int(1, STARTING_SHARE) === 1;
    try {
      if (whileStarting) {
        await Promise.race([delay(random.next() * startMs), server.ended]);
      } else {
        assert.ok(await server.ready, `the server ended:\n${server.output()}`);
        startMs = performance.now() - started;
        await postUntilKilled(server, round, node, acknowledged);
      }
    } finally {
      await server.kill();
    }
    const { signal } = await server.ended;
    assert.equal(signal, 'SIGKILL', `the server ended by itself:\n${server.output()}`);
    const { position } = await round.check(node.entries);
    stats.kills++;
    if (whileStarting) stats.starting++;
    else if (node.next < events.length || position < node.entries) stats.inWork++;
  }
  await finish(round, node, acknowledged);
}

/** Posts until one event or more was answered, and a little longer: then the process is killed, between two events or within one. */
async function postUntilKilled(server: Server, round: Round, node: Node, acknowledged: () => void): Promise<void> {
  const { events, random } = round;
  const perKill = Math.max(1, Math.ceil((events.length - node.next) / Math.min(round.killsLeft(), 20)));
  const last = Math.min(events.length, node.next + random.int(1, perKill * 2));
  const wait = random.next() * MOST_DELAY_MS;
  let killing: Promise<unknown> | undefined;
  const kill = async () => {
    await delay(wait);
    await server.kill();
  };
  for (let event = events[node.next]; event !== undefined; event = events[node.next]) {
    if (node.next >= last) killing ??= kill();
    const { status, text } = await server.post(event);
    if (status === 200) acknowledged();
    else if (status === 0)
      break; // sent again to the next process
    else throw new Error(`event ${node.next} was answered ${status}: ${text}`);
  }
  await (killing ?? kill());
}

/** The remaining actions, without further harm; the process then ends at its signal. */
async function finish(round: Round, node: Node, acknowledged: () => void): Promise<void> {
  const server = await runServer(round.store.args);
  try {
    assert.ok(await server.ready, `the server ended:\n${server.output()}`);
    for (let event = round.events[node.next]; event !== undefined; event = round.events[node.next]) {
      const { status, text } = await server.post(event);
      assert.equal(status, 200, text);
      acknowledged();
    }
    await untilIndexed(server);
    const { code } = await server.kill('SIGTERM');
    assert.equal(code, 0, server.output());
  } finally {
    await server.kill();
  }
}
