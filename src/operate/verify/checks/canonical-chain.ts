import { blockV2 } from '../../../api/records/blocks/record-v2.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL, unanchoredMicroblocks } from '../../../index/blocks/canonical-chain.ts';
import {
  BURN_TIMES,
  type BurnTimes,
  NEWEST_BURN_BLOCK,
  type NewestBurnBlock,
} from '../../../index/blocks/chain-facts.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { ALL_LATE_BLOCKS, type BLOCKS, CANONICAL_BLOCKS, LATE_BLOCKS } from '../../../index/blocks/tables.ts';
import type { FACTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import { canonicalBlocks } from './sources.ts';

export const chainLinksCheck: Check = {
  name: 'canonical chain',
  proves:
    'every block has the one below it as its parent, and a canonical burn block; their transactions follow each other',
  recounts: [CANONICAL_BLOCKS],

  async *run({ index }) {
    let parent: string | undefined;
    let nextTx = 0;
    for await (const block of canonicalBlocks(index)) {
      const height = block.seq + 1;
      const { index_block_hash: hash, parent_index_block_hash: parentHash } = block;
      if (!hash || !parentHash) {
        yield wrong(`blocks: the block of height ${height} is not among the known ones`);
        parent = undefined;
        continue;
      }
      if (block.height !== height) yield wrong(`blocks: the block at height ${height} has height ${block.height}`);
      if (block.connected !== 1) yield wrong(`blocks: the block of height ${height} is not connected`);
      if (block.burn_canonical === 0) yield wrong(`blocks: the burn block of height ${height} is not canonical`);
      if (parent !== undefined && toHex(parentHash) !== parent)
        yield wrong(`blocks: the block of height ${height} is not a child of the one below it`);
      if (block.first_tx !== nextTx)
        yield wrong(`blocks: the transactions of height ${height} begin at ${block.first_tx}, not ${nextTx}`);
      parent = toHex(hash);
      nextTx = block.first_tx + block.tx_rows;
    }
    const unanchored = await unanchoredMicroblocks(index);
    const end = unanchored.reduce((sum, { transactions }) => sum + transactions, nextTx);
    const txs = await index.get<{ count: number }>('SELECT count(*) AS count FROM txs');
    if (txs?.count !== end) yield wrong(`txs: there are ${txs?.count} transactions, but the chain has ${end}`);
  },
};

type PlacedRow = RowOf<typeof BLOCKS, 'seq' | 'burn_number' | 'tenure_height'> &
  BlockRecordRow & {
    /** Time in `blocks`. */
    readonly shown_time: number;
  };

export const blockPlacesCheck: Check = {
  name: 'burn blocks and tenures',
  proves: 'the number of the burn block, the tenure and the time of each block are those of its record and a recount',

  async *run({ index }: Context): AsyncIterable<Finding> {
    let newest = { hash: '', number: -1 };
    for await (const row of pagedRows<PlacedRow>(index, {
      sql: `SELECT b.seq, b.burn_number, b.tenure_height, b.block_time AS shown_time, ${RECORD_FIELDS}
        FROM ${CANONICAL}`,
      key: ['seq'],
      alias: 'b',
    })) {
      const name = `blocks: height ${row.seq + 1}`;
      const hash = toHex(row.burn_block_hash);
      if (hash !== newest.hash) newest = { hash, number: newest.number + 1 };
      const { block_time, tenure_height } = blockV2(row);
      if (row.burn_number !== newest.number)
        yield wrong(`${name} has burn block ${row.burn_number}, a recount ${newest.number}`);
      if (row.shown_time !== block_time) yield wrong(`${name} has time ${row.shown_time}, its record ${block_time}`);
      // A record shows an unknown tenure as the height, or as -1.
      const isShown = tenure_height === (row.tenure_height ?? row.seq + 1) || tenure_height === -1;
      if (!isShown) yield wrong(`${name} has tenure ${row.tenure_height}, its record ${tenure_height}`);
    }
    const sql = 'SELECT value FROM facts WHERE name = ?';
    const fact = await index.get<RowOf<typeof FACTS, 'value'>>(sql, [NEWEST_BURN_BLOCK]);
    const packed: NewestBurnBlock = [newest.hash, newest.number];
    const expected = newest.number < 0 ? undefined : JSON.stringify(packed);
    if (fact?.value !== expected) yield wrong(`facts: the newest burn block is ${fact?.value}, not ${expected}`);
  },
};

type LateBlock = RowOf<typeof LATE_BLOCKS>;
type TimedRow = RowOf<typeof BLOCKS, 'seq' | 'high_time' | 'first_tx' | 'tx_rows'> & BlockRecordRow;

export const burnTimesCheck: Check = {
  name: 'burn times',
  proves: 'the highest time of a burn block up to each block, and which blocks are behind it, are those of a recount',
  recounts: [ALL_LATE_BLOCKS],

  async *run({ index }) {
    const late = tableRows(index, LATE_BLOCKS, ['high_time', 'burn_time', 'first_tx', 'tx_rows'])[
      Symbol.asyncIterator
    ]();
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

const blocks = (index: Queries): AsyncIterable<TimedRow> =>
  pagedRows<TimedRow>(index, {
    sql: `SELECT b.seq, b.high_time, b.first_tx, b.tx_rows, ${RECORD_FIELDS}
      FROM ${CANONICAL}`,
    key: ['seq'],
    alias: 'b',
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
