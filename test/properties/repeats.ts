import { buildChain, type Sent } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import type { Tables } from '../chains/tables.ts';
import { assertSameTables } from '../support/chain-assertions.ts';
import { repeated } from '../support/chain-builder.ts';

/**
 * Each event comes twice in a row: in the same bytes, which the journal passes over, or in others, which the index must
 * recognise. Then every block, burn block and zone file comes once more. (Streams and news of the mempool may be said
 * again later and mean something: they are repeated at once only.)
 *
 * Every row of every table is compared, except where in the journal something is: there the repeats count.
 */
export const repeats = defineProperty({
  file: 'repeats',
  rule: 'everything delivered twice changes no row of any table',
  cases: chainPlans(),
  hold: async (bench, plan) => {
    const { sent } = buildChain(plan);
    const once = sent.map(({ delivery }) => delivery);
    const expected = withoutPlaces(await (await bench.indexOf(once)).dump());

    const on = await bench.openIndex();
    await on.deliver(
      sent.flatMap(({ delivery }) => [delivery, delivery]),
      plan.batch,
    );
    assertSameTables(withoutPlaces(await on.index.dump()), expected, 'each twice in the same bytes');

    const again = await bench.openIndex();
    await again.deliver(sent.flatMap(inOtherBytes), plan.batch);
    assertSameTables(withoutPlaces(await again.index.dump()), expected, 'each twice in other bytes');
    await again.deliver(
      sent.filter(isKnownForever).map(({ delivery }) => repeated(repeated(delivery))),
      plan.batch,
    );
    assertSameTables(withoutPlaces(await again.index.dump()), expected, 'the whole again');
  },
});

/** News of the mempool would be announced anew. */
const inOtherBytes = ({ kind, delivery }: Sent) =>
  kind === 'mempool' ? [delivery, delivery] : [delivery, repeated(delivery)];

const isKnownForever = ({ kind }: Sent): boolean => kind === 'block' || kind === 'burn' || kind === 'attachment';

/** Columns that follow the numbers of journal entries; of the state of the index, which has some, all but the tip. */
const PLACES: Readonly<Record<string, string>> = {
  known_blocks: 'journal_seq',
  burn_blocks: 'journal_seq',
  mempool_txs: 'arrival',
  pending_txs: 'arrival',
  pending_lists: 'arrival',
  dropped_txs: 'arrival',
  set_aside: 'position',
};

function withoutPlaces({ meta: _meta, ...dump }: Tables): Tables {
  const tables = Object.entries(dump).map(([name, rows]) => {
    const place = PLACES[name];
    return [name, place === undefined ? rows : rows.map(row => ({ ...row, [place]: 0 }))] as const;
  });
  return Object.fromEntries(tables);
}
