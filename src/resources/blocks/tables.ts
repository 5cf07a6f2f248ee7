import type { ListKind } from '../../indexer/tables.ts';
import type { Table } from '../../store/database.ts';

/** The canonical chain: the block of height n is entry n - 1. Everything else about a block is in known_blocks. */
export const BLOCKS: Table = {
  name: 'blocks',
  columns: {
    seq: 'int',
    /** Its row in known_blocks. */
    known: 'int',
    /** Where its transactions are in txs. */
    first_tx: 'int',
    tx_rows: 'int',
    /** The microblocks it accepted, as JSON [[hash, transactions], ...]; null without. */
    microblocks: 'text?',
  },
  key: ['seq'],
};

export const CANONICAL_BLOCKS: ListKind = { code: 8, chain: 'stacks', entries: BLOCKS, named: false };
