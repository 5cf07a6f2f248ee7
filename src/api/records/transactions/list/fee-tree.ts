import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import {
  type EVERYTHING,
  feePath,
  isDivided,
  nodeName,
  wholeLength,
} from '../../../../index/transactions/fee-lists.ts';
import { FEE_TXS, type TXS } from '../../../../index/transactions/tables.ts';
import { type List, positionsOf, type Slice } from '../../../../ingest/indexer/lists.ts';
import type { LISTS } from '../../../../ingest/indexer/tables.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import { hullOf, type ListPart, lengthOfParts, partsWithin, positionsInStretches } from './list-parts.ts';
import type { Condition } from './matches.ts';

/** The transactions of some lists, to read by fee. No two of the lists share a transaction. */
interface ByFee {
  /** Busy lists have trees, which are read (index/transactions/fee-lists.ts); other lists are read as a whole. */
  readonly lists: readonly (List | typeof EVERYTHING)[];
  /** The number of their transactions. */
  readonly total: number;
  /** Only those at these positions; undefined for all. */
  readonly spans: readonly Span[] | undefined;
  /** Conditions that exclude the transactions at positions between two spans. */
  readonly conditions: readonly Condition[];
}

/** A leaf of a tree: its fees begin with its path. A list without a tree is one leaf with an empty path. */
interface Leaf extends List {
  readonly path: string;
}

/** The part of a leaf within the spans: one part for each span. */
interface ShownLeaf extends Leaf {
  readonly parts: readonly ListPart[];
}

const isShown = (leaf: Leaf | ShownLeaf): leaf is ShownLeaf => 'parts' in leaf;

/** A transaction that was read from a leaf. */
interface Entry {
  /** The path of its whole fee. */
  readonly path: string;
  readonly tx: number;
}

/** The transactions with the fees of one path: leaves of that path, leaves below it, and entries from leaves above it. */
interface Piece<L extends Leaf = Leaf> {
  readonly path: string;
  readonly leaves: readonly L[];
  readonly entries: readonly Entry[];
}

/** The number of leaves whose parts are searched at once. */
const LEAVES_AT_ONCE = 32;
/** The rows that halving a leaf takes from the budget. */
const ROWS_A_LEAF = 4;

/**
 * The transactions of a slice in the order of their fees, as positions among all; equal fees are in chain order. Reads the keys of all leaves, but only the
 * entries of leaves within the slice. With spans it also searches how many entries of a leaf are within them, for the leaves between the slice and the nearer end.
 */
export async function positionsByFee(
  queries: Queries,
  selection: ByFee,
  slice: Slice,
  budget: RowBudget,
): Promise<number[]> {
  const leaves = (await Promise.all(selection.lists.map(list => leavesOf(queries, list)))).flat();
  const { total, spans } = selection;
  const places = positionsOf(slice, total);
  // A search that needs more rows than one turn has waits for a turn of its own at once, so that nothing is read twice.
  const passed = Math.min(places.to, total - places.from) / Math.max(1, total);
  if (spans) budget.require(Math.floor(ROWS_A_LEAF * leaves.length * passed));
  const reader = new FeeReader(queries, selection, budget);
  const positions = await reader.below({ path: '', leaves, entries: [] }, places, { total });
  return slice.order === 'asc' ? positions : positions.reverse();
}

class FeeReader {
  readonly #queries: Queries;
  readonly #selection: ByFee;
  readonly #budget: RowBudget;

  constructor(queries: Queries, selection: ByFee, budget: RowBudget) {
    this.#queries = queries;
    this.#selection = selection;
    this.#budget = budget;
  }

  /** The transactions at some places of a piece whose leaves have several paths. Leaves of the piece's own path are read as a whole. */
  async below(
    { path, leaves, entries }: Piece,
    { from, to }: Span,
    { total }: { readonly total: number },
  ): Promise<number[]> {
    const own: Entry[] = [];
    for await (const leaf of this.#shown(leaves.filter(leaf => leaf.path === path)))
      own.push(...(await this.#entriesOf(leaf)));
    const pieces = piecesOf(
      leaves.filter(leaf => leaf.path !== path),
      [...entries, ...own],
    );
    const isNearTop = total - to < from;
    const [near, far] = isNearTop ? [total - to, total - from] : [from, to];
    if (isNearTop) pieces.reverse();
    const shown = this.#shown(pieces.flatMap(piece => piece.leaves));
    const parts: number[][] = [];
    let before = 0;
    for (const piece of pieces) {
      if (before >= far) break;
      const found: ShownLeaf[] = [];
      while (found.length < piece.leaves.length) found.push((await shown.next()).value as ShownLeaf);
      const length = found.reduce((sum, leaf) => sum + lengthOfParts(leaf.parts), piece.entries.length);
      const [first, end] = [Math.max(near - before, 0), Math.min(far - before, length)];
      before += length;
      if (first >= end) continue;
      const places = isNearTop ? { from: length - end, to: length - first } : { from: first, to: end };
      parts.push(await this.#placesOf({ ...piece, leaves: found }, places, length));
    }
    return (isNearTop ? parts.reverse() : parts).flat();
  }

  async #placesOf(piece: Piece<ShownLeaf>, places: Span, total: number): Promise<number[]> {
    const { path, leaves, entries } = piece;
    if (leaves.some(leaf => leaf.path !== path)) return this.below(piece, places, { total });
    if (path.length === wholeLength(path)) return this.#placesOfFee(piece, places);
    const [only, ...others] = leaves;
    if (only && others.length === 0 && entries.length === 0) return this.#placesOfLeaf(only, places);
    const all = [...entries];
    for (const leaf of leaves) all.push(...(await this.#entriesOf(leaf)));
    return sorted(all).slice(places.from, places.to);
  }

  /** The transactions at some places of leaves of one fee, of any length. Before the places it reads at most as many transactions as there are other entries. */
  async #placesOfFee({ leaves, entries }: Piece<ShownLeaf>, { from, to }: Span): Promise<number[]> {
    const offset = Math.max(0, from - entries.length);
    const stretches = (leaves[0]?.parts ?? []).map((_, i) => leaves.flatMap(({ parts }) => parts[i] ?? []));
    const listed = await positionsInStretches(this.#queries, stretches, { order: 'asc', offset, limit: to - offset });
    const all = [...listed, ...entries.map(({ tx }) => tx)].sort((a, b) => a - b);
    return all.slice(from - offset, to - offset);
  }

  async #placesOfLeaf({ parts }: ShownLeaf, { from, to }: Span): Promise<number[]> {
    const { sql, params } = this.#within(parts);
    const rows = await this.#queries.all<RowOf<typeof TXS, 'seq'>>(
      `SELECT t.seq ${sql} ORDER BY t.fee, t.seq LIMIT ? OFFSET ?`,
      [...params, to - from, from],
    );
    return rows.map(({ seq }) => seq);
  }

  async #entriesOf({ parts }: ShownLeaf): Promise<Entry[]> {
    const { sql, params } = this.#within(parts);
    const rows = await this.#queries.all<RowOf<typeof TXS, 'seq' | 'fee'>>(`SELECT t.seq, t.fee ${sql}`, params);
    return rows.map(({ seq, fee }) => ({ path: feePath(fee), tx: seq }));
  }

  /** The transactions of the parts of one list. */
  #within(parts: readonly ListPart[]): Condition {
    const [hull = { list: -1, from: 0, length: 0 }] = hullOf([parts.filter(({ length }) => length > 0)]);
    const { conditions } = this.#selection;
    return {
      sql: `FROM list_txs e JOIN txs t ON t.seq = e.tx
        WHERE e.list = ? AND e.seq >= ? AND e.seq < ?${conditions.map(({ sql }) => ` AND ${sql}`).join('')}`,
      params: [hull.list, hull.from, hull.from + hull.length, ...conditions.flatMap(({ params }) => params)],
    };
  }

  /** These leaves, with their parts within the spans. */
  async *#shown(leaves: readonly Leaf[]): AsyncGenerator<ShownLeaf, void> {
    const { spans } = this.#selection;
    for (let start = 0; start < leaves.length; ) {
      const rows = spans ? await this.#budget.take(ROWS_A_LEAF * LEAVES_AT_ONCE) : ROWS_A_LEAF * LEAVES_AT_ONCE;
      const some = leaves.slice(start, start + Math.ceil(rows / ROWS_A_LEAF));
      const parts =
        spans &&
        (await partsWithin(
          this.#queries,
          some.filter(leaf => !isShown(leaf)),
          spans,
        ));
      for (const leaf of some) {
        const { id, length } = leaf;
        yield isShown(leaf) ? leaf : { ...leaf, parts: parts?.get(id) ?? [{ list: id, from: 0, length }] };
      }
      start += some.length;
    }
  }
}

/** All leaves of a list; the list itself if it has no tree. */
async function leavesOf(queries: Queries, list: List | typeof EVERYTHING): Promise<Leaf[]> {
  const prefix = nodeName(typeof list === 'object' ? list.id : list, '');
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'id' | 'length'>>(
    'SELECT name, id, length FROM lists WHERE kind = ? AND name >= ? AND name < ? ORDER BY name',
    [FEE_TXS.code, prefix, `${prefix}~`],
  );
  if (rows.length === 0 && typeof list === 'object') return [{ path: '', ...list }];
  return rows
    .map(({ name, id, length }) => ({ path: name.slice(prefix.length), id, length }))
    .filter(({ path, length }) => !isDivided(path, length));
}

/** Splits leaves and entries into one piece for each range of fees, the lowest first. */
function piecesOf(leaves: readonly Leaf[], entries: readonly Entry[]): Piece[] {
  const ordered = [...leaves, ...entries].sort(byPath);
  const pieces: { path: string; leaves: Leaf[]; entries: Entry[] }[] = [];
  for (const one of ordered) {
    const last = pieces.at(-1);
    const piece = last && one.path.startsWith(last.path) ? last : { path: one.path, leaves: [], entries: [] };
    if (piece !== last) pieces.push(piece);
    if ('tx' in one) piece.entries.push(one);
    else piece.leaves.push(one);
  }
  return pieces;
}

/** Positions of entries by fee; equal fees in chain order. */
const sorted = (entries: readonly Entry[]): number[] =>
  entries.toSorted((a, b) => byPath(a, b) || a.tx - b.tx).map(({ tx }) => tx);

/** Orders paths like the fees that begin with them; a path comes before the longer ones that begin with it. */
const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
