import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { archiveEvents } from '../support/archive-events.ts';
import { scale } from '../support/scale.ts';
import type { Random } from './random.ts';
import type { Found } from './reference.ts';
import type { CrashStore } from './store.ts';

export interface CrashStats {
  /** Processes that were killed. */
  kills: number;
  /** Processes that had started to store or index events, and had not finished. */
  inWork: number;
  /** Those that were still starting, or starting again. */
  starting: number;
  /** Events answered with 200 (deliver). */
  acknowledged: number;
  /** How often all events were stored and indexed, and compared to the end. */
  rounds: number;
  /** Different positions at which the index was found and compared. */
  positions: number;
}

/** One life of a store, from empty to complete. */
export interface Round {
  readonly store: CrashStore;
  readonly events: readonly Delivery[];
  readonly random: Random;
  readonly stats: CrashStats;
  /** Kills that are left. */
  killsLeft(): number;
  /** Looks at the store and throws when it is not what it must be; so many entries of the journal have to be there. */
  check(entries: number): Promise<Found>;
}

export const ARCHIVE = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');

/** How many lines of the archive the long rounds take: in the short form the first fifth. */
export const EVENTS_OF_A_ROUND = scale === 'short' ? 100 : Number.POSITIVE_INFINITY;

export const eventsOfARound = (): Delivery[] => sampleEvents().slice(0, EVENTS_OF_A_ROUND);

export const sampleEvents = (): Delivery[] => archiveEvents(ARCHIVE);

/** Lines of the archive of the sample chain, for its first events. */
export const linesOfArchive = (events: number): string[] =>
  gunzipSync(readFileSync(ARCHIVE)).toString().trimEnd().split('\n').slice(0, events);

/** Writes an archive with the first events of the sample chain. @returns its name */
export function partOfArchive(directory: string, events: number): string {
  const file = join(directory, 'part.tsv');
  writeFileSync(file, linesOfArchive(events).join('\n'));
  return file;
}
