import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { readStoredBlock } from '../../../index/blocks/stored.ts';
import { BLOCKS } from '../../../index/blocks/tables.ts';
import { always, type ExportRow, sometimes } from '../columns.ts';
import type { PagesOf } from '../exported-list.ts';
import { numberedPages } from './numbered-pages.ts';

export const BLOCK_COLUMNS = {
  block_height: always('integer', 'height'),
  index_block_hash: always('text', 'index block hash'),
  block_hash: always('text', 'block hash'),
  parent_index_block_hash: always('text', 'index block hash of the parent'),
  block_time: always('time', 'time of the block'),
  tenure_height: sometimes('integer', 'height of the tenure'),
  burn_block_height: always('integer', 'height of the Bitcoin block'),
  burn_block_hash: always('text', 'hash of the Bitcoin block'),
  burn_block_time: always('time', 'time of the Bitcoin block'),
  miner_tx_id: always('text', 'id of the Bitcoin transaction that elected its miner'),
  first_tx_position: always('integer', 'position of its first transaction in the chain, from 0 on'),
  tx_count: always('integer', 'number of transactions; the first block has those of the boot block, too'),
  execution_cost_read_count: always('integer', 'cost of execution'),
  execution_cost_read_length: always('integer', 'cost of execution'),
  execution_cost_runtime: always('integer', 'cost of execution'),
  execution_cost_write_count: always('integer', 'cost of execution'),
  execution_cost_write_length: always('integer', 'cost of execution'),
};

type Row = BlockRecordRow & RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows'> & { readonly shown_time: number };

/** The blocks of a part, in the order of the chain. */
export const blockPages: PagesOf<typeof BLOCK_COLUMNS> = (read, { firstHeight, lastHeight }) =>
  numberedPages(
    read,
    {
      ...{ table: BLOCKS, large: 'microblocks' },
      rows: (queries, { from, to }) =>
        queries.all<Row>(
          `SELECT b.seq, b.first_tx, b.tx_rows, b.block_time AS shown_time, ${RECORD_FIELDS} FROM ${CANONICAL}
            WHERE b.seq >= ? AND b.seq < ? ORDER BY b.seq`,
          [from, to],
        ),
      exported: rowOf,
    },
    { from: firstHeight - 1, to: lastHeight },
  );

function rowOf(row: Row): ExportRow<typeof BLOCK_COLUMNS> {
  const { minerTxId, tenureHeight, burnBlockTime, cost } = readStoredBlock(row.record);
  return {
    block_height: row.height,
    index_block_hash: toHex(row.index_block_hash),
    block_hash: toHex(row.block_hash),
    parent_index_block_hash: toHex(row.parent_index_block_hash),
    block_time: row.shown_time,
    tenure_height: tenureHeight < 0 ? null : tenureHeight,
    burn_block_height: row.burn_block_height,
    burn_block_hash: toHex(row.burn_block_hash),
    burn_block_time: burnBlockTime,
    miner_tx_id: minerTxId,
    first_tx_position: row.first_tx,
    tx_count: row.tx_rows,
    execution_cost_read_count: cost.read_count,
    execution_cost_read_length: cost.read_length,
    execution_cost_runtime: cost.runtime,
    execution_cost_write_count: cost.write_count,
    execution_cost_write_length: cost.write_length,
  };
}
