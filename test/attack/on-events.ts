import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { untilIndexed } from '../crash/program.ts';
import { until } from '../support/until.ts';
import type { Finding, Size } from './finding.ts';
import { succeed, type Target } from './target.ts';

type Body = { readonly [key: string]: unknown };
type Change = (body: Body, newest: string) => Body;

const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

/** Changes that make a valid next block false. */
const FALSE_BLOCKS: readonly Change[] = [
  (body, newest) => ({ ...body, block_height: 1, parent_index_block_hash: newest, index_block_hash: hashOf(1) }),
  body => ({ ...body, block_height: Number(body.block_height) + 1000, index_block_hash: hashOf(2) }),
  body => ({ ...body, block_height: Number(body.block_height) - 1, index_block_hash: hashOf(3) }),
  body => ({ ...body, index_block_hash: body.parent_index_block_hash }),
  body => ({ ...body, index_block_hash: hashOf(4), parent_index_block_hash: hashOf(4) }),
  body => ({ ...body, index_block_hash: hashOf(5), block_height: Number.MAX_SAFE_INTEGER }),
  body => ({ ...body, index_block_hash: hashOf(6), transactions: [] }),
  body => ({ ...body, index_block_hash: hashOf(7), burn_block_height: 0, burn_block_time: 0 }),
];

const FALSE_BURN_BLOCKS: readonly Change[] = [
  body => ({ ...body, burn_block_height: 0, burn_block_hash: hashOf(10) }),
  body => ({ ...body, burn_block_height: 1, burn_block_hash: hashOf(11) }),
  body => ({ ...body, burn_block_height: Number(body.burn_block_height) - 50, burn_block_hash: hashOf(12) }),
  body => ({ ...body, burn_block_height: Number.MAX_SAFE_INTEGER, burn_block_hash: hashOf(13) }),
];

/** Sends events as a node does. @returns how many got neither a 200 nor a 400 */
export async function post(target: Target, deliveries: readonly Pick<Delivery, 'path' | 'body'>[]): Promise<number> {
  let failures = 0;
  for (const delivery of deliveries) {
    const send = async () => (await target.server().post(delivery)).status;
    // An idle connection may be closed when an event is sent on it: a node then sends the event again on a new one.
    const status = (await send()) || (await send());
    if (status !== 200 && status !== 400) failures++;
  }
  return failures;
}

const changed = ({ path, body }: Delivery, change: Change, newest: string) => ({
  path,
  body: Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(body).toString()), newest))),
});

export async function showsNewest(target: Target): Promise<boolean> {
  return (await target.server().get(`/extended/v2/blocks/${target.newest()}`)).status === 200;
}

/** Sends blocks of either chain with false places before honest ones; then restarts the server, and rebuilds the index. */
function falseEvents(path: string, changes: readonly Change[], isRebuilt: boolean) {
  return async (target: Target): Promise<Finding[]> => {
    let failures = 0;
    for (const change of changes) {
      const before = target.newest();
      const honest = target.honest(1);
      const about = honest.find(delivery => delivery.path === path);
      if (!about) throw new Error(`no ${path} to change`);
      failures += await post(target, [changed(about, change, before)]);
      failures += await post(target, honest);
      await untilIndexed(target.server());
      if (!(await showsNewest(target))) failures++;
    }
    await target.restart();
    if (!(await showsNewest(target))) failures++;
    failures += await post(target, target.honest(1));
    await untilIndexed(target.server());
    if (!(await showsNewest(target))) failures++;
    if (isRebuilt) await succeed(['reindex', ...target.place]);
    return [{ what: 'honest blocks that are missing, and failures', worst: failures, bound: 0, unit: '' }];
  };
}

export const falseBlocks = falseEvents('/new_block', FALSE_BLOCKS, true);
export const falseBurnBlocks = falseEvents('/new_burn_block', FALSE_BURN_BLOCKS, false);

/** The default of the most missing blocks that others may wait for. */
const MAX_GAPS = 100;

/** Blocks on unknown parents. */
export async function orphans(target: Target): Promise<Finding[]> {
  const honest = target.honest(1);
  const about = honest.find(({ path }) => path === '/new_block');
  if (!about) throw new Error('no block to change');
  let accepted = 0;
  for (let n = 0; n < MAX_GAPS + 50; n++) {
    const [index_block_hash, parent_index_block_hash] = [hashOf(10_000 + 2 * n), hashOf(10_001 + 2 * n)];
    const orphan = changed(about, body => ({ ...body, index_block_hash, parent_index_block_hash }), '');
    const { status } = await target.server().post(orphan);
    if (status === 200) accepted++;
  }
  const failures = await post(target, honest);
  await untilIndexed(target.server());
  return [
    { what: 'orphans that are kept', worst: accepted, bound: MAX_GAPS, unit: '' },
    {
      what: 'honest blocks that are missing',
      worst: failures + ((await showsNewest(target)) ? 0 : 1),
      bound: 0,
      unit: '',
    },
  ];
}

const SILENCES = [
  '',
  'POST /new_block HTTP/1.1\r\nHost: x\r\n',
  'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
];

/** Clients from many addresses open connections to the event port and send nothing. */
export async function silentStrangers(target: Target, { strangers, floodMs }: Size): Promise<Finding[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < strangers; i++) {
    const socket = connect({
      port: target.server().eventPort,
      host: '127.0.0.1',
      localAddress: `127.0.1.${1 + Math.floor(i / 20)}`,
    });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(SILENCES[i % SILENCES.length] ?? '');
  }
  const failures = await post(target, target.honest(2));
  await until(() => showsNewest(target), 'the node is shut out', target.server());
  await delay(floodMs);
  for (const socket of sockets) socket.destroy();
  return [{ what: 'events of the node that are refused', worst: failures, bound: 0, unit: '' }];
}
