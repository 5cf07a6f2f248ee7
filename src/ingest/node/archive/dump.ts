import { cutAtTabs } from './copy-text.ts';
import type { Line } from './lines.ts';

/*
 * A dump of PostgreSQL as text, `pg_restore --data-only --table=event_observer_requests --file=- DUMP`: the rows of a table stand between the line
 * `COPY schema.table (columns) FROM stdin;` and the line `\.`. The order of the columns is that of the table, which other versions changed.
 */

/** Tables of events, with their columns for id, time, path and payload (docs/spec/ingestion.md#archives). */
const TABLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['event_observer_requests', ['id', 'receive_timestamp', 'event_path', 'payload']],
  ['messages', ['sequence_number', 'created_at', 'path', 'content']],
]);

/** Beginnings of the lines before the first rows of a dump. No row of an archive begins like this. */
const BEGINS_DUMP = /^(?:--|SET |SELECT |COPY |\\restrict|\\connect)/;
const COPY = /^COPY (?:"?[\w$]+"?\.)?"?([\w$]+)"? \(([^)]*)\) FROM stdin;\s*$/;
/** Most bytes of a line that are searched for words. */
const MOST_WORDS = 10_000;

/** The columns of a row, as text between tabs, still escaped; or why the line lacks some. */
export type RowColumns =
  | {
      readonly id: Uint8Array;
      readonly time: Uint8Array;
      readonly path: Uint8Array;
      readonly payload: Uint8Array;
      /** The payload may be a JSON text within a JSON string. */
      readonly mayBeQuoted?: boolean;
    }
  | { readonly reason: string };

/** Finds the rows of events in the lines of a dump. */
export class DumpReader {
  /** Whether the lines so far are of a dump. */
  isDump = false;
  /** Whether a table of events was found. */
  hasTable = false;
  /** Positions of id, time, path and payload in the rows that follow; undefined between tables. */
  #columns: readonly number[] | undefined;
  #width = 0;
  #isFirst = true;
  #isOfPublisher = false;

  /** @returns the columns of a row of a dump; `none` for other lines of a dump; undefined where the lines are no dump, but an archive */
  columnsOf({ bytes }: Line): RowColumns | 'none' | undefined {
    if (this.#columns)
      return bytes === undefined ? { reason: 'the line is too long' } : this.#row(this.#columns, bytes);
    if (!this.isDump && !this.#isFirst) return undefined;
    if (bytes === undefined) return this.isDump ? 'none' : undefined;
    const text = Buffer.from(bytes.subarray(0, MOST_WORDS)).toString('utf8');
    if (!this.isDump && text.trim() === '') return 'none';
    this.#isFirst = false;
    this.isDump ||= BEGINS_DUMP.test(text);
    if (!this.isDump) return undefined;
    const [, table = '', list = ''] = COPY.exec(text) ?? [];
    const wanted = TABLES.get(table);
    if (wanted === undefined) return 'none';
    const columns = list.split(',').map(name => name.trim().replaceAll('"', ''));
    this.#columns = wanted.map(name => columns.indexOf(name));
    this.#width = columns.length;
    this.hasTable = true;
    this.#isOfPublisher = table === 'messages';
    return this.#columns.includes(-1)
      ? { reason: `the table ${table} of the dump lacks a column of ${wanted.join(', ')}` }
      : 'none';
  }

  #row(columns: readonly number[], bytes: Uint8Array): RowColumns | 'none' {
    if (isEnd(bytes)) {
      this.#columns = undefined;
      return 'none';
    }
    const { found, rest } = cutAtTabs(bytes, this.#width);
    const parts = [...found, rest];
    const [id, time, path, payload] = columns.map(position => parts[position]);
    if (!id || !time || !path || !payload || parts.length !== this.#width)
      return { reason: `expected ${this.#width} columns, found ${parts.length}` };
    return { id, time, path, payload, mayBeQuoted: this.#isOfPublisher };
  }
}

const isEnd = (bytes: Uint8Array): boolean =>
  bytes.length <= 3 && Buffer.from(bytes).toString('latin1').trimEnd() === '\\.';
