import { principalOf } from '../../principals.ts';
import { position as positionOfTx } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { type Bond, bondsOf, burnTip, endOf, type Position, startOf, sum } from '../../staking.ts';
import { claimedBond, numberIn, type Print, principalIn, stakingPrints } from '../../staking-prints.ts';
import type { Tx, World } from '../../world.ts';
import { cursorPage, eventsPage, firstOf } from './page.ts';

function bondRecord(world: World, bond: Bond) {
  const { setup, allowed } = bond;
  const positions = [...bond.positions.values()];
  const number = (name: string): number => Number(numberIn(setup, name));
  const tip = burnTip(world);
  const paid = stakingPrints(world)
    .filter(print => print.topic === 'claim-staker-rewards-for-signer' && claimedBond(print) === bond.index)
    .filter(print => isAfter(world, print, bond.positions.get(principalIn(print, 'staker'))?.registration));
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
    schedule: {
      activation: { bitcoin_height: startOf(bond), pox_cycle: number('first-reward-cycle') },
      unlock: { bitcoin_height: endOf(bond), pox_cycle: number('unlock-cycle') },
    },
    balances: {
      locked: {
        btc: String(sum(positions.map(({ sats }) => sats))),
        stx: String(sum(positions.map(({ ustx }) => ustx))),
      },
      paid_out: { btc: String(sum(paid.map(print => numberIn(print, 'rewards-claimed')))) },
    },
  };
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
) {
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
  return ok(printedPage(world, prints, print => print, query, allowance));
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
  return ok(printedPage(world, held, ({ registration }) => registration, query, registrationSummary));
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
  { template: `${BOND}/registrations`, respond: registrations },
  { template: `${BOND}/registrations/{principal}`, respond: registration },
];
