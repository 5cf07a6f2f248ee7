import { isDeepStrictEqual } from 'node:util';
import type { NakamotoBlock } from '../../../base/codec/index.ts';
import type { JsonObject } from '../../../base/lib/json.ts';
import { fail, ok, type Result } from '../../../base/lib/result.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import { accountChanges, accountDifference } from '../../../ingest/chain/rebuild/account-checks.ts';
import { rebuiltBody } from '../../../ingest/chain/rebuild/body.ts';
import { AT_BLOCK_ENDS_ON_MAINNET, classify } from '../../../ingest/chain/rebuild/classes.ts';
import { contradiction, replayedStatus } from '../../../ingest/chain/rebuild/replay-checks.ts';
import type { ReplayedBlock } from '../../../ingest/chain/rebuild/replies.ts';
import { unsigned } from '../../../ingest/chain/rebuild/signatures.ts';
import type { NewBlock } from '../../../ingest/node/events/block.ts';
import type { RepairClient } from './client.ts';
import { accountAt, interfaceOf, type NodeFacts, replayOf, unlocksTokens } from './questions.ts';
import type { signersAt } from './signers.ts';

/** Most accounts of a block whose balances are compared; each takes two requests. */
const MOST_ACCOUNTS = 2_000;

/** A node with its facts. */
export interface UsableNode {
  readonly client: RepairClient;
  readonly facts: NodeFacts;
}

/** A missing block, with data of the index about its place. */
interface MissingContext {
  readonly block: NakamotoBlock;
  readonly parent: NewBlock;
  /** Consensus hash of the burn view of the parent, 0x hex; null if unknown. */
  readonly parentView: string | null;
  /** Sets of signers, one of which must have signed; empty if the index does not know them. */
  readonly signers: Awaited<ReturnType<typeof signersAt>>;
  readonly network: Network;
  /** The classes to write. */
  readonly accept: 'A' | 'AB';
}

/**
 * The body of a block that no node has sent, or the reason why it stays missing (class C).
 * @param nodes the first rebuilds; the replays of the others must equal its own
 * @throws NodeUnusable; the reason of the signal of the client
 */
export async function rebuild(
  nodes: readonly UsableNode[],
  context: MissingContext,
): Promise<Result<JsonObject, string>> {
  const [node, ...witnesses] = nodes;
  if (!node) return fail('no node was given');
  const { block, parent, network, accept } = context;
  const { header } = block;
  const wrong = placeOf(context);
  if (wrong !== undefined) return fail(wrong);
  const unlocks = await unlocksTokens(node.client, network, header.height);
  if (!unlocks.ok) return unlocks;
  const found = classify(block, {
    parentView: context.parentView,
    burnBlockHeight: parent.burn_block_height,
    atBlockEnds: network === 'mainnet' ? AT_BLOCK_ENDS_ON_MAINNET : node.facts.atBlockEnds,
    unlocksTokens: unlocks.value,
  });
  if (found.class === 'C') return fail(found.reason);
  if (parent.consensus_hash !== null && parent.consensus_hash !== header.consensusHash)
    return fail('it is of another tenure than its parent, and no tenure begins');
  if (!accept.includes(found.class)) return fail(`it is of class ${found.class}`);
  const replay = await replayOf(node.client, header.blockId);
  if (!replay.ok) return replay;
  const contradicts = contradiction(block, replay.value);
  if (contradicts !== undefined) return fail(`the replay contradicts the block: ${contradicts}`);
  const different =
    (await differingAccount(node.client, block, replay.value)) ?? (await differing(witnesses, replay.value));
  if (different !== undefined) return fail(different);
  const interfaces = await interfacesOf(node.client, block, replay.value);
  if (!interfaces.ok) return interfaces;
  for (const { client } of witnesses) {
    const others = await interfacesOf(client, block, replay.value);
    if (!others.ok || !isDeepStrictEqual(others.value, interfaces.value))
      return fail('the nodes give different interfaces of contracts');
  }
  const made = { block, replay: replay.value, parent, interfaces: interfaces.value };
  return ok(rebuiltBody({ ...made, class: found.class, node: node.facts.version }));
}

/** Why a block does not fit the place where one is missing. */
function placeOf({ block: { header }, parent, signers }: MissingContext): string | undefined {
  if (header.height !== parent.block_height + 1)
    return `its height is ${header.height}, that of its parent ${parent.block_height}`;
  const reasons = signers.map(set => unsigned(header, set));
  const [first] = reasons;
  return reasons.includes(undefined) ? undefined : first;
}

/** How balances or nonces differ from the replay; undefined if they do not. */
async function differingAccount(
  client: RepairClient,
  block: NakamotoBlock,
  replay: ReplayedBlock,
): Promise<string | undefined> {
  const changes = accountChanges(block, replay);
  if (changes.size > MOST_ACCOUNTS) return `it changes ${changes.size} accounts, more than can be compared`;
  for (const [principal, change] of changes) {
    const before = await accountAt(client, principal, block.header.parentBlockId);
    if (!before.ok) return before.error;
    const after = await accountAt(client, principal, block.header.blockId);
    if (!after.ok) return after.error;
    const difference = accountDifference(principal, change, before.value, after.value);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function differing(nodes: readonly UsableNode[], replay: ReplayedBlock): Promise<string | undefined> {
  for (const { client } of nodes) {
    const other = await replayOf(client, `0x${replay.block_id}`);
    if (!other.ok) return other.error;
    if (!isDeepStrictEqual(comparable(other.value), comparable(replay))) return 'the replays of the nodes differ';
  }
  return undefined;
}

/** A replay without the texts of errors, which differ between versions. */
const comparable = ({ transactions, ...block }: ReplayedBlock) => ({
  ...block,
  transactions: transactions.map(({ vm_error: _, ...transaction }) => transaction),
});

async function interfacesOf(
  client: RepairClient,
  { transactions }: NakamotoBlock,
  replay: ReplayedBlock,
): Promise<Result<ReadonlyMap<string, JsonObject>, string>> {
  const found = new Map<string, JsonObject>();
  for (const [i, transaction] of transactions.entries()) {
    const replayed = replay.transactions[i];
    if (!replayed || replayedStatus(replayed) !== 'success') continue;
    const contract = await interfaceOf(client, transaction);
    if (contract && !contract.ok) return contract;
    if (contract) found.set(transaction.txId, contract.value);
  }
  return ok(found);
}
