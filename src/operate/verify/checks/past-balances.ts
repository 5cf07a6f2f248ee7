import { unpackAmounts } from '../../../base/lib/number-bytes.ts';
import type { SqlValue, Table } from '../../../base/store/database.ts';
import {
  ADDRESS_TXS,
  LOCK_CHANGES,
  LOCKS_OF_ADDRESS,
  MINER_REWARD_TOTALS,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';

export const pastBalancesCheck: Check = {
  name: 'past balances',
  proves:
    'sums of accounts grow from transaction to transaction by what each moved; they, rewards and locks end with those of the account',

  async *run(context) {
    yield* transactions(context);
    yield* rewards(context);
    yield* locks(context);
  },
};

const last = (entries: Table, columns: string, kind: number): string =>
  `SELECT l.name, ${columns} FROM lists l JOIN ${entries.name} e ON e.list = l.id AND e.seq = l.length - 1
     WHERE l.kind = ${kind} AND l.name > ? ORDER BY l.name LIMIT 500`;

/** The newest entry of each list, by the name of the list. */
async function* newest<R extends Readonly<Record<string, SqlValue>>>(
  { index }: Context,
  entries: Table,
  columns: string,
  kind: number,
): AsyncIterable<R & { readonly name: string }> {
  for (let after = ''; ; ) {
    const rows = await index.all<R & { readonly name: string }>(last(entries, columns, kind), [after]);
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    after = end.name;
  }
}

async function* transactions(context: Context): AsyncIterable<Finding> {
  let list: number | undefined;
  let [received, spent] = [0n, 0n];
  for await (const entry of tableRows(context.index, ADDRESS_TXS, ['sent', 'received', 'totals'])) {
    const [allReceived = 0n, sent = 0n, fees = 0n] = unpackAmounts(entry.totals);
    const isFirst = entry.list !== list;
    const moved = [allReceived - received, sent + fees - spent].join();
    // Before its first transaction a principal can have paid fees of the boot block, in which it is listed for events alone.
    if (!isFirst && moved !== [entry.received, entry.sent].join())
      yield wrong(`address_txs: sums of entry ${entry.seq} of list ${entry.list} differ by ${moved} from those before`);
    [list, received, spent] = [entry.list, allReceived, sent + fees];
  }
  for await (const { name, totals } of newest<{ totals: Uint8Array }>(
    context,
    ADDRESS_TXS,
    'e.totals',
    TXS_OF_ADDRESS.code,
  )) {
    const sql = 'SELECT received, sent, fees FROM accounts WHERE principal = ?';
    const account = await context.index.get<{ received: string; sent: string; fees: string }>(sql, [name]);
    const kept = account ? [account.received, account.sent, account.fees] : ['0', '0', '0'];
    if (unpackAmounts(totals).join() !== kept.join())
      yield wrong(`address_txs: the last sums of ${name} are ${unpackAmounts(totals)}, those of its account ${kept}`);
  }
}

async function* rewards(context: Context): AsyncIterable<Finding> {
  for await (const { name, total } of newest<{ total: string }>(
    context,
    MINER_REWARD_TOTALS,
    'e.total',
    MINER_REWARDS_OF_ADDRESS.code,
  )) {
    const sql = 'SELECT rewards FROM accounts WHERE principal = ?';
    const account = await context.index.get<{ rewards: string }>(sql, [name]);
    if (account?.rewards !== total)
      yield wrong(`miner_rewards: the last of ${name} is ${total}, that of its account ${account?.rewards}`);
  }
}

async function* locks(context: Context): AsyncIterable<Finding> {
  for await (const { name, locks } of newest<{ locks: string }>(
    context,
    LOCK_CHANGES,
    'e.locks',
    LOCKS_OF_ADDRESS.code,
  )) {
    const sql = 'SELECT locks FROM locks WHERE principal = ?';
    const now = await context.index.get<{ locks: string }>(sql, [name]);
    if (now?.locks !== locks) yield wrong(`lock_changes: the last of ${name} is not what it has now`);
  }
}
