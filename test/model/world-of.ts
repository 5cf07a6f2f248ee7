import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { Network } from './bitcoin-operations.ts';
import { announced, type BurnChain, NO_BURN_BLOCKS } from './burn-chain.ts';
import { type Choice, choose, NOTHING_CHOSEN } from './fork-choice.ts';
import { dropped, type Heard, heardOf, judgedMempool, type Mined, restored } from './mempool.ts';
import { NO_STREAMS, type Streams, streamed } from './microblocks.ts';
import { decoded, inOrder, NO_BYTES, transactionsOf } from './transactions.ts';
import type { Block, MicroblockLink, Payload, StreamedBytes, Tx, World } from './world.ts';

/** What is kept from one delivery to the next. */
interface Past {
  readonly network: Network;
  readonly burnChain: BurnChain;
  readonly known: readonly Block[];
  readonly choice: Choice;
  readonly streams: Streams;
  readonly streamed: readonly Tx[];
  /** The first block with a microblock that became canonical, by the hash of the microblock. */
  readonly acceptedBy: ReadonlyMap<string, Block>;
  readonly messages: readonly Payload[];
  readonly streamedBytes: readonly StreamedBytes[];
  readonly heard: readonly Heard[];
  readonly attachments: readonly Payload[];
}

const worlds = new WeakMap<readonly Delivery[], World>();

/** The world after these deliveries, in this order. Computed once for each list, which must not change afterwards. */
export function worldOf(deliveries: readonly Delivery[]): World {
  const known = worlds.get(deliveries);
  if (known) return known;
  const messages = deliveries.map(({ path, receivedAt, body }) => ({
    path: path.replace(/\/$/, ''),
    payload: parsed(body),
    seconds: Math.floor(receivedAt / 1_000_000),
  }));
  let past: Past = {
    network: networkOf(messages.map(({ payload }) => payload)),
    burnChain: NO_BURN_BLOCKS,
    known: [],
    choice: NOTHING_CHOSEN,
    streams: NO_STREAMS,
    streamed: [],
    acceptedBy: new Map(),
    messages: [],
    streamedBytes: [],
    heard: [],
    attachments: [],
  };
  for (const { path, payload, seconds } of messages) past = after(past, path, payload, seconds);
  const world = asWorld(past);
  worlds.set(deliveries, world);
  return world;
}

/** Numbers that a double does not hold exactly are bigints. */
function parsed(body: Uint8Array): Payload {
  return JSON.parse(Buffer.from(body).toString(), (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  );
}

/** That of the first transaction with bytes. */
function networkOf(payloads: readonly Payload[]): Network {
  const raws = payloads.flatMap(({ transactions = [] }) => transactions.map((tx: Payload) => tx.raw_tx));
  const first = raws.find(raw => raw !== NO_BYTES && decoded(raw));
  return ((decoded(first ?? '')?.version ?? 0x80) & 0x80) === 0 ? 'mainnet' : 'testnet';
}

function after(past: Past, path: string, payload: Payload, seconds: number): Past {
  switch (path) {
    case '/new_block':
      return onNewTip(past, { ...past, known: withBlock(past, payload) });
    case '/new_burn_block':
      return onNewTip(past, { ...past, burnChain: announced(past.burnChain, payload) });
    case '/new_microblocks':
      return withStream(withBytes(past, payload), payload);
    case '/new_mempool_tx':
      return { ...past, heard: heardOf(past.heard, payload, seconds, minedIn(past)) };
    case '/drop_mempool_tx':
      return { ...past, heard: dropped(past.heard, payload, seconds) };
    case '/attachments/new':
      return { ...past, attachments: [...past.attachments, ...payload] };
    default:
      return past;
  }
}

function withBlock({ known, network }: Past, payload: Payload): readonly Block[] {
  if (known.some(({ indexHash }) => indexHash === payload.index_block_hash)) return known;
  const block = {
    payload,
    hash: payload.block_hash,
    indexHash: payload.index_block_hash,
    parentIndexHash: payload.parent_index_block_hash,
    height: payload.block_height,
    burnHash: payload.burn_block_hash,
    burnHeight: payload.burn_block_height,
    burnTime: payload.burn_block_time,
    txs: [] as readonly Tx[],
    own: [] as readonly Tx[],
    arrival: known.length,
  };
  block.own = transactionsOf(payload, block, network, tx => tx.tx_index);
  block.txs = block.own;
  return [...known, block];
}

/** The tip may have moved: what stood on it is gone, and what was mined may have to return to the mempool. */
function onNewTip(before: Past, now: Past): Past {
  const choice = choose(before.choice, now.known, now.burnChain);
  if (choice.chain.at(-1) === before.choice.chain.at(-1)) return { ...now, choice };
  const fresh = choice.chain.filter(block => !before.choice.chain.includes(block));
  const minedBefore = minedIn(before).txs;
  const moved = { ...now, choice, streams: NO_STREAMS, acceptedBy: fresh.reduce(accepted, now).acceptedBy };
  for (const block of before.choice.chain) if (!choice.chain.includes(block)) block.txs = block.own;
  for (const block of fresh) leaveOut(block, choice.chain);
  return { ...moved, heard: restored(now.heard, minedBefore, minedIn(moved)) };
}

/**
 * A block becomes canonical: the first that accepts a microblock leaves its transactions the numbers that they had in it
 * (docs/spec/ingestion.md#order-of-transactions).
 */
function accepted(past: Past, block: Block): Past {
  const numbered = past.streamed.filter(({ microblock }) => namesMicroblock(block, microblock?.hash));
  const acceptedBy = new Map(past.acceptedBy);
  for (const { microblock } of numbered)
    if (microblock && !acceptedBy.has(microblock.hash)) acceptedBy.set(microblock.hash, block);
  const own = numbered.filter(({ microblock }) => microblock && acceptedBy.get(microblock.hash) === block);
  const numberOf = ({ txid, microblock_hash, tx_index }: Payload): number =>
    own.find(({ txId, microblock }) => txId === txid && microblock?.hash === microblock_hash)?.index ?? tx_index;
  block.own = transactionsOf(block.payload, block, past.network, numberOf);
  return { ...past, acceptedBy };
}

/** A chain has a transaction once, with the first block that has it (docs/spec/ingestion.md#duplicate-transactions). */
function leaveOut(block: Block, chain: readonly Block[]): void {
  const below = new Set(
    chain.filter(({ height }) => height < block.height).flatMap(({ own }) => own.map(tx => tx.txId)),
  );
  block.txs = block.own.filter(({ txId, raw }) => raw === NO_BYTES || !below.has(txId));
}

const namesMicroblock = ({ payload }: Block, hash: string | undefined): boolean =>
  payload.transactions.some(({ microblock_hash }: Payload) => hash !== undefined && microblock_hash === hash);

const withBytes = (past: Past, payload: Payload): Past => ({
  ...past,
  messages: [...past.messages, payload],
  streamedBytes: [
    ...past.streamedBytes,
    ...payload.transactions.map((tx: Payload): StreamedBytes => ({ txId: tx.txid, raw: tx.raw_tx })),
  ],
});

function withStream(past: Past, payload: Payload): Past {
  const streams = streamed(past.streams, payload, past.choice.chain.at(-1), past.network);
  if (streams === past.streams) return past;
  const fresh = streams.known.slice(past.streams.known.length).flatMap(({ txs }) => txs);
  const now = { ...past, streams, streamed: [...past.streamed, ...fresh] };
  return { ...now, heard: restored(now.heard, minedIn(past).txs, minedIn(now)) };
}

const unanchoredOf = ({ streams }: Past): Tx[] => streams.standing.flatMap(({ txs }) => txs);

/** Every canonical transaction in chain order. */
function canonicalTxs(past: Past): readonly Tx[] {
  const boot = bootOf(past)?.txs ?? [];
  return [...inOrder([...boot, ...past.choice.chain.flatMap(({ txs }) => txs)]), ...unanchoredOf(past)];
}

/** Boot transactions are in no mempool: they count for nothing there. */
const minedIn = (past: Past): Mined => ({
  txs: [...past.choice.chain.flatMap(({ txs }) => txs), ...unanchoredOf(past)],
  tip: past.choice.chain.at(-1),
});

/** The boot block with its transactions in block 1, one place later, with times of their own (docs/spec/ingestion.md#boot-block). */
function bootOf({ known, choice }: Past): Block | undefined {
  const [first] = choice.chain;
  const boot = known.find(({ height }) => height === 0);
  if (!boot || !first) return undefined;
  const { block_time, burn_block_time, parent_burn_block_timestamp } = boot.payload;
  const payload = { ...first.payload, block_time: block_time ?? burn_block_time, parent_burn_block_timestamp };
  const moved: Block = { ...first, payload, txs: [] };
  return { ...moved, txs: boot.txs.map(tx => ({ ...tx, block: moved, index: tx.index + 1 })) };
}

/** The microblocks that messages and blocks name, each with the block it stands on. */
const microblocksOf = ({ messages, known }: Past): MicroblockLink[] =>
  [...messages, ...known.map(({ payload }) => payload)].flatMap(({ transactions, ...named }) =>
    transactions
      .filter((tx: Payload) => typeof tx.microblock_hash === 'string')
      .map((tx: Payload) => ({
        hash: tx.microblock_hash,
        parentHash: tx.microblock_parent_hash,
        sequence: tx.microblock_sequence,
        parentBlock: named.parent_index_block_hash,
      })),
  );

function asWorld(past: Past): World {
  const canonical = new Set(past.choice.chain);
  const mempool = judgedMempool(past.heard, minedIn(past));
  return {
    network: past.network,
    blocks: past.choice.chain,
    boot: bootOf(past),
    others: past.known.filter(block => !canonical.has(block) && block.height !== 0),
    known: past.known,
    streamed: past.streamed,
    microblocks: microblocksOf(past),
    streamedBytes: past.streamedBytes,
    unanchored: unanchoredOf(past),
    txs: canonicalTxs(past),
    burnBlocks: past.burnChain.canonical,
    pending: mempool.filter(({ status }) => status === 'pending'),
    mempool,
    attachments: past.attachments,
  };
}
