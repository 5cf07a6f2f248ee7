import type { PoxEvent } from '../../../base/codec/index.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredPoxEvent, readStoredRewardSet, readStoredSigner, type Stored } from '../../../index/pox/stored.ts';
import {
  DELEGATIONS_TO_POOL,
  delegationList,
  EVENTS_OF_CONTRACT,
  EVENTS_OF_STACKER,
  POX_CYCLES,
  POX_EVENTS,
  type POX_SIGNERS,
  type POX_STACKER_COUNTS,
  SIGNERS_OF_CYCLE,
  stackerList,
} from '../../../index/pox/tables.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import { type Check, wrong } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { tableRows } from '../pages.ts';

const EVENT_LISTS = [EVENTS_OF_CONTRACT, EVENTS_OF_STACKER, DELEGATIONS_TO_POOL];

export const poxEventsCheck: Check = {
  name: 'stacking operations',
  proves:
    'the operations of each PoX contract and of each stacker, and the delegations to each pool, are as many as in the prints',
  recounts: EVENT_LISTS,
  async *run({ index, newMap }) {
    const counts = newMap();
    for await (const { contract, event } of tableRows(index, POX_EVENTS, ['contract', 'event'])) {
      if (event === null) continue;
      for (const [kind, name] of listsOf(contract, readStoredPoxEvent(event)))
        await counts.add(lengthKey(kind, name), 1);
    }
    yield* compareLengths(counts, EVENT_LISTS, index);
  },
};

function* listsOf(contract: string, event: Stored<PoxEvent>): Iterable<readonly [ListKind, string]> {
  yield [EVENTS_OF_CONTRACT, contract];
  yield [EVENTS_OF_STACKER, stackerList(contract, event.stacker)];
  if (event.name !== 'delegate-stx' && event.name !== 'revoke-delegate-stx') return;
  const { delegateTo } = event.data as { readonly delegateTo?: string };
  if (delegateTo !== undefined) yield [DELEGATIONS_TO_POOL, delegationList(contract, delegateTo)];
}

type Count = RowOf<typeof POX_STACKER_COUNTS, 'role' | 'represented_by' | 'stackers'>;

export const poxCountsCheck: Check = {
  name: 'stackers',
  proves: 'the numbers of stackers of each signer and operator are those of the stackers, in every cycle',

  async *run({ index }) {
    const cycles = await index.all<RowOf<typeof POX_STACKER_COUNTS, 'cycle'>>(
      'SELECT cycle FROM pox_stackers UNION SELECT cycle FROM pox_stacker_counts ORDER BY cycle',
    );
    for (const { cycle } of cycles) {
      const counted = await index.all<Count>(
        `SELECT role, represented_by, count(*) AS stackers FROM pox_stackers WHERE cycle = ?
          GROUP BY role, represented_by`,
        [cycle],
      );
      const stored = await index.all<Count>(
        'SELECT role, represented_by, stackers FROM pox_stacker_counts WHERE cycle = ?',
        [cycle],
      );
      const expected = new Map(counted.map(count => [nameOf(count), count.stackers]));
      for (const count of stored) {
        const stackers = expected.get(nameOf(count)) ?? 0;
        expected.delete(nameOf(count));
        if (stackers !== count.stackers)
          yield wrong(
            `pox_stacker_counts: cycle ${cycle}, ${nameOf(count)}: ${count.stackers}, a recount gives ${stackers}`,
          );
      }
      for (const [name, stackers] of expected)
        yield wrong(`pox_stacker_counts: cycle ${cycle}, ${name} is missing, a recount gives ${stackers}`);
    }
  },
};

const nameOf = ({ role, represented_by: by }: Count): string => `role ${role} "${by}"`;

export const signersCheck: Check = {
  name: 'signers',
  proves:
    'the signers of each cycle are as many as its reward set has, and their weights and amounts add up to its totals',
  recounts: [SIGNERS_OF_CYCLE],
  async *run({ index, newMap }) {
    const counts = newMap();
    for await (const cycle of tableRows(index, POX_CYCLES, ['first_signer', 'signers', 'record'])) {
      // The current reward set is the end of the list.
      const length = cycle.first_signer + cycle.signers;
      if (length > 0) await counts.add(lengthKey(SIGNERS_OF_CYCLE, String(cycle.cycle)), length);
      const expected = readStoredRewardSet(cycle.record);
      const { total_weight, total_stacked_amount, total_signers } = await totalsOf(cycle, index);
      if (
        total_weight !== expected.total_weight ||
        total_stacked_amount !== expected.total_stacked_amount ||
        total_signers !== expected.total_signers
      )
        yield wrong(
          `pox_signers: cycle ${cycle.cycle} has ${total_signers} signers of weight ${total_weight} with ${total_stacked_amount}, its totals are ${expected.total_signers}, ${expected.total_weight} and ${expected.total_stacked_amount}`,
        );
    }
    yield* compareLengths(counts, [SIGNERS_OF_CYCLE], index);
  },
};

type Cycle = RowOf<typeof POX_CYCLES, 'cycle' | 'first_signer' | 'signers' | 'record'>;

/** Of a cycle, as it is served. */
interface Totals {
  readonly total_weight: number;
  /** Micro-STX. */
  readonly total_stacked_amount: string;
  readonly total_signers: number;
}

/** What the signers of the current reward set add up to. */
async function totalsOf({ cycle, first_signer }: Cycle, index: Queries): Promise<Totals> {
  const rows = await index.all<RowOf<typeof POX_SIGNERS, 'record'>>(
    `SELECT e.record FROM lists l JOIN pox_signers e ON e.list = l.id AND e.seq >= ?
      WHERE l.kind = ${SIGNERS_OF_CYCLE.code} AND l.name = ?`,
    [first_signer, String(cycle)],
  );
  const signers = rows.map(row => readStoredSigner(row.record));
  return {
    total_weight: signers.reduce((sum, { weight }) => sum + weight, 0),
    total_stacked_amount: String(signers.reduce((sum, signer) => sum + BigInt(signer.stacked_amount), 0n)),
    total_signers: signers.length,
  };
}
