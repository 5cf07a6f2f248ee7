import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import { announced, NO_BURN_BLOCKS } from '../../test/model/burn-chain.ts';
import type { Block, BurnBlock, Payload } from '../../test/model/world.ts';
import type { Recorded } from '../../test/support/recording.ts';
import type { TxRecord } from './recorded-pending.ts';

/** What corrections may use: the recording as a whole, and what the archive says that it was made from. */
export interface Evidence {
  readonly responses: readonly Recorded[];
  /** The chain of the recorded tip, ascending from height 1. Transactions are in the payloads alone. */
  readonly blocks: readonly Block[];
  /** Every other block, the boot block too. */
  readonly others: readonly Block[];
  /** Canonical burn blocks, ascending. */
  readonly burnBlocks: readonly BurnBlock[];
  /** Everything that the archive has. */
  readonly deliveries: readonly Delivery[];
  /** Transactions that a node said it dropped, and for which other one. */
  readonly droppedByNode: ReadonlyMap<string, string | null>;
  /** See wronglyReplaced; as pending. */
  readonly wronglyReplaced: readonly TxRecord[];
}

/**
 * A kind of recorded response that no index can or should give. docs/compatibility.md has the proofs.
 */
export interface Correction {
  /** Words for the report: "12 with ...". */
  readonly reason: string;
  /** The response to compare with; undefined where this correction does not concern it.  */
  correct(recorded: Recorded, evidence: Evidence): Recorded | undefined;
}

const READ = ['/new_block', '/new_burn_block', '/drop_mempool_tx'];

export async function readEvidence(
  archive: string,
  responses: readonly Recorded[],
  wronglyReplaced: readonly TxRecord[],
): Promise<Evidence> {
  const known = new Map<string, Block>();
  const droppedByNode = new Map<string, string | null>();
  let burnChain = NO_BURN_BLOCKS;
  const deliveries: Delivery[] = [];
  for await (const row of readArchive(archive)) {
    if (row.kind === 'bad') continue;
    deliveries.push(row);
    if (!READ.includes(row.path)) continue;
    const payload = JSON.parse(Buffer.from(row.body).toString()) as Payload;
    if (row.path === '/new_burn_block') burnChain = announced(burnChain, payload);
    else if (row.path === '/drop_mempool_tx')
      for (const id of payload.dropped_txids) droppedByNode.set(id, payload.new_txid ?? null);
    else if (!known.has(payload.index_block_hash)) known.set(payload.index_block_hash, blockOf(payload, known.size));
  }
  const blocks: Block[] = [];
  for (let block = known.get(tipOf(responses)); block && block.height > 0; block = known.get(block.parentIndexHash))
    blocks.unshift(block);
  const canonical = new Set(blocks);
  const others = [...known.values()].filter(block => !canonical.has(block));
  return { responses, blocks, others, burnBlocks: burnChain.canonical, deliveries, droppedByNode, wronglyReplaced };
}

const blockOf = (payload: Payload, arrival: number): Block => ({
  payload,
  hash: payload.block_hash,
  indexHash: payload.index_block_hash,
  parentIndexHash: payload.parent_index_block_hash,
  height: payload.block_height,
  burnHash: payload.burn_block_hash,
  burnHeight: payload.burn_block_height,
  burnTime: payload.burn_block_time,
  txs: [],
  own: [],
  arrival,
});

/** Index block hash of the tip, as the recorded status names it. */
function tipOf(responses: readonly Recorded[]): string {
  const status = responses.find(({ path, status }) => path === '/extended' && status === 200);
  const body = status?.body as { chain_tip?: { index_block_hash: string } } | undefined;
  return body?.chain_tip?.index_block_hash ?? '';
}
