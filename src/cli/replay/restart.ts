import type { Database } from '../../base/store/database.ts';
import { forgetRestartPoint, noteRestartPoint, readRestartPoint } from '../../ingest/journal/restart-points.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import type { ReplaySource } from './source.ts';

/** Writes to the journal's database. */
type Write = (work: () => Promise<void>) => Promise<void>;

/** Where the reading of an archive on a server begins, and how far it is: after a kill the next one begins at the last point that was noted. */
interface Restarts {
  /** Notes the last point among rows that are stored. */
  note(rows: readonly ArchiveRow[]): Promise<void>;
  /** The source was read to its end. */
  forget(): Promise<void>;
}

const NONE: Restarts = { note: async () => {}, forget: async () => {} };

/**
 * Has a source begin where the last reading of the same file was. To be called before its rows are read.
 * @param isWhole whether every byte must be read: the index is marked, and only a checksum clears that
 */
export async function restartsOf(
  source: ReplaySource,
  journalDb: Database,
  { write, isWhole }: { readonly write: Write; readonly isWhole: boolean },
): Promise<Restarts> {
  const { name, file } = source;
  if (!file) return NONE;
  let hasNoted = false;
  if (!isWhole) {
    let point: Awaited<ReturnType<typeof readRestartPoint>>;
    await write(async () => {
      point = await readRestartPoint(journalDb, name);
    });
    if (point) file.beginAt(point);
    hasNoted = point !== undefined;
  }
  return {
    async note(rows) {
      const { version } = file;
      const row = rows.findLast(each => each.kind === 'event' && each.restartAt !== undefined);
      if (row?.kind !== 'event' || row.restartAt === undefined || version === undefined) return;
      const offset = row.restartAt;
      await write(() => noteRestartPoint(journalDb, name, { version, offset }, row));
      hasNoted = true;
    },
    async forget() {
      if (hasNoted) await write(() => forgetRestartPoint(journalDb, name));
    },
  };
}
