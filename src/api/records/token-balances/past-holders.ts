import { amountOfBytes, bytesGreatestFirst } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { ACCOUNTS } from '../../../index/addresses/tables.ts';
import type { TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { changedOwners } from './changed-holders.ts';

/**
 * The holders of a token as of a block. The tables have only the newest balances in the order of lists of holders. So this reads them without the
 * holders whose balance changed above the block, and inserts these with the balance that they had:
 *
 *     now     alice 70, carol 50, bob 20        above the block bob sent alice 30, and carol 10
 *     then    bob 60, carol 40, alice 40
 */

/** A place in the list of holders, by balance and address; it need not have a holder. */
export interface HolderPosition {
  readonly balance: bigint;
  readonly principal: string;
}

/** The place to begin at, and the direction: `>=` and `>` give poorer holders, `<` gives richer ones, the nearest first. */
interface HoldersFrom {
  readonly where: '>=' | '>' | '<';
  readonly place: HolderPosition;
}

/** The earlier balances of the principals whose balance has changed since; undefined for those that were not holders. */
export type BalancesThen = ReadonlyMap<string, bigint | undefined>;

export interface PastHolders {
  /** Also those with a balance of zero or below. */
  readonly total: number;
  readonly positive: number;
  /** The sum of all balances. */
  readonly supply: bigint;
  /** A number of holders, the richest first. @param after how many of the richest to skip */
  first(rows: number, after: number): Promise<readonly HolderPosition[]>;
  /** The holders with a balance above zero from a place on (from the richest, without a place): one more than the limit. */
  around(place: HolderPosition | undefined, limit: number): Promise<HoldersAround>;
}

interface HoldersAround {
  readonly from: readonly HolderPosition[];
  /** Up to the limit of holders before them, the nearest first; empty without a place. */
  readonly before: readonly HolderPosition[];
}

/** After every holder with a balance above zero. */
export const AFTER_POSITIVE: HolderPosition = { balance: 0n, principal: '' };

export interface HoldersSource {
  readonly queries: Queries;
  readonly horizon: Horizon;
  /** Asset identifier, or `stx`. */
  readonly token: string;
  readonly budget: RowBudget;
}

/** The holders of a fungible token as of the block that the queries show. It reads all events of the token above the block, from the budget. */
export async function pastFtHolders(source: HoldersSource): Promise<PastHolders> {
  const { queries, horizon, token, budget } = source;
  const changes = await changedOwners(queries, budget, token, horizon);
  const now = await queries.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>>(
    'SELECT holders, positive, supply FROM token_holders WHERE token = ?',
    [token],
  );
  let [total, positive, supply] = [now?.holders ?? 0, now?.positive ?? 0, BigInt(now?.supply ?? 0)];
  for (const { now: later, past } of changes.values()) {
    if (later !== undefined && past === undefined) total--;
    positive += Number((past ?? 0n) > 0n) - Number((later ?? 0n) > 0n);
    supply += (past ?? 0n) - (later ?? 0n);
  }
  const changed = new Map([...changes].map(([principal, { past }]) => [principal, past]));
  return {
    total,
    positive,
    supply,
    first: (rows, after) => takeMerged(source, changed, { from: undefined, rows, after }),
    around: (place, limit) => aroundMerged(source, changed, place, limit),
  };
}

/** The order of lists of holders: the richest first, then by address. */
const compareHolders = (a: HolderPosition, b: HolderPosition): number =>
  a.balance === b.balance
    ? Number(a.principal > b.principal) - Number(a.principal < b.principal)
    : Number(a.balance < b.balance) - Number(a.balance > b.balance);

/** Whether a holder is at a place, or on that side of it. */
function isBeyond(holder: HolderPosition, { where, place }: HoldersFrom): boolean {
  const compared = compareHolders(holder, place);
  return where === '<' ? compared < 0 : where === '>' ? compared > 0 : compared >= 0;
}

/** The wanted holders: a number of them from a place on (from the richest, without a place), after skipping some. */
interface HoldersWanted {
  readonly from: HoldersFrom | undefined;
  readonly rows: number;
  readonly after: number;
}

/** Merges the newest holders with those that changed, and takes the wanted ones; reads from the budget. @param changed all holders that changed above the block */
export async function takeMerged(
  source: HoldersSource,
  changed: BalancesThen,
  { from, rows, after }: HoldersWanted,
): Promise<HolderPosition[]> {
  const found: HolderPosition[] = [];
  let passed = 0;
  for await (const holder of merged(source, changed, from)) {
    if (passed++ < after) continue;
    found.push(holder);
    if (found.length >= rows) break;
  }
  return found;
}

/** Does the work of PastHolders.around. */
export async function aroundMerged(
  source: HoldersSource,
  changed: BalancesThen,
  place: HolderPosition | undefined,
  limit: number,
): Promise<HoldersAround> {
  const wanted = { from: place && { where: '>=' as const, place }, rows: limit + 1, after: 0 };
  const from = (await takeMerged(source, changed, wanted)).filter(({ balance }) => balance > 0n);
  if (place === undefined) return { from, before: [] };
  const before = { where: '<' as const, place: from[0] ?? AFTER_POSITIVE };
  return { from, before: await takeMerged(source, changed, { from: before, rows: limit, after: 0 }) };
}

/** Merges the holders whose balance is unchanged with those whose balance changed, in the order of the list. */
async function* merged(
  source: HoldersSource,
  changed: BalancesThen,
  from: HoldersFrom | undefined,
): AsyncIterable<HolderPosition> {
  const direction = from?.where === '<' ? -1 : 1;
  const moved = [...changed]
    .flatMap(([principal, balance]) => (balance === undefined ? [] : [{ principal, balance }]))
    .filter(holder => from === undefined || isBeyond(holder, from))
    .sort((a, b) => direction * compareHolders(a, b));
  let next = 0;
  for await (const holder of unchanged(source, changed, from)) {
    for (; ; next++) {
      const other = moved[next];
      if (!other || direction * compareHolders(other, holder) > 0) break;
      yield other;
    }
    yield holder;
  }
  yield* moved.slice(next);
}

/** Rows of the newest holders that are read at a time. */
const PART = 200;

async function* unchanged(
  source: HoldersSource,
  changed: BalancesThen,
  from: HoldersFrom | undefined,
): AsyncIterable<HolderPosition> {
  for (let [at, limit] = [from, 0]; ; ) {
    limit = await source.budget.take(PART);
    const rows = await newestFrom(source, at, limit);
    for (const row of rows) {
      const holder = { principal: row.principal, balance: row.balance === null ? 0n : amountOfBytes(row.balance) };
      const isNew = (row.held_since ?? 0) > source.horizon.height;
      if (!isNew && !changed.has(holder.principal)) yield holder;
      at = { where: from?.where === '<' ? '<' : '>', place: holder };
    }
    if (rows.length < limit) return;
  }
}

type HolderRow = RowOf<typeof ACCOUNTS, 'principal' | 'balance' | 'held_since'>;

function newestFrom(
  { queries, token }: HoldersSource,
  from: HoldersFrom | undefined,
  rows: number,
): Promise<HolderRow[]> {
  const isStx = token === 'stx';
  const order = from?.where === '<' ? 'DESC' : 'ASC';
  return queries.all<HolderRow>(
    `SELECT principal, balance, ${isStx ? 'held_since' : 'NULL AS held_since'}
      FROM ${isStx ? 'accounts WHERE' : 'token_balances WHERE token = ? AND'} balance IS NOT NULL
      ${from ? `AND (balance, principal) ${from.where} (?, ?)` : ''} ORDER BY balance ${order}, principal ${order} LIMIT ?`,
    [...(isStx ? [] : [token]), ...(from ? [bytesGreatestFirst(from.place.balance), from.place.principal] : []), rows],
  );
}
