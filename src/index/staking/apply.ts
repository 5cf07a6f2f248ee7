import { hexBytes } from '../../base/lib/hex.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { WrittenRow } from '../../ingest/indexer/workspace.ts';
import { addCalculation, addCycleClaim } from './cycle-totals.ts';
import type { StakingEvent } from './facts.ts';
import { changeStaker, type Rows } from './stakers.ts';
import { packOutputs } from './stored.ts';
import {
  BOND_ALLOWANCES,
  BOND_POSITIONS,
  CYCLE_RATES,
  SIGNER_GRANTS,
  STAKERS,
  STAKING_BONDS,
  STAKING_COUNTS,
  STAKING_SIGNERS,
} from './tables.ts';

/** The place of a print. */
interface PrintPosition {
  /** Position of its transaction in txs. */
  readonly tx: number;
  readonly txId: string;
  /** Among the events of the transaction. */
  readonly eventIndex: number;
}

type Of<Kind extends StakingEvent['kind']> = Extract<StakingEvent, { kind: Kind }>;
type Position = WrittenRow<typeof BOND_POSITIONS>;

/** Writes the changes of an event (docs/spec/staking.md). An event about a bond that was not set up, or a missing position, changes nothing. */
export async function applyStakingEvent(rows: Rows, event: StakingEvent, place: PrintPosition): Promise<void> {
  switch (event.kind) {
    case 'bond':
      return setUp(rows, event, place);
    case 'allowance':
      return allow(rows, event, place);
    case 'registration':
      return register(rows, event, place);
    case 'update':
      return changeHeld(rows, event, position => ({
        ...position,
        signer: event.signer,
        sats: String(event.sats),
        ustx: String(event.ustx),
      }));
    case 'exit':
      return changeHeld(rows, event, position => ({ ...position, sats: '0', exited: 1 }));
    case 'withdrawal':
      return changeHeld(rows, event, position => ({
        ...position,
        sats: String(event.left),
        exited: event.left === 0n ? 1 : position.exited,
      }));
    case 'stake':
      if (event.isNew) await rollOver(rows, event.staker, null);
      return changeStaker(rows, event.staker, staker => ({
        ...staker,
        bond_index: event.isNew ? null : staker.bond_index,
        signer: event.signer,
        ustx: String(event.ustx),
        unlock_height: event.unlockHeight,
      }));
    case 'bond rate':
      return raiseBondRate(rows, event);
    case 'cycle rate':
      await raiseCycleRate(rows, event);
      return event.totals === null ? undefined : addCalculation(rows, event.cycle, event.totals);
    case 'cycle claim':
      return addCycleClaim(rows, event);
    case 'claim':
      return claim(rows, event);
    case 'key':
      return registerKey(rows, event, place);
    case 'grant':
      return changeGrant(rows, event, String(event.authId), place);
    case 'revocation':
      return changeGrant(rows, event, null, place);
    default:
      return event satisfies never;
  }
}

/** The first setup counts: the contract sets a bond up once. */
async function setUp(rows: Rows, event: Of<'bond'>, { tx }: PrintPosition): Promise<void> {
  const { bond: bond_index } = event;
  if (await rows.get(STAKING_BONDS, { bond_index })) return;
  await rows.put(STAKING_BONDS, {
    bond_index,
    tx,
    target_rate: String(event.targetRate),
    stx_value_ratio: String(event.stxValueRatio),
    min_ustx_ratio: String(event.minUstxRatio),
    first_cycle: event.firstCycle,
    start_height: event.startHeight,
    unlock_cycle: event.unlockCycle,
    unlock_height: event.unlockHeight,
    allowed: 0,
    capacity: '0',
    registered: 0,
    sats: '0',
    ustx: '0',
    paid: '0',
    distributed: '0',
    earned: '0',
    rate: '0',
  });
  await count(rows, 'bonds');
}

async function count(rows: Rows, name: 'bonds' | 'signers'): Promise<void> {
  const before = await rows.get(STAKING_COUNTS, { name });
  await rows.put(STAKING_COUNTS, { name, count: (before?.count ?? 0) + 1 });
}

async function allow(
  rows: Rows,
  { bond: bond_index, staker, maxSats }: Of<'allowance'>,
  place: PrintPosition,
): Promise<void> {
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  if (!bond || (await rows.get(BOND_ALLOWANCES, { bond_index, staker }))) return;
  const { tx, eventIndex: event_index } = place;
  await rows.put(BOND_ALLOWANCES, { bond_index, staker, tx, event_index, max_sats: String(maxSats) });
  await rows.put(STAKING_BONDS, { ...bond, allowed: bond.allowed + 1, capacity: sum(bond.capacity, maxSats) });
}

/**
 * A registration ends STX staked alone, and takes over the locks of another bond of the staker: a lock event of a bond replaces the previous one. A
 * staker that registers for a bond again has one position, of the newest registration, with all its rewards.
 */
async function register(rows: Rows, event: Of<'registration'>, place: PrintPosition): Promise<void> {
  const { bond: bond_index, staker, signer, ustx, sats, outputs } = event;
  if (!(await rows.get(STAKING_BONDS, { bond_index }))) return;
  await rollOver(rows, staker, bond_index);
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  if (!bond) return;
  const before = await rows.get(BOND_POSITIONS, { bond_index, staker });
  const { accrued, claimed } = before ? settled(before, BigInt(bond.rate)) : { accrued: '0', claimed: '0' };
  await rows.put(STAKING_BONDS, {
    ...bond,
    registered: bond.registered + (before ? 0 : 1),
    sats: sum(bond.sats, sats - BigInt(before?.sats ?? 0)),
    ustx: sum(bond.ustx, ustx - BigInt(before?.ustx ?? 0)),
  });
  await changeStaker(rows, staker, one => ({ ...one, signer: null, ustx: '0', unlock_height: 0, bond_index }), {
    bond_index,
    staker,
    tx: place.tx,
    event_index: place.eventIndex,
    signer,
    l1_outputs: outputs && packOutputs(outputs),
    enrolled_sats: String(sats),
    sats: String(sats),
    ustx: String(ustx),
    exited: 0,
    rolled: 0,
    settled_rate: bond.rate,
    accrued,
    claimed,
  });
}

/**
 * Ends the position of a staker in another bond: it keeps its rewards, and locks nothing. At most one position is not ended yet, that of the
 * last registration. @param bond the bond that stays; null: none
 */
async function rollOver(rows: Rows, staker: string, bond: number | null): Promise<void> {
  const last = (await rows.get(STAKERS, { staker }))?.bond_index ?? null;
  if (last === null || last === bond) return;
  await changePosition(rows, { bond: last, staker }, one => ({ ...one, sats: '0', ustx: '0', rolled: 1 }));
}

/** Changes the locks of a position; a position that was rolled over locks nothing any more. */
const changeHeld: typeof changePosition = (rows, of, change) =>
  changePosition(rows, of, position => (position.rolled ? position : change(position)));

/** Settles the earnings of a position, changes it, and adds the difference to the sums of the bond. */
async function changePosition(
  rows: Rows,
  { bond: bond_index, staker }: { readonly bond: number; readonly staker: string },
  change: (position: Position) => Position,
): Promise<void> {
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  const before = await rows.get(BOND_POSITIONS, { bond_index, staker });
  if (!bond || !before) return;
  const after = change(settled(before, BigInt(bond.rate)));
  await rows.put(STAKING_BONDS, {
    ...bond,
    sats: sum(bond.sats, BigInt(after.sats) - BigInt(before.sats)),
    ustx: sum(bond.ustx, BigInt(after.ustx) - BigInt(before.ustx)),
  });
  await changeStaker(rows, staker, unchanged => unchanged, after);
}

async function claim(rows: Rows, { bond: bond_index, staker, sats }: Of<'claim'>): Promise<void> {
  if (bond_index === null)
    return changeStaker(rows, staker, before => ({ ...before, claimed: sum(before.claimed, sats) }));
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  if (!bond || !(await rows.get(BOND_POSITIONS, { bond_index, staker }))) return;
  await changePosition(rows, { bond: bond_index, staker }, position => ({
    ...position,
    claimed: sum(position.claimed, sats),
  }));
  await rows.put(STAKING_BONDS, { ...bond, paid: sum(bond.paid, sats) });
}

/** Raises the rate of a bond. A rate is the total earned since the beginning, and never falls. */
async function raiseBondRate(rows: Rows, { bond: bond_index, rate, rewards }: Of<'bond rate'>): Promise<void> {
  const bond = await rows.get(STAKING_BONDS, { bond_index });
  if (!bond) return;
  const more = rate - BigInt(bond.rate);
  await rows.put(STAKING_BONDS, {
    ...bond,
    distributed: sum(bond.distributed, rewards),
    ...(more > 0n && { rate: String(rate), earned: sum(bond.earned, more * BigInt(bond.sats)) }),
  });
}

async function raiseCycleRate(rows: Rows, { cycle, rate }: Of<'cycle rate'>): Promise<void> {
  const before = await rows.get(CYCLE_RATES, { cycle });
  if (BigInt(before?.rate ?? 0) < rate) await rows.put(CYCLE_RATES, { cycle, rate: String(rate) });
}

const changeGrant = (
  rows: Rows,
  { signer, key }: { readonly signer: string; readonly key: string },
  auth_id: string | null,
  { tx, txId }: PrintPosition,
): Promise<void> => rows.put(SIGNER_GRANTS, { signer, signing_key: key, tx, auth_id, tx_id: hexBytes(txId) });

async function registerKey(rows: Rows, { signer, key }: Of<'key'>, { txId }: PrintPosition): Promise<void> {
  if (!(await rows.get(STAKING_SIGNERS, { signer }))) await count(rows, 'signers');
  await rows.put(STAKING_SIGNERS, { signer, signing_key: key, tx_id: hexBytes(txId) });
}

const sum = (amount: string, more: bigint): string => String(BigInt(amount) + more);

/** Rates are of one satoshi or micro-STX, times this. */
const SCALE = 10n ** 18n;

/** Satoshis that all positions of a bond have earned together, without the fraction: never less than they claimed. */
export const accruedByBond = ({ earned }: Pick<RowOf<typeof STAKING_BONDS>, 'earned'>): bigint =>
  BigInt(earned) / SCALE;

/** Satoshis that shares earn at a rate, without the fraction, as in the contract. */
export const earnedBy = (shares: bigint, rate: bigint): bigint => (shares * rate) / SCALE;

/** Total earnings of a position when its bond is at this rate (docs/spec/staking.md#rewards). */
export const accruedBy = (
  { accrued, sats, settled_rate }: Pick<Position, 'accrued' | 'sats' | 'settled_rate'>,
  rate: bigint,
): bigint => BigInt(accrued) + earnedBy(BigInt(sats), rate - BigInt(settled_rate));

/** The position with its earnings settled, so that a change of its satoshis does not affect them. */
const settled = (position: Position, rate: bigint): Position => ({
  ...position,
  accrued: String(accruedBy(position, rate)),
  settled_rate: String(rate),
});
