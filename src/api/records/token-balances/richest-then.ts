import { hexBytes, rawHex } from '../../../base/lib/hex.ts';
import { amountOfBytes, bytesGreatestFirst, stepOf } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { OuterRowOf } from '../../../base/store/table.ts';
import type { ACCOUNTS } from '../../../index/addresses/tables.ts';
import type { TOKEN_BALANCES } from '../../../index/token-balances/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/**
 * The greatest balances as of a block. Each row has its peak: the highest balance it ever had. So rows are read from the highest peak down, until all
 * remaining peaks are too low for the wanted balances:
 *
 *     peak of at most    64  alice, had 60      carol, had 40
 *                        32  bob, had 20        for two balances alice and carol are enough: bob and all rows after him had less than 40
 *
 * Each balance takes a seek. The database returns all of them as one text, as reading many rows from a result costs more than the seeks.
 */

/** A balance as of a block. It is also a place in the order of balances: the greatest first, then by name. */
export interface BalanceThen {
  readonly name: string;
  readonly balance: bigint;
}

/** Rows whose balance is wanted: the accounts, or the fungible tokens of a principal. */
export interface PeakedRows {
  /** The table, with columns `number` and `peak`, and the column with the name. */
  readonly table: typeof ACCOUNTS | typeof TOKEN_BALANCES;
  readonly name: 'principal' | 'token';
  /** SQL condition that selects rows; empty for all, otherwise it ends with AND. */
  readonly condition: string;
  readonly params: readonly SqlValue[];
  /** SQL of the balance of a row `b`, as bytes that sort the greatest first; null for a row that did not exist yet. */
  readonly held: string;
  /** The parameter of `held`: a height, or a position in TXS. */
  readonly bound: SqlValue;
}

interface RichestWanted {
  /** Where the wanted balances begin; undefined for the greatest. */
  readonly place: BalanceThen | undefined;
  /** How many from there on. */
  readonly rows: number;
  /** How many before it, at most. */
  readonly before: number;
  /** The number of all balances, including those before the place; the search stops after so many. */
  readonly total: number;
  /** Whether to include balances of zero and below. */
  readonly withZero: boolean;
}

interface Richest {
  /** In their order. */
  readonly from: readonly BalanceThen[];
  /** The nearest first. */
  readonly before: readonly BalanceThen[];
}

/** Rows that the first read adds to the wanted ones; it also reads all rows with the same peak as the last one. */
const SPARE = 8;
/** The most rows of the first read, and of any later one. */
const FIRST = 256;
const MOST = 500;

export async function richestThen(
  queries: Queries,
  budget: RowBudget,
  source: PeakedRows,
  wanted: RichestWanted,
): Promise<Richest> {
  const { rows } = wanted;
  const lowest = wanted.withZero ? 0 : 1;
  let found: Entries = { from: [], before: [] };
  let [peak, passed, next]: [number | undefined, number, number] = [undefined, 0, FIRST];
  for (;;) {
    const limit = await budget.take(Math.min(next, MOST));
    const bound = peak === undefined ? [...source.params, lowest, rows + SPARE, lowest] : [peak];
    const params = [source.bound, ...source.params, ...bound, limit, passed];
    const read = await queries.get<FoundRow>(statementOf(source, peak === undefined), params);
    found = merged(wanted, found, read?.had?.split('\n') ?? []);
    const [least, count] = [read?.peak ?? 0, read?.read_rows ?? 0];
    passed += count;
    const isWhole = count < limit;
    if (isWhole && (peak === lowest || (peak === undefined && passed <= rows + SPARE))) break;
    if (wanted.place === undefined && found.from.length === wanted.total) break;
    // Unread rows have at most the peak `unread`, and can only be wanted if their peak is at least the other one.
    const unread: number = isWhole ? (peak ?? least) - 1 : least;
    const last = found.from[rows - 1];
    peak = last === undefined ? lowest : Math.max(lowest, stepOf(balanceOf(last).balance));
    if (peak > unread) break;
    next = Math.max(8 * SPARE, 2 * passed);
  }
  return { from: found.from.map(balanceOf), before: found.before.map(balanceOf) };
}

type FoundRow = OuterRowOf<typeof TOKEN_BALANCES, 'peak'> & {
  /** The entries of the rows, a line each; a row that did not exist yet has no balance in its line, or no line. */
  readonly had: string | null;
  /** The number of rows that were read; `peak` is their lowest peak. */
  readonly read_rows: number;
};

/** @param isFirst whether the first read is meant, which ends at the peak of a row */
function statementOf({ table, name, condition, held }: PeakedRows, isFirst: boolean): string {
  const peakOfRow = `SELECT peak FROM ${table.name} WHERE ${condition} peak >= ? ORDER BY peak DESC, number DESC LIMIT 1 OFFSET ?`;
  const peak = isFirst ? `coalesce((${peakOfRow}), CAST(? AS bigint))` : '?';
  return `SELECT string_agg(encode(held, 'hex') || ' ' || name, '\n') AS had, min(peak) AS peak, count(*) AS read_rows
    FROM (SELECT b.name, b.peak, ${held} AS held FROM (
      SELECT ${name} AS name, number, peak FROM ${table.name} WHERE ${condition} peak >= ${peak} ORDER BY peak DESC, number DESC LIMIT ? OFFSET ?) AS b) AS then_held`;
}

/** Balances as texts `HEX NAME`, which sort like the balances. Names are printable ASCII. */
interface Entries {
  /** As in Richest. */
  readonly from: readonly string[];
  readonly before: readonly string[];
}

function merged({ place, rows, before, withZero }: RichestWanted, found: Entries, read: readonly string[]): Entries {
  const first = place === undefined ? '' : entryOf(place);
  const isWanted = (entry: string) => !entry.startsWith(' ') && (withZero || entry < NOTHING);
  const more = read.filter(isWanted);
  const from = [...found.from, ...more.filter(entry => entry >= first)];
  const nearest = [...found.before, ...more.filter(entry => entry < first)];
  return { from: from.sort().slice(0, rows), before: nearest.sort().reverse().slice(0, before) };
}

/** Positive balances sort before it. */
const NOTHING = rawHex(bytesGreatestFirst(0n));

const entryOf = ({ balance, name }: BalanceThen): string => `${rawHex(bytesGreatestFirst(balance))} ${name}`;

function balanceOf(entry: string): BalanceThen {
  const space = entry.indexOf(' ');
  return { name: entry.slice(space + 1), balance: amountOfBytes(hexBytes(entry.slice(0, space))) };
}
