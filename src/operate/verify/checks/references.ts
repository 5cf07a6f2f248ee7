import type { Table } from '../../../base/store/database.ts';
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
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

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
  const keys = from.key.map(name => `e.${name}`).join(', ');
  let list: number | undefined;
  let before = -1;
  for await (const row of pagedRows<{ list?: number; seq: number; position: number; found: number | null }>(index, {
    sql: `SELECT ${keys}, e.${column} AS position, t.seq AS found
      FROM ${from.name} e LEFT JOIN ${to.name} t ON t.seq = e.${column}`,
    key: from.key,
    alias: 'e',
  })) {
    const name = `${from.name}: entry ${row.seq}${row.list === undefined ? '' : ` of list ${row.list}`}`;
    if (row.list !== list) before = -1;
    list = row.list;
    if (row.found === null) yield wrong(`${name} refers to ${to.name} ${row.position}, which does not exist`);
    if (row.position < before) yield wrong(`${name} is not in chain order`);
    before = row.position;
  }
}
