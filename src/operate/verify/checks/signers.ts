import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredRewardSet, readStoredSigner } from '../../../index/pox/stored.ts';
import { type POX_CYCLES, type POX_SIGNERS, SIGNERS_OF_CYCLE } from '../../../index/pox/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

const RECOUNTED = [SIGNERS_OF_CYCLE];

export const signersCheck: Check = {
  name: 'signers',
  proves:
    'the signers of each cycle are as many as its reward set has, and their weights and amounts add up to its totals',
  recounts: RECOUNTED,
  run: context => withSpillingMap(counts => compare(counts, context)),
};

async function* compare(counts: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const cycle of pagedRows<Cycle>(index, {
    sql: 'SELECT cycle, first_signer, signers, record FROM pox_cycles',
    key: ['cycle'],
  })) {
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
  yield* compareLengths(counts, RECOUNTED, index);
}

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
