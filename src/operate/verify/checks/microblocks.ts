import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { ALL_MICROBLOCKS, type MICROBLOCKS } from '../../../index/microblocks/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedTransactions } from './sources.ts';

/** A canonical microblock, named by its transactions. */
interface Named {
  readonly hash: string;
  readonly height: number;
  readonly sequence: number;
  readonly first: number;
  readonly count: number;
}

type ListedRow = RowOf<typeof MICROBLOCKS, 'seq' | 'hash' | 'sequence' | 'first_tx' | 'tx_rows'> & {
  /** Whether it is among the known microblocks: 0 or 1. */
  readonly is_known: number;
};

export const microblocksCheck: Check = {
  name: 'microblocks',
  proves:
    'the canonical microblocks, and those of each block, are those that transactions name, in their order, and are known',
  recounts: [ALL_MICROBLOCKS],

  run: context => withSpillingMap(accepted => compare(accepted, context)),
};

/** @param accepted the microblocks that blocks accepted, by height */
async function* compare(accepted: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  let next = 0;
  for await (const { hash, height, sequence, first, count } of namedByTransactions(index)) {
    const before = JSON.parse((await accepted.get(String(height))) ?? '[]');
    await accepted.set(String(height), JSON.stringify([...before, [hash, count]]));
    const row = await index.get<ListedRow>(LISTED, [next++]);
    const isSame =
      row && toHex(row.hash) === hash && row.sequence === sequence && row.first_tx === first && row.tx_rows === count;
    if (!isSame) yield wrong(`microblocks: number ${next - 1} is not ${hash} of height ${height}`);
    else if (row.is_known === 0) yield wrong(`known_microblocks: ${hash} is not among them with its parents`);
  }
  for await (const { seq } of pagedRows<RowOf<typeof MICROBLOCKS, 'seq'>>(index, {
    sql: 'SELECT seq FROM microblocks',
    key: ['seq'],
  }))
    if (seq >= next) yield wrong(`microblocks: no transaction names number ${seq}`);
  for await (const { seq, microblocks } of pagedRows<RowOf<typeof BLOCKS, 'seq' | 'microblocks'>>(index, {
    sql: 'SELECT seq, microblocks FROM blocks',
    key: ['seq'],
  }))
    if (microblocks !== ((await accepted.get(String(seq + 1))) ?? null))
      yield wrong(`blocks: height ${seq + 1} has accepted other microblocks than its transactions name`);
}

const LISTED = `SELECT m.seq, m.hash, m.sequence, m.first_tx, m.tx_rows,
    CASE WHEN n.hash IS NULL THEN 0 ELSE 1 END AS is_known
  FROM microblocks m LEFT JOIN known_microblocks n
    ON n.hash = m.hash AND n.parent_block = m.parent_block AND n.parent_hash = m.parent_hash AND n.sequence = m.sequence
  WHERE m.seq = ?`;

/** Transactions of a microblock are neighbours. */
async function* namedByTransactions(index: Queries): AsyncIterable<Named> {
  let open: Named | undefined;
  for await (const { seq, tx } of recordedTransactions(index)) {
    const { hash, sequence } = tx.microblock;
    const height = tx.blockHeight;
    if (open && open.hash === hash && open.height === height) open = { ...open, count: open.count + 1 };
    else {
      if (open) yield open;
      open = hash === '0x' ? undefined : { hash, height, sequence, first: seq, count: 1 };
    }
  }
  if (open) yield open;
}
