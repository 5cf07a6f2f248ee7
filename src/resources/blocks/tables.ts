import { listKind } from '../../indexer/tables.ts';
import { table } from '../../store/table.ts';

/** The canonical chain: the block of height n is entry n - 1. Everything else about a block is in known_blocks. */
export const BLOCKS = table({
  name: 'blocks',
  columns: {
    seq: 'int',
    /** Its row in known_blocks. */
    known: 'int',
    /** Where its transactions are in txs. */
    first_tx: 'int',
    tx_rows: 'int',
    /** The highest time of a burn block up to here: unlike these times it never falls, so it has an order. */
    high_time: 'int',
    /** The microblocks it accepted, as JSON [[hash, transactions], ...]; null without. */
    microblocks: 'text?',
  },
  key: ['seq'],
  indexes: [['high_time', 'seq']],
});

/** Canonical blocks whose burn block has an earlier time than one below: where they are, beside the order of high_time. */
export const LATE_BLOCKS = table({
  name: 'late_blocks',
  columns: { seq: 'int', high_time: 'int', burn_time: 'int', first_tx: 'int', tx_rows: 'int' },
  key: ['seq'],
  indexes: [['high_time', 'seq']],
});

export const CANONICAL_BLOCKS = listKind({ code: 8, chain: 'stacks', entries: BLOCKS, named: false });

export const ALL_LATE_BLOCKS = listKind({ code: 11, chain: 'stacks', entries: LATE_BLOCKS, named: false });
