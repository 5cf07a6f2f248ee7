import type { Columns, Row, SqlValue, Table } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import type { RowOf } from '../../base/store/table.ts';

/**
 * Tables of lists whose entries are short: a row has many, as text of fixed width, so an entry takes no row of its own.
 *
 *     128 entries a row, five digits each     list 7, part 0   ----A----B----C ... the entries 0 to 127
 *                                             list 7, part 1   ---6----6f          128 and 129: the open row
 *
 * Appending adds to the text of the last row without reading it; undo cuts that. What a row holds follows from its entries alone, however they came.
 * Digits sort as numbers do, so texts compare as entries.
 */

const DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const BITS = 6;
const VALUES = new Map([...DIGITS].map((digit, value) => [digit.charCodeAt(0), value]));
const VALUE_OF: readonly number[] = Array.from({ length: 128 }, (_, code) => VALUES.get(code) ?? 0);
/** In place of null: it sorts before all digits. */
const NULL = ' ';
/** Sorts behind all digits. */
const ABOVE_ALL = '~';

/** Characters of a full row: a page of SQLite has room for six of them without chains of further pages. */
const ROW_LENGTH = 640;

/** Digits of a column that names a transaction by its position: a billion of them. */
export const TX_DIGITS = 5;
/** Digits of the number of an event within its transaction: 16 million. */
export const EVENT_DIGITS = 4;

interface PackedColumn {
  readonly name: string;
  readonly digits: number;
  readonly nullable: boolean;
}

export interface PackedTable<Entry extends Columns = Columns>
  extends Table<{ readonly list: 'int'; readonly part: 'int'; readonly entries: 'text' }, 'list' | 'part'> {
  /** The columns of an entry, numbers from 0 on. The first ones never fall along a list. */
  readonly packs: Entry;
  readonly packed: readonly PackedColumn[];
  /** Characters of an entry. */
  readonly width: number;
  /** Entries of a full row. */
  readonly perRow: number;
}

/** What an entry of a packed table holds. */
export type PackedEntry<T extends PackedTable> = RowOf<Table<T['packs']>>;
/** An entry and its number. */
export type NumberedEntry<T extends PackedTable> = PackedEntry<T> & { readonly seq: number };

/** Declares a table of named lists. @param digits of each column in base 64 */
export function packedTable<const Entry extends Readonly<Record<string, 'int' | 'int?'>>>(
  name: string,
  packs: Entry,
  digits: Readonly<Record<keyof Entry, number>>,
): PackedTable<Entry> {
  const packed = Object.entries(packs).map(([column, type]) => ({
    name: column,
    digits: digits[column] ?? TX_DIGITS,
    nullable: type === 'int?',
  }));
  const width = packed.reduce((sum, column) => sum + column.digits, 0);
  return {
    name,
    columns: { list: 'int', part: 'int', entries: 'text' },
    key: ['list', 'part'],
    rewritten: true,
    packs,
    packed,
    width,
    perRow: Math.floor(ROW_LENGTH / width),
  };
}

export const isPacked = (table: Table): table is PackedTable => 'packs' in table;

/** The text of an entry. Throws FatalDatabaseError (INVALID_VALUE) for a number that has more digits than its column. */
export function packEntry({ name: table, packed }: PackedTable, entry: Row): string {
  let text = '';
  for (const { name, digits, nullable } of packed) {
    const value = entry[name] as SqlValue;
    if (value === null && nullable) text += NULL.repeat(digits);
    else if (isBelow(value, digits)) text += digitsOf(value, digits);
    else throw new FatalDatabaseError('INVALID_VALUE', `${table}.${name} cannot hold ${value}`);
  }
  return text;
}

const isBelow = (value: unknown, digits: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** (BITS * digits);

function digitsOf(value: number, digits: number): string {
  let text = '';
  // No column has more than five digits, which 31 bits hold.
  for (let shift = BITS * (digits - 1); shift >= 0; shift -= BITS) text += DIGITS[(value >>> shift) & 63];
  return text;
}

/**
 * The text below which those entries are whose first columns are below these values: the first one, or equal there and the second one, and so on.
 * Values may be anything.
 */
export function packBound({ packed }: PackedTable, values: readonly number[]): string {
  let text = '';
  for (const [i, value] of values.entries()) {
    const digits = packed[i]?.digits ?? 0;
    if (value < 0) return text;
    if (!isBelow(value, digits)) return text + ABOVE_ALL;
    text += digitsOf(value, digits);
  }
  return text;
}

/** The value of a column of the entry with this number in a text. */
function valueAt(text: string, start: number, { digits, nullable }: PackedColumn): number | null {
  if (nullable && text[start] === NULL) return null;
  let value = 0;
  for (let i = start; i < start + digits; i++) value = value * 64 + (VALUE_OF[text.charCodeAt(i)] ?? 0);
  return value;
}

/** The entries of a row with numbers within a span. */
export function entriesOfRow<T extends PackedTable>(
  { packed, perRow, width }: T,
  { part, entries }: RowOf<PackedTable, 'part' | 'entries'>,
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): NumberedEntry<T>[] {
  const first = part * perRow;
  const end = Math.min(to - first, entries.length / width);
  const found: NumberedEntry<T>[] = [];
  for (let i = Math.max(0, from - first); i < end; i++) {
    const entry: Record<string, SqlValue> = { seq: first + i };
    let start = i * width;
    for (const column of packed) {
      entry[column.name] = valueAt(entries, start, column);
      start += column.digits;
    }
    found.push(entry as NumberedEntry<T>);
  }
  return found;
}

/** How many of the entries of a text are below a bound. */
export function countBelow({ width }: PackedTable, text: string, bound: string): number {
  let [low, high] = [0, text.length / width];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (text.slice(middle * width, middle * width + bound.length) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries that wait to be appended, as rows: of each list one for each of its rows that gets some. */
export class PackedAppends {
  readonly #table: PackedTable;
  #open = new Map<number, [list: number, part: number, entries: string]>();
  #rows: SqlValue[][] = [];

  constructor(table: PackedTable) {
    this.#table = table;
  }

  get rows(): number {
    return this.#rows.length;
  }

  /** Adds the next entry of a list. @returns whether it needs a further row */
  add(list: number, seq: number, entry: Row): boolean {
    const part = Math.floor(seq / this.#table.perRow);
    const text = packEntry(this.#table, entry);
    const open = this.#open.get(list);
    if (open?.[1] === part) {
      open[2] += text;
      return false;
    }
    const row: [number, number, string] = [list, part, text];
    this.#open.set(list, row);
    this.#rows.push(row);
    return true;
  }

  /** The rows to append; from now on none wait. */
  take(): SqlValue[][] {
    const rows = this.#rows;
    this.#rows = [];
    this.#open = new Map();
    return rows;
  }
}
