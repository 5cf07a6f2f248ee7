import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { decodeTransaction } from '../../src/base/codec/index.ts';
import { hexBytes } from '../../src/base/lib/hex.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { NewBlock } from '../../src/ingest/node/events/block.ts';
import { parseEvent } from '../../src/ingest/node/events/parse.ts';
import type { NodeTransaction } from '../../src/ingest/node/events/transaction.ts';
import { type SealedBlock, seal } from './nakamoto-bytes.ts';
import { type SeenRequest, type StubNode, startStubNode } from './stub-node.ts';
import { filled } from './wire-transaction.ts';

/*
 * A node that has the blocks of a simulated chain, and replays them with the faults of a real one: `tx_index` is 0, events are numbered anew in each
 * transaction, signatures of signers are left out, and skipped transactions run, so that the block has another identifier.
 */

type Json = Readonly<Record<string, unknown>>;

/** All signers of the simulation (test/chains/simulation/chain.ts), and the version of its headers. */
const SIGNER_KEYS = [7, 8].map(secret => filled(32, secret));
const HEADER_VERSION = 1;
const FIRST_BALANCE = 10n ** 16n;
export const NODE_TOKEN = 'the token of the node';

/** Changes a response: `undefined` leaves it, a function responds itself. */
export type Tamper = (path: string, response: unknown) => unknown | ((response: ServerResponse) => void);

interface Ledger {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly locked: ReadonlyMap<string, bigint>;
  readonly nonces: ReadonlyMap<string, number>;
}

/** What a node knows of a chain. */
export interface KnownToNode {
  readonly block: NewBlock;
  readonly sealed: SealedBlock;
  readonly ledger: Ledger;
}

export const blocksIn = (deliveries: readonly Delivery[]): NewBlock[] =>
  deliveries.flatMap(({ path, body }) => {
    const event = parseEvent(path, body);
    return event.ok && event.value.path === '/new_block' ? [event.value.block] : [];
  });

/** Blocks with a delivered child, and no other block at their height. */
export function removableBlocks(deliveries: readonly Delivery[]): NewBlock[] {
  const blocks = blocksIn(deliveries);
  return blocks.filter(
    ({ index_block_hash: hash, block_height: height }) =>
      height > 1 &&
      blocks.some(block => block.parent_index_block_hash === hash) &&
      blocks.filter(block => block.block_height === height).length === 1,
  );
}

/** Whether signers skipped a transaction of a block: no replay gives it. */
export const isSkipping = ({ transactions }: NewBlock): boolean =>
  transactions.some(({ status }) => status === 'problematic_skipped');
/** A tenure change has 117 bytes behind its type. */
const changesTenure = (block: NewBlock) => block.transactions.some(({ raw_tx }) => /07.{234}$/.test(raw_tx));

/** The removable blocks of class A. */
export const blocksOfClassA = (deliveries: readonly Delivery[]): NewBlock[] =>
  removableBlocks(deliveries).filter(block => !changesTenure(block) && !isSkipping(block));

/** The removable blocks that begin a tenure, of class C. */
export function beginningsOfTenures(deliveries: readonly Delivery[]): NewBlock[] {
  const blocks = blocksIn(deliveries);
  const parentOf = (block: NewBlock) =>
    blocks.find(({ index_block_hash }) => index_block_hash === block.parent_index_block_hash);
  return removableBlocks(deliveries).filter(block => parentOf(block)?.consensus_hash !== block.consensus_hash);
}

/** The deliveries but for those of some blocks. */
export function withoutBlocks(deliveries: readonly Delivery[], missing: readonly NewBlock[]): Delivery[] {
  const hashes = new Set(missing.map(({ index_block_hash }) => index_block_hash));
  return deliveries.filter(({ path, body }) => {
    const event = parseEvent(path, body);
    return !(event.ok && event.value.path === '/new_block' && hashes.has(event.value.block.index_block_hash));
  });
}

/** All blocks by index block hash. */
export async function chainOfNode(deliveries: readonly Delivery[]): Promise<ReadonlyMap<string, KnownToNode>> {
  const known = new Map<string, KnownToNode>();
  for (const block of blocksIn(deliveries)) {
    const sealed = await sealedAgain(block);
    const below = known.get(block.parent_index_block_hash)?.ledger;
    known.set(block.index_block_hash, { block, sealed, ledger: ledgerAfter(block, below) });
  }
  return known;
}

/** The bytes that a block was hashed from. */
const sealedAgain = (block: NewBlock): Promise<SealedBlock> =>
  seal({
    version: HEADER_VERSION,
    height: block.block_height,
    consensusHash: block.consensus_hash ?? '',
    parentBlockId: block.parent_index_block_hash,
    time: block.block_time ?? 0,
    poxTreatment: block.signer_bitvec ?? '',
    transactions: block.transactions.map(({ raw_tx }) => hexBytes(raw_tx)),
    signers: SIGNER_KEYS,
    skipped: block.transactions.flatMap(({ status }, i) => (status === 'problematic_skipped' ? [i] : [])),
  });

function signerOf({ raw_tx }: NodeTransaction): { readonly address: string; readonly fee: bigint } {
  const decoded = decodeTransaction(hexBytes(raw_tx));
  if (!decoded.ok) throw new Error(decoded.error.message);
  const { address, fee } = decoded.value.origin;
  return { address, fee };
}

function ledgerAfter(block: NewBlock, below: Ledger | undefined): Ledger {
  const balances = new Map(below?.balances);
  const locked = new Map(below?.locked);
  const nonces = new Map(below?.nonces);
  const add = (to: string, amount: bigint) => balances.set(to, (balances.get(to) ?? FIRST_BALANCE) + amount);
  for (const tx of block.transactions) {
    const { address, fee } = signerOf(tx);
    add(address, -fee);
    nonces.set(address, (nonces.get(address) ?? 0) + 1);
  }
  for (const { recipient, coinbase_amount: amount } of block.matured_miner_rewards) add(recipient, BigInt(amount));
  for (const event of block.events) {
    if (event.type === 'stx_transfer_event') {
      add(event.stx_transfer_event.sender, -BigInt(event.stx_transfer_event.amount));
      add(event.stx_transfer_event.recipient, BigInt(event.stx_transfer_event.amount));
    } else if (event.type === 'stx_mint_event')
      add(event.stx_mint_event.recipient, BigInt(event.stx_mint_event.amount));
    else if (event.type === 'stx_burn_event') add(event.stx_burn_event.sender, -BigInt(event.stx_burn_event.amount));
    else if (event.type === 'stx_lock_event')
      locked.set(event.stx_lock_event.locked_address, BigInt(event.stx_lock_event.locked_amount));
  }
  return { balances, locked, nonces };
}

const bare = (hex: string | null): string => (hex ?? '').replace(/^0x/, '');
const amount = (value: bigint): string => `0x${value.toString(16).padStart(32, '0')}`;

/** What `GET /v3/blocks/replay/{id}` gives. */
export function replayReply({ block, sealed }: KnownToNode): Json {
  const runsSkipped = block.transactions.some(({ status }) => status === 'problematic_skipped');
  const other = runsSkipped ? { block_hash: 'ff'.repeat(32), block_id: 'fe'.repeat(32) } : {};
  return {
    block_id: bare(block.index_block_hash),
    block_hash: bare(block.block_hash),
    block_height: block.block_height,
    parent_block_id: bare(block.parent_index_block_hash),
    consensus_hash: bare(block.consensus_hash),
    fees: Number(block.transactions.reduce((sum, tx) => sum + signerOf(tx).fee, 0n)),
    tx_merkle_root: bare(sealed.txMerkleRoot),
    valid_merkle_root: true,
    state_index_root: bare(sealed.stateIndexRoot),
    timestamp: block.block_time,
    miner_signature: bare(block.miner_signature),
    signer_signature: [],
    transactions: block.transactions.map(tx => replayedTransaction(block, tx)),
    ...other,
  };
}

function replayedTransaction(block: NewBlock, tx: NodeTransaction): Json {
  const events = block.events.filter(({ txid }) => txid === tx.txid).sort((a, b) => a.event_index - b.event_index);
  const burned = events.flatMap(event => (event.type === 'stx_burn_event' ? [event.stx_burn_event.amount] : []));
  return {
    txid: bare(tx.txid),
    tx_index: 0,
    data: { version: 'Testnet' },
    hex: bare(tx.raw_tx),
    result_hex: tx.raw_result,
    stx_burned: burned.reduce((sum, each) => sum + Number(each), 0),
    execution_cost: tx.execution_cost,
    events: events.map((event, i) => ({ ...event, event_index: i })),
    post_condition_aborted: tx.status === 'abort_by_post_condition',
    vm_error: tx.vm_error,
    profiler: null,
    execution_stats: { nanos: 12_345 },
  };
}

/** What the node responds, before anything changes it; undefined: 404. */
export function replyOf(chain: ReadonlyMap<string, KnownToNode>, { url }: Pick<SeenRequest, 'url'>): unknown {
  const { pathname, searchParams } = new URL(url, 'http://node');
  const [, root, what, ...rest] = pathname.split('/');
  const tip = chain.get(`0x${searchParams.get('tip')}`);
  const highest = Math.max(...[...chain.values()].map(({ block }) => block.block_height));
  switch (`${root}/${what}`) {
    case 'v2/info':
      return { server_version: 'stacks-node 4.0.1.0.0 (release)', network_id: 0x80000000, stacks_tip_height: highest };
    case 'v2/pox':
      return {
        epochs: [
          { epoch_id: 'Epoch33', start_height: 0 },
          { epoch_id: 'Epoch34', start_height: 50 },
        ],
      };
    case 'v2/map_entry':
      return { data: '0x09' };
    case 'v2/accounts': {
      if (!tip) return undefined;
      const principal = decodeURIComponent(rest[0] ?? '');
      const { balances, locked, nonces } = tip.ledger;
      const held = locked.get(principal) ?? 0n;
      return {
        balance: amount((balances.get(principal) ?? FIRST_BALANCE) - held),
        locked: amount(held),
        unlock_height: 0,
        nonce: nonces.get(principal) ?? 0,
      };
    }
    case 'v2/contracts': {
      const deployed = [...chain.values()].flatMap(({ block }) => block.transactions);
      const isNamed = (tx: NodeTransaction) => {
        const decoded = decodeTransaction(hexBytes(tx.raw_tx));
        const payload = decoded.ok ? decoded.value.payload : undefined;
        return payload?.kind === 'smart_contract' && payload.name === rest[2] && signerOf(tx).address === rest[1];
      };
      return deployed.find(tx => tx.contract_interface !== null && isNamed(tx))?.contract_interface;
    }
    case 'v3/blocks': {
      const block = chain.get(`0x${rest.at(-1)}`);
      if (!block) return undefined;
      return rest[0] === 'replay' ? replayReply(block) : block.sealed.raw;
    }
    default:
      return undefined;
  }
}

/** Starts the node. Replays need NODE_TOKEN. */
export async function startReplayingNode(
  t: TestContext,
  chain: ReadonlyMap<string, KnownToNode>,
  tamper: Tamper = () => undefined,
): Promise<StubNode> {
  return startStubNode(t, (request, response) => {
    const path = new URL(request.url, 'http://node').pathname;
    const isReplay = path.startsWith('/v3/blocks/replay/');
    const own = replyOf(chain, request);
    const changed = tamper(path, own);
    if (typeof changed === 'function') return changed(response);
    const reply = changed === undefined ? own : changed;
    if (isReplay && request.headers.authorization !== NODE_TOKEN) return send(response, 401, 'Unauthorized');
    if (reply === undefined) return send(response, 404, 'No such block');
    return send(response, 200, reply instanceof Uint8Array ? reply : JSON.stringify(reply));
  });
}

function send(response: ServerResponse, status: number, body: string | Uint8Array): void {
  response.writeHead(status);
  response.end(body);
}
