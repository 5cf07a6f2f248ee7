import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { STAKING_BONDS } from '../../../index/staking/tables.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import type { PoxCycles } from '../../../ingest/chain/pox-cycles.ts';
import { count, isoTimestamp, nullable, unixTime } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { burnTimesOf } from './burn-times.ts';

/** A point of a schedule: a Bitcoin block, and when it was mined or will be. */
export const PointSchemaV3 = Type.Object(
  {
    bitcoin_height: count(),
    time: nullable(unixTime(), 'Null unless this Bitcoin block is the burn block of a canonical block'),
    time_iso: nullable(isoTimestamp(), 'Null with the time'),
    projected_time: nullable(
      unixTime('By the pace of the Bitcoin blocks so far'),
      'Null unless the height is above the Bitcoin block of the tip, and beyond the year 9999',
    ),
    projected_time_iso: nullable(isoTimestamp(), 'Null with the projected time'),
  },
  { title: 'SchedulePoint' },
);

const BondPoint = Type.Object(
  { ...PointSchemaV3.properties, pox_cycle: count('The reward cycle') },
  { title: 'BondSchedulePoint' },
);

export const BondScheduleSchemaV3 = Type.Object(
  {
    enrollment_cutoff: nullable(
      BondPoint,
      'The first block at which a registration is refused. Null where the server does not know how long cycles of this network are: see the option `--pox-cycles`',
    ),
    activation: BondPoint,
    unlock: BondPoint,
  },
  { title: 'BondSchedule' },
);

/** The burn heights and reward cycles of a bond. */
export type BondTerm = Pick<
  RowOf<typeof STAKING_BONDS>,
  'start_height' | 'first_cycle' | 'unlock_height' | 'unlock_cycle'
>;

/** What the calculation of schedules needs of the chain. */
export interface ScheduledChain {
  readonly network: Network;
  /** Undefined where the lengths of reward cycles are not known. */
  readonly poxCycles: PoxCycles | undefined;
}

/** Returns a function that gives the schedule of each of these bonds as it is served, keys in emitted order (docs/spec/staking.md#times). */
export async function bondSchedulesOf(
  queries: Queries,
  { network, poxCycles }: ScheduledChain,
  bonds: readonly BondTerm[],
) {
  const cutoffOf = ({ start_height }: BondTerm): number => Math.max(0, start_height - (poxCycles?.prepare ?? 0));
  const heights = bonds.flatMap(bond => [cutoffOf(bond), bond.start_height, bond.unlock_height]);
  const timesAt = await burnTimesOf(queries, network, heights);
  const point = (bitcoin_height: number, pox_cycle: number) => ({
    bitcoin_height,
    ...timesAt(bitcoin_height),
    pox_cycle,
  });
  return (bond: BondTerm) => ({
    enrollment_cutoff: poxCycles ? point(cutoffOf(bond), Math.max(0, bond.first_cycle - 1)) : null,
    activation: point(bond.start_height, bond.first_cycle),
    unlock: point(bond.unlock_height, bond.unlock_cycle),
  });
}

/** The function that bondSchedulesOf returns. */
export type BondSchedules = Awaited<ReturnType<typeof bondSchedulesOf>>;
