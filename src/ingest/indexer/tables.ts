import type { Table } from '../../base/store/database.ts';
import { type RowOf, table } from '../../base/store/table.ts';

/**
 * The two shapes of all data in the index.
 *
 * A *list* is append-only and numbers its entries 0, 1, 2 ... without gaps, so its length is the `total` of a page and any
 * offset is a seek. Lists of one kind (such as transactions by sender) share a table; each list is known by its name.
 *
 * A *state table* holds one current row per key.
 *
 * Undoing a block restores the previous rows of the state tables and cuts each list to its previous length. Nothing else can change,
 * so an undo record holds nothing else.
 */

/** Which chain moves a table: lists of one chain are never cut by an undo of the other. */
export type ChainName = 'stacks' | 'burn';

/**
 * The column that places the entries of a list in time. Its values never fall along the list, so a binary search finds the length of the list at a block.
 */
type Clock =
  /** A column with the position of its transaction in the list of all transactions; `seq` where the entry is that transaction. */
  | { readonly of: 'transaction'; readonly column: string }
  /** A column with the height of its Stacks block. */
  | { readonly of: 'height'; readonly column: string }
  /** A column with the number of its Stacks block, which is the height less one; `seq` where the entry is that block. */
  | { readonly of: 'block'; readonly column: string }
  /** A column with the height of its Bitcoin block. */
  | { readonly of: 'burn'; readonly column: string }
  /** A column with the position of an entry in a list that has a clock and is the only one of its kind. */
  | { readonly of: 'list'; readonly column: string; readonly list: ListKind }
  | { readonly of: 'none'; readonly reason: string };

export interface ListKind<Entries extends Table = Table> {
  /** Stable number, stored in the directory of lists. */
  readonly code: number;
  readonly chain: ChainName;
  /** Where the entries are. With `named` lists its first columns are `list`, `seq`; else `seq` alone. */
  readonly entries: Entries;
  /** False where there is a single list of this kind, such as all transactions. */
  readonly named: boolean;
  readonly clock: Clock;
  /** The state table whose past rows the entries are: see row-versions.ts. */
  readonly versionsOf?: Table;
}

/** Declares a kind of lists. Returns its argument, with the type that `EntryOf` reads. */
export const listKind = <const Entries extends Table>(kind: ListKind<Entries>): ListKind<Entries> => kind;

/** An entry to append to a list: a row without the numbering columns. */
export type EntryOf<Kind extends ListKind> = Omit<RowOf<Kind['entries']>, 'list' | 'seq'>;

/** The directory of all lists: the identifier and length of each. A list exists while its length is above 0. */
export const LISTS = table({
  name: 'lists',
  columns: { kind: 'int', name: 'text', id: 'int', length: 'int' },
  key: ['kind', 'name'],
  rewritten: true,
});

/** How many list identifiers each entry table has given out. */
export const LIST_COUNTERS = table({
  name: 'list_counters',
  columns: { entries: 'text', count: 'int' },
  key: ['entries'],
});

/** The previous rows and lengths for undoing the applied units, the newest last: see undo-log.ts. */
export const UNDO_LOG = table({
  name: 'undo_log',
  columns: {
    chain: 'text',
    /** Depth of the unit, or of the last of several: the first unit of a chain has depth 0. */
    depth: 'int',
    /** Number of units that the record takes back: from the one after the previous row up to `depth`. */
    units: 'int',
    /** Hash of the unit at `depth`. */
    block: 'bytes',
    record: 'bytes',
  },
  key: ['chain', 'depth'],
});

/** Singletons that follow the canonical chain, as JSON: forced unlock heights of PoX contracts, unanchored microblocks. */
export const FACTS = table({ name: 'facts', columns: { name: 'text', value: 'text' }, key: ['name'] });

/** Singletons of the index itself, not of the chain: journal position, tip, chain id, schema version. */
export const META = table({ name: 'meta', columns: { name: 'text', value: 'text' }, key: ['name'] });
