import { hexBytes } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { EVENTS_OF_TOKEN, historyName, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import { readTokenTotals } from '../../../index/token-balances/stored.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import { lastEntries } from '../../../ingest/indexer/last-entries.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsNumbered } from '../transactions/events.ts';

/**
 * Owners of tokens as of a block. The tables have the newest owners, so what changed above the block is taken back:
 *
 *     owned now, by an event up to the block      was owned then
 *     left above the block                        the last event up to the block names the owner
 *     came above the block, and did not leave     was not owned then
 */

/** A token with the event that gave it to its owner. */
export type GivenToken = RowOf<typeof NFT_OWNERS, 'asset' | 'token' | 'tx' | 'event_index'>;

/** How the tokens of an owner differ from those that it has now. */
interface PastHoldings {
  /** Tokens that left above the block, and that it had; others that it had are among those it has now, with an event up to the block. */
  readonly had: readonly GivenToken[];
  /** How many it has now that came above the block. */
  readonly cameSince: number;
}

/** Changes of one principal that are read at a time. */
const PART = 100;

/** @param assets identifiers; undefined for all. Costs as many rows as the owner's tokens moved above the block */
export async function pastHoldings(
  queries: Queries,
  budget: RowBudget,
  { owner, assets }: { readonly owner: string; readonly assets: readonly string[] | undefined },
  { transactions: end }: Horizon,
): Promise<PastHoldings> {
  const left = new Map<string, Pick<GivenToken, 'asset' | 'token'>>();
  const numbers = await classesOf(queries, budget, owner, assets);
  for await (const { asset, value } of departuresOf(queries, budget, numbers, end))
    left.set(`${asset} ${value}`, { asset, token: hexBytes(value) });
  const then = await ownersThen(queries, [...left.values()]);
  return {
    had: then.flatMap(({ owner: recipient, ...token }) => (recipient === owner ? [token] : [])),
    cameSince: await countSince(queries, { owner, assets }, end),
  };
}

/** The numbers of the rows of TOKEN_BALANCES that count the tokens of a principal. */
async function classesOf(
  queries: Queries,
  budget: RowBudget,
  owner: string,
  assets: readonly string[] | undefined,
): Promise<number[]> {
  type Class = RowOf<typeof TOKEN_BALANCES, 'token' | 'number'>;
  const numbers: number[] = [];
  for (let last: string | undefined = ''; last !== undefined; ) {
    const limit = await budget.take(PART);
    const rows: readonly Class[] = await queries.all<Class>(
      `SELECT token, number FROM token_balances WHERE principal = ? AND kind = 'nft' AND token > ? ORDER BY token LIMIT ?`,
      [owner, last, limit],
    );
    for (const { token, number } of rows) if (assets?.includes(token) ?? true) numbers.push(number);
    last = rows.length < limit ? undefined : rows.at(-1)?.token;
  }
  return numbers;
}

type Change = RowOf<typeof TOKEN_CHANGES, 'balance' | 'tx' | 'event_index' | 'totals'>;

/** The tokens of rows of TOKEN_BALANCES that left from a position on, once for each time. @param numbers of the rows */
async function* departuresOf(queries: Queries, budget: RowBudget, numbers: readonly number[], end: number) {
  let before: { readonly balance: number; readonly sent: bigint } | undefined;
  for await (const changes of changesOf(queries, budget, numbers, end)) {
    const departures: Change[] = [];
    for (const change of changes) {
      const { balance, totals } = change;
      const { sent } = readTokenTotals(totals);
      // What the first change of a row added to the tokens sent is not known.
      if (before?.balance === balance ? sent > before.sent : sent > 0n) departures.push(change);
      before = { balance, sent };
    }
    const eventOf = await eventsNumbered(queries, departures);
    for (const { tx, event_index } of departures) {
      const event = eventOf(tx, event_index);
      if (event?.kind === 'nft') yield event;
    }
  }
}

/** In parts: all that have few changes in one statement, and others for themselves. */
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

/** Rows whose changes are read together. */
const AT_ONCE = 64;

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

type Token = Pick<GivenToken, 'asset' | 'token'>;

/** The owners that these tokens had as of the block that the queries show; tokens without one are left out. */
async function ownersThen(queries: Queries, tokens: readonly Token[]) {
  const byName = new Map(tokens.map(token => [historyName(token), token]));
  const last = await lastEntries(queries, EVENTS_OF_TOKEN, [...byName.keys()], ['tx', 'event_index', 'recipient']);
  return [...last].flatMap(([name, { tx, event_index, recipient }]) => {
    const token = byName.get(name);
    return token && recipient !== null ? [{ ...token, tx, event_index, owner: recipient }] : [];
  });
}

/** A condition of SQL with a parameter for each asset; none for all assets. */
export const amongAssets = (assets: readonly string[] | undefined): string =>
  assets ? `AND asset IN (${assets.map(() => '?').join(', ')})` : '';

/** How many tokens a principal owns that came from a position on. */
async function countSince(
  queries: Queries,
  { owner, assets }: { readonly owner: string; readonly assets: readonly string[] | undefined },
  end: number,
): Promise<number> {
  const row = await queries.get<{ tokens: number }>(
    `SELECT count(*) AS tokens FROM nft_owners WHERE owner = ? AND tx >= ? ${amongAssets(assets)}`,
    [owner, end, ...(assets ?? [])],
  );
  return row?.tokens ?? 0;
}

/** Orders tokens by asset and value. */
export const compareTokens = (a: Token, b: Token): number =>
  a.asset === b.asset ? Buffer.compare(a.token, b.token) : a.asset < b.asset ? -1 : 1;
