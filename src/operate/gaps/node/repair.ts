import { decodeNakamotoBlock, merkleRoot, type NakamotoBlock } from '../../../base/codec/index.ts';
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Database } from '../../../base/store/database.ts';
import { networkOf } from '../../../ingest/chain/network.ts';
import type { PoxCycles } from '../../../ingest/chain/pox-cycles.ts';
import { type KnownBlockRow, SELECTED } from '../../../ingest/indexer/known-blocks.ts';
import type { Delivery } from '../../../ingest/journal/entries.ts';
import type { Journal } from '../../../ingest/journal/journal.ts';
import type { NewBlock } from '../../../ingest/node/events/block.ts';
import { parseEvent } from '../../../ingest/node/events/parse.ts';
import { REBUILT_PATH } from '../../../ingest/node/events/rebuilt.ts';
import type { MissingBlock } from '../missing.ts';
import { NodeUnusable, type RepairClient } from './client.ts';
import { blockBytes, introduce } from './questions.ts';
import { rebuild, type UsableNode } from './rebuild.ts';
import { signersAt } from './signers.ts';

/** Bounds of one repair. */
const MOST_BLOCKS = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;

interface NodeRepairOptions {
  readonly indexDb: Database;
  readonly journal: Journal;
  /** Adds entries to the journal. */
  readonly add: (deliveries: readonly Delivery[]) => Promise<void>;
  readonly chainId: number;
  /** Undefined if unknown: then signatures are not checked. */
  readonly cycles: PoxCycles | undefined;
  readonly accept: 'A' | 'AB';
  /** The first one rebuilds, the others must agree. */
  readonly clients: readonly RepairClient[];
}

/** The outcome for one block. */
interface Attempt {
  readonly height: number;
  readonly indexBlockHash: string;
  /** A or B for a rebuilt block, C for one that stays missing. */
  readonly class: 'A' | 'B' | 'C';
  /** Why it stays missing. */
  readonly reason?: string;
  /** Whether the same node may supply it later. */
  readonly isPassing?: true;
}

/** A block to rebuild. */
export type BlockToRebuild = Pick<MissingBlock, 'height' | 'indexBlockHash'>;

/** A block that the index has, or that was just rebuilt: the parent of the next one. */
interface Below {
  readonly block: NewBlock;
  readonly view: string | null;
}

/**
 * Rebuilds missing blocks, and missing blocks below them, from the RPC of a node, and journals them. The caller must bring the index up to the journal
 * afterwards.
 * @param missing the lowest first
 * @throws NodeUnusable; the reason of the signal of the clients
 */
export async function* repairFromNodes(
  missing: readonly BlockToRebuild[],
  options: NodeRepairOptions,
): AsyncGenerator<Attempt> {
  const highest = Math.max(...missing.map(({ height }) => height));
  const nodes: UsableNode[] = [];
  for (const client of options.clients) {
    const facts = await introduce(client, options.chainId, highest);
    nodes.push({ client, facts });
  }
  for (const block of missing) yield* repairOne(block, nodes, options);
}

async function* repairOne(
  missing: BlockToRebuild,
  nodes: readonly UsableNode[],
  options: NodeRepairOptions,
): AsyncGenerator<Attempt> {
  const [node] = nodes;
  if (!node) return;
  const lowest = await descend(missing, node.client, options);
  if (!('below' in lowest)) return yield lowest;
  const { indexDb, add, chainId, cycles, accept } = options;
  const network = networkOf(chainId);
  let below = lowest.below;
  for (const block of lowest.blocks) {
    const { height, blockId: indexBlockHash } = block.header;
    const { view: parentView } = below;
    const signers = await indexDb.read(queries => signersAt(queries, cycles, below.block.burn_block_height));
    const body = await rebuild(nodes, { ...{ block, parent: below.block, parentView, signers, network, accept } });
    const bytes = body.ok ? Buffer.from(JSON.stringify(body.value)) : new Uint8Array();
    const event = body.ok ? parseEvent(REBUILT_PATH, bytes) : undefined;
    if (!body.ok || !event?.ok || event.value.path !== '/new_block') {
      const reason = body.ok ? 'what the node gives is no block that a node would send' : body.error;
      return yield { height, indexBlockHash, class: 'C', reason };
    }
    await add([{ path: REBUILT_PATH, receivedAt: Date.now() * 1000, body: bytes }]);
    below = { block: event.value.block, view: viewNamed(block) ?? parentView };
    yield { height, indexBlockHash, class: event.value.origin?.class === 'A' ? 'A' : 'B' };
  }
}

const viewNamed = ({ transactions }: NakamotoBlock): string | undefined =>
  transactions.map(({ transaction: { payload } }) => payload).findLast(payload => payload.kind === 'tenure_change')
    ?.burnViewConsensusHash;

interface Descent {
  /** The lowest first. */
  readonly blocks: readonly NakamotoBlock[];
  readonly below: Below;
}

/** Fetches a missing block and all missing blocks below it. The parent hash in a delivered block proves their bytes. */
async function descend(
  { height, indexBlockHash }: BlockToRebuild,
  client: RepairClient,
  { indexDb, journal }: NodeRepairOptions,
): Promise<Descent | Attempt> {
  const blocks: NakamotoBlock[] = [];
  let bytes = 0;
  for (let id = indexBlockHash; ; ) {
    const below = blocks.length > 0 ? await knownBlock(indexDb, journal, id) : undefined;
    if (below) return { blocks: blocks.toReversed(), below };
    const at = { height: height - blocks.length, indexBlockHash: id, class: 'C' } as const;
    if (blocks.length === MOST_BLOCKS || bytes > MOST_BYTES)
      return { ...at, reason: 'too many blocks are missing below it: load an archive' };
    const raw = await blockBytes(client, id);
    if (!raw)
      return { ...at, reason: 'the node does not have it; blocks of before epoch 3 need an archive', isPassing: true };
    bytes += raw.length;
    const block = proved(raw, id, client);
    blocks.push(block);
    id = block.header.parentBlockId;
  }
}

/** A6 of the checks: the identifier covers the header, the header the transactions. @throws NodeUnusable */
function proved(raw: Uint8Array, id: string, client: RepairClient): NakamotoBlock {
  const decoded = decodeNakamotoBlock(raw);
  const lied = (what: string) =>
    new NodeUnusable(client.url, `gave bytes for block ${id} that ${what}`, 'Use another node: this one is wrong.');
  if (!decoded.ok) throw lied(`are no block: ${decoded.error.message}`);
  const { header, transactions } = decoded.value;
  if (header.blockId !== id) throw lied(`are of block ${header.blockId}`);
  if (merkleRoot(transactions.map(({ txId }) => txId)) !== header.txMerkleRoot)
    throw lied('have other transactions than its header proves');
  return decoded.value;
}

/** A block that the index has, from the journal. */
async function knownBlock(indexDb: Database, journal: Journal, id: string): Promise<Below | undefined> {
  const row = await indexDb.read(queries =>
    queries.get<KnownBlockRow>(
      `SELECT ${SELECTED} FROM known_blocks WHERE index_block_hash = ? ORDER BY connected DESC, arrival LIMIT 1`,
      [hexBytes(id)],
    ),
  );
  const entry = row && (await journal.entry(row.journal_seq));
  const event = entry && parseEvent(entry.path, entry.body);
  if (!row || !event?.ok || event.value.path !== '/new_block') return undefined;
  return { block: event.value.block, view: row.burn_view && toHex(row.burn_view) };
}
