import assert from 'node:assert/strict';
import type { Row } from '../../src/base/store/database.ts';
import { catchUp } from '../../src/cli/replay/add-rows.ts';
import { unitsWithoutUndo } from '../../src/ingest/indexer/held-undo.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import type { Tables } from '../chains/tables.ts';
import type { Workbench } from '../chains/workbench.ts';
import { assertSameTables } from '../support/chain-assertions.ts';
import fc from '../support/fast-check.ts';
import type { TestIndex } from '../support/test-index.ts';

const cases = fc.record({
  plan: chainPlans({ steady: true, minSteps: 20, maxSteps: 60 }),
  /** Rows of each transaction. */
  sizes: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
});

/** Compared is every table; of the undo log only what is kept of it, which must be its end. */
export const bulkBuild = defineProperty({
  file: 'bulk-build',
  rule: 'an index built in bulk equals one built block by block, but for undo records of what was final',
  cases,
  hold: async (bench, { plan, sizes }) => {
    const { sent } = buildChain(plan);
    const deliveries = sent.map(({ delivery }) => delivery);
    const expected = await (await replayed(bench, deliveries, [1], false)).dump();
    const index = await replayed(bench, deliveries, sizes, true);
    const found = await index.dump();
    const gone = {
      stacks: await bench.database.read(queries => unitsWithoutUndo(queries, 'stacks')),
      burn: await bench.database.read(queries => unitsWithoutUndo(queries, 'burn')),
    };
    bench.statistics.unitsWithoutUndo += gone.stacks;
    assertSameTables(withoutGone(found, gone), withoutGone(expected, gone));
  },
  together: async bench => assert.ok(bench.statistics.unitsWithoutUndo > 0),
});

/** As `replay` does it, where journal and index are two databases. */
async function replayed(
  bench: Workbench,
  sent: readonly Delivery[],
  sizes: readonly number[],
  inBulk: boolean,
): Promise<TestIndex> {
  const { index } = await bench.openIndex();
  const { journal, indexer } = index;
  const { signal } = new AbortController();
  for (let start = 0, i = 0; start < sent.length; i++) {
    const end = start + (sizes[i % sizes.length] ?? 1);
    const entries = await journal.append(sent.slice(start, end));
    await indexer.applyParts([entries], inBulk).catch(() => catchUp({ indexer, signal, inBulk }));
    start = end;
  }
  return index;
}

function withoutGone(dump: Tables, gone: Readonly<Record<string, number>>): Tables {
  const isKept = ({ chain, depth }: Row) => Number(depth) >= (gone[String(chain)] ?? 0);
  return {
    ...dump,
    undo_log: (dump.undo_log ?? []).filter(isKept),
    meta: (dump.meta ?? []).filter(({ name }) => !String(name).startsWith('undo_from_')),
  };
}
