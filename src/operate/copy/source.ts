import { createHash } from 'node:crypto';
import { AppError } from '../../base/lib/app-error.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { openDatabase } from '../../base/store/open.ts';
import type { RowOf } from '../../base/store/table.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import type { JOURNAL } from '../../ingest/journal/entries.ts';
import { metadataLocation } from '../../metadata/open.ts';
import { readBinding, SCHEMA_VERSION, wrongSchema } from '../storage/chain-binding.ts';
import { lockStorage } from '../storage/locks.ts';
import { checkPrefix, openIndexToRead, openJournalToRead } from '../storage/storage.ts';

/** The copy was refused, as it would lose or mix data; nothing was changed. */
export class CopyRefused extends AppError {
  override readonly name = 'CopyRefused';
  override readonly kind = 'operator';

  constructor(message: string, hint: string, options?: { readonly cause: unknown }) {
    super(message, { ...options, hint });
  }
}

/** A directory, or a PostgreSQL database. */
export interface CopyLocation {
  readonly data: string;
  /** Set on PostgreSQL; then `data` is ignored. */
  readonly database: string | undefined;
}

export interface CopySource {
  readonly journalDb: Database;
  readonly indexDb: Database;
  /** Undefined if nothing was ever fetched. */
  readonly metadataDb: Database | undefined;
  close(): Promise<void>;
}

/**
 * Opens the source of a copy, read-only. On PostgreSQL it holds the index, which may be served. It locks a directory against other
 * writers, unless that may be served meanwhile.
 * @throws NothingStored, NoIndex, CopyRefused, DirectoryInUse, IndexMismatch, UnfinishedCopy
 */
export async function openSource(
  from: CopyLocation,
  { served = false }: { readonly served?: boolean } = {},
): Promise<CopySource> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closers.reverse()) await each();
  };
  try {
    // First: it fails without making a directory if there is no journal.
    const place = await openJournalToRead(from);
    closers.push(() => place.journalDb.close());
    if (!served) closers.push(lockStorage(from));
    const index = await openIndexToRead(place);
    closers.push(index.close);
    await checkPrefix(place, index);
    const metadataDb = openMetadataIfThere(from);
    if (metadataDb) closers.push(() => metadataDb.close());
    return { journalDb: place.journalDb, indexDb: index.indexDb, metadataDb, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openMetadataIfThere(from: CopyLocation): Database | undefined {
  const location = metadataLocation(from);
  try {
    return openDatabase(location.kind === 'sqlite' ? { ...location, readOnly: true } : location);
  } catch (error) {
    if (isMissingTable(error, from)) return undefined;
    throw error;
  }
}

/** A file or a table that is not there. */
const isMissingTable = (error: unknown, { database }: CopyLocation): boolean =>
  error instanceof FatalDatabaseError && error.code === (database === undefined ? 'ACCESS' : 'SCHEMA');

/**
 * A text that changes whenever the index or its source changes: an index is a function of the program and of the first entries of its
 * journal.
 * @throws CopyRefused, IndexMismatch when this program cannot copy the index
 */
export async function identityOf(index: Queries, { journalDb }: Pick<CopySource, 'journalDb'>): Promise<string> {
  const { chainId, schemaVersion } = await readBinding(index);
  if (schemaVersion !== SCHEMA_VERSION) throw wrongSchema(schemaVersion ?? 0);
  if (chainId === undefined)
    throw new CopyRefused(
      'the index names no network yet: it has no block',
      'Start `stacks-index serve` or `stacks-index replay` once more: it indexes the events that wait in the journal.',
    );
  const state = await readState(index);
  const ends = await journalDb.read(queries =>
    queries.all<RowOf<typeof JOURNAL, 'digest' | 'received_at'>>(
      'SELECT digest, received_at FROM journal WHERE seq IN (1, ?) ORDER BY seq',
      [state.position],
    ),
  );
  const entries = ends.map(({ digest, received_at }) => [Buffer.from(digest).toString('hex'), received_at]);
  return createHash('sha256')
    .update(JSON.stringify([chainId, schemaVersion, state, entries]))
    .digest('hex');
}
