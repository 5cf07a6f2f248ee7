import { blockNamed, type NamedBlock } from '../../api/paging/as-of.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import { withHorizon } from '../../ingest/indexer/horizon.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { readBinding, SCHEMA_VERSION, wrongSchema } from '../storage/chain-binding.ts';
import { ExportRefused } from './export-refused.ts';

/** The block as of which lists are exported. */
export interface Pin extends NamedBlock {
  readonly chainId: number;
  /** How often the contents of the chain changed without another hash, as by a late boot block. */
  readonly revision: number;
}

/**
 * The block that an operator names; by default the tip.
 * @param at a text of BLOCK_NAME_PATTERN
 * @throws ApiError as for `at` of a request, IndexMismatch, ExportRefused where there is no block yet
 */
export function findPin(db: Database, at: string | undefined): Promise<Pin> {
  return db.read(async queries => {
    const { chainId, schemaVersion } = await readBinding(queries);
    if (schemaVersion !== SCHEMA_VERSION) throw wrongSchema(schemaVersion ?? 0);
    const { tip, revision } = await readState(queries);
    if (!tip || chainId === undefined)
      throw new ExportRefused('the index has no block yet', 'Load an archive first, or wait for the node.');
    return { ...(await blockNamed(queries, at ?? tip.indexBlockHash)), chainId, revision };
  });
}

/** Reads in one short snapshot, as of a block. */
export type PinnedRead = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

/**
 * Reads that all show the chain as of one block, however long the export takes and whatever is written meanwhile. No snapshot stays
 * open between them, so SQLite can checkpoint and PostgreSQL can remove old rows.
 * @returns throws ApiError (NOT_CANONICAL) once a fork has replaced the block, ExportRefused if the contents below it have changed
 */
export const pinnedReads =
  (db: Database, pin: Pin): PinnedRead =>
  work =>
    db.read(async queries => {
      const { height, burnBlockHeight: burnHeight, transactions } = await blockNamed(queries, pin.indexBlockHash);
      const { revision } = await readState(queries);
      if (revision !== pin.revision || transactions !== pin.transactions)
        throw new ExportRefused(
          `blocks below ${pin.indexBlockHash} were completed while they were exported`,
          'Run the command again: it writes the parts that changed.',
        );
      return work(withHorizon(queries, { height, burnHeight, transactions }));
    });
