import { SAMPLE_CYCLES } from '../../../support/test-index.ts';
import { principalOf } from '../../principals.ts';
import { position as positionOfTx } from '../../records/v3-transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../../route.ts';
import { type Bond, bondsOf, burnTip, endOf, type Position, SCALE, startOf, sum } from '../../staking.ts';
import { allPrints, claimedBond, hex, numberIn, type Print, principalIn, stakingPrints } from '../../staking-prints.ts';
import type { Tx, World } from '../../world.ts';
import { member } from '../name-values.ts';
import { cursorPage, eventsPage, firstOf } from './page.ts';

function bondRecord(world: World, bond: Bond) {
  const { setup, allowed } = bond;
  const positions = [...bond.positions.values()];
  const number = (name: string): number => Number(numberIn(setup, name));
  const tip = burnTip(world);
  const paid = stakingPrints(world)
    .filter(print => print.topic === 'claim-staker-rewards-for-signer' && claimedBond(print) === bond.index)
    .filter(print => isAfter(world, print, bond.positions.get(principalIn(print, 'staker'))?.registrations[0]));
  return {
    index: Number(bond.index),
    pox_version: 'pox5',
    status: tip < startOf(bond) ? 'upcoming' : tip < endOf(bond) ? 'active' : 'unlocked',
    parameters: {
      target_rate_bps: number('target-rate'),
      stx_value_ratio: number('stx-value-ratio'),
      minimum_stx_ratio: number('min-ustx-ratio'),
      btc_capacity: String(sum([...allowed.values()].map(print => numberIn(print, 'max-sats')))),
    },
    registrations: { allowed_count: allowed.size, registered_count: positions.length },
    schedule: schedule(world, setup),
    balances: {
      locked: {
        btc: String(sum(positions.map(({ sats }) => sats))),
        stx: String(sum(positions.map(({ ustx }) => ustx))),
      },
      rewards: {
        btc: {
          distributed: String(bond.distributed),
          accrued: String(bond.earned / SCALE),
          claimed: String(sum(paid.map(print => numberIn(print, 'rewards-claimed')))),
        },
      },
      paid_out: { btc: String(bond.distributed) },
    },
  };
}

function schedule(world: World, setup: Print) {
  const number = (name: string): number => Number(numberIn(setup, name));
  const point = (height: number, pox_cycle: number) => ({
    bitcoin_height: Math.max(0, height),
    ...timesAt(world, Math.max(0, height)),
    pox_cycle: Math.max(0, pox_cycle),
  });
  const [start, cycle] = [number('bond-start-height'), number('first-reward-cycle')];
  return {
    enrollment_cutoff: point(start - (world.network === 'mainnet' ? 100 : SAMPLE_CYCLES.prepare), cycle - 1),
    activation: point(start, cycle),
    unlock: point(number('unlock-burn-height'), number('unlock-cycle')),
  };
}

/** When a Bitcoin block was, or will be at the pace of the last 2016, or of all that there are. */
export function timesAt({ blocks, network }: World, height: number) {
  const tip = blocks.at(-1);
  const known = blocks.find(({ burnHeight }) => burnHeight === height)?.burnTime;
  const none = { time: null, time_iso: null, projected_time: null, projected_time_iso: null };
  if (!tip || height <= tip.burnHeight)
    return known === undefined ? none : { ...none, time: known, time_iso: isoOf(known) };
  const start = blocks.findLast(({ burnHeight }) => burnHeight <= tip.burnHeight - 2016) ?? blocks[0] ?? tip;
  const pace = (tip.burnTime - start.burnTime) / (tip.burnHeight - start.burnHeight);
  let time = tip.burnTime;
  // On mainnet the difficulty is adjusted at multiples of 2016.
  const next = network === 'mainnet' ? (Math.floor(tip.burnHeight / 2016) + 1) * 2016 : Infinity;
  const [own, later] = [Math.min(height, next - 1) - tip.burnHeight, Math.max(0, height - next + 1)];
  time = Math.round(time + own * (pace > 0 && pace < Infinity ? pace : 600) + later * 600);
  return time < Date.UTC(10000, 0) / 1000 ? { ...none, projected_time: time, projected_time_iso: isoOf(time) } : none;
}

const isoOf = (time: number): string => (time >= 0 ? new Date(time * 1000).toISOString() : '');

/** getBondEventsV3. */
const events: Route['respond'] = (world, { bond_index = '' }, query) => {
  const found = bondPrints(world).flatMap(print => {
    const index =
      print.topic === 'claim-staker-rewards-for-signer' ? claimedBond(print) : numberIn(print, 'bond-index');
    const data = index === BigInt(bond_index) ? dataOf(world, print) : undefined;
    return data ? [{ ...print, data }] : [];
  });
  return eventsPage(
    world,
    found.toReversed(),
    print => print,
    query,
    ({ tx, index, topic, data }) => ({
      name: topic,
      bond_index: Number(bond_index),
      transaction: { tx_id: tx.txId, event_index: index },
      ...positionOfTx(tx),
      data,
    }),
  );
};

const BOND_TOPICS =
  'setup-bond add-to-allowlist register-for-bond update-bond-registration announce-l1-early-exit unstake-sbtc bond-distribution claim-staker-rewards-for-signer';
const bondPrints = (world: World) => stakingPrints(world).filter(({ topic }) => BOND_TOPICS.split(' ').includes(topic));

/** Undefined where the print lacks a member that is shown. */
function dataOf(world: World, print: Print): object | undefined {
  const text = (name: string): string | undefined => {
    const value = member(print.members, name);
    return value?.type === 'uint' ? String(value.value) : value?.type === 'principal' ? value.value : undefined;
  };
  const whole = (name: string): number | undefined => (text(name) === undefined ? undefined : Number(text(name)));
  const isL1 = member(print.members, 'is-l1-lock');
  const type = isL1?.type === 'bool' ? (isL1.value ? 'l1' : 'l2') : undefined;
  const parties = { staker: text('staker'), signer: text('signer') };
  const bytes = member(print.members, 'early-unlock-bytes');
  const kinds: Readonly<Record<string, () => object>> = {
    'setup-bond': () => ({
      parameters: {
        target_rate_bps: whole('target-rate'),
        stx_value_ratio: whole('stx-value-ratio'),
        minimum_stx_ratio: whole('min-ustx-ratio'),
      },
      early_unlock_bytes: bytes?.type === 'buffer' ? hex(bytes.value) : '',
      schedule: schedule(world, print),
    }),
    'add-to-allowlist': () => ({ staker: text('staker'), max_sats: text('max-sats') }),
    'register-for-bond': () => ({ ...parties, type, balances: { btc: text('sats-total'), stx: text('amount-ustx') } }),
    'update-bond-registration': () => ({
      ...parties,
      old_signer: text('old-signer'),
      type,
      balances: { btc: text('amount-sats'), stx: text('amount-ustx') },
    }),
    'announce-l1-early-exit': () => ({ ...parties, released: { btc: text('amount-sats-released') } }),
    'unstake-sbtc': () => ({
      ...parties,
      withdrawn: { btc: text('amount-withdrawn-sats') },
      remaining: { btc: text('new-amount-sats') },
    }),
    'bond-distribution': () => ({
      calculation: calculationBeside(world, print),
      target_yield: text('target-yield'),
      rewards: { btc: text('bond-rewards') },
      staked: { btc: text('bond-staked-sats') },
      accrued_rewards_per_sat: text('accrued-rewards-per-sat'),
      cumulative_rewards_per_sat: text('cumulative-rewards-per-sat'),
    }),
    'claim-staker-rewards-for-signer': () => ({
      signer_manager: text('signer-manager'),
      staker: text('staker'),
      reward_cycle: whole('reward-cycle'),
      claimed: { btc: text('rewards-claimed') },
    }),
  };
  const data = kinds[print.topic]?.();
  const isWhole = (value: unknown): boolean =>
    value !== undefined && (typeof value !== 'object' || value === null || Object.values(value).every(isWhole));
  return data && isWhole(data) ? data : undefined;
}

/** The nearest calculation before it in its transaction, else the first after it. */
function calculationBeside(world: World, { tx, index }: Print) {
  const all = allPrints(world).filter(
    other =>
      other.tx === tx &&
      other.topic === 'calculate-rewards' &&
      ['calculation-height', 'stx-cycle'].every(name => member(other.members, name)?.type === 'uint'),
  );
  const found = all.findLast(other => other.index < index) ?? all[0];
  return found
    ? {
        bitcoin_height: Number(numberIn(found, 'calculation-height')),
        reward_cycle: Number(numberIn(found, 'stx-cycle')),
      }
    : null;
}

/** Later in the chain than another print, which is there. */
const isAfter = ({ txs }: World, print: Print, other: Print | undefined): boolean =>
  other !== undefined && (txs.indexOf(print.tx) - txs.indexOf(other.tx) || print.index - other.index) > 0;

/** getBondsV3. */
const bonds: Route['respond'] = (world, _params, query) => {
  const all = [...bondsOf(world).values()].sort((a, b) => Number(b.index - a.index));
  const cursor = query.get('cursor');
  const cursors = all.map(({ index }) => String(index));
  const first = cursor === null ? 0 : firstOf(all, ({ index }) => index <= BigInt(cursor));
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 20), bond => bondRecord(world, bond)));
};

const bondOf = (world: World, { bond_index = '' }: Readonly<Record<string, string>>): Bond | undefined =>
  bondsOf(world).get(BigInt(bond_index));

/** A transaction and where it is. */
export const transactionOf = (tx: Tx) => ({ tx_id: tx.txId, ...positionOfTx(tx) });

/** getBondV3. */
const bond: Route['respond'] = (world, params) => {
  const found = bondOf(world, params);
  return found ? ok({ ...bondRecord(world, found), transaction: transactionOf(found.setup.tx) }) : failed(404);
};

/** What prints made, the newest first. */
function printedPage<Row>(
  world: World,
  rows: readonly Row[],
  printOf: (row: Row) => Print,
  query: URLSearchParams,
  served: (row: Row) => unknown,
): ApiResponse {
  const newest = rows.toSorted((a, b) => (isAfter(world, printOf(a), printOf(b)) ? -1 : 1));
  return eventsPage(world, newest, printOf, query, served);
}

const allowance = (print: Print) => ({
  staker: principalIn(print, 'staker'),
  max_sats: String(numberIn(print, 'max-sats')),
});

/** getBondAllowlistEntriesV3. */
const allowlist: Route['respond'] = (world, params, query) => {
  const prints = [...(bondOf(world, params)?.allowed.values() ?? [])];
  return printedPage(world, prints, print => print, query, allowance);
};

/** getBondAllowlistEntryV3. */
const allowlistEntry: Route['respond'] = (world, params) => {
  const staker = principalOf(params.principal ?? '');
  if (staker === undefined) return failed(400);
  const print = bondOf(world, params)?.allowed.get(staker);
  return print ? ok(allowance(print)) : failed(404);
};

const registrationSummary = ({ staker, signer, outputs, sats, ustx }: Position) => ({
  staker,
  signer,
  type: outputs ? 'l1' : 'l2',
  balances: { btc: String(sats), stx: String(ustx) },
});

/** getBondRegistrationsV3. */
const registrations: Route['respond'] = (world, params, query) => {
  const held = [...(bondOf(world, params)?.positions.values() ?? [])];
  return printedPage(world, held, ({ registration }) => registration, query, registrationSummary);
};

/** getBondRegistrationV3. */
const registration: Route['respond'] = (world, params) => {
  const staker = principalOf(params.principal ?? '');
  if (staker === undefined) return failed(400);
  const position = bondOf(world, params)?.positions.get(staker);
  if (!position) return failed(404);
  const lockup = position.outputs
    ? { l1_lockup: { transactions: position.outputs } }
    : { l2_lockup: { tx_id: position.registration.tx.txId } };
  return ok({ ...registrationSummary(position), ...lockup });
};

const BOND = '/extended/v3/staking/bonds/{bond_index}';

export const bondRoutes: readonly Route[] = [
  { template: '/extended/v3/staking/bonds', respond: bonds },
  { template: BOND, respond: bond },
  { template: `${BOND}/allowlist`, respond: allowlist },
  { template: `${BOND}/allowlist/{principal}`, respond: allowlistEntry },
  { template: `${BOND}/events`, respond: events },
  { template: `${BOND}/registrations`, respond: registrations },
  { template: `${BOND}/registrations/{principal}`, respond: registration },
];
