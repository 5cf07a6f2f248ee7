import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { constants, createZstdDecompress } from 'node:zlib';
import { AppError, systemMessage } from '../../../base/lib/app-error.ts';
import type { SqlValue, Table } from '../../../base/store/database.ts';
import { CHAIN_ID_ENTRY } from '../../../ingest/indexer/chain-id.ts';
import { STATE_ENTRY } from '../../../ingest/indexer/index-state.ts';
import { META } from '../../../ingest/indexer/tables.ts';
import { JOURNAL } from '../../../ingest/journal/entries.ts';
import { StoredPayloads } from '../../../ingest/journal/packs.ts';
import { VERSION_ENTRY, witnessOf } from '../../storage/chain-binding.ts';
import type { Tuple } from '../pages.ts';
import { type Meter, TABLES_OF_PART } from '../parts.ts';
import { CopyRefused } from '../source.ts';
import {
  chainOf,
  damagedSnapshot,
  rangeOf,
  type SnapshotHeader,
  type SnapshotPart,
  type SnapshotTable,
} from './header.ts';
import { type RowReader, rowReader } from './rows.ts';

/*
 * Checksums find damage. They do not find a file that a defect or an attacker has made wrong: its checksums are right, but its parts are
 * no index. So everything is decompressed, decoded and compared with the header before the first row is written.
 */

/** Highest ratio of decompressed to compressed bytes, beyond the first bytes. Tables compress by a factor of more than ten. */
const MAX_EXPANSION = 200;
const FREE_BYTES = 64 * 1024 * 1024;
/** Window of the decoder: 16 MiB. The encoder uses 2 MiB. */
const LOOKBACK = { params: { [constants.ZSTD_d_windowLogMax]: 24 } };

/** An open snapshot: its path and its header. */
interface OpenSnapshot {
  readonly file: string;
  readonly header: SnapshotHeader;
}

/** A table of this program, and the description of its rows in a snapshot. */
export interface DescribedTable {
  readonly table: Table;
  readonly described: SnapshotTable;
}

/** The tables of a part in their order in the file. @throws CopyRefused if this program has other tables */
export function tablesOf({ file, header }: OpenSnapshot, part: SnapshotPart): readonly DescribedTable[] {
  const own = TABLES_OF_PART[part.name];
  const names = new Set(part.tables.map(({ name }) => name));
  // The source of the snapshot may have lacked tables without rows.
  const isNeeded = ({ name }: Table) => part.name === 'index' || name === JOURNAL.name;
  const missing = own.find(table => isNeeded(table) && !names.has(table.name));
  if (missing) throw damagedSnapshot(file, `the part ${part.name} has no table ${missing.name}`);
  return part.tables.map(described => {
    const table = own.find(({ name }) => name === described.name);
    if (!table || !isDeepStrictEqual(table.columns, described.columns))
      throw new CopyRefused(
        `the table ${described.name} of the snapshot is not the one of this program`,
        versionHint(header),
      );
    return { table, described };
  });
}

/** The hint for a snapshot of another version. */
export const versionHint = ({ program }: Pick<SnapshotHeader, 'program'>): string =>
  `Restore it with stacks-index ${program}, then update and run stacks-index reindex; or make a new snapshot with this version.`;

/**
 * Reads the rows of a part. @param read reads as many tables as the part has
 * @throws errors of `read`; CopyRefused for bytes that are no rows
 */
export async function readPart(
  { file, header }: OpenSnapshot,
  part: SnapshotPart,
  read: (rows: RowReader) => Promise<void>,
): Promise<void> {
  const damaged = (what: string) => damagedSnapshot(file, `the part ${part.name} cannot be read: ${what}`);
  const bytes = pipeline(createReadStream(file, rangeOf(header, part)), createZstdDecompress(LOOKBACK), () => {});
  async function* limited(): AsyncIterable<Uint8Array> {
    let left = FREE_BYTES + part.bytes * MAX_EXPANSION;
    try {
      for await (const chunk of bytes) {
        left -= chunk.length;
        if (left < 0) throw damaged(`it is more than ${MAX_EXPANSION} times as large as in the file`);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof AppError ? error : damaged(systemMessage(error));
    }
  }
  await read(rowReader(limited(), damaged)).finally(() => bytes.destroy());
}

/**
 * Reads everything once, and compares it with the header. Holds a page of rows in memory.
 * @throws CopyRefused; the reason of the signal of the meter
 */
export async function checkContents(snapshot: OpenSnapshot, meter: Meter): Promise<void> {
  const { file, header } = snapshot;
  for (const name of ['index', 'journal'])
    if (!header.parts.some(part => part.name === name)) throw damagedSnapshot(file, `it has no part ${name}`);
  const tables = header.parts.map(part => [part, tablesOf(snapshot, part)] as const);
  const index = new IndexFacts(header);
  const journal = new JournalFacts(header);
  for (const [part, described] of tables)
    await readPart(snapshot, part, async rows => {
      for (const each of described) {
        const pass = each.table === META ? index.pass : each.table === JOURNAL ? journal.pass : () => {};
        const wrong = await checkRows(each, rows, pass, meter);
        if (wrong !== undefined) throw damagedSnapshot(file, `the table ${each.table.name} ${wrong}`);
      }
      await rows.end();
    });
  const wrong = index.wrong() ?? journal.wrong();
  if (wrong !== undefined) throw damagedSnapshot(file, wrong);
}

/** @returns how rows differ from their description; undefined if they do not */
async function checkRows(
  { table, described }: DescribedTable,
  reader: RowReader,
  pass: (row: Tuple) => void,
  meter: Meter,
): Promise<string | undefined> {
  const names = Object.keys(table.columns);
  const keyOf = (row: Tuple): Tuple => table.key.map(name => row[names.indexOf(name)] ?? null);
  const hash = createHash('sha256');
  let count = 0;
  let last: Tuple | undefined;
  for await (const { rows, values } of reader.pages(table.columns)) {
    hash.update(values);
    count += rows.length;
    if (count > described.rows) return 'has more rows than the header has for it';
    for (const row of rows) {
      const key = keyOf(row);
      if (last && !isBefore(last, key)) return 'has rows that are not in the order of their key';
      last = key;
      pass(row);
    }
    await meter('reading', table, rows.length);
  }
  if (count !== described.rows) return `has ${count} rows, not ${described.rows} as in the header`;
  return hash.digest('hex') === described.digest ? undefined : 'does not have the checksum of its rows';
}

/** In the order of both engines: numbers by value, text and bytes by their bytes. */
function isBefore(a: Tuple, b: Tuple): boolean {
  for (const [i, value] of a.entries()) {
    const order = compareValues(value, b[i] ?? null);
    if (order !== 0) return order < 0;
  }
  return false;
}

function compareValues(a: SqlValue, b: SqlValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(bytesOf(a), bytesOf(b));
}

const bytesOf = (value: SqlValue): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(value === null ? '' : String(value));

/** Checks that chain, version, tip and position of the index equal those of the header. */
class IndexFacts {
  readonly #header: SnapshotHeader;
  readonly #meta = new Map<SqlValue, SqlValue>();

  constructor(header: SnapshotHeader) {
    this.#header = header;
  }

  readonly pass = ([name = null, value = null]: Tuple): void => {
    if (name === CHAIN_ID_ENTRY || name === STATE_ENTRY || name === VERSION_ENTRY) this.#meta.set(name, value);
  };

  wrong(): string | undefined {
    const { chainId, schemaVersion, position, tip } = this.#header;
    const named = this.#meta.get(CHAIN_ID_ENTRY);
    if (named === undefined || Number(named) !== chainId)
      return `the index is not of the chain that the header names, ${chainOf(this.#header)}`;
    if (this.#meta.get(VERSION_ENTRY) !== String(schemaVersion))
      return 'the index does not have the schema version that the header names';
    const state = stateOf(this.#meta.get(STATE_ENTRY));
    return isDeepStrictEqual(state, { position, tip })
      ? undefined
      : 'the index does not have the tip and the position that the header names';
  }
}

/** Position and tip in the form of the header. */
function stateOf(stored: SqlValue | undefined): Pick<SnapshotHeader, 'position' | 'tip'> | undefined {
  if (stored === undefined) return { position: 0, tip: null }; // nothing was applied yet
  try {
    const { position, tip } = JSON.parse(String(stored));
    return { position, tip: tip && { height: tip.height, indexBlockHash: tip.indexBlockHash } };
  } catch {
    return undefined;
  }
}

/** Checks that the journal has no gaps, and that its first payload that identifies a network names that of the header. */
class JournalFacts {
  readonly #header: SnapshotHeader;
  readonly #payloads = new StoredPayloads();
  #length = 0;
  #isWitnessed = false;
  #isOther = false;
  #wrong: string | undefined;

  constructor(header: SnapshotHeader) {
    this.#header = header;
  }

  readonly pass = ([seq = null, , path = null, , payload = null]: Tuple): void => {
    this.#length++;
    if (seq !== this.#length) this.#wrong ??= `entry ${this.#length} of the journal is missing`;
    if (this.#isWitnessed || this.#wrong !== undefined || !(payload instanceof Uint8Array)) return;
    this.#payloads.pass({ seq: this.#length, payload });
    if (path === '/new_block' && !this.#payloads.isDropped) this.#look(path);
  };

  #look(path: string): void {
    try {
      const event = { path, body: this.#payloads.body(this.#length) };
      const { chainId } = this.#header;
      this.#isWitnessed = witnessOf(event, id => id === chainId) !== undefined;
      this.#isOther ||= witnessOf(event, id => id !== chainId) !== undefined;
    } catch {
      this.#wrong ??= `the payload of entry ${this.#length} of the journal cannot be read`;
    }
  }

  wrong(): string | undefined {
    const { journalLength } = this.#header;
    if (this.#wrong !== undefined) return this.#wrong;
    if (this.#length !== journalLength)
      return `the journal has ${this.#length} entries, not ${journalLength} as in the header`;
    return this.#isOther && !this.#isWitnessed
      ? `its blocks are not of the chain that the header names, ${chainOf(this.#header)}`
      : undefined;
  }
}
