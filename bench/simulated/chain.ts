import { toHex } from '../../src/base/lib/hex.ts';
import type { ArchivedEvent } from '../../src/ingest/node/archive/row.ts';
import { BOOT_INDEX_HASH, ZERO_HASH } from '../../test/support/chain-builder.ts';
import { bytes, filled, u32 } from '../../test/support/wire-transaction.ts';
import { type Account, Accounts } from './accounts.ts';
import { stxMint } from './events.ts';
import { type Profile, transactionsAt } from './profiles.ts';
import { Random } from './random.ts';
import { Traffic } from './traffic.ts';
import { addedCosts, NO_COST, OK_TRUE, type SimulatedTx, sha512t256, transactionOf } from './wire.ts';

export interface ChainOptions {
  readonly profile: Profile;
  readonly blocks: number;
  readonly seed: string;
}

interface BurnBlock {
  readonly hash: Uint8Array;
  readonly consensusHash: Uint8Array;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
}

interface Block {
  readonly hash: string;
  readonly indexHash: string;
  readonly height: number;
  readonly burn: BurnBlock;
}

interface Tenure {
  readonly burn: BurnBlock;
  readonly height: number;
  readonly length: number;
  readonly miner: Account;
  fees: number;
  /** Its first block, once there is one. */
  first?: Block;
}

const START_SECONDS = 1_735_689_600;
const FIRST_BURN_HEIGHT = 100_000;
const SECONDS_A_BLOCK = 8;
/** In burn blocks. */
const CYCLE = 100;
/** In tenures. */
const MATURITY = 100;
const COINBASE = 1_000_000_000;
const NONE = 0x09;

/** The events that a node posts for a chain of this shape, in order. The same options give the same bytes. */
export async function* simulatedChain({ profile, blocks, seed }: ChainOptions): AsyncGenerator<ArchivedEvent> {
  const random = new Random(`${seed} ${blocks}`);
  const principals = Math.max(profile.leastPrincipals, Math.ceil(blocks / profile.blocksForPrincipal));
  const accounts = new Accounts(random, seed, principals);
  const traffic = new Traffic(random, accounts, profile);
  const hash = () => sha512t256(random.bytes(32), u32(id));
  const signers = Array.from({ length: 25 }, () => `02${Buffer.from(random.bytes(32)).toString('hex')}`);
  const holders = accounts.rich().slice(0, 60);
  const tenures: Tenure[] = [];
  let id = 0;
  let seconds = START_SECONDS;
  let height = 0;

  const event = (path: string, body: unknown): ArchivedEvent => ({
    id: ++id,
    receivedAt: seconds * 1_000_000 + (id % 1_000_000),
    path,
    body: Buffer.from(JSON.stringify(body)),
  });

  const newBurnBlock = (parent: BurnBlock | undefined): BurnBlock => ({
    hash: hash(),
    consensusHash: hash().subarray(0, 20),
    height: parent ? parent.height + 1 : FIRST_BURN_HEIGHT,
    time: seconds,
  });

  let burn = newBurnBlock(undefined);
  const boot: Block = { hash: ZERO_HASH, indexHash: BOOT_INDEX_HASH, height: 0, burn };
  yield event('/new_block', bootBody(boot, bootTx(random, accounts)));

  let parent: Block = boot;
  for (let left = 0; height < blocks; left--) {
    seconds += random.integer(1, 2 * SECONDS_A_BLOCK - 1);
    const starts = left === 0;
    if (starts) {
      const below = burn;
      burn = newBurnBlock(below);
      yield event('/new_burn_block', burnBody(random, burn, below, holders));
      const length = random.integer(...profile.tenureBlocks);
      tenures.push({ burn, height: tenures.length + 1, length, miner: accounts.at(random.integer(10, 29)), fees: 0 });
      left = length;
    }
    const tenure = tenures.at(-1);
    if (!tenure) break;
    const extended = !starts && random.fraction() < profile.extends;
    const txs = [
      ...(starts ? [tenureChange(tenure, tenures.at(-2), parent, 0), coinbase(tenure)] : []),
      ...(extended ? [tenureChange(tenure, tenures.at(-2), parent, 1)] : []),
      ...Array.from({ length: random.integer(...transactionsAt(profile, height / blocks)) }, () => traffic.next()),
    ];
    tenure.fees += txs.reduce((sum, { fee }) => sum + fee, 0);
    height++;
    const blockHash = hash();
    const indexHash = sha512t256(blockHash, tenure.burn.consensusHash);
    const block: Block = { hash: toHex(blockHash), indexHash: toHex(indexHash), height, burn: tenure.burn };
    if (starts) tenure.first = block;
    const matured = starts ? tenures.at(-1 - MATURITY) : undefined;
    yield event('/new_block', blockBody(block, parent, tenure, txs, matured));
    parent = block;
  }

  function tenureChange(tenure: Tenure, before: Tenure | undefined, below: Block, cause: 0 | 1): SimulatedTx {
    const own = tenure.burn.consensusHash;
    const previous = cause === 0 ? (before?.burn.consensusHash ?? filled(20, 0)) : own;
    const counted = cause === 0 ? (before?.length ?? 1) : 1;
    const payload = bytes(
      ...[0x07, own, previous, own, Buffer.from(below.indexHash.slice(2), 'hex')],
      ...[u32(counted), cause, tenure.miner.hash],
    );
    return transactionOf(random, tenure.miner, { payload });
  }

  function coinbase(tenure: Tenure): SimulatedTx {
    return transactionOf(random, tenure.miner, { payload: bytes(0x08, filled(32, 0), NONE, random.bytes(80)) });
  }

  function blockBody(block: Block, below: Block, tenure: Tenure, txs: readonly SimulatedTx[], matured?: Tenure) {
    const signature = () => Buffer.from(random.bytes(65)).toString('hex');
    const isNewCycle = matured !== undefined && tenure.burn.height % CYCLE === CYCLE - 4;
    return {
      ...placeOf(block, below),
      block_time: seconds,
      miner_txid: toHex(tenure.burn.hash),
      matured_miner_rewards: matured ? [rewardOf(matured)] : [],
      ...contentOf(txs),
      signer_bitvec: '000c00000002ff0f',
      reward_set: isNewCycle ? rewardSet() : null,
      cycle_number: isNewCycle ? Math.floor(tenure.burn.height / CYCLE) + 1 : null,
      tenure_height: tenure.height,
      consensus_hash: toHex(tenure.burn.consensusHash),
      signer_signature_hash: block.hash,
      miner_signature: `0x${signature()}`,
      signer_signature: Array.from({ length: profile.signatures }, signature),
    };
  }

  function rewardSet() {
    const weighed = signers.map(signing_key => {
      const weight = random.integer(1, 200);
      return { signing_key, weight, stacked_amt: `${weight}00000000000000` };
    });
    return { pox_ustx_threshold: '100000000000000', rewarded_addresses: [], signers: weighed };
  }
}

function rewardOf({ miner, fees, first }: Tenure) {
  miner.balance += COINBASE + fees;
  return {
    recipient: miner.address,
    miner_address: miner.address,
    coinbase_amount: String(COINBASE),
    tx_fees_anchored: String(fees),
    tx_fees_streamed_confirmed: '0',
    tx_fees_streamed_produced: '0',
    from_stacks_block_hash: first?.hash ?? ZERO_HASH,
    from_index_consensus_hash: first?.indexHash ?? ZERO_HASH,
  };
}

function burnBody(random: Random, burn: BurnBlock, parent: BurnBlock, holders: readonly Account[]) {
  const slots = [0, 1].map(() => holders[random.integer(0, holders.length - 1)]?.address ?? '');
  return {
    burn_block_hash: toHex(burn.hash),
    burn_block_height: burn.height,
    reward_recipients: slots.map(recipient => ({ recipient, amt: random.integer(10_000, 100_000) })),
    reward_slot_holders: slots,
    burn_amount: 0,
    consensus_hash: toHex(burn.consensusHash),
    parent_burn_block_hash: toHex(parent.hash),
  };
}

/** Where a block is, and what came before it. */
function placeOf({ hash, indexHash, height, burn }: Block, parent: Pick<Block, 'hash' | 'indexHash' | 'burn'>) {
  return {
    block_hash: hash,
    block_height: height,
    index_block_hash: indexHash,
    parent_block_hash: parent.hash,
    parent_index_block_hash: parent.indexHash,
    parent_microblock: ZERO_HASH,
    parent_microblock_sequence: 0,
    burn_block_hash: toHex(burn.hash),
    burn_block_height: burn.height,
    burn_block_time: burn.time,
    parent_burn_block_hash: toHex(parent.burn.hash),
    parent_burn_block_height: parent.burn.height,
    parent_burn_block_timestamp: parent.burn.time,
    ...{ pox_v1_unlock_height: 2, pox_v2_unlock_height: 3, pox_v3_unlock_height: 4 },
    confirmed_microblocks_cost: NO_COST,
  };
}

function contentOf(txs: readonly SimulatedTx[]) {
  return {
    transactions: txs.map(({ body }, tx_index) => ({ ...body, tx_index })),
    events: txs.flatMap(({ events }) => events).map((event, event_index) => ({ ...event, event_index })),
    anchored_cost: addedCosts(txs.map(({ body }) => body.execution_cost)),
  };
}

function bootTx(random: Random, accounts: Accounts): SimulatedTx {
  const rich = accounts.rich();
  const events = rich.map(({ address, balance }) => stxMint(address, balance));
  const boot: Account = { hash: filled(20, 0), address: '', nonce: 0, balance: 0 };
  const payload = bytes(0x00, 0x05, 26, filled(20, 0), filled(42, 0));
  return transactionOf(random, boot, { payload, events, result: OK_TRUE });
}

const bootBody = (boot: Block, tx: SimulatedTx) => ({
  ...placeOf(boot, { hash: ZERO_HASH, indexHash: `0x${'ff'.repeat(32)}`, burn: boot.burn }),
  block_time: null,
  miner_txid: ZERO_HASH,
  matured_miner_rewards: [],
  ...contentOf([tx]),
});
