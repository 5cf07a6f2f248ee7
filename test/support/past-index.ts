import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { sampleEvents } from '../crash/round.ts';
import type { OpenFresh } from './engines.ts';
import { openPlace, type Place } from './places.ts';

/*
 * The index of each past release, as that release left it: test/fixtures/releases/VERSION has the files of a directory and the dump of a schema of PostgreSQL, each
 * compressed by zstd. `npm run past-index -- VERSION` makes them from the commit of the release.
 */

export const PAST_INDEXES = join(import.meta.dirname, '../fixtures/releases');

/** Events of the sample chain that are in them: the first ones. */
export const PAST_EVENTS = 60;

/** The name of the schema in a dump. */
export const DUMPED_SCHEMA = 'past_release';

/** The files of a directory; SQLite makes the others. */
export const PAST_FILES = ['journal.sqlite', 'index.sqlite', 'metadata.sqlite'];

export const pastEvents = () => sampleEvents().slice(0, PAST_EVENTS);

/** A place as a past release left it. */
export async function placeOfPast(
  version: string,
  openFresh: OpenFresh,
  t: { after(hook: () => Promise<void>): void },
): Promise<Place> {
  const place = await openPlace(openFresh, t);
  const content = (name: string) => zstdDecompressSync(readFileSync(join(PAST_INDEXES, version, `${name}.zst`)));
  if (place.database === undefined) {
    for (const name of PAST_FILES) writeFileSync(join(place.data, name), content(name));
    return place;
  }
  const url = new URL(place.database);
  const schema = url.searchParams.get('schema') ?? '';
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(content('postgres.sql').toString().replaceAll(DUMPED_SCHEMA, schema));
  await client.end();
  return place;
}
