import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** The canonical microblocks in chain order: those that blocks accepted, then those on the tip. */
export const MICROBLOCKS = table({
  name: 'microblocks',
  columns: {
    seq: 'int',
    hash: 'bytes',
    /** Hash of the preceding microblock, or of the anchor block for the first microblock. */
    parent_hash: 'bytes',
    sequence: 'int',
    /** Index block hash of its anchor block. */
    parent_block: 'bytes',
    /** Where its transactions are in txs. */
    first_tx: 'int',
    tx_rows: 'int',
  },
  key: ['seq'],
  indexes: [['hash', 'seq']],
});

export const ALL_MICROBLOCKS = listKind({
  code: 13,
  chain: 'stacks',
  entries: MICROBLOCKS,
  named: false,
  clock: { of: 'transaction', column: 'first_tx' },
});

/** Every microblock that was ever streamed, or that any block accepted. */
export const KNOWN_MICROBLOCKS = table({
  name: 'known_microblocks',
  columns: { hash: 'bytes', parent_block: 'bytes', parent_hash: 'bytes', sequence: 'int' },
  key: ['hash', 'parent_block'],
});
