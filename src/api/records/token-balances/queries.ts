import { amountOfBytes, bytesGreatestFirst } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { HELD_BEFORE, readTokenTotals, TOTALS_BEFORE } from '../../../index/token-balances/stored.ts';
import {
  TOKEN_BALANCES,
  type TOKEN_CHANGES,
  type TOKENS_HELD,
  type TOKENS_HELD_THEN,
} from '../../../index/token-balances/tables.ts';
import { endOfTransactions, type Horizon, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import type { Moment } from '../blocks/moment.ts';
import { type BalanceThen, type PeakedRows, richestThen } from './richest-then.ts';

/** Amounts of a token that a principal has received and sent: in its smallest unit, or a number of NFTs. */
interface TokenSums {
  readonly kind: string;
  /** Asset identifier. */
  readonly token: string;
  readonly received: bigint;
  readonly sent: bigint;
}

/** All tokens that any event up to a moment moved from or to a principal, including those with a balance of zero. */
export async function tokenSumsOf(queries: Queries, principal: string, moment: Moment): Promise<TokenSums[]> {
  return moment.isNow ? currentTokens(queries, principal) : tokensAt(queries, principal, moment);
}

async function currentTokens(queries: Queries, principal: string): Promise<TokenSums[]> {
  const rows = await queries.all<RowOf<typeof TOKEN_BALANCES, 'kind' | 'token' | 'received' | 'sent'>>(
    'SELECT kind, token, received, sent FROM token_balances WHERE principal = ? ORDER BY kind, token',
    [principal],
  );
  return rows.map(({ kind, token, received, sent }) => ({
    kind,
    token,
    received: BigInt(received),
    sent: BigInt(sent),
  }));
}

/** Does one seek for each token. */
async function tokensAt(queries: Queries, principal: string, { txs }: Moment): Promise<TokenSums[]> {
  type Found = RowOf<typeof TOKEN_BALANCES, 'kind' | 'token'> & {
    readonly totals: RowOf<typeof TOKEN_CHANGES>['totals'] | null;
  };
  const rows = await queries.all<Found>(
    `SELECT b.kind, b.token, ${TOTALS_BEFORE} AS totals FROM token_balances b WHERE b.principal = ? ORDER BY b.kind, b.token`,
    [txs, principal],
  );
  return rows.flatMap(({ kind, token, totals }) => {
    if (totals === null) return [];
    return [{ kind, token, ...readTokenTotals(totals) }];
  });
}

/** A fungible token that a principal has or had. */
export interface TokenHolding {
  readonly principal: string;
  /** Asset identifier. */
  readonly token: string;
  /** In the smallest unit. */
  readonly balance: bigint;
}

/**
 * The fungible tokens of all principals as of the block that the queries show, one seek a token.
 * @param after the page begins after this principal and token; undefined for the first page
 */
export async function tokenHoldingsAfter(
  queries: Queries,
  after: Pick<TokenHolding, 'principal' | 'token'> | undefined,
  limit: number,
): Promise<TokenHolding[]> {
  type Found = RowOf<typeof TOKEN_BALANCES, 'principal' | 'token'> & OuterRowOf<typeof TOKEN_CHANGES, 'held'>;
  const rows = await queries.all<Found>(
    `SELECT b.principal, b.token, ${HELD_BEFORE} AS held FROM token_balances b
      WHERE b.kind = 'ft' AND (b.principal, b.kind, b.token) > (?, 'ft', ?) ORDER BY b.principal, b.kind, b.token LIMIT ?`,
    [endOfTransactions(queries), after?.principal ?? '', after?.token ?? '', limit],
  );
  return rows.map(({ principal, token, held }) => ({ principal, token, balance: amountIn(held) }));
}

/** The current number of accounts and of fungible tokens of accounts, including those without a balance. */
export async function countHoldings(queries: Queries): Promise<number> {
  const row = await queries.get<{ count: number }>(
    `SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM token_balances WHERE kind = 'ft') AS count`,
  );
  return row?.count ?? 0;
}

/** A fungible token that a principal holds. */
export interface HeldToken {
  /** Asset identifier. */
  readonly token: string;
  /** In the smallest unit, decimal. */
  readonly balance: string;
}

/**
 * A page of the fungible tokens that a principal has, by their identifiers in lower case, and their number. Reads and
 * sorts all tokens that the principal has or had. Changes that only microblocks on the tip made do not count.
 */
export async function heldTokensOf(
  queries: Queries,
  budget: RowBudget,
  principal: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly tokens: readonly HeldToken[] }> {
  const horizon = horizonOf(queries);
  if (horizon) {
    const total = await countHeldThen(queries, principal, horizon);
    const wanted = { rows: Math.min(limit, total - offset), offset };
    return { total, tokens: wanted.rows > 0 ? await heldByName(queries, budget, { principal, horizon }, wanted) : [] };
  }
  const held = await queries.get<RowOf<typeof TOKENS_HELD, 'fts'>>('SELECT fts FROM tokens_held WHERE principal = ?', [
    principal,
  ]);
  const total = held?.fts ?? 0;
  if (offset >= total) return { total, tokens: [] };
  const rows = await queries.all<RowOf<typeof TOKEN_BALANCES, 'token' | 'balance'>>(
    `SELECT token, balance FROM token_balances WHERE principal = ? AND kind = 'ft' AND balance < ?
      ORDER BY lower(token), token LIMIT ? OFFSET ?`,
    [principal, bytesGreatestFirst(0n), limit, offset],
  );
  return {
    total,
    tokens: rows.map(({ token, balance }) => ({
      token,
      balance: String(balance === null ? 0n : amountOfBytes(balance)),
    })),
  };
}

/** The balance of a principal in a fungible token at a moment, in its smallest unit; zero for an unknown token. */
export async function balanceOfToken(
  queries: Queries,
  principal: string,
  token: string,
  moment: Moment,
): Promise<bigint> {
  const ofToken = `FROM token_balances b WHERE b.principal = ? AND b.kind = 'ft' AND b.token = ?`;
  if (moment.isNow) {
    const row = await queries.get<RowOf<typeof TOKEN_BALANCES, 'received' | 'sent'>>(
      `SELECT b.received, b.sent ${ofToken}`,
      [principal, token],
    );
    return row ? BigInt(row.received) - BigInt(row.sent) : 0n;
  }
  const row = await queries.get<OuterRowOf<typeof TOKEN_CHANGES, 'held'>>(`SELECT ${HELD_BEFORE} AS held ${ofToken}`, [
    moment.txs,
    principal,
    token,
  ]);
  return amountIn(row?.held);
}

/** @param bytes null where a principal never had the token */
const amountIn = (bytes: Uint8Array | null | undefined): bigint => (bytes ? amountOfBytes(bytes) : 0n);

/** A token, and the position of a transaction. */
interface TokenAfterTransaction {
  readonly kind: 'ft' | 'nft';
  /** Asset identifier. */
  readonly token: string;
  readonly tx: number;
}

/**
 * A principal's balances of tokens after transactions, in the smallest unit or as a number of NFTs; one seek for each.
 * @returns a function that gives the balance for one of these tokens and transactions; zero for others
 */
export async function tokensAfter(
  queries: Queries,
  principal: string,
  wanted: readonly TokenAfterTransaction[],
): Promise<(one: TokenAfterTransaction) => bigint> {
  const keyOf = ({ kind, token, tx }: TokenAfterTransaction) => `${tx} ${kind} ${token}`;
  const distinct = [...new Map(wanted.map(one => [keyOf(one), one])).values()];
  const rows = await allIn<RowOf<typeof TOKEN_BALANCES, 'kind' | 'token' | 'number'>>(
    queries,
    list => `SELECT kind, token, number FROM token_balances WHERE principal = ? AND token IN ${list}`,
    [...new Set(distinct.map(({ token }) => token))],
    [principal],
  );
  const numbers = new Map(rows.map(({ kind, token, number }) => [`${kind} ${token}`, number]));
  const found = await Promise.all(
    distinct.map(async one => {
      const change = await queries.get<RowOf<typeof TOKEN_CHANGES, 'held'>>(
        'SELECT held FROM token_changes WHERE balance = ? AND tx < ? ORDER BY tx DESC, event_index DESC LIMIT 1',
        [numbers.get(`${one.kind} ${one.token}`) ?? null, one.tx + 1],
      );
      return [keyOf(one), amountIn(change?.held)] as const;
    }),
  );
  const balances = new Map(found);
  return one => balances.get(keyOf(one)) ?? 0n;
}

/** The first row of a page of held tokens. */
export interface HeldPosition {
  readonly balance: bigint;
  /** Asset identifier. */
  readonly token: string;
}

/** Sorts before the bytes of every balance. */
const BEFORE_ALL = new Uint8Array();

/** Tokens held, the greatest balance first: `from` a position on; and `before` it, the nearest first. */
export async function heldTokensAround(
  queries: Queries,
  budget: RowBudget,
  principal: string,
  { place: at, limit }: { readonly place: HeldPosition | undefined; readonly limit: number },
): Promise<{ readonly total: number; readonly from: readonly HeldToken[]; readonly before: readonly HeldToken[] }> {
  const horizon = horizonOf(queries);
  if (horizon) {
    const total = await countHeldThen(queries, principal, horizon);
    if (total === 0) return { total, from: [], before: [] };
    const source = { ...HELD_TOKENS, params: [principal], bound: horizon.transactions };
    const place = at && { name: at.token, balance: at.balance };
    const wanted = { place, rows: Math.min(limit + 1, total), before: limit, total, withZero: false };
    const { from, before } = await richestThen(queries, budget, source, wanted);
    return { total, from: from.map(shownToken), before: before.map(shownToken) };
  }
  const held = await queries.get<RowOf<typeof TOKENS_HELD, 'fts'>>('SELECT fts FROM tokens_held WHERE principal = ?', [
    principal,
  ]);
  const read = async (condition: string, params: readonly SqlValue[], order: 'ASC' | 'DESC', count: number) => {
    const rows = await queries.all<RowOf<typeof TOKEN_BALANCES, 'token' | 'balance'>>(
      `SELECT token, balance FROM token_balances WHERE principal = ? AND balance > ? AND balance < ? ${condition}
        ORDER BY balance ${order}, token ${order} LIMIT ${count}`,
      [principal, BEFORE_ALL, bytesGreatestFirst(0n), ...params],
    );
    return rows.map(({ token, balance }) => ({
      token,
      balance: String(balance === null ? 0n : amountOfBytes(balance)),
    }));
  };
  const place = at && [bytesGreatestFirst(at.balance), at.token];
  return {
    total: held?.fts ?? 0,
    from: place
      ? await read('AND (balance, token) >= (?, ?)', place, 'ASC', limit + 1)
      : await read('', [], 'ASC', limit + 1),
    before: place ? await read('AND (balance, token) < (?, ?)', place, 'DESC', limit) : [],
  };
}

/** As of a block: the fungible tokens of a principal. */
const HELD_TOKENS: Omit<PeakedRows, 'params' | 'bound'> = {
  table: TOKEN_BALANCES,
  name: 'token',
  condition: 'principal = ? AND',
  held: HELD_BEFORE,
};

const shownToken = ({ name, balance }: BalanceThen): HeldToken => ({ token: name, balance: String(balance) });

/** How many fungible tokens a principal held as of a block. */
async function countHeldThen(queries: Queries, principal: string, { height }: Horizon): Promise<number> {
  const row = await queries.get<OuterRowOf<typeof TOKENS_HELD_THEN, 'fts'>>(
    `SELECT (SELECT t.fts FROM tokens_held_then t WHERE t.holder = h.number AND t.height <= ? ORDER BY t.height DESC LIMIT 1) AS fts
       FROM tokens_held h WHERE h.principal = ?`,
    [height, principal],
  );
  return row?.fts ?? 0;
}

/** Tokens that a search reads beyond the size of a page. */
const SPARE = 8;
/** Tokens that are read at a time, at most. */
const MOST = 500;

/** Some of the fungible tokens that a principal held as of a block, by their identifiers in lower case. It seeks once for each token up to the last one. */
async function heldByName(
  queries: Queries,
  budget: RowBudget,
  { principal, horizon }: { readonly principal: string; readonly horizon: Horizon },
  { rows, offset }: { readonly rows: number; readonly offset: number },
): Promise<HeldToken[]> {
  const held: HeldToken[] = [];
  for (let passed = 0; held.length < offset + rows; ) {
    const count = await budget.take(Math.min(offset + rows - held.length + SPARE, MOST));
    const found = await queries.all<RowOf<typeof TOKEN_BALANCES, 'token'> & OuterRowOf<typeof TOKEN_CHANGES, 'held'>>(
      `SELECT b.token, ${HELD_BEFORE} AS held FROM (
         SELECT token, number FROM token_balances WHERE principal = ? AND kind = 'ft' ORDER BY lower(token), token LIMIT ? OFFSET ?
       ) AS b ORDER BY lower(b.token), b.token`,
      [horizon.transactions, principal, count, passed],
    );
    for (const { token, held: bytes } of found) {
      const balance = amountIn(bytes);
      if (balance > 0n) held.push({ token, balance: String(balance) });
    }
    passed += found.length;
    if (found.length < count) break;
  }
  return held.slice(offset, offset + rows);
}

/** The tokens of a principal as getAccountBalanceV1 serves them, by asset identifier. */
export function tokensByAssetV1(tokens: readonly TokenSums[]) {
  const of = <T>(kind: string, record: (token: TokenSums) => T): Record<string, T> =>
    Object.fromEntries(tokens.filter(token => token.kind === kind).map(token => [token.token, record(token)]));
  return {
    fungible_tokens: of('ft', token => ({ balance: left(token), ...totals(token) })),
    non_fungible_tokens: of('nft', token => ({ count: left(token), ...totals(token) })),
  };
}

const left = ({ received, sent }: TokenSums): string => String(received - sent);

const totals = ({ received, sent }: TokenSums) => ({ total_sent: String(sent), total_received: String(received) });
