import { blockV2 } from '../../../api/records/blocks/record-v2.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { NEWEST_BURN_BLOCK, type NewestBurnBlock } from '../../../index/blocks/chain-facts.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import type { FACTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type BlockRow = RowOf<typeof BLOCKS, 'seq' | 'burn_number' | 'tenure_height'> &
  BlockRecordRow & {
    /** What `blocks` has. */
    readonly shown_time: number;
  };

export const blockPlacesCheck: Check = {
  name: 'burn blocks and tenures',
  proves: 'the number of the burn block, the tenure and the time of each block are those of its record and a recount',

  async *run({ index }: Context): AsyncIterable<Finding> {
    let newest: NewestBurnBlock = ['', -1];
    for await (const row of pagedRows<BlockRow>(index, {
      sql: `SELECT b.seq, b.burn_number, b.tenure_height, b.block_time AS shown_time, ${RECORD_FIELDS}
        FROM ${CANONICAL}`,
      key: ['seq'],
      alias: 'b',
    })) {
      const name = `blocks: height ${row.seq + 1}`;
      const hash = toHex(row.burn_block_hash);
      if (hash !== newest[0]) newest = [hash, newest[1] + 1];
      const { block_time, tenure_height } = blockV2(row);
      if (row.burn_number !== newest[1])
        yield wrong(`${name} has burn block ${row.burn_number}, a recount ${newest[1]}`);
      if (row.shown_time !== block_time) yield wrong(`${name} has time ${row.shown_time}, its record ${block_time}`);
      // A record shows a tenure that is not known as the height, or as -1.
      const isShown = tenure_height === (row.tenure_height ?? row.seq + 1) || tenure_height === -1;
      if (!isShown) yield wrong(`${name} has tenure ${row.tenure_height}, its record ${tenure_height}`);
    }
    const sql = 'SELECT value FROM facts WHERE name = ?';
    const fact = await index.get<RowOf<typeof FACTS, 'value'>>(sql, [NEWEST_BURN_BLOCK]);
    const expected = newest[1] < 0 ? undefined : JSON.stringify(newest);
    if (fact?.value !== expected) yield wrong(`facts: the newest burn block is ${fact?.value}, not ${expected}`);
  },
};
