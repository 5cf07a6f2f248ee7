import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readBlock } from '../../../ingest/chain/block-facts.ts';
import { needsParent } from '../../../ingest/chain/fork-choice.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import type { NewBlock } from '../../../ingest/node/events/block.ts';
import { type Check, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { eventIfKept } from './sources.ts';

type KnownRow = Omit<RowOf<typeof KNOWN_BLOCKS>, 'block_time' | 'record'> & {
  /** Whether its parent is connected; null while that is not known. */
  readonly parent_connected: number | null;
  /** Its height in the chain, and in the list of orphans; null if not there. */
  readonly canonical: number | null;
  readonly orphaned: number | null;
  /** Its position in the list of blocks that were applied without some transactions. */
  readonly listed: number | null;
  /** The burn view that a block without a tenure change inherits. */
  readonly parent_view: Uint8Array | null;
};

export const knownBlocksCheck: Check = {
  name: 'known blocks',
  proves:
    'every block equals its payload in the journal, connected when all of its ancestors are known, and among the orphaned ones when the chain has another in its place',

  async *run(context) {
    const { index, network, state } = context;
    const aside = await index.get<{ count: number }>(
      "SELECT count(*) AS count FROM set_aside WHERE path IN ('/new_block', '/rebuilt_block')",
    );
    let arrival = 0;
    let missing = 0;
    let orphans = 0;
    let applied = 0;
    for await (const row of pagedRows<KnownRow>(index, {
      sql: `SELECT k.arrival, k.index_block_hash, k.parent_index_block_hash, k.block_hash, k.height, k.burn_block_hash,
        k.burn_block_height, k.burn_view, k.journal_seq, k.connected, k.waits_for,
        k.tx_count, k.parent_microblock, b.seq AS canonical, o.height AS orphaned, s.position AS listed, p.connected AS parent_connected,
        p.burn_view AS parent_view
        FROM known_blocks k LEFT JOIN known_blocks p
        ON p.index_block_hash = k.parent_index_block_hash AND p.height = k.height - 1 AND p.connected = 1
        LEFT JOIN blocks b ON b.seq = k.height - 1 AND b.known = k.arrival
        LEFT JOIN orphaned_blocks o ON o.height = k.height AND o.block = k.index_block_hash AND o.known = k.arrival
          AND o.parent = k.parent_index_block_hash
        LEFT JOIN set_aside s ON s.position = k.journal_seq`,
      key: ['arrival'],
      alias: 'k',
      pageSize: 200,
    })) {
      const name = `known_blocks: block ${toHex(row.index_block_hash)} of height ${row.height}`;
      missing += row.arrival - arrival;
      arrival = row.arrival + 1;
      const connected = needsParent(row.height) ? (row.parent_connected ?? 0) : 1;
      if (row.connected !== connected)
        yield wrong(`${name} is ${connected ? 'connected' : 'not connected'}, but marked otherwise`);
      const isOrphan = row.connected === 1 && row.height > 0 && row.canonical === null;
      if (row.orphaned !== null) orphans++;
      if (row.listed !== null) {
        applied++;
        if (row.canonical === null) yield wrong(`set_aside: block ${toHex(row.index_block_hash)} waits or is orphaned`);
      }
      if (isOrphan !== (row.orphaned !== null))
        yield wrong(`${name} is ${isOrphan ? 'not among the orphaned ones' : 'listed as orphaned'}`);
      const awaited = connected ? null : toHex(row.parent_index_block_hash);
      if ((row.waits_for && toHex(row.waits_for)) !== awaited)
        yield wrong(`${name} ${awaited ? 'is not found when its parent comes' : 'waits for a parent that it has'}`);
      const event =
        row.journal_seq <= state.position ? await eventIfKept(context, row.journal_seq, '/new_block') : undefined;
      if (event === 'dropped') continue;
      if (!event) yield wrong(`${name} is not in journal entry ${row.journal_seq}`);
      else {
        for (const column of differing(row, event.block))
          yield wrong(`${name}: its ${column} is not that of its payload`);
        const { facts } = readBlock(event.block, network);
        const { hash, sequence } = facts.parentMicroblock ?? {};
        if (row.parent_microblock !== (hash === undefined ? null : JSON.stringify([hash, sequence])))
          yield wrong(`${name}: its parent_microblock is not that of its payload`);
        const view = facts.burnView ?? inheritedView(row);
        if (row.connected === 1 && (row.burn_view && toHex(row.burn_view)) !== view)
          yield wrong(`${name}: its burn view is not what the newest tenure change at or below it names`);
      }
    }
    const listed = await index.get<{ count: number }>('SELECT count(*) AS count FROM orphaned_blocks');
    if ((listed?.count ?? 0) !== orphans)
      yield wrong(`orphaned_blocks: ${listed?.count ?? 0} rows, of which ${orphans} are of known blocks`);
    // A kept block that was set aside later leaves a free number.
    const without = (aside?.count ?? 0) - applied;
    if (missing > without)
      yield wrong(`known_blocks: ${missing} rows are missing, and ${without} blocks are set aside`);
  },
};

const inheritedView = ({ height, parent_view }: KnownRow): string | null =>
  needsParent(height) && parent_view ? toHex(parent_view) : null;

function differing(row: KnownRow, block: NewBlock): string[] {
  const pairs: [column: string, stored: string | number, delivered: string | number][] = [
    ['index_block_hash', toHex(row.index_block_hash), block.index_block_hash],
    ['parent_index_block_hash', toHex(row.parent_index_block_hash), block.parent_index_block_hash],
    ['block_hash', toHex(row.block_hash), block.block_hash],
    ['height', row.height, block.block_height],
    ['burn_block_hash', toHex(row.burn_block_hash), block.burn_block_hash],
    ['burn_block_height', row.burn_block_height, block.burn_block_height],
    ['tx_count', row.tx_count, block.transactions.length],
  ];
  return pairs.filter(([, stored, delivered]) => stored !== delivered).map(([column]) => column);
}
