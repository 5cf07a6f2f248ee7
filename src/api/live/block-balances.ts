import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import {
  ADDRESS_TXS,
  LOCKS_OF_ADDRESS,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../index/addresses/tables.ts';
import { halve } from '../../ingest/indexer/halving.ts';
import type { LISTS } from '../../ingest/indexer/tables.ts';
import { type AddressBalance, addressBalance } from '../records/addresses/balance.ts';
import { momentOf } from '../records/blocks/moment.ts';
import { LogEntry } from './entry.ts';
import { json, type LoggedBlock, shortOf } from './logged-block.ts';
import { PLACE, type PositionInBlock } from './token.ts';
import type { Interest } from './topics.ts';

/** Most principals in one statement. */
const PRINCIPALS_AT_ONCE = 128;

/**
 * The balances that the block changes: by its transactions, by rewards, by locks that end. @param members of its transactions; undefined
 * if not all transactions were read
 */
export async function balancesChanged(
  queries: Queries,
  block: LoggedBlock,
  members: ReadonlySet<string> | undefined,
  { balances }: Interest,
  pause: Pause,
): Promise<LogEntry[]> {
  const { height } = block.record;
  const entries: LogEntry[] = [];
  for (let start = 0; start < balances.length; start += PRINCIPALS_AT_ONCE) {
    const some = balances.slice(start, start + PRINCIPALS_AT_ONCE);
    const taking = members ?? (await membersAmong(queries, some, block));
    const alone = await mayChangeAlone(
      queries,
      some.filter(principal => !taking.has(principal)),
    );
    for (const principal of some) {
      await pause();
      if (!taking.has(principal) && !alone.has(principal)) continue;
      const [before, now] = [
        await balanceAt(queries, principal, height - 1),
        await balanceAt(queries, principal, height),
      ];
      if (JSON.stringify(before) === JSON.stringify(now)) continue;
      entries.push(balanceEntry(block, principal, now, PLACE.balance(principal)));
    }
  }
  return entries;
}

/** The principals that take part in transactions of the block. */
async function membersAmong(
  queries: Queries,
  principals: readonly string[],
  { firstTx, txRows }: LoggedBlock,
): Promise<ReadonlySet<string>> {
  const lists = await allIn<RowOf<typeof LISTS, 'id' | 'name' | 'length'>>(
    queries,
    list => `SELECT id, name, length FROM lists WHERE kind = ? AND name IN ${list}`,
    principals,
    [TXS_OF_ADDRESS.code],
  );
  const entriesBefore = (bound: number) =>
    halve(
      queries,
      { entries: ADDRESS_TXS, bounds: ['bound'], isBefore: 'e.tx < search.bound' },
      lists.map(({ id, length }) => ({ list: id, from: 0, to: length, bounds: { bound } })),
    );
  const [before, up] = [await entriesBefore(firstTx), await entriesBefore(firstTx + txRows)];
  return new Set(lists.filter((_, i) => before[i] !== up[i]).map(({ name }) => name));
}

/** The principals whose balance a block can change by a reward or an unlock, without a transaction. */
async function mayChangeAlone(queries: Queries, principals: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await allIn<{ name: string }>(
    queries,
    list => `SELECT name FROM lists WHERE kind IN (?, ?) AND name IN ${list}`,
    principals,
    [MINER_REWARDS_OF_ADDRESS.code, LOCKS_OF_ADDRESS.code],
  );
  return new Set(rows.map(({ name }) => name));
}

async function balanceAt(queries: Queries, principal: string, height: number): Promise<AddressBalance | undefined> {
  if (height < 1) return undefined;
  return addressBalance(
    queries,
    principal,
    await momentOf(queries, { until_block: String(height), unanchored: false }),
  );
}

function balanceEntry(
  block: LoggedBlock,
  principal: string,
  balance: AddressBalance | undefined,
  at: PositionInBlock,
): LogEntry {
  const topic = `balance:${principal}`;
  return new LogEntry(block.place(at), {
    event: 'balance',
    keys: [topic],
    full: () => json({ topic, canonical: true, principal, balance, block: shortOf(block) }),
    v1: () => json(balance ?? {}),
  });
}

/**
 * The subscribed balances at this block, after a rollback has made it the tip again. A client cannot compute them from the
 * rolled-back events.
 */
export async function balancesAfterRollback(
  queries: Queries,
  block: LoggedBlock,
  { balances }: Interest,
  pause: Pause,
): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (const principal of balances) {
    await pause();
    const balance = await balanceAt(queries, principal, block.record.height);
    entries.push(balanceEntry(block, principal, balance, PLACE.balanceAfterRollback(principal)));
  }
  return entries;
}
