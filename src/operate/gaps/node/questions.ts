import type { BlockTransaction } from '../../../base/codec/index.ts';
import { isJsonObject, type JsonObject } from '../../../base/lib/json.ts';
import { fail, ok, type Result } from '../../../base/lib/result.ts';
import { bootAddress, type Network } from '../../../ingest/chain/network.ts';
import {
  type AccountReply,
  type ReplayedBlock,
  readAccount,
  readMapEntry,
  readNodeInfo,
  readPoxInfo,
  readReplay,
} from '../../../ingest/chain/rebuild/replies.ts';
import { type NodeRefusal, NodeUnusable, type RepairClient } from './client.ts';

/* The requests of a repair to a node (docs/spec/rebuilt-blocks.md#replies). Hashes are 0x hex; errors are reasons, as texts. */

/** Oldest version of nodes whose replays have all needed fields. */
const OLDEST_VERSION = [3, 4, 0, 0, 2] as const;

/** Facts about a node that every repair needs first. */
export interface NodeFacts {
  /** `server_version` */
  readonly version: string;
  /** Burn height at which epoch 3.4 begins; undefined if the node does not report it. */
  readonly atBlockEnds: number | undefined;
}

/** @throws NodeUnusable for a node that is of another network, too old, or below this height */
export async function introduce(client: RepairClient, chainId: number, height: number): Promise<NodeFacts> {
  const { url } = client;
  const info = readNodeInfo(await required(client, '/v2/info'));
  if (!info.ok) throw new NodeUnusable(url, `does not respond as a node does: ${info.error}`);
  const { server_version: version, network_id: network, stacks_tip_height: tip } = info.value;
  if (network !== chainId) throw new NodeUnusable(url, `is of chain ${network}, not of ${chainId}`);
  if (!isNewEnough(version))
    throw new NodeUnusable(
      url,
      `has version ${JSON.stringify(version.slice(0, 100))}`,
      `A repair needs version ${OLDEST_VERSION.join('.')} or later.`,
    );
  if (tip < height) throw new NodeUnusable(url, `is at height ${tip}, below the missing block of height ${height}`);
  const pox = readPoxInfo(await required(client, '/v2/pox'));
  const epoch = pox.ok ? pox.value.epochs.find(({ epoch_id: id }) => id === 'Epoch34') : undefined;
  return { version, atBlockEnds: epoch?.start_height };
}

async function required(client: RepairClient, path: string): Promise<unknown> {
  const response = await client.json({ path });
  if (!response.ok) throw new NodeUnusable(client.url, `responded ${textOf(response.error)} to ${path}`);
  return response.value;
}

/** Compares the version in `stacks-node 3.4.0.0.2 (...)`. */
function isNewEnough(text: string): boolean {
  const numbers = /(\d+(?:\.\d+)+)/.exec(text)?.[1]?.split('.').map(Number) ?? [];
  for (const [i, needed] of OLDEST_VERSION.entries()) {
    const own = numbers[i] ?? 0;
    if (own !== needed) return own > needed;
  }
  return true;
}

/** The bytes of a block; undefined if the node does not have it. */
export async function blockBytes(client: RepairClient, blockId: string): Promise<Uint8Array | undefined> {
  const path = `/v3/blocks/${blockId.slice(2)}`;
  const response = await client.bytes({ path });
  if (response.ok) return response.value;
  if (response.error.status === 404) return undefined;
  throw new NodeUnusable(client.url, `responded ${textOf(response.error)} to ${path}`);
}

/** @throws NodeUnusable for a missing or wrong token */
export async function replayOf(client: RepairClient, blockId: string): Promise<Result<ReplayedBlock, string>> {
  const response = await client.json({ path: `/v3/blocks/replay/${blockId.slice(2)}`, isSecret: true });
  if (response.ok) {
    const replay = readReplay(response.value);
    return replay.ok ? replay : fail(`the replay cannot be read: ${replay.error}`);
  }
  if (response.error.status === 400 || response.error.status === 401)
    throw new NodeUnusable(
      client.url,
      `refuses replays (${textOf(response.error)})`,
      'Set auth_token in [connection_options] of the node, and the same text in STACKS_INDEX_NODE_TOKEN.',
    );
  return fail(`the node cannot replay it: ${textOf(response.error)}`);
}

/** An account at the end of a block. */
export async function accountAt(
  client: RepairClient,
  principal: string,
  tip: string,
): Promise<Result<AccountReply, string>> {
  const path = `/v2/accounts/${encodeURIComponent(principal)}?tip=${tip.slice(2)}&proof=0`;
  const response = await client.json({ path });
  if (!response.ok) return fail(`the node does not give the account ${principal}: ${textOf(response.error)}`);
  const account = readAccount(response.value);
  return account.ok ? account : fail(`the account ${principal} cannot be read: ${account.error}`);
}

/** Clarity values, serialised. */
const NONE = '0x09';
const UINT = '0x01';

/** Whether tokens of the launch unlock at this height. */
export async function unlocksTokens(
  client: RepairClient,
  network: Network,
  height: number,
): Promise<Result<boolean, string>> {
  const key = `${UINT}${height.toString(16).padStart(32, '0')}`;
  const path = `/v2/map_entry/${bootAddress(network)}/lockup/lockups?proof=0`;
  const response = await client.json({ path, body: JSON.stringify(key) });
  if (!response.ok) return fail(`the node does not give the schedule of unlocks: ${textOf(response.error)}`);
  const entry = readMapEntry(response.value);
  return entry.ok ? ok(entry.value.data !== NONE) : fail(`the schedule of unlocks cannot be read: ${entry.error}`);
}

/** The interface of the contract that a transaction deploys; undefined for other transactions. */
export async function interfaceOf(
  client: RepairClient,
  { transaction: { payload, origin } }: BlockTransaction,
): Promise<Result<JsonObject, string> | undefined> {
  if (payload.kind !== 'smart_contract') return undefined;
  const path = `/v2/contracts/interface/${origin.address}/${encodeURIComponent(payload.name)}`;
  const response = await client.json({ path });
  if (!response.ok) return fail(`the node does not give the interface of ${payload.name}: ${textOf(response.error)}`);
  return isJsonObject(response.value) ? ok(response.value) : fail(`the interface of ${payload.name} is no object`);
}

const textOf = ({ status, text }: NodeRefusal): string => `${status} (${text})`;
