import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Location, parseLocation } from '../../base/store/open.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import { readDropped } from '../../ingest/journal/journal-format.ts';
import { readBinding, SCHEMA_VERSION, wrongSchema } from './chain-binding.ts';
import {
  currentGeneration,
  inspect,
  inspectAt,
  type JournalPlace,
  readPointer,
  readPointerRow,
  schemaOf,
  versionBesideJournal,
} from './generations.ts';

/*
 * Indexes that other releases made of the same journal stay until `stacks-index drop-old` (drop-old.ts), so that such a release can be started again and continue
 * with its own. Their names contain their schema version, like those of this release (generations.ts). Names of release 0.1.0 do not: files `index.sqlite` and
 * `index-n.sqlite` with `index.current`; on PostgreSQL the schemas `SCHEMA_index_n`, with the row `current`.
 */

/** The schema version of release 0.1.0. */
const LAST_UNNUMBERED = 18;

/** An index that this release does not use. */
export interface OtherIndex {
  /** The schema version in its name; undefined for one of release 0.1.0. */
  readonly series: number | undefined;
  readonly generation: number;
  readonly location: Location;
}

/** The index that a release uses, with the facts that it records. */
interface CurrentOther extends OtherIndex {
  readonly schemaVersion: number;
  readonly chainId: number | undefined;
}

/** All indexes of other releases, including replaced and incomplete ones. */
export async function otherIndexes(place: JournalPlace): Promise<readonly OtherIndex[]> {
  const all = place.database === undefined ? filesIn(place.data) : await schemasOf(place, place.database);
  return all.filter(({ series }) => series !== SCHEMA_VERSION);
}

function filesIn(data: string): OtherIndex[] {
  if (!existsSync(data)) return [];
  return readdirSync(data).flatMap(name => {
    const [found, series, generation] = /^index(?:\.(\d{1,9}))?(?:-(\d{1,9}))?\.sqlite$/.exec(name) ?? [];
    if (found === undefined) return [];
    const location: Location = { kind: 'sqlite', file: join(data, name), durability: 'normal' };
    return [{ series: numberOf(series), generation: numberOf(generation) ?? 0, location }];
  });
}

/** Only an index has the table `meta`. */
const WITH_INDEX = `SELECT n.nspname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = 'meta' AND starts_with(n.nspname, ?)`;

async function schemasOf(place: JournalPlace, database: string): Promise<OtherIndex[]> {
  const own = await schemaOf(place);
  const prefix = `${own}_index_`;
  const rows = await place.journalDb.read(queries => queries.all<{ name: string }>(WITH_INDEX, [prefix]));
  const journal = parseLocation({ database });
  const inSchemas = rows.flatMap(({ name }) => {
    const location: Location = { ...journal, ...(journal.kind === 'postgres' && { schema: name }) };
    const [found, series, generation] = /^(?:(\d{1,9})_)?(\d{1,9})$/.exec(name.slice(prefix.length)) ?? [];
    return found === undefined ? [] : [{ series: numberOf(series), generation: numberOf(generation) ?? 0, location }];
  });
  const version = await versionBesideJournal(place);
  if (version === undefined) return inSchemas;
  const series = version <= LAST_UNNUMBERED ? undefined : version;
  return [{ series, generation: 0, location: journal }, ...inSchemas];
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** The index with the highest schema version among those that other releases use. */
export async function newestOther(place: JournalPlace): Promise<CurrentOther | undefined> {
  let newest: CurrentOther | undefined;
  for (const index of await otherIndexes(place)) {
    if ((await currentOf(place, index.series)) !== index.generation) continue;
    const { schemaVersion, chainId } = (await inspectAt(index.location, readBinding)) ?? {};
    if (schemaVersion === undefined || schemaVersion <= (newest?.schemaVersion ?? -1)) continue;
    newest = { ...index, schemaVersion, chainId };
  }
  return newest;
}

/** The generation that the releases of a series use. */
function currentOf({ data, database, journalDb }: JournalPlace, series: number | undefined): Promise<number> {
  const name = series === undefined ? 'current' : `current.${series}`;
  return database === undefined
    ? Promise.resolve(readPointer(join(data, `index.${name}`)))
    : readPointerRow(journalDb, name);
}

/** The index of another release, if this release has none yet. */
export async function indexToReplace(place: JournalPlace): Promise<CurrentOther | undefined> {
  const other = await newestOther(place);
  return other && !(await hasOwn(place)) ? other : undefined;
}

/** Whether this release has an index here. */
export async function hasOwn(place: JournalPlace): Promise<boolean> {
  const binding = await inspect(place, await currentGeneration(place), readBinding);
  return binding?.schemaVersion === SCHEMA_VERSION;
}

/**
 * Refuses work that needs an index if only another release has one: making one here would take as long as `reindex`, and show an empty index meanwhile.
 * @throws IndexMismatch
 */
export async function refuseOnlyOther(place: JournalPlace): Promise<void> {
  const other = await indexToReplace(place);
  if (other) throw await onlyOther(place, other);
}

/**
 * Refuses to drop payloads of the journal that the index of another release may need.
 * @throws IndexMismatch
 */
export async function refuseBesideOther(place: JournalPlace): Promise<void> {
  const other = await newestOther(place);
  if (other)
    throw new IndexMismatch(
      `an index of schema version ${other.schemaVersion} is here, of another release, and may need these payloads`,
      'If that release will not be started again, remove its index first: stacks-index drop-old.',
    );
}

/** The error of a command that needs an index. @param other from indexToReplace */
export async function onlyOther(
  place: JournalPlace,
  other: Pick<CurrentOther, 'schemaVersion'>,
): Promise<IndexMismatch> {
  const wrong = wrongSchema(other.schemaVersion);
  return isNewer(other) || (await isWhole(place)) ? wrong : new IndexMismatch(wrong.message, NEEDS_ARCHIVE);
}

/**
 * The index of an older release, which this release can replace by a new one made from the journal.
 * @throws IndexMismatch if a newer release has made the index, or the journal lacks payloads
 */
export async function indexToRebuild(place: JournalPlace): Promise<CurrentOther | undefined> {
  const other = await indexToReplace(place);
  if (other && (isNewer(other) || !(await isWhole(place)))) throw await onlyOther(place, other);
  return other;
}

const isNewer = ({ schemaVersion }: Pick<CurrentOther, 'schemaVersion'>): boolean => schemaVersion > SCHEMA_VERSION;

const isWhole = async ({ journalDb }: JournalPlace): Promise<boolean> => (await readDropped(journalDb)).dropped === 0;

const NEEDS_ARCHIVE =
  'The journal lacks payloads that were dropped, so no index can be built from it alone. Run `stacks-index reindex --archive ARCHIVE|URL` with an archive of the events, or restore a snapshot that this version made into another directory or database. The index of the version before stays as it is.';
