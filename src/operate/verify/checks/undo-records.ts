import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { ChainName, UNDO_LOG } from '../../../ingest/indexer/tables.ts';
import { decodeRecords } from '../../../ingest/indexer/undo-log.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type UndoRow = RowOf<typeof UNDO_LOG> & {
  /** Hash of the canonical block at that depth, if there is one. */
  readonly expected: Uint8Array | null;
};

export const undoRecordsCheck: Check = {
  name: 'undo log',
  proves: 'every applied block and microblock can be taken back, in order',

  async *run({ index, state }) {
    const depths: Record<ChainName, number> = { stacks: 0, burn: 0 };
    for await (const row of undoRows(index)) {
      const chain = row.chain === 'burn' ? 'burn' : 'stacks';
      const name = `undo_log: the ${chain} record ${row.depth}`;
      if (row.depth - row.units + 1 !== depths[chain]) yield wrong(`${name} follows ${depths[chain] - 1}`);
      depths[chain] = row.depth + 1;
      const standing = chain === 'stacks' ? state.microblocks[row.depth - (state.tip?.height ?? 0)]?.hash : undefined;
      const expected = row.expected ? toHex(row.expected) : standing;
      if (toHex(row.block) !== expected)
        yield wrong(`${name} is of ${toHex(row.block)}, not of ${expected ?? 'anything'}`);
      if (!isReadable(row.record)) yield wrong(`${name} cannot be read`);
    }
    yield* compareDepth('stacks', depths.stacks, state.depth);
    yield* compareDepth('burn', depths.burn, state.burnDepth);
  },
};

const undoRows = (index: Context['index']): AsyncIterable<UndoRow> =>
  pagedRows<UndoRow>(index, {
    sql: `SELECT u.chain, u.depth, u.units, u.block, u.record,
      CASE WHEN u.chain = 'stacks' THEN k.index_block_hash ELSE c.hash END AS expected
      FROM undo_log u
      LEFT JOIN blocks b ON u.chain = 'stacks' AND b.seq = u.depth
      LEFT JOIN known_blocks k ON k.arrival = b.known
      LEFT JOIN burn_blocks c ON u.chain = 'burn' AND c.hash = u.block AND c.canonical = 1`,
    key: ['chain', 'depth'],
    alias: 'u',
    pageSize: 100,
  });

function isReadable(record: Uint8Array): boolean {
  try {
    return Array.isArray(decodeRecords(record));
  } catch {
    return false;
  }
}

async function* compareDepth(chain: ChainName, found: number, expected: number): AsyncIterable<Finding> {
  if (found !== expected)
    yield wrong(`undo_log: records take back ${found} units of the ${chain} chain, ${expected} are applied`);
}
