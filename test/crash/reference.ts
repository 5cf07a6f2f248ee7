import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Row } from '../../src/base/store/database.ts';
import { openDatabase } from '../../src/base/store/open.ts';
import { readState } from '../../src/ingest/indexer/index-state.ts';
import type { Delivery, JournalEntry } from '../../src/ingest/journal/entries.ts';
import { Journal } from '../../src/ingest/journal/journal.ts';
import type { Storage } from '../../src/operate/storage/storage.ts';
import { assertSameTables, readable } from '../support/chain-assertions.ts';
import { dumpIndex } from '../support/dump.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import type { CrashStore } from './store.ts';

/** The contents of a store when it was read. */
export interface Found {
  readonly entries: readonly JournalEntry[];
  readonly position: number;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

/** Everything in a store. The index is read first: only the journal can have grown meanwhile. */
export async function readFound({ indexDb, journalDb }: Storage): Promise<Found> {
  const tables = await dumpIndex(indexDb);
  const { position } = await indexDb.read(readState);
  const entries: JournalEntry[] = [];
  for await (const entry of new Journal(journalDb).entries()) entries.push(entry);
  return { entries, position, tables };
}

/** An index that nothing interrupts. It follows the journal of another one. */
export interface Reference {
  /**
   * The index found must be what an uninterrupted one makes of the first `position` entries of its journal: every table, every
   * column. (Times of arrival are no exception, as both read them from the same journal.)
   */
  check(found: Found): Promise<void>;
  close(): Promise<void>;
}

export async function openReference(): Promise<Reference> {
  const { database, remove } = temporaryDatabase();
  const index = await openTestIndex(database);
  return {
    check: async found => {
      assert.ok(
        found.position <= found.entries.length,
        `the index is at ${found.position}, its journal ends at ${found.entries.length}`,
      );
      await advance(index, found);
      assertSameTables(readableTables(found.tables), readableTables(await index.dump()), `at ${found.position}`);
    },
    close: remove,
  };
}

/** Brings the reference to the position; its journal refuses what it has already, so nothing may be in there twice. */
async function advance(index: TestIndex, { entries, position }: Found): Promise<void> {
  const before = (await index.state()).position;
  assert.ok(position >= before, `the index fell back from ${before} to ${position}`);
  const next = entries.slice(before, position);
  const appended = await index.journal.append(next);
  assert.deepEqual(
    appended.map(({ seq }) => seq),
    next.map(({ seq }) => seq),
    'the journal has an entry twice, or a gap',
  );
  await index.indexer.catchUp();
}

const readableTables = (tables: Found['tables']) =>
  Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(readable)]));

/** Exactly what was expected is in the journal, and the index is what an uninterrupted one makes of it. */
export async function assertComplete(store: CrashStore, expected: readonly Delivery[]): Promise<void> {
  const found = await store.look(readFound);
  assert.ok(
    found.entries.length === expected.length &&
      found.entries.every((entry, i) => contentOf(entry) === contentOf(expected[i] ?? entry)),
    `the journal has ${found.entries.length} entries; ${expected.length} are expected, in the order of the events`,
  );
  const reference = await openReference();
  try {
    assert.equal(found.position, expected.length);
    await reference.check(found);
  } finally {
    await reference.close();
  }
}

/** What a journal holds once these were delivered by a node, one after the other and without a mishap. */
export async function journalOfDelivered(deliveries: readonly Delivery[]): Promise<JournalEntry[]> {
  const entries = await journalOf(async journal => {
    const accepted: JournalEntry[] = [];
    for (const delivery of deliveries) {
      const entry = await journal.accept(delivery);
      if (entry !== undefined) accepted.push(entry);
    }
    return accepted;
  });
  // A journal that accepts nothing would satisfy every test that compares with it.
  const contents = new Set(entries.map(contentOf));
  assert.ok(
    deliveries.every(delivery => contents.has(contentOf(delivery))),
    'each payload is in the journal once or more',
  );
  return entries;
}

/** What a journal holds once these were replayed. */
export const journalOfReplayed = (deliveries: readonly Delivery[]): Promise<JournalEntry[]> =>
  journalOf(journal => journal.append(deliveries));

async function journalOf(fill: (journal: Journal) => Promise<JournalEntry[]>): Promise<JournalEntry[]> {
  const { database, remove } = temporaryDatabase();
  try {
    await Journal.create(database);
    return await fill(new Journal(database));
  } finally {
    await remove();
  }
}

/** An empty SQLite database. */
export function temporaryDatabase(): { database: Database; remove(): Promise<void> } {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-reference-'));
  const database = openDatabase({ kind: 'sqlite', file: join(directory, 'index.sqlite'), durability: 'normal' });
  const remove = async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { database, remove };
}

/** What identifies an entry, whenever it arrived. */
export const contentOf = ({ path, body }: Pick<Delivery, 'path' | 'body'>): string =>
  `${path} ${Buffer.from(body).toString('latin1')}`;
