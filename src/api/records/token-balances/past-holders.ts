import { amountOfBytes, bytesGreatestFirst } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { ACCOUNTS } from '../../../index/addresses/tables.ts';
import { STX, type TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import type { Horizon } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { changedAccounts, changedOwners, countStxHolders } from './changed-holders.ts';

/**
 * The holders of a token as of a block. The tables have the newest balances in the order of lists of holders, so those that changed above the block
 * are passed over, and come in where they were:
 *
 *     now     alice 70, carol 50, bob 20        above the block bob sent alice 30, and carol 10
 *     then    bob 60, carol 40, alice 40
 */

/** A place in the list of holders, by balance and address; no holder needs to be at it. */
export interface HolderPosition {
  readonly balance: bigint;
  readonly principal: string;
}

/** Rows of the newest holders that are read at a time. */
const PART = 200;

/** As lists of holders have them: the richest first, then by address. */
const compareHolders = (a: HolderPosition, b: HolderPosition): number =>
  a.balance === b.balance
    ? Number(a.principal > b.principal) - Number(a.principal < b.principal)
    : Number(a.balance < b.balance) - Number(a.balance > b.balance);

/** Where to begin, and in which direction: `>=` and `>` give poorer holders, `<` richer ones, the nearest first. */
interface HoldersFrom {
  readonly where: '>=' | '>' | '<';
  readonly place: HolderPosition;
}

export class PastHolders {
  readonly #queries: Queries;
  readonly #horizon: Horizon;
  readonly #token: string;
  readonly #budget: RowBudget;
  /** What principals had whose balance has changed since; undefined of those that were no holders. */
  readonly #changed: ReadonlyMap<string, bigint | undefined>;
  /** Also those with a balance of zero or below. */
  readonly total: number;
  readonly positive: number;
  /** The sum of all balances. */
  readonly supply: bigint;

  private constructor(
    { queries, horizon, token, budget }: Source,
    changed: ReadonlyMap<string, bigint | undefined>,
    together: { readonly total: number; readonly positive: number; readonly supply: bigint },
  ) {
    this.#queries = queries;
    this.#horizon = horizon;
    this.#token = token;
    this.#budget = budget;
    this.#changed = changed;
    this.total = together.total;
    this.positive = together.positive;
    this.supply = together.supply;
  }

  /** Reads what changed above the block, from the budget. */
  static async read(source: Source): Promise<PastHolders> {
    const { queries, horizon, token, budget } = source;
    const isStx = token === 'stx';
    const changes = isStx
      ? await changedAccounts(queries, budget, horizon)
      : await changedOwners(queries, budget, token, horizon);
    const now = await queries.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>>(
      'SELECT holders, positive, supply FROM token_holders WHERE token = ?',
      [isStx ? STX : token],
    );
    let [total, positive, supply] = [now?.holders ?? 0, now?.positive ?? 0, BigInt(now?.supply ?? 0)];
    for (const { now: later, past } of changes.values()) {
      if (later !== undefined && past === undefined) total--;
      positive += Number((past ?? 0n) > 0n) - Number((later ?? 0n) > 0n);
      supply += (past ?? 0n) - (later ?? 0n);
    }
    const changed = new Map([...changes].map(([principal, { past }]) => [principal, past]));
    // A reward of zero makes a holder, too, and is in no list.
    const all = isStx ? await countStxHolders(queries) : total;
    return new PastHolders(source, changed, { total: all, positive, supply });
  }

  /** So many holders from a place on. @param after the first ones are passed over */
  async take(from: HoldersFrom | undefined, rows: number, after = 0): Promise<HolderPosition[]> {
    const found: HolderPosition[] = [];
    let passed = 0;
    for await (const holder of this.#holders(from)) {
      if (passed++ < after) continue;
      found.push(holder);
      if (found.length >= rows) break;
    }
    return found;
  }

  /** Merges the holders whose balance is still what it was with the others. */
  async *#holders(from: HoldersFrom | undefined): AsyncIterable<HolderPosition> {
    const direction = from?.where === '<' ? -1 : 1;
    const moved = [...this.#changed]
      .flatMap(([principal, balance]) => (balance === undefined ? [] : [{ principal, balance }]))
      .filter(holder => from === undefined || isBeyond(holder, from))
      .sort((a, b) => direction * compareHolders(a, b));
    let next = 0;
    for await (const holder of this.#unchanged(from)) {
      for (; ; next++) {
        const other = moved[next];
        if (!other || direction * compareHolders(other, holder) > 0) break;
        yield other;
      }
      yield holder;
    }
    yield* moved.slice(next);
  }

  async *#unchanged(from: HoldersFrom | undefined): AsyncIterable<HolderPosition> {
    for (let [at, limit] = [from, 0]; ; ) {
      limit = await this.#budget.take(PART);
      const rows = await this.#newest(at, limit);
      for (const row of rows) {
        const holder = { principal: row.principal, balance: row.balance === null ? 0n : amountOfBytes(row.balance) };
        const isNew = (row.held_since ?? 0) > this.#horizon.height;
        if (!isNew && !this.#changed.has(holder.principal)) yield holder;
        at = { where: from?.where === '<' ? '<' : '>', place: holder };
      }
      if (rows.length < limit) return;
    }
  }

  #newest(from: HoldersFrom | undefined, rows: number): Promise<HolderRow[]> {
    const isStx = this.#token === 'stx';
    const order = from?.where === '<' ? 'DESC' : 'ASC';
    return this.#queries.all<HolderRow>(
      `SELECT principal, balance, ${isStx ? 'held_since' : 'NULL AS held_since'}
        FROM ${isStx ? 'accounts WHERE' : 'token_balances WHERE token = ? AND'} balance IS NOT NULL
        ${from ? `AND (balance, principal) ${from.where} (?, ?)` : ''} ORDER BY balance ${order}, principal ${order} LIMIT ?`,
      [
        ...(isStx ? [] : [this.#token]),
        ...(from ? [bytesGreatestFirst(from.place.balance), from.place.principal] : []),
        rows,
      ],
    );
  }
}

interface Source {
  readonly queries: Queries;
  readonly horizon: Horizon;
  /** Asset identifier, or `stx`. */
  readonly token: string;
  readonly budget: RowBudget;
}

type HolderRow = RowOf<typeof ACCOUNTS, 'principal' | 'balance' | 'held_since'>;

function isBeyond(holder: HolderPosition, { where, place }: HoldersFrom): boolean {
  const compared = compareHolders(holder, place);
  return where === '<' ? compared < 0 : where === '>' ? compared > 0 : compared >= 0;
}
