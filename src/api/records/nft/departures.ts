import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTokenTotals } from '../../../index/token-balances/stored.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsNumbered } from '../transactions/events.ts';

/** Changes of one principal that are read at a time. */
const PART = 100;

/** Rows whose changes are read together. */
const AT_ONCE = 64;

type Change = RowOf<typeof TOKEN_CHANGES, 'balance' | 'tx' | 'event_index' | 'totals'>;

/** The tokens of one asset of an owner. */
export interface TokenClass extends RowOf<typeof TOKEN_BALANCES, 'number'> {
  readonly asset: string;
  /** Number of times that tokens left the owner: as of the block, and above it. */
  readonly leftBefore: number;
  readonly left: number;
}

/** The events from a position on by which tokens of some classes left their owner, each departure once. */
export async function* departuresOf(queries: Queries, budget: RowBudget, classes: readonly TokenClass[], end: number) {
  const sentOf = new Map(classes.map(({ number, leftBefore }) => [number, leftBefore]));
  for await (const changes of changesOf(queries, budget, [...sentOf.keys()], end)) {
    const departures: Change[] = [];
    for (const change of changes) {
      const sent = Number(readTokenTotals(change.totals).sent);
      if (sent > (sentOf.get(change.balance) ?? 0)) departures.push(change);
      sentOf.set(change.balance, sent);
    }
    const eventOf = await eventsNumbered(queries, departures);
    for (const { tx, event_index } of departures) {
      const event = eventOf(tx, event_index);
      if (event?.kind === 'nft') yield event;
    }
  }
}

/** Changes in parts: one statement reads all rows with few changes, other rows are read one by one. */
async function* changesOf(
  queries: Queries,
  budget: RowBudget,
  numbers: readonly number[],
  end: number,
): AsyncIterable<readonly Change[]> {
  for (let rest = numbers.toSorted((a, b) => a - b); rest.length > 0; ) {
    const some = rest.slice(0, AT_ONCE);
    const marks = some.map(() => '?').join(', ');
    const limit = await budget.take(PART);
    const rows = await queries.all<Change>(
      `SELECT balance, tx, event_index, totals FROM token_changes WHERE balance IN (${marks}) AND tx >= ?
        ORDER BY balance, tx, event_index LIMIT ?`,
      [...some, end, limit],
    );
    yield rows;
    const last = rows.length < limit ? undefined : rows.at(-1);
    if (last) yield* changesAfter(queries, budget, last);
    const done = last?.balance ?? some.at(-1) ?? 0;
    rest = rest.filter(number => number > done);
  }
}

/** The changes of the same row after one of them. */
async function* changesAfter(queries: Queries, budget: RowBudget, first: Change): AsyncIterable<readonly Change[]> {
  for (let last: Change | undefined = first; last !== undefined; ) {
    const limit = await budget.take(PART);
    const rows: readonly Change[] = await queries.all<Change>(
      `SELECT balance, tx, event_index, totals FROM token_changes WHERE balance = ? AND (tx, event_index) > (?, ?)
        ORDER BY tx, event_index LIMIT ?`,
      [last.balance, last.tx, last.event_index, limit],
    );
    yield rows;
    last = rows.length < limit ? undefined : rows.at(-1);
  }
}
