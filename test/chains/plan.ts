import fc from '../support/fast-check.ts';
import { anyTheme, NO_THEME, type Theme } from './themes.ts';

/**
 * A chain described by a few numbers: what a node and its peers do, step by step. build.ts makes the events of it. Every
 * number is taken modulo what there is to choose from, so any plan is a chain, and 0 is always the plainest choice: plans
 * shrink towards a straight chain of transfers.
 */
export interface ChainPlan {
  readonly boot: boolean;
  /** False: burn blocks do not name their parents, as before node 3.1. */
  readonly linked: boolean;
  /** False: burn blocks do not give their consensus hashes, as before node 3.1. */
  readonly named: boolean;
  /** From this height on blocks are those of epoch 3, without microblocks. */
  readonly epoch3: number;
  /** How many deliveries are applied in one transaction. */
  readonly batch: number;
  readonly steps: readonly StepPlan[];
}

export interface TxPlan {
  /** Index in the table of kinds (transactions.ts). */
  readonly kind: number;
  readonly from: number;
  readonly to: number;
  /** Further choices of the kind. */
  readonly n: number;
  readonly failed: boolean;
  readonly sponsored: boolean;
}

export interface BlockPlan {
  readonly do: 'block';
  /** On what: 0 the newest block, 1 to 3 so many blocks below it, more: another branch. */
  readonly on: number;
  /** Elected by: 0 a new burn block, 1 that of the parent, 2 a new one that is never announced, 3 later, 4 the newest. */
  readonly burn: number;
  /** In epoch 3, in the tenure of the parent: 0 no tenure extend, 1 one that names the newest burn block, 2 the parent's view. */
  readonly extend: number;
  readonly txs: readonly TxPlan[];
  /** How many microblocks of the parent are accepted. */
  readonly accepts: number;
  /** Bits: 1 matured rewards, 2 a reward set, 4 forced unlock heights, 8 two days later. */
  readonly extra: number;
  readonly late: number;
  /** Has, at its end, a transaction that it must not have: 1 one that the chain below has, 2 one of its own again; 0 none. */
  readonly repeats?: number;
}

export interface BurnPlan {
  readonly do: 'burn';
  /** As of blocks. */
  readonly on: number;
  readonly slots: number;
}

export interface StreamPlan {
  readonly do: 'stream';
  /** The number of pending microblocks that stay. */
  readonly keep: number;
  readonly txs: readonly (readonly TxPlan[])[];
  /** The message has the kept ones again. */
  readonly whole: boolean;
  readonly late: number;
}

export interface AnnouncePlan {
  readonly do: 'announce';
  /** The nonce beyond the next one. */
  readonly ahead: number;
  readonly txs: readonly TxPlan[];
}

export interface DropPlan {
  readonly do: 'drop';
  readonly which: number;
  readonly reason: number;
}

export interface AttachmentPlan {
  readonly do: 'attachment';
  readonly which: number;
  readonly owner: number;
}

export interface RepeatPlan {
  readonly do: 'repeat';
  readonly which: number;
}

export type StepPlan = BlockPlan | BurnPlan | StreamPlan | AnnouncePlan | DropPlan | AttachmentPlan | RepeatPlan;

/** Of `late`: never delivered. */
export const NEVER = 9;

/** What plans may contain besides blocks and burn blocks. */
export interface Features {
  /** Streamed and accepted; accepted by blocks without having been streamed; or none. */
  readonly microblocks?: 'streamed' | 'accepted' | 'none';
  readonly mempool?: boolean;
  /** Blocks and streams that come late or never. */
  readonly late?: boolean;
  /** Blocks on others than the newest, and burn blocks likewise. */
  readonly forks?: boolean;
  /** Few blocks are late or on others than the newest: the canonical chain has most of them. */
  readonly steady?: boolean;
  /** Each chain has one kind of happenings more often: what seldom happens then happens several times. */
  readonly themed?: boolean;
  readonly minSteps?: number;
  readonly maxSteps?: number;
}

const weighted = (...weights: readonly (readonly [value: number, weight: number])[]): fc.Arbitrary<number> =>
  fc.oneof(...weights.map(([value, weight]) => ({ weight, arbitrary: fc.constant(value) })));

const rarely = (weight: number): fc.Arbitrary<boolean> => weighted([0, weight], [1, 1]).map(Boolean);

const txPlanOf = (kind: fc.Arbitrary<number>): fc.Arbitrary<TxPlan> =>
  fc.record({
    kind,
    from: fc.nat(4),
    to: fc.nat(6),
    n: fc.nat(99),
    failed: rarely(7),
    sponsored: rarely(7),
  });

type TxPlans = (minLength: number, maxLength: number) => fc.Arbitrary<readonly TxPlan[]>;

/** Plans of transactions; of a theme two in three are of its kinds. */
function txPlansOf({ kinds }: Theme): TxPlans {
  const any = fc.nat(20);
  const one = txPlanOf(
    kinds.length === 0
      ? any
      : fc.oneof({ weight: 1, arbitrary: any }, { weight: 2, arbitrary: fc.constantFrom(...kinds) }),
  );
  return (minLength, maxLength) => fc.array(one, { minLength, maxLength });
}

/** Plans of chains with these features; by default with all of them, but without a theme. */
export const chainPlans = (features: Features = {}): fc.Arbitrary<ChainPlan> =>
  features.themed ? anyTheme.chain(theme => plansOf(features, theme)) : plansOf(features, NO_THEME);

function plansOf(features: Features, theme: Theme): fc.Arbitrary<ChainPlan> {
  const { microblocks = 'streamed', mempool = true, late = true, forks = true, minSteps = 5, maxSteps = 40 } = features;
  const txs = txPlansOf(theme);
  const plainly = features.steady ? 12 : 1;
  const delay = late ? weighted([0, 14 * plainly], [1, 1], [2, 1], [4, 1], [8, 1], [NEVER, 1]) : fc.constant(0);
  const on = forks
    ? weighted([0, 16 * plainly], [1, 2], [2, 1], [3, 1], [4, 2], [5, 2], [6, 1], [7, 1])
    : fc.constant(0);
  const burn = weighted([0, 6 * plainly], [1, 4 * plainly], [2, 1], [3, 1], [4, 3 * plainly]);
  const streamDelay = microblocks === 'accepted' ? fc.constant(NEVER) : delay;
  const step = fc.oneof(
    { weight: 12, arbitrary: blockPlan({ on, burn, late: delay }, txs) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('burn' as const), on, slots: fc.nat(3) }) },
    { weight: microblocks === 'none' ? 0 : 3, arbitrary: streamPlan(streamDelay, txs) },
    { weight: mempool ? 3 : 0, arbitrary: announcePlan(txs) },
    { weight: mempool ? 1 : 0, arbitrary: dropPlan },
    { weight: theme.zoneFiles, arbitrary: attachmentPlan },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat(99) }) },
  );
  return fc.record({
    boot: fc.boolean(),
    linked: rarely(5).map(unlinked => !unlinked),
    named: rarely(5).map(unnamed => !unnamed),
    epoch3: microblocks === 'none' ? weighted([99, 1], [1, 2]) : weighted([99, 3], [5, 1], [1, 1]),
    batch: weighted([1, 2], [3, 1], [50, 2]),
    steps: fc.array(step, { minLength: minSteps, maxLength: maxSteps, size: 'max' }),
  });
}

type BlockChoices = Readonly<Record<'on' | 'burn' | 'late', fc.Arbitrary<number>>>;

const blockPlan = ({ on, burn, late }: BlockChoices, txs: TxPlans): fc.Arbitrary<BlockPlan> =>
  fc.record({
    do: fc.constant('block' as const),
    on,
    burn,
    extend: weighted([0, 2], [1, 3], [2, 1]),
    txs: txs(0, 4),
    accepts: fc.nat(3),
    extra: weighted([0, 6], [1, 4], [2, 1], [3, 1], [4, 1], [8, 1]),
    late,
    repeats: weighted([0, 14], [1, 2], [2, 1]),
  });

const streamPlan = (late: fc.Arbitrary<number>, txs: TxPlans): fc.Arbitrary<StreamPlan> =>
  fc.record({
    do: fc.constant('stream' as const),
    keep: weighted([9, 3], [0, 1], [1, 1]),
    txs: fc.array(txs(1, 2), { minLength: 1, maxLength: 2 }),
    whole: fc.boolean(),
    late,
  });

const announcePlan = (txs: TxPlans): fc.Arbitrary<AnnouncePlan> =>
  fc.record({
    do: fc.constant('announce' as const),
    ahead: weighted([0, 4], [1, 2], [2, 1]),
    txs: txs(1, 3),
  });

const dropPlan: fc.Arbitrary<DropPlan> = fc.record({
  do: fc.constant('drop' as const),
  which: fc.nat(99),
  reason: fc.nat(9),
});

const attachmentPlan: fc.Arbitrary<AttachmentPlan> = fc.record({
  do: fc.constant('attachment' as const),
  which: fc.nat(99),
  owner: fc.nat(4),
});
