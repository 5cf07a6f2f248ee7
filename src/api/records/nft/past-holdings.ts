import { hexBytes } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { EVENTS_OF_TOKEN, historyName, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import { lastEntries } from '../../../ingest/indexer/last-entries.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsNumbered } from '../transactions/events.ts';

/**
 * Owners of tokens as of a block. The tables have the newest owners, so what changed above the block is taken back:
 *
 *     owned now, by an event up to the block      was owned then
 *     came or left above the block                the last event up to the block names the owner
 */

/** A token with the event that gave it to its owner. */
export type GivenToken = RowOf<typeof NFT_OWNERS, 'asset' | 'token' | 'tx' | 'event_index'>;

/** How the tokens of an owner differ from those that it has now. */
interface PastHoldings {
  /** Tokens that came or left above the block, and that it had; others that it had are among those it has now, with an event up to the block. */
  readonly had: readonly GivenToken[];
  /** How many of those that came or left above the block it has now. */
  readonly hasNow: number;
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
  const moved = new Map<string, Pick<GivenToken, 'asset' | 'token'>>();
  const numbers = await classesOf(queries, budget, owner, assets);
  for await (const { asset, value } of movesOf(queries, budget, numbers, end))
    moved.set(`${asset} ${value}`, { asset, token: hexBytes(value) });
  const tokens = [...moved.values()];
  const then = await ownersThen(queries, tokens);
  return {
    had: then.flatMap(({ owner: recipient, ...token }) => (recipient === owner ? [token] : [])),
    hasNow: await countOwnedNow(queries, owner, tokens),
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

type Change = RowOf<typeof TOKEN_CHANGES, 'balance' | 'tx' | 'event_index'>;

/** The tokens of rows of TOKEN_BALANCES that moved from a position on, once for each move. @param numbers of the rows */
async function* movesOf(queries: Queries, budget: RowBudget, numbers: readonly number[], end: number) {
  for await (const changes of changesOf(queries, budget, numbers, end)) {
    const eventOf = await eventsNumbered(queries, changes);
    for (const { tx, event_index } of changes) {
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
      `SELECT balance, tx, event_index FROM token_changes WHERE balance IN (${marks}) AND tx >= ?
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
      `SELECT balance, tx, event_index FROM token_changes WHERE balance = ? AND (tx, event_index) > (?, ?)
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

/** How many of these tokens a principal owns now. */
async function countOwnedNow(queries: Queries, owner: string, tokens: readonly Token[]): Promise<number> {
  let count = 0;
  for (const [asset, ofAsset] of Map.groupBy(tokens, token => token.asset)) {
    const owned = await allIn<RowOf<typeof NFT_OWNERS, 'token'>>(
      queries,
      list => `SELECT token FROM nft_owners WHERE owner = ? AND asset = ? AND token IN ${list}`,
      ofAsset.map(({ token }) => token),
      [owner, asset],
    );
    count += owned.length;
  }
  return count;
}

/** Orders tokens by asset and value. */
export const compareTokens = (a: Token, b: Token): number =>
  a.asset === b.asset ? Buffer.compare(a.token, b.token) : a.asset < b.asset ? -1 : 1;
