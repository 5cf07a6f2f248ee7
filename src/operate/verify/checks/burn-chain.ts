import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BURN_BLOCKS } from '../../../ingest/indexer/burn-graph.ts';
import { type Check, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { eventIfKept } from './sources.ts';

type BurnRow = RowOf<typeof BURN_BLOCKS> & {
  /** `canonical` of the parent that it names, if that is the known block right below it. */
  readonly parent_canonical: number | null;
  /** Number of canonical blocks of its height. */
  readonly rivals: number;
};

export const burnChainCheck: Check = {
  name: 'burn chain',
  proves: 'every burn block equals its event in the journal; canonical ones have canonical parents, one at each height',

  async *run(context) {
    const { index, state } = context;
    for await (const row of pagedRows<BurnRow>(index, {
      sql: `SELECT b.hash, b.height, b.parent_hash, b.consensus_hash, b.canonical, b.journal_seq, p.canonical AS parent_canonical,
        (SELECT count(*) FROM burn_blocks r WHERE r.canonical = 1 AND r.height = b.height) AS rivals
        FROM burn_blocks b LEFT JOIN burn_blocks p ON p.hash = b.parent_hash AND p.height = b.height - 1`,
      key: ['hash'],
      alias: 'b',
      pageSize: 200,
    })) {
      const name = `burn_blocks: ${toHex(row.hash)} of height ${row.height}`;
      const event =
        row.journal_seq <= state.position ? await eventIfKept(context, row.journal_seq, '/new_burn_block') : undefined;
      const isDropped = event === 'dropped';
      const {
        burn_block_hash: hash,
        burn_block_height: height,
        parent_burn_block_hash: parent,
        consensus_hash: consensus,
      } = isDropped ? {} : (event?.burnBlock ?? {});
      if (isDropped) {
        // The checks within the index continue.
      } else if (hash !== toHex(row.hash)) yield wrong(`${name} is not in journal entry ${row.journal_seq}`);
      else if (height !== row.height || (parent ?? null) !== (row.parent_hash && toHex(row.parent_hash)))
        yield wrong(`${name} has another height or parent in the journal`);
      else if ((consensus ?? null) !== (row.consensus_hash && toHex(row.consensus_hash)))
        yield wrong(`${name} has another consensus hash in the journal`);
      if (row.canonical !== 1) continue;
      if (row.parent_canonical === 0) yield wrong(`${name} is canonical, but its parent is not`);
      if (row.rivals > 1) yield wrong(`${name} is not the only canonical one of its height`);
    }
  },
};
