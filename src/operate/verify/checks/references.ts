import type { Queries, Row, Table } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import { ADDRESS_EVENTS, ADDRESS_TXS, STX_INBOUND } from '../../../index/addresses/tables.ts';
import {
  ADDRESS_POX_TXS,
  ADDRESS_REWARD_SLOTS,
  ADDRESS_REWARDS,
  POX_TXS,
  REWARD_SLOTS,
  REWARDS,
} from '../../../index/burnchain/tables.ts';
import { CONTRACT_FUNCTIONS, CONTRACT_LOGS, DEPLOYED } from '../../../index/contracts/tables.ts';
import { FT_EVENTS, LOCK_EVENTS, LOG_LISTS, LOG_TOPICS } from '../../../index/events/tables.ts';
import { NFT_EVENTS, NFT_MINTS } from '../../../index/nft/tables.ts';
import { POX_DELEGATIONS, POX_EVENT_LISTS, POX_EVENTS } from '../../../index/pox/tables.ts';
import { BOND_EVENTS } from '../../../index/staking/tables.ts';
import { LIST_TXS, TX_BODIES, TX_EVENT_PARTS, TXS } from '../../../index/transactions/tables.ts';
import { isPacked } from '../../../ingest/indexer/packed-table.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { entryRows, pagedRows } from '../pages.ts';

/** Lists whose entries are positions in another list. */
export const REFERENCES: readonly { readonly from: Table; readonly column: string; readonly to: Table }[] = [
  { from: LIST_TXS, column: 'tx', to: TXS },
  { from: ADDRESS_TXS, column: 'tx', to: TXS },
  { from: CONTRACT_LOGS, column: 'tx', to: TXS },
  { from: LOCK_EVENTS, column: 'tx', to: TXS },
  { from: BOND_EVENTS, column: 'tx', to: TXS },
  { from: FT_EVENTS, column: 'tx', to: TXS },
  { from: LOG_LISTS, column: 'tx', to: TXS },
  { from: LOG_TOPICS, column: 'tx', to: TXS },
  { from: ADDRESS_EVENTS, column: 'tx', to: TXS },
  { from: STX_INBOUND, column: 'tx', to: TXS },
  { from: NFT_MINTS, column: 'tx', to: TXS },
  { from: NFT_EVENTS, column: 'tx', to: TXS },
  { from: TX_BODIES, column: 'seq', to: TXS },
  { from: TX_EVENT_PARTS, column: 'tx', to: TXS },
  { from: CONTRACT_FUNCTIONS, column: 'contract', to: DEPLOYED },
  { from: POX_DELEGATIONS, column: 'event', to: POX_EVENTS },
  { from: POX_EVENT_LISTS, column: 'event', to: POX_EVENTS },
  { from: ADDRESS_REWARD_SLOTS, column: 'slot', to: REWARD_SLOTS },
  { from: ADDRESS_REWARDS, column: 'reward', to: REWARDS },
  { from: ADDRESS_POX_TXS, column: 'pox_tx', to: POX_TXS },
];

export const referencesCheck: Check = {
  name: 'positions',
  proves: 'every entry that refers to an entry of another list finds it, and lists are in chain order',

  async *run(context) {
    for (const reference of REFERENCES) yield* checkReference(reference, context);
  },
};

async function* checkReference(
  { from, column, to }: (typeof REFERENCES)[number],
  { index }: Context,
): AsyncIterable<Finding> {
  let list: unknown;
  let before = -1;
  for await (const row of positions({ from, column, to }, index)) {
    const name = `${from.name}: entry ${row.seq}${row.list === undefined ? '' : ` of list ${row.list}`}`;
    if (row.list !== list) before = -1;
    list = row.list;
    if (row.found === null) yield wrong(`${name} refers to ${to.name} ${row.position}, which does not exist`);
    if (row.position < before) yield wrong(`${name} is not in chain order`);
    before = row.position;
  }
}

interface Position extends Row {
  readonly position: number;
  /** Null where the other list has no such entry. */
  readonly found: number | null;
}

/** The entries of a table in the order of its lists, and what they refer to. */
async function* positions({ from, column, to }: (typeof REFERENCES)[number], index: Queries): AsyncIterable<Position> {
  if (isPacked(from)) return yield* packedPositions({ from, column, to }, index);
  const keys = from.key.map(name => `e.${name}`).join(', ');
  yield* pagedRows<Position>(index, {
    sql: `SELECT ${keys}, e.${column} AS position, t.seq AS found
      FROM ${from.name} e LEFT JOIN ${to.name} t ON t.seq = e.${column}`,
    key: from.key,
    alias: 'e',
  });
}

/** Packed entries that are looked up together. */
const ENTRIES_AT_ONCE = 1_000;

async function* packedPositions(
  { from, column, to }: (typeof REFERENCES)[number],
  index: Queries,
): AsyncIterable<Position> {
  let some: Row[] = [];
  for await (const entry of entryRows(index, from, [column])) {
    some.push(entry);
    if (some.length < ENTRIES_AT_ONCE) continue;
    yield* await withFound(some, column, to, index);
    some = [];
  }
  yield* await withFound(some, column, to, index);
}

async function withFound(entries: readonly Row[], column: string, to: Table, index: Queries): Promise<Position[]> {
  const wanted = [...new Set(entries.map(entry => Number(entry[column])))];
  const rows = await allIn<{ seq: number }>(index, list => `SELECT seq FROM ${to.name} WHERE seq IN ${list}`, wanted);
  const found = new Set(rows.map(({ seq }) => seq));
  return entries.map(entry => {
    const position = Number(entry[column]);
    return { ...entry, position, found: found.has(position) ? position : null };
  });
}
