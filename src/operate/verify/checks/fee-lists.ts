import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { BUSY } from '../../../index/transactions/combined-lists.ts';
import { EVERYTHING, feePath, isDivided, nodeName } from '../../../index/transactions/fee-lists.ts';
import {
  ALL_TXS,
  COMBINED_TXS,
  FEE_TXS,
  type LIST_TXS,
  type TXS,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_TYPE,
} from '../../../index/transactions/tables.ts';
import { lengthOfOnly } from '../../../ingest/indexer/lists.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { listsOf, type Recount, withRecount } from '../recount.ts';

/** The lists that have a tree once they are busy. */
const KINDS = [
  TXS_BY_TYPE,
  TXS_BY_SENDER,
  TXS_BY_RECIPIENT,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  COMBINED_TXS,
];

export const feeListsCheck: Check = {
  name: 'fees',
  proves: 'the trees of fees have the transactions of their lists, each in the nodes of its fee',
  recounts: [FEE_TXS],
  run: context => withRecount(nodes => recount(nodes, context)),
};

async function* recount(nodes: Recount, { index }: Context): AsyncIterable<Finding> {
  if ((await lengthOfOnly(index, ALL_TXS)) >= BUSY) yield* addTree(nodes, EVERYTHING, index);
  for (const kind of KINDS)
    for await (const { id, length } of listsOf(kind, index)) if (length >= BUSY) yield* addTree(nodes, id, index);
  yield* nodes.compare([FEE_TXS], index);
}

/** Adds the transactions of a list to the nodes that must have them. A divided node has only the first ones. */
async function* addTree(nodes: Recount, list: number | typeof EVERYTHING, index: Queries): AsyncIterable<Finding> {
  const stored = await storedLengths(list, index);
  const counts = new Map<string, number>();
  for await (const { tx, fee } of entriesOf(list, index)) {
    const path = feePath(fee);
    for (let depth = 2; ; depth++) {
      const node = path.slice(0, depth);
      const length = stored.get(node);
      if (length === undefined) {
        yield wrong(`lists: no part "${nodeName(list, node)}" has the fee of transaction ${tx}`);
        break;
      }
      const count = counts.get(node) ?? 0;
      counts.set(node, count + 1);
      if (!isDivided(node, count)) await nodes.add(FEE_TXS, nodeName(list, node), { tx });
      if (!isDivided(node, length)) break;
    }
  }
}

async function storedLengths(list: number | typeof EVERYTHING, index: Queries): Promise<Map<string, number>> {
  const prefix = nodeName(list, '');
  const rows = await index.all<{ name: string; length: number }>(
    'SELECT name, length FROM lists WHERE kind = ? AND name >= ? AND name < ?',
    [FEE_TXS.code, prefix, `${prefix}~`],
  );
  return new Map(rows.map(({ name, length }) => [name.slice(prefix.length), length]));
}

/** The transactions of a list in chain order. */
const entriesOf = (
  list: number | typeof EVERYTHING,
  index: Queries,
): AsyncIterable<RowOf<typeof LIST_TXS, 'seq' | 'tx'> & RowOf<typeof TXS, 'fee'>> =>
  list === EVERYTHING
    ? pagedRows(index, { sql: 'SELECT seq, seq AS tx, fee FROM txs', key: ['seq'] })
    : pagedRows(index, {
        sql: `SELECT e.seq, e.tx, t.fee FROM list_txs e JOIN txs t ON t.seq = e.tx AND e.list = ${list}`,
        key: ['seq'],
        alias: 'e',
      });
