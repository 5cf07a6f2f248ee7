import { Cl } from '@stacks/transactions';
import type { Delivery } from '../../../src/ingest/journal/entries.ts';
import { BOOT_INDEX_HASH, type BuiltBlock, type BuiltBurnBlock, ChainBuilder } from '../../support/chain-builder.ts';
import { seal } from '../../support/nakamoto-bytes.ts';
import { accountAddress, type BuiltTx, sha, tenureChangePayload, unhex } from '../../support/transaction-builder.ts';
import { bytes, filled, name, u32 } from '../../support/wire-transaction.ts';
import { POX5, SBTC_ASSET, SLOT_HOLDER } from './cast.ts';
import { type Operation, perform, signed } from './operations.ts';
import { amountOf, ClarityVm } from './vm.ts';

/** The funds of an account in the first block: micro-STX and sats. */
export interface Funds {
  readonly stx: number;
  readonly sats: number;
}

/** A block with what it did to the VM, so that it can be done again. */
export interface Placed {
  readonly block: BuiltBlock;
  readonly below: Placed | undefined;
  readonly view: BuiltBurnBlock;
  readonly does: readonly Operation[];
  /** The next nonce of each address that has sent a transaction. */
  readonly nonces: ReadonlyMap<string, number>;
}

interface BlockOptions {
  /** Another block than the newest. */
  readonly on?: Placed;
  /** The burn block that elects its miner: a tenure begins. */
  readonly elected?: BuiltBurnBlock;
  /** The burn block that a tenure extend names. */
  readonly view?: BuiltBurnBlock;
  /** It brings the reward set of this cycle. */
  readonly rewardsOf?: number;
}

const MINER = accountAddress(1);
const REWARD = 1_000_000_000;
/** Of all signers: every one signs each block. */
const SIGNER_KEYS = [7, 8].map(secret => filled(32, secret));
const POX_TREATMENT = '00040000000105';
/** Of headers in epoch 4.0. */
const HEADER_VERSION = 1;

/**
 * A chain of epoch 4.0 whose transactions run in the Clarity VM. A block on another than the newest one runs in a VM of its own, in which
 * everything below it is done again: so each branch has the state that a node has on it.
 */
export class SimulatedChain {
  readonly deliveries: Delivery[] = [];
  readonly #builder = new ChainBuilder('simulation');
  readonly #funds: ReadonlyMap<string, Funds>;
  readonly #bondAdmin: string;
  readonly #managers: readonly string[];
  #vm: { readonly at: Placed | undefined; readonly vm: ClarityVm } | undefined;

  /** @param managers contracts whose stake makes the reward sets */
  constructor(funds: ReadonlyMap<string, Funds>, bondAdmin: string, managers: readonly string[]) {
    this.#funds = funds;
    this.#bondAdmin = bondAdmin;
    this.#managers = managers;
  }

  /** Announces a burn block. */
  burn(parent?: BuiltBurnBlock): BuiltBurnBlock {
    const burn = this.#builder.burnBlock({ ...(parent && { parent }), slots: [SLOT_HOLDER] });
    this.deliveries.push(burn.delivery);
    return burn;
  }

  /** Makes and sends a block. */
  async block(does: readonly Operation[], options: BlockOptions = {}): Promise<Placed> {
    const { elected, rewardsOf } = options;
    const below = options.on ?? this.#vm?.at;
    const burn = elected ?? below?.block.burn;
    const view = options.view ?? elected ?? below?.view;
    if (!burn || !view) throw new Error('the first block needs an election');
    const vm = await this.vmAt(below);
    const nonces = new Map(below?.nonces);
    const matures = elected ? below?.below?.block : undefined;
    const txs = [
      ...(options.view || elected ? [this.#tenureChange(view, elected ? 0 : 1, nonces)] : []),
      ...(elected ? [minerTx(bytes(0x04, unhex(this.#builder.hash())), nonces)] : []),
      ...(below ? [] : [this.#funding(nonces)]),
      ...this.#apply(vm, { below, view, does, matures }, nonces),
    ];
    const height = (below?.block.height ?? 0) + 1;
    const time = Math.max(view.time, Number(below?.block.body.block_time ?? 0)) + 5;
    const sealed = await seal({
      version: HEADER_VERSION,
      height,
      consensusHash: burn.consensusHash,
      parentBlockId: below?.block.indexHash ?? BOOT_INDEX_HASH,
      time,
      poxTreatment: POX_TREATMENT,
      transactions: txs.map(({ body }) => unhex(String(body.raw_tx))),
      signers: SIGNER_KEYS,
      skipped: txs.flatMap(({ body }, i) => (body.status === 'problematic_skipped' ? [i] : [])),
    });
    const block = this.#builder.block({
      ...(below && { parent: below.block }),
      ...{ burn, txs },
      fields: {
        consensus_hash: burn.consensusHash,
        block_hash: sealed.blockHash,
        index_block_hash: sealed.blockId,
        // The commit on Bitcoin that won: one for all blocks of a tenure.
        miner_txid: sha(unhex(burn.hash)),
        block_time: time,
        signer_bitvec: POX_TREATMENT,
        signer_signature_hash: sealed.blockHash,
        miner_signature: sealed.minerSignature,
        signer_signature: sealed.signerSignatures,
        anchored_cost: costOf(txs),
        confirmed_microblocks_cost: costOf([]),
        tenure_height: Number(below?.block.body.tenure_height ?? 0) + (elected ? 1 : 0),
        pox_v4_unlock_height: 101,
        ...(matures && { matured_miner_rewards: [rewardFor(matures)] }),
        ...(rewardsOf !== undefined && { cycle_number: rewardsOf, reward_set: this.#rewardSet(vm, rewardsOf) }),
      },
    });
    const placed = { block, below, view, does, nonces };
    this.#vm = { at: placed, vm };
    this.deliveries.push(block.delivery);
    return placed;
  }

  /** The VM in the state after a block; undefined: before the first. */
  async vmAt(place: Placed | undefined): Promise<ClarityVm> {
    if (this.#vm && this.#vm.at === place) return this.#vm.vm;
    const vm = await ClarityVm.open(this.#bondAdmin);
    const path: Placed[] = [];
    for (let next = place; next; next = next.below) path.unshift(next);
    for (const { below, view, does, block } of path) {
      const matures = block.burn === below?.block.burn ? undefined : below?.below?.block;
      this.#apply(vm, { below, view, does, matures }, new Map());
    }
    return vm;
  }

  #apply(
    vm: ClarityVm,
    { below, view, does, matures }: Pick<Placed, 'below' | 'view' | 'does'> & { matures: BuiltBlock | undefined },
    nonces: Map<string, number>,
  ): BuiltTx[] {
    vm.advanceTo(view.height);
    if (!below) {
      for (const [account, { stx, sats }] of this.#funds) {
        if (stx > 0) vm.mint(account, stx);
        if (sats > 0) vm.mintSbtc(account, sats);
      }
    }
    if (matures) vm.mint(MINER, REWARD);
    return does.map(operation => perform(vm, operation, nextNonce(operation.from, nonces)));
  }

  #tenureChange(view: BuiltBurnBlock, cause: number, nonces: Map<string, number>): BuiltTx {
    return minerTx(tenureChangePayload(view.consensusHash, cause), nonces);
  }

  /** The first transaction of all: every account has STX and sBTC to spend. */
  #funding(nonces: Map<string, number>): BuiltTx {
    const events = [...this.#funds].flatMap(([recipient, { stx, sats }]) => [
      ...(stx > 0 ? [{ type: 'stx_mint_event', stx_mint_event: { recipient, amount: String(stx) } }] : []),
      ...(sats > 0
        ? [{ type: 'ft_mint_event', ft_mint_event: { asset_identifier: SBTC_ASSET, recipient, amount: String(sats) } }]
        : []),
    ]);
    const payload = bytes(0x02, 26, Buffer.alloc(20, 1), name('nowhere'), name('fund'), u32(0));
    return minerTx(payload, nonces, events);
  }

  /** Who signs in a cycle, by what the contract holds of it. */
  #rewardSet(vm: ClarityVm, cycle: number) {
    const signers = this.#managers.flatMap(manager => {
      const [address = '', contract = ''] = manager.split('.');
      const signer = Cl.contractPrincipal(address, contract);
      const stacked_amt = amountOf(vm.read(POX5, 'get-amount-delegated-for-signer', [signer, Cl.uint(cycle)]));
      const key = keyOf(vm, manager);
      if (stacked_amt === '0' || key === undefined) return [];
      return [{ signing_key: key, stacked_amt, weight: Number(BigInt(stacked_amt) / 50_000_000_000n) }];
    });
    return {
      rewarded_addresses: [],
      start_cycle_state: { missed_reward_slots: [] },
      pox_ustx_threshold: null,
      signers,
    };
  }
}

/** The sum over transactions. */
const costOf = (txs: readonly BuiltTx[]) =>
  Object.fromEntries(
    ['runtime', 'read_count', 'read_length', 'write_count', 'write_length'].map(name => [
      name,
      txs.reduce((sum, { body }) => sum + Number((body.execution_cost as Readonly<Record<string, number>>)[name]), 0),
    ]),
  );

/** The signing key of a manager, hex without 0x. */
export function keyOf(vm: ClarityVm, manager: string): string | undefined {
  const [address = '', contract = ''] = manager.split('.');
  const info = vm.read(POX5, 'get-signer-info', [Cl.contractPrincipal(address, contract)]);
  return info.type === 'some' && info.value.type === 'buffer' ? info.value.value : undefined;
}

function nextNonce(address: string, nonces: Map<string, number>): number {
  const nonce = nonces.get(address) ?? 0;
  nonces.set(address, nonce + 1);
  return nonce;
}

const minerTx = (payload: Uint8Array, nonces: Map<string, number>, events: BuiltTx['events'] = []): BuiltTx =>
  signed(payload, { from: MINER, nonce: nextNonce(MINER, nonces), fee: 0, events });

/** What the miner of a block gets for it, later. */
const rewardFor = (block: BuiltBlock) => ({
  recipient: MINER,
  miner_address: MINER,
  coinbase_amount: String(REWARD),
  tx_fees_anchored: '0',
  tx_fees_streamed_confirmed: '0',
  tx_fees_streamed_produced: '0',
  from_stacks_block_hash: block.hash,
  from_index_consensus_hash: block.indexHash,
});
