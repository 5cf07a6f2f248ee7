import { compareTexts } from '../../../base/lib/compare.ts';
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { EVENTS_OF_TOKEN, historyName, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import { readTokenTotals, TOTALS_BEFORE } from '../../../index/token-balances/stored.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import { lastEntries } from '../../../ingest/indexer/last-entries.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { countTokens, type TokensOf } from './counts.ts';
import { departuresOf, type TokenClass } from './departures.ts';

/**
 * Owners of tokens as of a block. The tables have the newest owners, so changes above the block are reversed:
 *
 *     owned now, by an event up to the block      was owned then
 *     left above the block                        the last event up to the block names the owner
 *     came above the block, and did not leave     was not owned then
 *
 * The index keeps sums of incoming and outgoing tokens for each class of tokens. They show the number of tokens, and whether any left above the block,
 * without reading events. A page reads only events of the classes that it may have.
 */

/** A token with the event that gave it to its owner. */
export type GivenToken = RowOf<typeof NFT_OWNERS, 'asset' | 'token' | 'tx' | 'event_index'>;

/** The tokens of an owner as of a block. */
export interface PastHoldings {
  readonly total: number;
  /** Number of times that tokens left above the block. */
  readonly left: number;
  /**
   * Tokens that it had as of the block and that left above it. Its other tokens as of the block are among its current ones, with an event up to the
   * block. Costs as many rows as tokens left. @param isWanted which assets; tokens of others may be left out
   */
  had(isWanted?: (asset: string) => boolean): Promise<readonly GivenToken[]>;
  /**
   * Those of them that came with one of these tokens or later: reads the owner's changes from then up to the block.
   * @param kept the last tokens that it had then and has now, in the order from the newest
   * @returns undefined if there are too many changes
   */
  hadSince(kept: readonly GivenToken[]): Promise<readonly GivenToken[] | undefined>;
}

/** Classes, or changes, that are read at a time. */
const PART = 128;

export async function pastHoldings(
  queries: Queries,
  budget: RowBudget,
  of: TokensOf,
  { transactions: end }: Horizon,
): Promise<PastHoldings> {
  const { owner, assets } = of;
  const { classes, now, then } = await classesOf(queries, budget, of, end);
  const hadOf = async (some: readonly TokenClass[]) => {
    const left = new Map<string, Token>();
    for await (const { asset, value } of departuresOf(queries, budget, some, end))
      left.set(`${asset} ${value}`, { asset, token: hexBytes(value) });
    const owners = await ownersThen(queries, [...left.values()]);
    return owners.flatMap(({ owner: recipient, ...token }) => (recipient === owner ? [token] : []));
  };
  const leaving = classes.filter(({ left }) => left > 0);
  const total = await countTokens(queries, of);
  // Principals got their first names without events in the chain. Without such names, the sums are the numbers of tokens.
  const all = total === now ? undefined : await hadOf(leaving);
  return {
    total: all ? total + all.length - (await countSince(queries, of, end)) : then,
    left: leaving.reduce((sum, { left }) => sum + left, 0),
    had: async isWanted => all ?? hadOf(leaving.filter(({ asset }) => isWanted?.(asset) ?? true)),
    hadSince: async kept => all ?? hadBetween(queries, budget, { owner, assets, kept, end }),
  };
}

/** The classes of tokens of an owner, and the number of tokens that came minus those that left: now, and as of the block. */
async function classesOf(queries: Queries, budget: RowBudget, { owner, assets }: TokensOf, end: number) {
  type Class = RowOf<typeof TOKEN_BALANCES, 'token' | 'number' | 'received' | 'sent'> & {
    readonly totals: RowOf<typeof TOKEN_CHANGES>['totals'] | null;
  };
  const classes: TokenClass[] = [];
  let [now, then] = [0, 0];
  for (let last: string | undefined = ''; last !== undefined; ) {
    const limit = await budget.take(PART);
    const rows: readonly Class[] = await queries.all<Class>(
      `SELECT b.token, b.number, b.received, b.sent, ${TOTALS_BEFORE} AS totals FROM token_balances b
        WHERE b.principal = ? AND b.kind = 'nft' AND b.token > ? ${amongAssets(assets, 'b.token')} ORDER BY b.token LIMIT ?`,
      [end, owner, last, ...(assets ?? []), limit],
    );
    for (const { token: asset, number, totals, ...sums } of rows) {
      const before = readTokenTotals(totals);
      const [sentThen, receivedThen] = [Number(before.sent), Number(before.received)];
      classes.push({ asset, number, leftBefore: sentThen, left: Number(sums.sent) - sentThen });
      now += Number(sums.received) - Number(sums.sent);
      then += receivedThen - sentThen;
    }
    last = rows.length < limit ? undefined : rows.at(-1)?.token;
  }
  return { classes, now, then };
}

/** Most changes to read: as many as belong to 200 tokens of an owner that gives half of its tokens away. */
const MOST_BETWEEN = 400;

/** Tokens that an owner had and that came since the last one of the kept tokens. */
async function hadBetween(
  queries: Queries,
  budget: RowBudget,
  { owner, assets, kept, end }: TokensOf & { readonly kept: readonly GivenToken[]; readonly end: number },
): Promise<readonly GivenToken[] | undefined> {
  const most = await budget.take(MOST_BETWEEN);
  const changes = await queries.all<RowOf<typeof TOKEN_CHANGES, 'tx' | 'event_index'>>(
    `SELECT c.tx, c.event_index FROM token_balances b CROSS JOIN token_changes c
      WHERE b.principal = ? AND b.kind = 'nft' ${amongAssets(assets, 'b.token')} AND c.balance = b.number AND c.tx >= ? AND c.tx < ?
      LIMIT ?`,
    [owner, ...(assets ?? []), kept.at(-1)?.tx ?? 0, end, most],
  );
  if (changes.length === most) return undefined;
  const nameOf = ({ tx, event_index }: (typeof changes)[number]) => `${tx} ${event_index}`;
  const known = new Set(kept.map(nameOf));
  const others = changes
    .filter(change => !known.has(nameOf(change)))
    .sort((a, b) => a.tx - b.tx || a.event_index - b.event_index);
  const eventOf = await eventsNumbered(queries, others);
  const had = new Map<string, GivenToken>();
  for (const { tx, event_index } of others) {
    const event = eventOf(tx, event_index);
    if (event?.kind !== 'nft') continue;
    const { asset, value, recipient } = event;
    if (recipient === owner) had.set(`${asset} ${value}`, { asset, token: hexBytes(value), tx, event_index });
    else had.delete(`${asset} ${value}`);
  }
  // A kept token that the owner sent to itself came twice.
  for (const { asset, token } of kept) had.delete(`${asset} ${toHex(token)}`);
  return [...had.values()];
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
export const amongAssets = (assets: readonly string[] | undefined, column = 'asset'): string =>
  assets ? `AND ${column} IN (${assets.map(() => '?').join(', ')})` : '';

/** Number of tokens of a principal that came from a position on. */
async function countSince(queries: Queries, { owner, assets }: TokensOf, end: number): Promise<number> {
  const row = await queries.get<{ tokens: number }>(
    `SELECT count(*) AS tokens FROM nft_owners WHERE owner = ? AND tx >= ? ${amongAssets(assets)}`,
    [owner, end, ...(assets ?? [])],
  );
  return row?.tokens ?? 0;
}

/** Orders tokens by asset and value. */
export const compareTokens = (a: Token, b: Token): number =>
  compareTexts(a.asset, b.asset) || Buffer.compare(a.token, b.token);
