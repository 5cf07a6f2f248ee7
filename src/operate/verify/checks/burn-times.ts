import { blockV2 } from '../../../api/records/blocks/record-v2.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { BURN_TIMES, type BurnTimes } from '../../../index/blocks/chain-facts.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { ALL_LATE_BLOCKS, type BLOCKS, type LATE_BLOCKS } from '../../../index/blocks/tables.ts';
import type { FACTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type LateBlock = RowOf<typeof LATE_BLOCKS>;
type BlockRow = RowOf<typeof BLOCKS, 'seq' | 'high_time' | 'first_tx' | 'tx_rows'> & BlockRecordRow;

export const burnTimesCheck: Check = {
  name: 'burn times',
  proves: 'the highest time of a burn block up to each block, and which blocks are behind it, are those of a recount',
  recounts: [ALL_LATE_BLOCKS],

  async *run({ index }) {
    const late = lateBlocks(index)[Symbol.asyncIterator]();
    const counted = { highest: Number.NEGATIVE_INFINITY, lateness: 0, late: 0 };
    for await (const row of blocks(index)) {
      const { seq, high_time, first_tx, tx_rows } = row;
      const { burn_block_time: burn_time } = blockV2(row);
      counted.highest = Math.max(counted.highest, burn_time);
      if (high_time !== counted.highest)
        yield wrong(`blocks: up to height ${seq + 1} the highest burn time is ${counted.highest}, not ${high_time}`);
      if (burn_time === counted.highest) continue;
      counted.lateness = Math.max(counted.lateness, counted.highest - burn_time);
      const expected = { seq: counted.late++, high_time: counted.highest, burn_time, first_tx, tx_rows };
      yield* differences(expected, (await late.next()).value);
    }
    if (!(await late.next()).done) yield wrong(`late_blocks: it has more than the ${counted.late} that are late`);
    yield* compareFact(counted.highest, counted.lateness, index);
  },
};

const blocks = (index: Queries): AsyncIterable<BlockRow> =>
  pagedRows<BlockRow>(index, {
    sql: `SELECT b.seq, b.high_time, b.first_tx, b.tx_rows, ${RECORD_FIELDS}
      FROM ${CANONICAL}`,
    key: ['seq'],
    alias: 'b',
  });

const lateBlocks = (index: Queries): AsyncIterable<LateBlock> =>
  pagedRows<LateBlock>(index, {
    sql: 'SELECT seq, high_time, burn_time, first_tx, tx_rows FROM late_blocks',
    key: ['seq'],
  });

function* differences(expected: LateBlock, found: LateBlock | undefined): Iterable<Finding> {
  const [wanted, actual] = [expected, found].map(block => block && textOf(block));
  if (actual !== wanted) yield wrong(`late_blocks: entry ${expected.seq} is ${actual ?? 'missing'}, not ${wanted}`);
}

const textOf = ({ seq, high_time, burn_time, first_tx, tx_rows }: LateBlock): string =>
  `${seq}: ${burn_time} after ${high_time}, transactions ${first_tx} + ${tx_rows}`;

async function* compareFact(highest: number, lateness: number, index: Queries): AsyncIterable<Finding> {
  const row = await index.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [BURN_TIMES]);
  const expected: BurnTimes | undefined = Number.isFinite(highest) ? [highest, lateness] : undefined;
  const text = expected && JSON.stringify(expected);
  if (row?.value !== text) yield wrong(`facts: the burn times are ${row?.value ?? 'none'}, not ${text ?? 'none'}`);
}
