/**
 * Lists of the transactions that several busy lists share, so that a page with several filters costs as much as a page with one.
 *
 * A list is busy from `BUSY` transactions on. If all lists of a combination are busy, the transactions that they share have a list of their own. Any other combination
 * has a short list, which a request searches. The lists by type are few and long: they count as busy.
 *
 *     A sends its 2,000th transaction; the contract C has 9,000 calls, D has 30
 *     "A C"   becomes a list of all calls of C by A so far, found among the 2,000 of A
 *     "A D"   is no list: a request searches the 30 calls of D
 */
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { COMBINED_TXS, type LIST_TXS, TX_TYPES, type TXS, TXS_BY_NONCE, TXS_BY_TYPE, type TxType } from './tables.ts';

/** Transactions from which on a list is busy: searching fewer takes about a millisecond. */
export const BUSY = 2_000;

/** The criteria of lists of transactions, in their order within a name. */
export const CRITERIA = ['type', 'sender', 'recipient', 'contract', 'function', 'nonce'] as const;
export type Criterion = (typeof CRITERIA)[number];

/**
 * The combinations that have lists. A recipient, a contract and a function each imply a type; a transaction with a recipient calls no contract; a sender uses a nonce
 * once, which an index finds.
 */
const COMBINATIONS: readonly (readonly Criterion[])[] = [
  ['type', 'sender'],
  ['type', 'nonce'],
  ['sender', 'recipient'],
  ['sender', 'contract'],
  ['sender', 'function'],
  ['sender', 'contract', 'function'],
  ['contract', 'function'],
  ['recipient', 'nonce'],
  ['contract', 'nonce'],
  ['function', 'nonce'],
  ['contract', 'function', 'nonce'],
];

/**
 * The name of the list of the transactions that some lists share, if these are one combination and all but those by type are busy; else undefined.
 * @param lists their identifiers, by criterion
 */
export function combinedName(lists: ReadonlyMap<Criterion, number>): string | undefined {
  const combination = COMBINATIONS.find(each => each.length === lists.size && each.every(one => lists.has(one)));
  return combination && nameOf(combination.flatMap(criterion => lists.get(criterion) ?? []));
}

/** A transaction that a unit has appended to its lists. */
export interface UnitTransaction {
  /** Its position among all transactions. */
  readonly tx: number;
  readonly fee: Uint8Array;
  /** Its lists, and its number in each. */
  readonly lists: Readonly<Record<Criterion, { readonly id: number; readonly place: number } | undefined>>;
}

/** An entry of a combined list. */
interface CombinedEntry {
  readonly list: number;
  /** Its number in the list. */
  readonly place: number;
  readonly tx: number;
}

/**
 * Appends the transactions of a unit to the lists of their combinations, and earlier ones to new combined lists.
 * @returns the appended entries, of each list in chain order
 */
export async function combine(workspace: Workspace, txs: readonly UnitTransaction[]): Promise<CombinedEntry[]> {
  const lengths = new Map<number, number>();
  /** Lists that this unit has made busy. */
  const fresh = new Set<number>();
  for (const { lists } of txs)
    for (const criterion of CRITERIA) {
      const list = lists[criterion];
      if (list === undefined || criterion === 'type') continue;
      lengths.set(list.id, list.place + 1);
      if (list.place === BUSY - 1) fresh.add(list.id);
    }
  const isBusy = (id: number) => (lengths.get(id) ?? 0) >= BUSY;
  if (![...lengths.keys()].some(isBusy)) return [];
  const entries: Entry[] = [];
  for (const { tx, lists } of txs) {
    const of = (criterion: Criterion) => {
      const id = lists[criterion]?.id;
      return id !== undefined && (criterion === 'type' || isBusy(id)) ? id : undefined;
    };
    // The entries of new busy lists are found together with the earlier ones.
    for (const { ids, name } of combinationsOf(of)) if (!ids.some(id => fresh.has(id))) entries.push({ name, tx });
  }
  return append(workspace, entries, fresh);
}

interface Entry {
  readonly name: string;
  readonly tx: number;
}

/** A combination of lists: their identifiers, and the name of the list of the transactions that they share. */
interface Combination {
  readonly ids: readonly number[];
  readonly name: string;
}

/** The combinations of the lists of a transaction. @param of returns the list of a criterion, undefined if it is not busy */
export function combinationsOf(of: (criterion: Criterion) => number | undefined): Combination[] {
  const found: Combination[] = [];
  for (const combination of COMBINATIONS) {
    const ids = combination.flatMap(criterion => of(criterion) ?? []);
    if (ids.length === combination.length) found.push({ ids, name: nameOf(ids) });
  }
  return found;
}

const nameOf = (ids: readonly number[]): string => ids.join(' ');

async function append(
  workspace: Workspace,
  entries: readonly Entry[],
  fresh: ReadonlySet<number>,
): Promise<CombinedEntry[]> {
  const all = [...entries];
  if (fresh.size > 0) await workspace.spill(); // entriesOfList reads entries only
  const built = new Set<string>();
  for (const list of fresh) {
    const earlier = (await entriesOfList(workspace, list)).filter(({ name }) => !built.has(name));
    for (const { name } of earlier) built.add(name);
    all.push(...earlier);
  }
  await workspace.loadLists(
    COMBINED_TXS,
    all.map(({ name }) => name),
  );
  return all.map(({ name, tx }) => {
    const place = workspace.append(COMBINED_TXS, name, { tx });
    return { list: workspace.listId(COMBINED_TXS, name), place, tx };
  });
}

type ListedRow = RowOf<typeof TXS, 'seq' | 'type' | 'sender' | 'recipient' | 'contract' | 'function' | 'nonce'>;

const NAMES_OF_TYPES = new Map(Object.entries(TX_TYPES).map(([name, type]) => [type as number, name as TxType]));

/** Entries for all combinations of a new busy list with other busy lists. */
async function entriesOfList(workspace: Workspace, list: number): Promise<Entry[]> {
  const { transaction } = workspace;
  const rows = await transaction.all<ListedRow>(
    `SELECT t.seq, t.type, t.sender, t.recipient, t.contract, t.function, t.nonce
      FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? ORDER BY e.seq`,
    [list],
  );
  const busy = await busyOf(transaction, rows);
  await workspace.loadLists(TXS_BY_TYPE, NAMES_OF_TYPES.values());
  await workspace.loadLists(TXS_BY_NONCE, new Set(rows.map(({ nonce }) => String(nonce))));
  return rows.flatMap(row => {
    const of = (criterion: Criterion) => {
      if (criterion === 'type') return workspace.listId(TXS_BY_TYPE, NAMES_OF_TYPES.get(row.type) ?? '');
      if (criterion === 'nonce') {
        const nonce = String(row.nonce);
        return workspace.lengthOf(TXS_BY_NONCE, nonce) >= BUSY ? workspace.listId(TXS_BY_NONCE, nonce) : undefined;
      }
      const id = row[criterion];
      return id !== null && busy.has(id) ? id : undefined;
    };
    const own = combinationsOf(of).filter(({ ids }) => ids.includes(list));
    return own.map(({ name }) => ({ name, tx: row.seq }));
  });
}

/** The lists of these transactions that have enough entries to be busy. */
async function busyOf(transaction: DatabaseTransaction, rows: readonly ListedRow[]): Promise<ReadonlySet<number>> {
  const named = new Set(rows.flatMap(row => [row.sender, row.recipient, row.contract, row.function]));
  named.delete(null);
  const found = await allIn<RowOf<typeof LIST_TXS, 'list'>>(
    transaction,
    list => `SELECT list FROM list_txs WHERE seq = ? AND list IN ${list}`,
    [...named],
    [BUSY - 1],
  );
  return new Set(found.map(({ list }) => list));
}
