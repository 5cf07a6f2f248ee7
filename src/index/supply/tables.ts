import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** The supply of STX after each block, or unanchored microblock, that changed it. */
export const STX_SUPPLIES = table({
  name: 'stx_supplies',
  columns: {
    seq: 'int',
    height: 'int',
    /** Micro-STX, decimal. */
    total: 'text',
  },
  key: ['seq'],
  readIndexes: [['height', 'seq']],
});
export const ALL_STX_SUPPLIES = listKind({
  code: 66,
  chain: 'stacks',
  entries: STX_SUPPLIES,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** The newest supply, under the asset `STX`. */
export const SUPPLIES = table({
  name: 'supplies',
  columns: { asset: 'text', total: 'text' },
  key: ['asset'],
});
