import { hexBytes, rawHex } from '../../../base/lib/hex.ts';
import { amountOfBytes, bytesGreatestFirst, stepOf } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { OuterRowOf } from '../../../base/store/table.ts';
import type { ACCOUNTS } from '../../../index/addresses/tables.ts';
import type { TOKEN_BALANCES } from '../../../index/token-balances/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/**
 * The greatest balances as of a block. No balance was above its peak, so they are read from the highest peak on, until no other can have been among
 * those that are wanted:
 *
 *     peak of at most    64  alice, had 60      carol, had 40
 *                        32  bob, had 20        two are found when alice and carol are read: what bob had was below 40, and so all after him
 *
 * Each is a seek. The database gives them in one text, as to take rows out of it is dearer than to seek them.
 */

/** A balance as of a block, and a place in their order: the greatest first, then by name. */
export interface BalanceThen {
  readonly name: string;
  readonly balance: bigint;
}

/** Rows whose balance is wanted: the accounts, or the fungible tokens of a principal. */
export interface PeakedRows {
  /** The table, with columns `number` and `peak`, and the column with the name. */
  readonly table: typeof ACCOUNTS | typeof TOKEN_BALANCES;
  readonly name: 'principal' | 'token';
  /** SQL: which rows; empty for all, otherwise with AND at the end. */
  readonly condition: string;
  readonly params: readonly SqlValue[];
  /** SQL of the balance of a row `b`, in bytes that sort the greatest first, null of one that was not there yet. */
  readonly held: string;
  /** The parameter of that: a height, or a position in TXS. */
  readonly bound: SqlValue;
}

interface RichestWanted {
  /** Where those begin that are wanted; undefined for the greatest. */
  readonly place: BalanceThen | undefined;
  /** How many from there on. */
  readonly rows: number;
  /** How many before it, at most. */
  readonly before: number;
  /** How many there are in all, also before the place: no more are looked for. */
  readonly total: number;
  /** Whether those of zero and below are among them. */
  readonly withZero: boolean;
}

interface Richest {
  /** In their order. */
  readonly from: readonly BalanceThen[];
  /** The nearest first. */
  readonly before: readonly BalanceThen[];
}

/** Rows that are read at first beyond those that are wanted, and all with the same peak as the last one. */
const SPARE = 8;
/** Rows that are read at first, and at a time, at most. */
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
    // Rows that are still to be read have at most one of these peaks, and are among the wanted ones only with one from the other on.
    const unread: number = isWhole ? (peak ?? least) - 1 : least;
    const last = found.from[rows - 1];
    peak = last === undefined ? lowest : Math.max(lowest, stepOf(balanceOf(last).balance));
    if (peak > unread) break;
    next = Math.max(8 * SPARE, 2 * passed);
  }
  return { from: found.from.map(balanceOf), before: found.before.map(balanceOf) };
}

type FoundRow = OuterRowOf<typeof TOKEN_BALANCES, 'peak'> & {
  /** Their entries, a line for each; those that were not there have no balance, or no line. */
  readonly had: string | null;
  /** How many rows were read; `peak` is the lowest of theirs. */
  readonly read_rows: number;
};

/** @param isFirst whether the lowest peak is that of a row */
function statementOf({ table, name, condition, held }: PeakedRows, isFirst: boolean): string {
  const peakOfRow = `SELECT peak FROM ${table.name} WHERE ${condition} peak >= ? ORDER BY peak DESC, number DESC LIMIT 1 OFFSET ?`;
  const peak = isFirst ? `coalesce((${peakOfRow}), CAST(? AS bigint))` : '?';
  return `SELECT string_agg(encode(held, 'hex') || ' ' || name, '\n') AS had, min(peak) AS peak, count(*) AS read_rows
    FROM (SELECT b.name, b.peak, ${held} AS held FROM (
      SELECT ${name} AS name, number, peak FROM ${table.name} WHERE ${condition} peak >= ${peak} ORDER BY peak DESC, number DESC LIMIT ? OFFSET ?) AS b) AS then_held`;
}

/** Balances as `HEX NAME`, which sort as the balances. Names are printable ASCII. */
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
