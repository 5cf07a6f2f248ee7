import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { FT_CONTRACT } from '../../src/api/routes/examples.ts';
import { servingOptions, startServing } from '../../src/cli/commands/serve.ts';
import { readOptions } from '../../src/cli/options/options.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { openMetadataDb } from '../../src/metadata/open.ts';
import { openStorage, type StorageLocation } from '../../src/operate/storage/storage.ts';
import { ARCHIVE, sampleEvents } from '../crash/round.ts';
import { deploymentsOf } from '../support/node-stand-in.ts';
import { deliverTo } from '../support/places.ts';
import { freePort } from '../support/postgres.ts';
import { SampleMetadata } from '../support/sample-metadata.ts';
import { startStubWallet } from '../support/stub-wallet.ts';
import { TESTNET } from '../support/test-index.ts';
import { type ClarityNode, startClarityNode, type VmStart } from './clarity-node.ts';

/** What the faucet pays from. */
export const FAUCET_KEY = '01'.repeat(32);

/** The sample chain, served as an operator serves it, in front of a node. */
export interface World {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Where the node posts its events. */
  readonly events: string;
  readonly node: ClarityNode;
}

/** @param events what the node has sent so far; those of the sample chain, unless given */
export async function openWorld(
  t: Pick<TestContext, 'after'>,
  events?: readonly Delivery[],
  starts: VmStart = 'now',
): Promise<World> {
  const data = mkdtempSync(join(tmpdir(), 'clients-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const place = { data, database: undefined, chainId: TESTNET, args: ['--data', data] };
  const { tip, burnHeight } = await deliverTo(place, events ?? sampleEvents());
  await fillMetadata(place);
  const deployments = events === undefined ? await deploymentsOf(ARCHIVE) : [];
  const seen = { height: tip?.height ?? 0, burnHeight, blockHash: tip?.indexBlockHash ?? '' };
  const node = await startClarityNode(t, deployments, seen, starts);
  const [port, eventPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--event-port', String(eventPort)];
  const args = ['serve', ...place.args, ...ports, '--chain-id', '0x80000000'];
  // The node is for clients alone: token metadata would be fetched through it, too, and from the web.
  args.push('--node-proxy', node.url, '--faucet-node', node.url);
  const env = {
    FAUCET_PRIVATE_KEY: FAUCET_KEY,
    TESTNET_SBTC_FAUCET_ASSET_IDENTIFIER: `${FT_CONTRACT}::token-a`,
    STACKS_INDEX_FAUCET_BTC_WALLET: (await startStubWallet(t)).url,
  };
  const running = await startServing(servingOptions(readOptions(args, env)), pino({ level: 'silent' }));
  t.after(() => running.close());
  return { url: `http://127.0.0.1:${port}`, events: `http://127.0.0.1:${eventPort}`, node };
}

/** What would have been fetched from the web. */
async function fillMetadata(place: StorageLocation): Promise<void> {
  const storage = await openStorage(place);
  const metadata = await openMetadataDb(place);
  await new SampleMetadata(metadata, storage.indexDb).fill();
  await metadata.close();
  await storage.close();
}
