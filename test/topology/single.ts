import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readState } from '../../src/ingest/indexer/index-state.ts';
import { runServer, type Server } from '../crash/program.ts';
import { readFound } from '../crash/reference.ts';
import type { CrashStore } from '../crash/store.ts';
import { deliverTo } from '../support/places.ts';
import { TESTNET } from '../support/test-index.ts';
import type { Cleanup } from './cleanup.ts';
import type { ApiServer } from './responses.ts';

export const positionOf = (store: CrashStore): Promise<number> =>
  store.look(async ({ indexDb }) => (await indexDb.read(readState)).position);

/** A process on a directory that has got the same events at the same times. */
export async function singleProcess(store: CrashStore, cleanup: Cleanup): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'stacks-single-'));
  cleanup.push(() => rmSync(data, { recursive: true, force: true }));
  const place = { data, database: undefined, chainId: TESTNET, args: ['--data', data] };
  await deliverTo(place, (await store.look(readFound)).entries);
  const server = await runServer(place.args);
  cleanup.push(() => server.kill());
  assert.ok(await server.ready, server.output());
  return server;
}

export async function haveSameResponses(
  node: ApiServer,
  single: ApiServer,
  paths: readonly string[],
): Promise<boolean> {
  for (const path of paths) if ((await node.get(path)).text !== (await single.get(path)).text) return false;
  return true;
}
