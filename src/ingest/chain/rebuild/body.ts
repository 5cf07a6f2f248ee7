import type { NakamotoBlock } from '../../../base/codec/index.ts';
import { rawHex, toHex } from '../../../base/lib/hex.ts';
import type { JsonObject, JsonValue } from '../../../base/lib/json.ts';
import type { NewBlock } from '../../node/events/block.ts';
import type { RebuiltOrigin } from '../../node/events/rebuilt.ts';
import { replayedStatus } from './replay-checks.ts';
import type { ReplayedBlock } from './replies.ts';

/** The parts of a body. Block and parent are of one tenure. */
interface BodyParts {
  readonly block: NakamotoBlock;
  readonly replay: ReplayedBlock;
  readonly parent: NewBlock;
  /** Interfaces of contracts by the id of the transaction that deploys them, 0x hex. */
  readonly interfaces: ReadonlyMap<string, JsonObject>;
  readonly class: RebuiltOrigin['class'];
  /** `server_version` of the node. */
  readonly node: string;
}

const ZERO_HASH = `0x${'00'.repeat(32)}`;
const COSTS = ['runtime', 'write_count', 'write_length', 'read_count', 'read_length'] as const;
const NO_COST = Object.fromEntries(COSTS.map(name => [name, 0]));

/**
 * The body of `/rebuilt_block`: that of `/new_block`, as a node would have sent it, with its origin. Facts about Bitcoin and the tenure are those of
 * the parent, because both blocks are of one tenure.
 */
export function rebuiltBody({ block, replay, parent, interfaces, class: kind, node }: BodyParts): JsonObject {
  const { header, headerBytes } = block;
  const isTextOfNode = replay.transactions.some(({ vm_error }) => vm_error !== null);
  const origin: RebuiltOrigin & JsonObject = {
    ...{ class: kind, node, header: rawHex(headerBytes) },
    // Versions of nodes differ in its text.
    unknown: isTextOfNode ? ['vm_error'] : [],
  };
  return {
    block_hash: header.blockHash,
    block_height: header.height,
    index_block_hash: header.blockId,
    parent_block_hash: parent.block_hash,
    parent_index_block_hash: header.parentBlockId,
    parent_microblock: ZERO_HASH,
    parent_microblock_sequence: 0,
    burn_block_hash: parent.burn_block_hash,
    burn_block_height: parent.burn_block_height,
    burn_block_time: parent.burn_block_time,
    parent_burn_block_hash: parent.burn_block_hash,
    parent_burn_block_height: parent.burn_block_height,
    parent_burn_block_timestamp: parent.burn_block_time,
    miner_txid: parent.miner_txid,
    matured_miner_rewards: [],
    transactions: transactionsOf(block, replay, interfaces),
    events: eventsOf(replay),
    anchored_cost: sumOfCosts(replay),
    confirmed_microblocks_cost: NO_COST,
    pox_v1_unlock_height: parent.pox_v1_unlock_height,
    pox_v2_unlock_height: parent.pox_v2_unlock_height,
    pox_v3_unlock_height: parent.pox_v3_unlock_height,
    pox_v4_unlock_height: parent.pox_v4_unlock_height,
    block_time: header.timestamp,
    signer_bitvec: header.poxTreatment,
    reward_set: null,
    cycle_number: null,
    tenure_height: parent.tenure_height,
    consensus_hash: header.consensusHash,
    signer_signature_hash: header.blockHash,
    miner_signature: header.minerSignature,
    signer_signature: header.signerSignatures,
    _origin: origin,
  };
}

const transactionsOf = (
  { transactions }: NakamotoBlock,
  replay: ReplayedBlock,
  interfaces: BodyParts['interfaces'],
): JsonObject[] =>
  replay.transactions.flatMap((replayed, i) => {
    const own = transactions[i];
    if (!own) return [];
    return {
      txid: own.txId,
      tx_index: i,
      status: replayedStatus(replayed),
      raw_result: replayed.result_hex,
      raw_tx: toHex(own.raw),
      contract_interface: interfaces.get(own.txId) ?? null,
      burnchain_op: null,
      execution_cost: replayed.execution_cost,
      microblock_sequence: null,
      microblock_hash: null,
      microblock_parent_hash: null,
      vm_error: replayed.vm_error,
    };
  });

/** A replay numbers the events of each transaction from 0, a block numbers its events through. */
const eventsOf = ({ transactions }: ReplayedBlock): JsonObject[] =>
  transactions.flatMap(({ events }) => events).map((event, i): JsonObject => ({ ...event, event_index: i }));

const sumOfCosts = ({ transactions }: ReplayedBlock): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    COSTS.map(name => [name, transactions.reduce((sum, { execution_cost: cost }) => sum + cost[name], 0)]),
  );
