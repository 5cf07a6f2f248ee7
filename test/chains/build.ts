import type { Delivery } from '../../src/ingest/journal/entries.ts';
import {
  type BuiltBlock,
  type BuiltBurnBlock,
  type BuiltMicroblock,
  ChainBuilder,
  delivery,
  repeated,
} from '../support/chain-builder.ts';
import { resolverRecord, txt, zoneFile } from '../support/sample-names.ts';
import { accountAddress, type BuiltTx, unhex } from '../support/transaction-builder.ts';
import { filled } from '../support/wire-transaction.ts';
import { Ledger } from './ledger.ts';
import { nameOf } from './name-operations.ts';
import {
  type BlockPlan,
  type BurnPlan,
  type ChainPlan,
  NEVER,
  type StepPlan,
  type StreamPlan,
  type TxPlan,
} from './plan.ts';
import { POOLS, rewardSet } from './pox-operations.ts';
import {
  announceableTx,
  confirm,
  isMinable,
  type MadeTx,
  makeCoinbase,
  makeFunding,
  makeTenureChange,
  makeTx,
} from './transactions.ts';

/** An event as a node sends it, with what it was made of. */
export type Sent = { readonly delivery: Delivery } & (
  | { readonly kind: 'block'; readonly block: BuiltBlock }
  | { readonly kind: 'burn'; readonly burn: BuiltBurnBlock; readonly parent: BuiltBurnBlock | undefined }
  | { readonly kind: 'stream'; readonly microblocks: readonly BuiltMicroblock[] }
  | { readonly kind: 'attachment'; readonly block: BuiltBlock }
  | { readonly kind: 'mempool' }
);

/** The events of a plan. */
export interface BuiltChain {
  readonly plan: ChainPlan;
  /** In order of delivery, repeats included. */
  readonly sent: readonly Sent[];
  /** Every block that was made, delivered or not. */
  readonly blocks: readonly BuiltBlock[];
  readonly burns: readonly BuiltBurnBlock[];
  /** Every transaction that was made, mined or not. */
  readonly txIds: readonly string[];
}

/** The addresses that hold reward slots, as nodes spell them. */
export const SLOT_HOLDERS: readonly string[] = [
  'miJfo2mKvRhvpxnRyJE17VBr12xn3FrkZW',
  'mxXw9bceXuFB6HZjqriS527kTqt5H9VczT',
  'mpgvmF9DSDBrbxUY4rbsPmWkYakoDXr19j',
];

/** Makes the events of a plan. The same plan gives the same bytes. */
export function buildChain(plan: ChainPlan): BuiltChain {
  const writer = new ChainWriter(plan);
  for (const [i, step] of plan.steps.entries()) writer.take(step, i);
  return writer.end();
}

/** A block and the blocks above it. */
interface Place {
  readonly block: BuiltBlock;
  readonly parent: Place | undefined;
  readonly ledger: Ledger;
  /** The burn view; before epoch 3 the election. */
  readonly view: BuiltBurnBlock;
  /** Unix seconds. */
  readonly time: number;
  /** Transactions of accounts that it brings. */
  readonly made: readonly BuiltTx[];
  standing: readonly Standing[];
}

/** A streamed microblock, and the ledger after it. */
interface Standing {
  readonly microblock: BuiltMicroblock;
  readonly ledger: Ledger;
}

const MINUTE = 1_000_000 * 60;
const TWO_DAYS = 2 * 24 * 3600;
const DROP_REASONS = ['ReplaceByFee', 'ReplaceAcrossFork', 'TooExpensive', 'StaleGarbageCollect', 'Problematic'];

class ChainWriter {
  readonly #plan: ChainPlan;
  readonly #chain = new ChainBuilder('plan');
  readonly #due: { readonly at: number; readonly sent: Sent }[] = [];
  readonly #places: Place[] = [];
  readonly #burns: BuiltBurnBlock[] = [];
  readonly #burnParents = new Map<string, BuiltBurnBlock>();
  readonly #announcedAt = new Map<string, number>();
  readonly #pool = new Map<string, MadeTx>();
  readonly #txIds = new Set<string>();
  #attachments = 0;
  #step = 0;

  constructor(plan: ChainPlan) {
    this.#plan = plan;
    if (plan.boot) this.#sendBlock(this.#chain.bootBlock(), 0);
    this.#newBurn(undefined, 0, 0);
  }

  end(): BuiltChain {
    const due = this.#due.filter(({ at }) => Number.isFinite(at)).sort((a, b) => a.at - b.at);
    const sent = due.map(entry => entry.sent);
    return {
      plan: this.#plan,
      sent: sent.filter((next, i) => !repeatsNews(next, sent[i - 1])),
      blocks: this.#places.map(({ block }) => block),
      burns: this.#burns,
      txIds: [...this.#txIds],
    };
  }

  take(step: StepPlan, i: number): void {
    this.#step = i;
    if (step.do === 'block') this.#block(step);
    else if (step.do === 'burn') this.#burn(step);
    else if (step.do === 'stream') this.#stream(step);
    else if (step.do === 'announce') this.#announce(step.txs, step.ahead);
    else if (step.do === 'drop') this.#drop(step.which, step.reason);
    else if (step.do === 'attachment') this.#attachment(step.which, step.owner);
    else this.#repeat(step.which);
  }

  #send(sent: Sent, late = 0): void {
    this.#due.push({ at: late === NEVER ? Number.POSITIVE_INFINITY : this.#step + late, sent });
  }

  #sendBlock(block: BuiltBlock, late: number): void {
    this.#send({ kind: 'block', block, delivery: block.delivery }, late);
  }

  /** The block that a plan means; undefined before the first. */
  #placeOf(on: number): Place | undefined {
    if (on > 3) return this.#places[(on * 7) % (this.#places.length || 1)];
    let place = this.#places.at(-1);
    for (let below = 0; below < on && place; below++) place = place.parent;
    return place;
  }

  // ---- blocks

  #block({ on, burn: burnChoice, extend, txs: plans, accepts, extra, late, repeats = 0 }: BlockPlan): void {
    const parent = this.#placeOf(on);
    const burn = this.#burnOfBlock(burnChoice, parent);
    const height = (parent?.block.height ?? 0) + 1;
    const isEpoch3 = height >= this.#plan.epoch3;
    const accepted = isEpoch3 ? [] : (parent?.standing.slice(0, accepts) ?? []);
    const ledger = new Ledger(accepted.at(-1)?.ledger ?? parent?.ledger);
    const isElected = burn !== parent?.block.burn;
    const view = parent && isEpoch3 && !isElected ? this.#viewOfExtend(extend, parent) : burn;
    const changes =
      isEpoch3 && (isElected || extend > 0) ? [makeTenureChange(view.consensusHash, isElected, ledger)] : [];
    const coinbase = makeCoinbase(unhex(this.#chain.hash()), ledger);
    const first = [...changes, coinbase, ...(parent ? [] : [makeFunding(ledger)])];
    const own = plans.map(plan => this.#mined(plan, ledger));
    const made = [...first, ...own];
    const again = repeatedTx(repeats, own, parent, plans.length + height);
    const time = Math.max(burn.time, parent?.time ?? 0) + 5 + (extra & 8 ? TWO_DAYS : 0);
    const built = this.#chain.block({
      ...(parent && { parent: parent.block }),
      burn,
      txs: [...made.map(({ tx }) => tx), ...again],
      microblocks: accepted.map(({ microblock }) => microblock),
      fields: {
        ...(isEpoch3 && {
          block_time: time,
          signer_bitvec: '00040000000105',
          signer_signature: signatures(height),
          tenure_height: isElected ? height : tenureOf(parent, height),
        }),
        ...(extra & 1 && parent && { matured_miner_rewards: [rewardFor(parent.block)] }),
        ...(extra & 2 && rewardSet(height)),
        ...(extra & 4 && FORCED_UNLOCKS),
      },
    });
    const block = { ...built, txs: built.txs.filter(tx => !again.includes(tx)) };
    this.#note(made);
    const brought = [...own.map(({ tx }) => tx), ...accepted.flatMap(({ microblock }) => microblock.txs)];
    this.#places.push({ block, parent, ledger, view, time, made: brought, standing: [] });
    this.#sendBlock(block, late);
  }

  /** A new transaction, or one that was announced, or mined on another branch. */
  #mined(plan: TxPlan, ledger: Ledger): MadeTx {
    const known = plan.n % 3 === 0 ? [...this.#pool.values()].filter(tx => isMinable(tx, ledger)) : [];
    const again = known[plan.n % (known.length || 1)];
    if (!again) return makeTx(plan, ledger);
    confirm(again, ledger);
    return again;
  }

  #note(made: readonly MadeTx[]): void {
    for (const tx of made) {
      this.#txIds.add(tx.tx.txId);
      if (tx.movable) this.#pool.set(tx.tx.txId, tx);
    }
  }

  /** First blocks have the lowest burn block, so that no fork of Bitcoin takes away all of the chain. */
  #burnOfBlock(choice: number, parent: Place | undefined): BuiltBurnBlock {
    if (choice === 1 && parent) return parent.block.burn;
    const [lowest] = this.#burns;
    if (!parent && lowest) return lowest;
    const below = parent?.view;
    const newest = this.#burns.at(-1);
    if (choice === 4 && newest && newest.height >= (below?.height ?? 0)) return newest;
    return this.#newBurn(below, choice % 3, choice === 2 ? NEVER : choice === 3 ? 2 : 0);
  }

  /** What a tenure extend names: the newest burn block, or again what the parent has seen. */
  #viewOfExtend(extend: number, parent: Place): BuiltBurnBlock {
    const newest = this.#burns.at(-1);
    return extend === 1 && newest && newest.height >= parent.view.height ? newest : parent.view;
  }

  // ---- the burn chain

  #burn({ on, slots }: BurnPlan): void {
    let parent = on > 3 ? this.#burns[(on * 7) % (this.#burns.length || 1)] : this.#burns.at(-1);
    for (let below = 0; below < Math.min(on, 3) && parent; below++)
      parent = this.#burnParents.get(parent.hash) ?? parent;
    this.#newBurn(parent, slots, 0);
  }

  #newBurn(parent: BuiltBurnBlock | undefined, slots: number, late: number): BuiltBurnBlock {
    const burn = this.#chain.burnBlock({
      ...(parent && { parent }),
      slots: SLOT_HOLDERS.slice(0, slots),
      linked: this.#plan.linked,
      named: this.#plan.named,
    });
    this.#burns.push(burn);
    if (parent) this.#burnParents.set(burn.hash, parent);
    // Nodes announce burn blocks in order: none before the one below it.
    const notBefore = parent ? (this.#announcedAt.get(parent.hash) ?? 0) : 0;
    const at = Math.max(this.#step + late, Number.isFinite(notBefore) ? notBefore : 0);
    this.#announcedAt.set(burn.hash, late === NEVER ? Number.POSITIVE_INFINITY : at);
    const below = this.#plan.linked ? parent : undefined;
    this.#send(
      { kind: 'burn', burn, parent: below, delivery: burn.delivery },
      late === NEVER ? NEVER : at - this.#step,
    );
    return burn;
  }

  // ---- microblocks

  #stream({ keep, txs: plans, whole, late }: StreamPlan): void {
    const place = this.#places.at(-1);
    if (!place || place.block.height >= this.#plan.epoch3) return;
    const kept = place.standing.slice(0, keep);
    const added: Standing[] = [];
    for (const list of plans) {
      const below = added.at(-1) ?? kept.at(-1);
      const ledger = new Ledger(below?.ledger ?? place.ledger);
      const made = list.map(plan => this.#mined(plan, ledger));
      this.#note(made);
      const [microblock] = this.#chain.microblocks(below?.microblock ?? place.block, [made.map(({ tx }) => tx)]);
      if (microblock) added.push({ microblock, ledger });
    }
    place.standing = [...kept, ...added];
    const message = (whole ? place.standing : added).map(({ microblock }) => microblock);
    this.#send({ kind: 'stream', microblocks: message, delivery: this.#chain.stream(place.block, message) }, late);
  }

  // ---- the mempool and attachments

  /** News of the mempool; each is a minute after the one before. */
  #sendNews(path: string, body: unknown): void {
    const news = delivery(path, body);
    this.#send({ kind: 'mempool', delivery: { ...news, receivedAt: news.receivedAt + this.#step * MINUTE } });
  }

  #announce(plans: readonly TxPlan[], ahead: number): void {
    const ledger = this.#places.at(-1)?.ledger ?? new Ledger();
    const txs = plans.map(plan => announceableTx(plan, ledger, ahead));
    this.#note(txs);
    this.#sendNews(
      '/new_mempool_tx',
      txs.map(({ tx }) => tx.body.raw_tx),
    );
  }

  #drop(which: number, reason: number): void {
    const ids = [...this.#pool.keys()];
    const txId = ids[which % (ids.length || 1)];
    if (txId === undefined) return;
    this.#sendNews('/drop_mempool_tx', {
      dropped_txids: [txId],
      reason: DROP_REASONS[reason % DROP_REASONS.length],
      new_txid: reason > 4 ? (ids[(which + 1) % ids.length] ?? null) : null,
    });
  }

  /** A zone file with a subdomain, of a transaction of any block. */
  #attachment(which: number, owner: number): void {
    const place = this.#places[which % (this.#places.length || 1)];
    const tx = place?.block.txs.at(-1);
    if (!place || !tx) return;
    const index = ++this.#attachments;
    const content = [
      which % 3 === 0 ? '' : txt(`sub${which % 2}`, 10 + owner),
      owner % 2 === 0 ? resolverRecord(`https://${owner}.example`) : '',
    ].join('');
    const hash = filled(20, which % 7);
    const attachment = zoneFile(place.block, tx, nameOf(which), content, { index, hash });
    this.#send({ kind: 'attachment', block: place.block, delivery: attachment });
  }

  /** Something that was sent before, in other bytes; news of the mempool as it was, a moment later. */
  #repeat(which: number): void {
    const before = this.#due.filter(({ at }) => at <= this.#step);
    const sent = before[which % (before.length || 1)]?.sent;
    if (!sent) return;
    const again = { ...sent.delivery, receivedAt: sent.delivery.receivedAt + this.#step * MINUTE };
    this.#send({ ...sent, delivery: sent.kind === 'mempool' ? again : repeated(sent.delivery) });
  }
}

/** What a block has and must not have (BlockPlan.repeats): without events, as the same id would have them twice. */
function repeatedTx(repeats: number, own: readonly MadeTx[], parent: Place | undefined, n: number): BuiltTx[] {
  const below: BuiltTx[] = [];
  for (let place = repeats === 1 ? parent : undefined; place; place = place.parent) below.push(...place.made);
  const choices = repeats === 2 ? own.map(({ tx }) => tx) : below;
  const tx = choices[n % (choices.length || 1)];
  return tx ? [{ ...tx, events: [] }] : [];
}

/** The very same news twice in a row is one that a node sent again as it got no response: the journal passes over it. */
const repeatsNews = (next: Sent, last: Sent | undefined): boolean =>
  next.kind === 'mempool' && last?.kind === 'mempool' && Buffer.compare(next.delivery.body, last.delivery.body) === 0;

/** None for some blocks. */
const signatures = (height: number): string[] =>
  Array.from({ length: height % 4 }, (_, i) => Buffer.alloc(65, height * 7 + i).toString('hex'));

/** The tenure goes on, as its burn block does. */
const tenureOf = (parent: Place | undefined, height: number): number =>
  Number(parent?.block.body.tenure_height ?? height);

/** Burn heights at which the locks of PoX 1 to 4 end by force. */
const FORCED_UNLOCKS = {
  pox_v1_unlock_height: 101,
  pox_v2_unlock_height: 103,
  pox_v3_unlock_height: 105,
  pox_v4_unlock_height: 107,
};

/** What the miner of a block and its parent get for it, later. */
const rewardFor = (block: BuiltBlock) => ({
  recipient: accountAddress(POOLS[0] ?? 15),
  miner_address: accountAddress(1),
  coinbase_amount: '1000000000',
  tx_fees_anchored: '180',
  tx_fees_streamed_confirmed: '7',
  tx_fees_streamed_produced: '11',
  from_stacks_block_hash: block.hash,
  from_index_consensus_hash: block.indexHash,
});
