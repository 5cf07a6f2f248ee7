/**
 * The transactions of busy lists in the order of their fees, so that a page by fee is found without reading earlier entries.
 *
 * Each busy list (combined-lists.ts), and that of all transactions, has a tree of lists. A node has the transactions whose fees have the same number of bits and
 * begin with the same digits, of four bits each, below the first bit. With fewer than `BUSY` transactions a node is a leaf. With that many it is divided: it keeps
 * them, and they and all later ones go to nodes with one more digit. A node whose digits are the whole fee is not divided.
 *
 *     fee 3,000 = 0b1011_1011_1000, twelve bits, below the first one 011_1011_1000: node 12, then 12-7, 12-77, 12-770
 *     fee 3,001                                                          node 12, then 12-7, 12-77, 12-772
 *
 * Names sort like fees; equal fees are in one leaf, in chain order. The rank of a fee follows from the lengths of the leaves.
 */
import type { RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { BUSY } from './combined-lists.ts';
import { FEE_TXS, type TXS } from './tables.ts';

/** The name of the list of all transactions in names of nodes; others have their identifiers. */
export const EVERYTHING = 'all';

/** Bits of a digit. */
const DIGIT = 4;

/** A fee as a path through a tree: the number of its bits, and the digits below the first bit. */
export function feePath(fee: Uint8Array): string {
  const view = new DataView(fee.buffer, fee.byteOffset, fee.byteLength);
  const [high, low] = [view.getUint32(0), view.getUint32(4)];
  const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
  const below = Math.max(0, bits - 1);
  const digits = Math.ceil(below / DIGIT);
  if (digits === 0) return octaveText(bits);
  const shift = digits * DIGIT - below;
  // Most fees are small enough for numbers, even with the bits that fill the last digit.
  const rest =
    high < MOST_HIGH
      ? (high * 2 ** 32 + low - 2 ** below) * 2 ** shift
      : (view.getBigUint64(0) - (1n << BigInt(below))) << BigInt(shift);
  return octaveText(bits) + rest.toString(16).padStart(digits, '0');
}

/** Upper four bytes from which on a fee is not small. */
const MOST_HIGH = 2 ** 16;

const octaveText = (bits: number): string => String(bits).padStart(2, '0');

/** Length of the shortest path of a node. */
const OCTAVE = 2;

/** The length of the path of a whole fee that begins like this. */
export const wholeLength = (path: string): number =>
  OCTAVE + Math.ceil(Math.max(0, Number(path.slice(0, OCTAVE)) - 1) / DIGIT);

/** The name of a node. @param list the identifier of a list, or EVERYTHING */
export const nodeName = (list: ListOfFees, path: string): string => `${list} ${path}`;

/** Whether a node of this path and length is divided. */
export const isDivided = (path: string, length: number): boolean => length >= BUSY && path.length < wholeLength(path);

/** A list of transactions: its identifier, or EVERYTHING. */
type ListOfFees = number | typeof EVERYTHING;

/** A transaction for the tree of a list. */
interface FeeEntry {
  /** Path of its fee. */
  readonly path: string;
  /** Its position among all transactions. */
  readonly tx: number;
}

/** A transaction that a unit has appended to a list. */
export interface AppendedTransaction {
  readonly list: ListOfFees;
  /** Its number in the list. */
  readonly place: number;
  readonly tx: number;
  /** Path of its fee. */
  readonly path: string;
}

/** Extends the trees of busy lists, and makes those of new busy lists. @param appended by one unit, of each list in chain order */
export async function extendFeeLists(workspace: Workspace, appended: readonly AppendedTransaction[]): Promise<void> {
  for (const [list, own] of Map.groupBy(appended, ({ list }) => list)) {
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last || last.place + 1 < BUSY) continue;
    const isFresh = first.place < BUSY;
    await extend(workspace, list, isFresh ? await entriesOf(workspace, list) : own);
  }
}

/** The transactions of a list so far. */
async function entriesOf(workspace: Workspace, list: ListOfFees): Promise<FeeEntry[]> {
  // Not a flush, which would also write all state rows, although these change again.
  await workspace.spill();
  const rows = await workspace.transaction.all<RowOf<typeof TXS, 'seq' | 'fee'>>(
    list === EVERYTHING
      ? 'SELECT seq, fee FROM txs ORDER BY seq'
      : 'SELECT t.seq, t.fee FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? ORDER BY e.seq',
    list === EVERYTHING ? [] : [list],
  );
  return rows.map(({ seq, fee }) => ({ tx: seq, path: feePath(fee) }));
}

async function extend(workspace: Workspace, list: ListOfFees, entries: readonly FeeEntry[]): Promise<void> {
  await loadNodes(workspace, list, entries);
  for (const { path, tx } of entries) {
    let node = path.slice(0, OCTAVE);
    let name = nodeName(list, node);
    while (isDivided(node, workspace.lengthOf(FEE_TXS, name))) {
      node = path.slice(0, node.length + 1);
      name = nodeName(list, node);
    }
    const place = workspace.append(FEE_TXS, name, { tx });
    if (isDivided(node, place + 1))
      await divide(workspace, list, node, await entriesOf(workspace, workspace.listId(FEE_TXS, name)));
  }
}

/** Loads the nodes that may get these entries: from the roots down, as far as nodes are divided. */
async function loadNodes(workspace: Workspace, list: ListOfFees, entries: readonly FeeEntry[]): Promise<void> {
  let open: readonly string[] = entries.map(({ path }) => path);
  for (let depth = OCTAVE; open.length > 0; depth++) {
    const nodes = new Set(open.map(path => path.slice(0, depth)));
    await workspace.loadLists(
      FEE_TXS,
      [...nodes].map(node => nodeName(list, node)),
    );
    const divided = new Set(
      [...nodes].filter(node => isDivided(node, workspace.lengthOf(FEE_TXS, nodeName(list, node)))),
    );
    open = open.filter(path => divided.has(path.slice(0, depth)));
  }
}

const DIGITS = [...'0123456789abcdef'];

/** Puts the entries of a node into the nodes below it. Afterwards all of these are loaded. */
async function divide(
  workspace: Workspace,
  list: ListOfFees,
  node: string,
  entries: readonly FeeEntry[],
): Promise<void> {
  await workspace.loadLists(
    FEE_TXS,
    DIGITS.map(digit => nodeName(list, node + digit)),
  );
  for (const [below, own] of Map.groupBy(entries, ({ path }) => path.slice(0, node.length + 1))) {
    for (const { tx } of own) workspace.append(FEE_TXS, nodeName(list, below), { tx });
    if (isDivided(below, own.length)) await divide(workspace, list, below, own);
  }
}
