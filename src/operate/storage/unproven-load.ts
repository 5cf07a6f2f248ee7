import type { Database, Queries } from '../../base/store/database.ts';
import { upsertRows } from '../../base/store/table.ts';
import { deleteMeta, readMeta } from '../../ingest/indexer/meta.ts';
import { META } from '../../ingest/indexer/tables.ts';

/**
 * A load of an archive whose bytes differ from its published checksum, or that was cut off: its events may be wrong or incomplete. The mark stays
 * until a load reads every byte of an archive and finds the published checksum.
 */
export interface UnprovenLoad {
  /** The URL, without password and query. */
  readonly source: string;
  readonly reason: string;
}

/** Its name in META. */
const UNPROVEN_ENTRY = 'unproven_load';

export const markUnproven = (db: Database, load: UnprovenLoad): Promise<void> =>
  db.write(tx => upsertRows(tx, META, [{ name: UNPROVEN_ENTRY, value: JSON.stringify(load) }]));

export const clearUnproven = (db: Database): Promise<void> => db.write(tx => deleteMeta(tx, UNPROVEN_ENTRY));

export async function readUnproven(queries: Queries): Promise<UnprovenLoad | undefined> {
  const value = await readMeta(queries, UNPROVEN_ENTRY);
  return value === undefined ? undefined : (JSON.parse(value) as UnprovenLoad);
}

/** The sentence of `replay`, `serve` and `verify` about it. */
export const unprovenText = ({ source, reason }: UnprovenLoad): string =>
  `the events loaded from ${source} are not proven: ${reason}. Load the archive again with \`stacks-index replay\`: a complete read with the published checksum clears this mark.`;
