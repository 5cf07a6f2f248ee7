import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

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
    /** The highest time of a burn block up to here: unlike block times it never falls, so it can be searched. */
    high_time: 'int',
    /** Number of its burn block, counted from the bottom of the chain. The blocks of one burn block are neighbours. */
    burn_number: 'int',
    /** As the node sent it; null before epoch 3. It never falls, so the blocks of a tenure are neighbours. */
    tenure_height: 'int?',
    /** Unix seconds, as it is shown. */
    block_time: 'int',
    /** The microblocks it accepted, as JSON [[hash, transactions], ...]; null without. */
    microblocks: 'text?',
  },
  key: ['seq'],
  readIndexes: [
    ['high_time', 'seq'],
    ['burn_number', 'seq'],
    ['tenure_height', 'seq'],
    ['block_time', 'seq'],
  ],
});

/** Canonical blocks whose burn block has an earlier time than one below it: searches by high_time alone would miss them. */
export const LATE_BLOCKS = table({
  name: 'late_blocks',
  columns: { seq: 'int', high_time: 'int', burn_time: 'int', first_tx: 'int', tx_rows: 'int' },
  key: ['seq'],
  indexes: [['high_time', 'seq']],
});

/** The signers' signatures of each canonical block, numbered like `blocks`. A separate table, as scans of `blocks` do not need them. */
export const BLOCK_SIGNATURES = table({
  name: 'block_signatures',
  columns: {
    seq: 'int',
    /** Signatures of 65 bytes, one after the other; null without any, as before epoch 3. */
    signatures: 'bytes?',
  },
  key: ['seq'],
});

export const CANONICAL_BLOCKS = listKind({
  code: 8,
  chain: 'stacks',
  entries: BLOCKS,
  named: false,
  clock: { of: 'block', column: 'seq' },
});

export const ALL_LATE_BLOCKS = listKind({
  code: 11,
  chain: 'stacks',
  entries: LATE_BLOCKS,
  named: false,
  clock: { of: 'none', reason: 'an entry has transactions, and those above a block are left out' },
});

export const ALL_BLOCK_SIGNATURES = listKind({
  code: 67,
  chain: 'stacks',
  entries: BLOCK_SIGNATURES,
  named: false,
  clock: { of: 'block', column: 'seq' },
});
