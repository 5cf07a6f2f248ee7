/** Plays the sample chain on: blocks of a simulated node, posted to the event port, now and then with a small fork. */
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder } from '../../test/support/chain-builder.ts';
import type { BuiltTx } from '../../test/support/transaction-builder.ts';
import { DEPLOYER, deployment, failure, type Signature, swap, tokenTransfer, transfer } from './transactions.ts';

export interface PlayerOptions {
  /** Of the API, to see what the chain ends with. */
  readonly api: string;
  /** Where events are posted. */
  readonly events: string;
  /** Milliseconds between two blocks. */
  readonly pause: number;
  /** Numbers from 0 to 1. */
  readonly random?: () => number;
}

/** Blocks of one Bitcoin block. */
const BLOCKS_A_TENURE = 8;
/** Of so many blocks one is replaced by a fork. */
const FORK_EVERY = 20;
/** The first fork comes early, as a visitor may not stay. */
const FIRST_FORK = 12;

const MEMOS = ['coffee', 'thanks', 'invoice #204', 'rent', 'gm ☀️', '', 'lunch', 'for the tickets'];

/** Plays until the signal aborts. @throws Error if the chain has no block to begin with */
export async function play(options: PlayerOptions, signal: AbortSignal): Promise<void> {
  const player = await Player.start(options);
  while (!signal.aborted) {
    await pause(options.pause * 0.4, signal);
    await player.announce();
    await pause(options.pause * 0.6, signal);
    if (!signal.aborted) await player.nextBlock();
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });

/** The transactions here are signed with one key, which only these addresses have. */
const isSingleSig = (address: string): boolean => address.startsWith('ST');

class Player {
  readonly #options: PlayerOptions;
  readonly #random: () => number;
  readonly #builder: ChainBuilder;
  readonly #senders: readonly string[];
  readonly #nonces: Map<string, number>;
  #tip: BuiltBlock;
  #time: number;
  #waiting: BuiltTx[] = [];
  #made = 0;

  private constructor(options: PlayerOptions, tip: BuiltBlock, time: number, nonces: Map<string, number>) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#builder = new ChainBuilder(`demo ${tip.indexHash}`);
    this.#tip = tip;
    this.#time = time;
    this.#nonces = nonces;
    this.#senders = [...nonces.keys()];
  }

  /** Goes on from what the index has. */
  static async start(options: PlayerOptions): Promise<Player> {
    const get = async <T>(path: string): Promise<T> => (await (await fetch(options.api + path)).json()) as T;
    const { results } = await get<{ results: ServedBlock[] }>('/extended/v2/blocks?limit=1');
    const [top] = results;
    if (!top) throw new Error('there is no block to go on from');
    const { chain_tip } = await get<{ chain_tip: { burn_block_height: number } }>('/extended');
    const list = await get<{ results: { sender_address: string }[] }>('/extended/v1/tx?type=token_transfer&limit=50');
    const senders = new Set([DEPLOYER, ...list.results.map(tx => tx.sender_address).filter(isSingleSig)]);
    const nonces = new Map<string, number>();
    for (const sender of senders) {
      const found = await get<{ last_executed_tx_nonce: number | null }>(`/extended/v1/address/${sender}/nonces`);
      nonces.set(sender, (found.last_executed_tx_nonce ?? -1) + 1);
    }
    return new Player(options, standingOn(top, chain_tip.burn_block_height), top.block_time, nonces);
  }

  /** A few transactions wait for the next block. */
  async announce(): Promise<void> {
    const count = 1 + Math.floor(this.#random() * 6);
    const made = Array.from({ length: count }, () => this.#transaction());
    this.#waiting.push(...made);
    await this.#post(
      '/new_mempool_tx',
      made.map(tx => tx.body.raw_tx),
    );
  }

  /** A block with what waits; sometimes it turns out that the one before it is replaced, too. */
  async nextBlock(): Promise<void> {
    this.#made++;
    const replaces = this.#made % FORK_EVERY === FIRST_FORK;
    const beginsTenure = this.#made % BLOCKS_A_TENURE === 1;
    const mined = this.#waiting.splice(0);
    if (!replaces) return this.#add(this.#tip, mined, beginsTenure);
    // Two blocks are found at one height; the next one stands on the second, and the first is left behind.
    const parent = this.#tip;
    await this.#add(parent, mined, true);
    await pause(this.#options.pause * 0.6, new AbortController().signal);
    await this.#add(parent, mined.slice(1), true);
    await pause(this.#options.pause * 0.2, new AbortController().signal);
    await this.#add(this.#tip, mined.slice(0, 1), false);
  }

  async #add(parent: BuiltBlock, txs: readonly BuiltTx[], beginsTenure: boolean): Promise<void> {
    this.#time = Math.max(this.#time + 1, Math.floor(Date.now() / 1000));
    const burn = beginsTenure ? await this.#burnBlock(parent.burn) : parent.burn;
    const first = beginsTenure ? [this.#builder.tenureChange(burn.consensusHash, 0), this.#builder.coinbase()] : [];
    const block = this.#builder.block({
      parent,
      burn,
      txs: [...first, ...txs],
      fields: {
        block_time: this.#time,
        signer_bitvec: '00040000000105',
        signer_signature: Array.from({ length: 3 }, (_, i) => Buffer.alloc(65, this.#made + i).toString('hex')),
        tenure_height: burn.height,
      },
    });
    await this.#post('/new_block', block.body);
    this.#tip = block;
  }

  async #burnBlock(parent: BuiltBurnBlock): Promise<BuiltBurnBlock> {
    const burn = { ...this.#builder.burnBlock({ parent }), time: this.#time };
    await this.#post('/new_burn_block', JSON.parse(Buffer.from(burn.delivery.body).toString()));
    return burn;
  }

  #transaction(): BuiltTx {
    const kind = this.#random();
    if (kind < 0.15) return tokenTransfer(this.#sign(DEPLOYER), this.#pick(this.#senders.slice(1)), this.#amount(5));
    if (kind < 0.3) return swap(this.#sign(DEPLOYER), this.#amount(4));
    if (kind < 0.38) return failure(this.#sign());
    if (kind < 0.42) return deployment(this.#sign(), `greeter-${this.#amount(6)}`);
    const signature = this.#sign();
    const others = this.#senders.filter(each => each !== signature.sender);
    return transfer(signature, this.#pick(others), this.#amount(8), this.#pick(MEMOS));
  }

  #sign(sender = this.#pick(this.#senders)): Signature {
    const nonce = this.#nonces.get(sender) ?? 0;
    this.#nonces.set(sender, nonce + 1);
    return { sender, nonce, fee: 200 + this.#amount(4) };
  }

  /** Up to so many digits. */
  readonly #amount = (digits: number): number => 1 + Math.floor(this.#random() * 10 ** digits);

  readonly #pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  };

  async #post(path: string, body: unknown): Promise<void> {
    const response = await fetch(this.#options.events + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
}

interface ServedBlock {
  readonly height: number;
  readonly hash: string;
  readonly index_block_hash: string;
  readonly parent_index_block_hash: string;
  readonly block_time: number;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly burn_block_time: number;
}

/** The newest block of the index as one that others can be built on. The first one of the demo has a Bitcoin block of its own. */
function standingOn(block: ServedBlock, burnHeight: number): BuiltBlock {
  const burn: BuiltBurnBlock = {
    hash: block.burn_block_hash,
    consensusHash: '',
    height: Math.max(burnHeight, block.burn_block_height),
    time: block.burn_block_time,
    delivery: { path: '', receivedAt: 0, body: Buffer.alloc(0) },
  };
  return {
    hash: block.hash,
    indexHash: block.index_block_hash,
    height: block.height,
    parentIndexHash: block.parent_index_block_hash,
    burn,
    txs: [],
    microblocks: [],
    body: {},
    delivery: burn.delivery,
  };
}
