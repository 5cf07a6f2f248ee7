import { amountOfBytes } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { STX_AT } from '../../../index/addresses/stx-balances.ts';
import { type ACCOUNTS, MINER_REWARDS_OF_ADDRESS, type STX_BALANCES } from '../../../index/addresses/tables.ts';
import { type FT_EVENTS, FT_EVENTS_OF } from '../../../index/events/tables.ts';
import { HELD_BEFORE } from '../../../index/token-balances/stored.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import { findList, wholeList } from '../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { moversOfStx } from '../transactions/stx-movers.ts';

/** Holders of a token whose balance has changed since a block. */

/** A balance in the smallest unit, without the changes by unanchored microblocks; undefined for a principal that was not a holder. */
interface ChangedHolder {
  readonly now: bigint | undefined;
  readonly past: bigint | undefined;
}

/** Events, or recipients of rewards, that are read at a time. */
const PART = 100;

/** A transfer, a mint (without a sender) or a burn (without a recipient). */
interface FtMove {
  readonly sender: string | null;
  readonly recipient: string | null;
  /** In the smallest unit, decimal. */
  readonly amount: string;
}

/** The events of a fungible token in blocks above the block as of which the queries read, from the budget. */
async function* ftEventsAbove(queries: Queries, budget: RowBudget, asset: string): AsyncIterable<FtMove> {
  const all = await wholeList(queries, FT_EVENTS_OF, asset);
  if (!all) return;
  // Lists of holders do not include the changes by unanchored microblocks.
  const end = await endOfBlocksNow(queries);
  for (let from = (await findList(queries, FT_EVENTS_OF, asset))?.length ?? 0; from < all.length; ) {
    const to = from + (await budget.take(Math.min(PART, all.length - from)));
    const rows = await queries.all<RowOf<typeof FT_EVENTS, 'tx' | 'event_index'>>(
      'SELECT tx, event_index FROM ft_events WHERE list = ? AND seq >= ? AND seq < ? AND tx < ?',
      [all.id, from, to, end],
    );
    const eventOf = await eventsNumbered(queries, rows);
    for (const { tx, event_index } of rows) {
      const event = eventOf(tx, event_index);
      if (event?.kind === 'ft') yield event;
    }
    from = to;
  }
}

/** The position after the transactions of all blocks that the chain has now. */
export async function endOfBlocksNow(queries: Queries): Promise<number> {
  const blocks = await queries.get<{ end: number }>(
    'SELECT first_tx + tx_rows AS "end" FROM blocks ORDER BY seq DESC LIMIT 1',
  );
  return blocks?.end ?? 0;
}

/** The principals that sent or received a fungible token above the block, by principal. */
export async function changedOwners(
  queries: Queries,
  budget: RowBudget,
  asset: string,
  { transactions: end }: Horizon,
): Promise<ReadonlyMap<string, ChangedHolder>> {
  const parties = new Set<string>();
  for await (const { sender, recipient } of ftEventsAbove(queries, budget, asset))
    for (const party of [sender, recipient]) if (party !== null) parties.add(party);
  const changed = new Map<string, ChangedHolder>();
  for (const principal of parties) {
    await budget.take(1);
    const row = await queries.get<RowOf<typeof TOKEN_BALANCES, 'balance'> & OuterRowOf<typeof TOKEN_CHANGES, 'held'>>(
      `SELECT b.balance, ${HELD_BEFORE} AS held FROM token_balances b
        WHERE b.principal = ? AND b.kind = 'ft' AND b.token = ?`,
      [end, principal, asset],
    );
    changed.set(principal, { now: amountIn(row?.balance), past: amountIn(row?.held) });
  }
  return changed;
}

const amountIn = (bytes: Uint8Array | null | undefined): bigint | undefined =>
  bytes ? amountOfBytes(bytes) : undefined;

/** The STX balances as of the block, for the accounts whose balance changed above it by a fee, an event or a reward. */
export async function changedAccounts(
  queries: Queries,
  budget: RowBudget,
  horizon: Horizon,
): Promise<ReadonlyMap<string, bigint | undefined>> {
  const movers = [...(await stxMovers(queries, budget, horizon))];
  const changed = new Map<string, bigint | undefined>();
  for (let from = 0; from < movers.length; ) {
    const part = movers.slice(from, from + (await budget.take(Math.min(PART, movers.length - from))));
    const rows = await allIn<RowOf<typeof ACCOUNTS, 'principal'> & OuterRowOf<typeof STX_BALANCES, 'balance'>>(
      queries,
      list => `SELECT b.principal, ${STX_AT} AS balance FROM accounts b WHERE b.principal IN ${list}`,
      part,
      [horizon.height],
    );
    for (const { principal, balance } of rows) changed.set(principal, amountIn(balance));
    from += part.length;
  }
  return changed;
}

async function stxMovers(queries: Queries, budget: RowBudget, { transactions, height }: Horizon): Promise<Set<string>> {
  const movers = new Set<string>();
  const span = { from: transactions, to: await endOfBlocksNow(queries) };
  for await (const mover of moversOfStx(queries, budget, span)) movers.add(mover);
  for await (const recipient of rewardedAbove(queries, budget, height)) movers.add(recipient);
  return movers;
}

/** The recipients of rewards that matured above a height: reads the last reward of each recipient. */
async function* rewardedAbove(queries: Queries, budget: RowBudget, height: number): AsyncIterable<string> {
  for (let [last, limit] = ['', 0]; ; ) {
    limit = await budget.take(PART);
    const rows = await queries.all<{ name: string; height: number }>(
      `SELECT l.name, (SELECT r.height FROM miner_rewards r WHERE r.list = l.id AND r.seq = l.length - 1) AS height
        FROM lists l WHERE l.kind = ${MINER_REWARDS_OF_ADDRESS.code} AND l.name > ? ORDER BY l.name LIMIT ?`,
      [last, limit],
    );
    for (const row of rows) if (row.height > height) yield row.name;
    last = rows.at(-1)?.name ?? last;
    if (rows.length < limit) return;
  }
}
