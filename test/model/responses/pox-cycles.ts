import { signerKeyToAddress } from '../../../src/base/codec/index.ts';
import { poxEvents } from '../accounts.ts';
import { failed, numberOf, ok, page, type Route } from '../route.ts';
import { keyIn, principalIn, stakingPrints, type Term, termsOf } from '../staking-prints.ts';
import type { Payload, World } from '../world.ts';

/** getPoxCyclesV2. */
const cycles: Route['respond'] = (world, _params, query) => {
  const numbers = new Set(world.blocks.flatMap(({ payload }) => (payload.reward_set ? [payload.cycle_number] : [])));
  const records = [...numbers].sort((a, b) => b - a).map(number => cycleOf(world, number));
  return ok(page(records, numberOf(query, 'limit', 20), numberOf(query, 'offset', 0), record => record));
};

/** getPoxCycleV2. */
const cycle: Route['respond'] = (world, { cycle = '' }) => {
  const record = cycleOf(world, Number(cycle));
  return record ? ok(record) : failed(404);
};

function cycleOf(world: World, cycle: number) {
  const block = world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === cycle);
  if (!block) return undefined;
  const set: Payload[] = block.payload.reward_set.signers ?? [];
  return {
    block_height: block.height,
    index_block_hash: block.payload.index_block_hash,
    cycle_number: cycle,
    total_weight: set.reduce((sum: number, { weight }) => sum + weight, 0),
    total_stacked_amount: String(set.reduce((sum: bigint, { stacked_amt }) => sum + BigInt(stacked_amt), 0n)),
    total_signers: set.length,
  };
}

/** getPoxCycleSignerStackersV2. */
const stackers: Route['respond'] = (world, { cycle = '', key = '' }, query) => {
  const signing_key = `0x${key.replace(/^0x/i, '').toLowerCase()}`;
  if (!signersOf(world, Number(cycle))?.some(signer => signer.signing_key === signing_key)) return failed(404);
  const { solo, pooled } = stackingIn(world, Number(cycle));
  const records = [
    ...solo.filter(stacker => stacker.key === signing_key).map(stacker => ({ ...stacker, type: 'solo' })),
    ...pooled.filter(stacker => stacker.key === signing_key).map(stacker => ({ ...stacker, type: 'pooled' })),
  ]
    .sort((a, b) => compare(b.locked, a.locked) || compare(a.stacker, b.stacker))
    .map(({ stacker, locked, address, type }) => ({
      stacker_address: stacker,
      stacked_amount: String(locked),
      pox_address: address ?? '',
      stacker_type: type,
    }));
  return ok(page(records, numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), record => record));
};

/** getPoxCycleSignersV2. */
const signers: Route['respond'] = (world, { cycle = '' }, query) => {
  const records = signersOf(world, Number(cycle));
  if (!records) return failed(404);
  return ok(page(records, numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), record => record));
};

/** getPoxCycleSignerV2. */
const signer: Route['respond'] = (world, { cycle = '', key = '' }) => {
  const signing_key = `0x${key.replace(/^0x/i, '').toLowerCase()}`;
  const found = signersOf(world, Number(cycle))?.find(record => record.signing_key === signing_key);
  return found ? ok(found) : failed(404);
};

/** Those of the newest canonical reward set of a cycle, sorted; undefined without one (docs/spec/pox.md#reward-sets). */
function signersOf(world: World, cycle: number) {
  const block = world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === cycle);
  if (!block) return undefined;
  const set: Payload[] = block.payload.reward_set.signers ?? [];
  const weights = set.reduce((sum: number, { weight }) => sum + weight, 0);
  const stacked = set.reduce((sum: bigint, { stacked_amt }) => sum + BigInt(stacked_amt), 0n);
  const { solo, pooled } = stackingIn(world, cycle);
  return set
    .map(({ signing_key, weight, stacked_amt }) => ({
      signing_key: `0x${signing_key.replace(/^0x/, '')}`,
      signer_address: signerKeyToAddress(signing_key, world.network),
      weight,
      stacked_amount: String(BigInt(stacked_amt)),
      weight_percent: (weight / weights) * 100,
      stacked_amount_percent: percent(BigInt(stacked_amt), stacked),
      solo_stacker_count: solo.filter(({ key }) => key === `0x${signing_key}`).length,
      pooled_stacker_count: pooled.filter(({ key }) => key === `0x${signing_key}`).length,
    }))
    .sort(
      (a, b) =>
        b.weight - a.weight ||
        compare(BigInt(b.stacked_amount), BigInt(a.stacked_amount)) ||
        compare(a.signing_key, b.signing_key),
    );
}

const compare = (a: bigint | string, b: bigint | string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The quotient rounded half up to 20 decimal places, times 100. */
function percent(part: bigint, whole: bigint): number {
  const scaled = (2n * part * 10n ** 20n + whole) / (2n * whole);
  return Number(`${scaled}e-18`);
}

/** One who stacks in a cycle, and with which signing key. */
interface Stacking {
  readonly stacker: string;
  readonly key: string | null | undefined;
  readonly locked: bigint;
  readonly address: string | null;
}

/**
 * Who stack in a cycle, of each the newest operation that has the cycle: alone with their own key, in pools with that of the newest
 * commit of the operator for just this cycle. Increases of those who stack alone change their key, and neither amount nor address.
 */
function stackingIn(world: World, cycle: number): { solo: Stacking[]; pooled: Stacking[] } {
  const block = world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === cycle);
  const isOfPox5 =
    block?.payload.reward_set.signers?.length > 0 && block?.payload.reward_set.pox_ustx_threshold == null;
  if (isOfPox5 && block) return { solo: stakersIn(world, cycle, block.height), pooled: [] };
  const events = world.txs.flatMap(tx => poxEvents(tx, 4, world.network));
  const [commits, members, solo] = [
    new Map<string, string | null>(),
    new Map<string, Member>(),
    new Map<string, Stacking>(),
  ];
  for (const { name, stacker, data, locked, poxAddr: address } of events) {
    switch (name) {
      case 'stack-aggregation-commit':
      case 'stack-aggregation-commit-indexed':
        if (Number(data.startCycleId) === cycle && Number(data.endCycleId) === cycle + 1)
          commits.set(stacker, data.signerKey);
        break;
      case 'delegate-stack-stx':
      case 'delegate-stack-increase':
      case 'delegate-stack-extend':
        if (covers(data, cycle)) members.set(stacker, { stacker, operator: data.delegator, locked, address });
        break;
      case 'stack-stx':
      case 'stack-extend':
        if (covers(data, cycle)) solo.set(stacker, { stacker, key: data.signerKey, locked, address });
        break;
      case 'stack-increase':
        if (covers(data, cycle))
          solo.set(stacker, { ...(solo.get(stacker) ?? { stacker, locked, address }), key: data.signerKey });
        break;
      default:
        // Other operations change no stacking of a cycle.
        break;
    }
  }
  const pooled = [...members.values()].map(({ operator, ...member }) => ({ ...member, key: commits.get(operator) }));
  return { solo: [...solo.values()], pooled };
}

/**
 * Who stake in a cycle of PoX 5 (docs/spec/pox.md#stakers-of-pox-5): of each the newest term that has the cycle, unless an `unstake` after it
 * ended it; with the key that its manager had registered below the block of the reward set.
 */
function stakersIn(world: World, cycle: number, height: number): Stacking[] {
  const terms = new Map<string, Term>();
  for (const term of termsOf(world)) if (term.first <= cycle && cycle < term.end) terms.set(term.staker, term);
  const keys = new Map<string, string>();
  for (const print of stakingPrints(world))
    if (print.topic === 'register-signer' && print.tx.block.height < height)
      keys.set(principalIn(print, 'signer'), keyIn(print, 'signer-key'));
  return [...terms.values()].flatMap(({ staker: stacker, manager, amount: locked }) =>
    locked === null ? [] : [{ stacker, key: keys.get(manager), locked, address: null }],
  );
}

type Member = Omit<Stacking, 'key'> & { readonly operator: string };

interface Window {
  readonly startCycleId: bigint | null;
  readonly endCycleId: bigint | null;
}

const covers = ({ startCycleId, endCycleId }: Window, cycle: number): boolean =>
  startCycleId !== null && endCycleId !== null && startCycleId <= cycle && cycle < endCycleId;

export const poxCycleRoutes: readonly Route[] = [
  { template: '/extended/v2/pox/cycles', respond: cycles },
  { template: '/extended/v2/pox/cycles/{cycle}', respond: cycle },
  { template: '/extended/v2/pox/cycles/{cycle}/signers', respond: signers },
  { template: '/extended/v2/pox/cycles/{cycle}/signers/{key}', respond: signer },
  { template: '/extended/v2/pox/cycles/{cycle}/signers/{key}/stackers', respond: stackers },
];
