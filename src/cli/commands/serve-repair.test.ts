import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { callProgram } from '../../../test/support/call-program.ts';
import { assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { onEveryEngine, onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { archiveOf, asOtherToolWrites } from '../../../test/support/other-archive.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import {
  blocksOfClassA,
  chainOfNode,
  type KnownToNode,
  NODE_TOKEN,
  startReplayingNode,
  withoutBlocks,
} from '../../../test/support/replaying-node.ts';
import { todaysEvents } from '../../../test/support/todays-chain.ts';
import { until } from '../../../test/support/until.ts';
import { UsageError } from '../options/option-spec.ts';
import { readOptions } from '../options/options.ts';
import { type Running, servingOptions, startServing } from './serve.ts';

const events = todaysEvents();
const missing = blocksOfClassA(events);

let chain: ReadonlyMap<string, KnownToNode>;
before(async () => {
  chain = await chainOfNode(events);
});

/** What all these commands are called with; the token is in the environment. */
const NODE = ['--node-pause', '0', '--pox-cycles', '0:10:2'];
const ENVIRONMENT = { STACKS_INDEX_NODE_TOKEN: NODE_TOKEN };

async function serve(t: TestContext, place: Place, log: string[], ...more: readonly string[]): Promise<Running> {
  const args = [
    'serve',
    ...place.args,
    '--event-port',
    '0',
    '--port',
    '0',
    '--chain-id',
    '0x80000000',
    ...more,
    '--log-level',
    'silent',
  ];
  const logger = pino({}, { write: (line: string) => void log.push(line) });
  const running = await startServing(servingOptions(readOptions(args, ENVIRONMENT)), logger);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= running.close();
    return closed;
  };
  t.after(close);
  return { ...running, close };
}

interface Status {
  readonly lag: number;
  readonly gaps: readonly unknown[];
  readonly rebuilt?: { readonly count: number };
}

const statusOf = async ({ apiPort }: Running): Promise<Status> =>
  (await (await fetch(`http://127.0.0.1:${apiPort}/extended`)).json()) as Status;

async function untilWhole(running: Running): Promise<Status> {
  let status: Status | undefined;
  const isWhole = async () => {
    status = await statusOf(running);
    return status.gaps.length === 0 && status.lag === 0;
  };
  await until(isWhole, 'gaps stay');
  return status ?? assert.fail();
}

const tablesOf = (place: Place) => canonicalTables({ dump: () => dumpOf(place) });

onEveryEngine((engine, openFresh) => {
  test(`serve --repair-gaps rebuilds what is missing, by the process that leads alone, and another one goes on (${engine})`, async t => {
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFreshOf.sqlite, t)];
    await deliverTo(place, withoutBlocks(events, missing));
    await deliverTo(whole, events);
    const isDown = { now: true };
    const node = await startReplayingNode(t, chain, () =>
      isDown.now ? (response: ServerResponse) => void response.writeHead(500).end() : undefined,
    );
    const repairing = ['--repair-gaps', '--node', node.url, '--repair-delay', '100', ...NODE];
    const log: string[] = [];
    const begun = () => node.seen.length;
    const first = await serve(t, place, log, ...repairing);
    await until(() => begun() > 0, 'the node gets no request');
    if (engine === 'postgres') {
      const standby = await serve(t, place, [], ...repairing);
      await first.close();
      isDown.now = false;
      assert.equal((await untilWhole(standby)).rebuilt?.count, missing.length);
      await standby.close();
    } else {
      isDown.now = false;
      assert.equal((await untilWhole(first)).rebuilt?.count, missing.length);
      await first.close();
    }
    const seen = begun();
    assertSameTables(await tablesOf(place), await tablesOf(whole));
    assert.equal(begun(), seen, 'a closed server sends no request');
    assert.ok(
      node.seen.every(({ url, headers }) => url.includes('/replay/') === (headers.authorization === NODE_TOKEN)),
    );
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`gaps repair beside a server has it store and apply what is missing, from an archive and from a node (${engine})`, async t => {
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const [fromNode, fromArchive] = [missing.slice(0, 2), missing.slice(2)];
    await deliverTo(place, withoutBlocks(events, missing));
    await deliverTo(whole, events);
    const running = await serve(t, place, []);
    if (engine === 'sqlite') assert.equal(statSync(join(place.data, 'writer')).mode & 0o777, 0o700);
    const archive = await archiveOf(t, withoutBlocks(events, fromNode).map(asOtherToolWrites));
    const first = await callProgram(['gaps', 'repair', archive, ...place.args]);
    assert.equal(first.code, 1, first.output);
    assert.match(first.output, new RegExp(`^${fromArchive.length} blocks and \\d+ other events added; [1-9]`, 'm'));
    const node = await startReplayingNode(t, chain);
    const args = ['gaps', 'repair', '--node', node.url, ...NODE, ...place.args];
    const second = await callProgram(args, { env: ENVIRONMENT });
    assert.equal(second.code, 0, second.output);
    assert.match(second.output, new RegExp(`^${fromNode.length} blocks rebuilt; 0 blocks are still missing`, 'm'));
    assert.equal((await untilWhole(running)).rebuilt?.count, fromNode.length);
    await running.close();
    assertSameTables(await tablesOf(place), await tablesOf(whole));
  });
});

test('--repair-gaps needs a node, and a process that takes events', () => {
  const read = (...args: string[]) => readOptions(['serve', '--repair-gaps', ...args], {});
  assert.throws(() => read(), new UsageError('--repair-gaps needs --node URL', 'serve'));
  assert.throws(
    () => read('--node', 'http://127.0.0.1:20443', '--mode', 'readonly'),
    /needs a process that takes events/,
  );
});
