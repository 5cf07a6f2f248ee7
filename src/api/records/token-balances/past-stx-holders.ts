import { amountOfBytes, bitsOf } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { stxBalances } from '../../../index/addresses/stx-balances.ts';
import { type ACCOUNTS, COUNTS_OF_STX_HOLDERS, type STX_HOLDER_COUNTS } from '../../../index/addresses/tables.ts';
import { lengthOfOnly } from '../../../ingest/indexer/lists.ts';
import { changedAccounts, endOfBlocksNow } from './changed-holders.ts';
import {
  type BalancesThen,
  compareHolders,
  type HolderPosition,
  type HoldersSource,
  type HoldersWanted,
  isBeyond,
  type PastHolders,
  takeMerged,
} from './past-holders.ts';

/**
 * The holders of STX as of a block. No account had more than its peak, so the accounts are read from the highest peak on, until no other can have
 * been before the end of the page:
 *
 *     peak of at most    64  alice, had 60      carol, had 40
 *                        32  bob, had 20        a page of two ends here: bob had less than 40, and so had all after him
 *
 * A page far down the list of a block near the tip is found from what changed since: see past-holders.ts.
 */
export async function pastStxHolders(source: HoldersSource): Promise<PastHolders> {
  const { queries, horizon, budget } = source;
  const last = (await lengthOfOnly(queries, COUNTS_OF_STX_HOLDERS)) - 1;
  const then = await queries.get<RowOf<typeof STX_HOLDER_COUNTS, 'holders' | 'positive' | 'supply'>>(
    'SELECT holders, positive, supply FROM stx_holder_counts WHERE seq = ?',
    [last],
  );
  const above = (await endOfBlocksNow(queries)) - horizon.transactions;
  let changed: Promise<BalancesThen> | undefined;
  const peaks = new AccountsByPeak(source);
  return {
    total: then?.holders ?? 0,
    positive: then?.positive ?? 0,
    supply: BigInt(then?.supply ?? 0),
    take: async (from, rows, after = 0) => {
      const wanted = { from, rows, after };
      if (await isShorterByPeak(source, wanted, above * READS_OF_TRANSACTION)) return takeByPeak(peaks, wanted);
      changed ??= changedAccounts(queries, budget, horizon);
      return takeMerged(source, await changed, wanted);
    },
  };
}

/** Rows that are read to take back what a transaction did: itself, and accounts. */
const READS_OF_TRANSACTION = 4;

/** Accounts that are counted at most before the search: less than a millisecond. */
const COUNTED = 4000;

/** Whether a page in the order of peaks takes fewer accounts than these; a guess where it takes thousands. */
async function isShorterByPeak(
  { queries }: HoldersSource,
  { from, rows, after }: HoldersWanted,
  others: number,
): Promise<boolean> {
  if (from === undefined) return after + rows < others;
  const most = Math.min(others, COUNTED);
  const { reached } = (await queries.get<{ reached: number }>(
    'SELECT count(*) AS reached FROM (SELECT principal FROM accounts WHERE peak_bits >= ? LIMIT ?) AS rich',
    [bitsOf(from.place.balance), most],
  )) ?? { reached: 0 };
  return reached < most || others > GUESSED * COUNTED;
}

/** How many times as many accounts as are counted a page may be expected to take. */
const GUESSED = 8;

async function takeByPeak(peaks: AccountsByPeak, { from, rows, after }: HoldersWanted): Promise<HolderPosition[]> {
  const isReversed = from?.where === '<';
  const direction = isReversed ? -1 : 1;
  const found: HolderPosition[] = [];
  let [certain, lowest] = [0, -1];
  for (let part = 0; ; part++) {
    const read = await peaks.part(part, after + rows);
    if (!read) break;
    const wanted = read.holders.filter(holder => from === undefined || isBeyond(holder, from));
    for (const holder of wanted) found.push(holder);
    // An account that is still to be read had less than this.
    const bound = 1n << BigInt(read.bits);
    if (isReversed && bound <= from.place.balance) break;
    const countAbove = (some: readonly HolderPosition[]) => some.filter(({ balance }) => balance >= bound).length;
    certain = read.bits === lowest ? certain + countAbove(wanted) : countAbove(found);
    lowest = read.bits;
    if (!isReversed && certain >= after + rows) break;
  }
  return found.sort((a, b) => direction * compareHolders(a, b)).slice(after, after + rows);
}

type AccountRow = RowOf<
  typeof ACCOUNTS,
  'principal' | 'balance' | 'held_since' | 'changed_at' | 'peak_bits' | 'rewards'
>;

/** Accounts that are read at a time. */
const PART = 128;
/** Accounts of which it is looked for what they had at a time, at least. */
const FEWEST = 32;

/** Some accounts, as of the block. */
interface PartByPeak {
  readonly holders: readonly HolderPosition[];
  /** The highest peak of those behind them. */
  readonly bits: number;
}

/** What accounts held as of the block, those with the highest peaks first. Each is read once, from the budget. */
class AccountsByPeak {
  readonly #source: HoldersSource;
  readonly #parts: PartByPeak[] = [];
  /** Accounts that are in no part yet. */
  #rows: readonly AccountRow[] = [];
  #last: AccountRow | undefined;
  #isWhole = false;

  constructor(source: HoldersSource) {
    this.#source = source;
  }

  /** @param enough how many accounts the first part has at least, if there are @returns undefined behind the last one */
  async part(number: number, enough: number): Promise<PartByPeak | undefined> {
    while (this.#parts.length <= number) {
      const fewest = this.#parts.length === 0 ? Math.max(enough, FEWEST) : FEWEST;
      if (this.#rows.length <= fewest) await this.#read();
      const rows = this.#rows;
      if (rows.length === 0) break;
      // With the last one of a peak all that had as much are there.
      const end = rows.findIndex(({ peak_bits }, i) => i >= fewest && peak_bits !== rows[i - 1]?.peak_bits);
      const part = end < 0 ? rows : rows.slice(0, end);
      this.#rows = end < 0 ? [] : rows.slice(end);
      this.#parts.push({
        holders: await this.#holders(part),
        bits: (this.#rows[0] ?? part.at(-1))?.peak_bits ?? 0,
      });
    }
    return this.#parts[number];
  }

  async #read(): Promise<void> {
    if (this.#isWhole) return;
    const { queries, budget } = this.#source;
    const limit = await budget.take(PART);
    const last = this.#last;
    const rows: readonly AccountRow[] = await queries.all<AccountRow>(
      `SELECT principal, balance, held_since, changed_at, peak_bits, rewards FROM accounts
        WHERE peak_bits >= 0 ${last ? 'AND (peak_bits, principal) < (?, ?)' : ''}
        ORDER BY peak_bits DESC, principal DESC LIMIT ?`,
      [...(last ? [last.peak_bits, last.principal] : []), limit],
    );
    this.#last = rows.at(-1);
    this.#isWhole = rows.length < limit;
    this.#rows = [...this.#rows, ...rows];
  }

  async #holders(rows: readonly AccountRow[]): Promise<HolderPosition[]> {
    const { queries, horizon } = this.#source;
    const held = rows.filter(({ held_since }) => held_since !== null && held_since <= horizon.height);
    const isChanged = ({ changed_at }: AccountRow) => (changed_at ?? 0) > horizon.height;
    const changed = held.filter(isChanged);
    const balanceOf = await stxBalances(
      queries,
      changed.map(({ principal }) => principal),
      changed.flatMap(({ principal, rewards }) => (rewards === '0' ? [] : [principal])),
    );
    return held.map(row => ({
      principal: row.principal,
      balance: isChanged(row) ? balanceOf(row.principal) : row.balance === null ? 0n : amountOfBytes(row.balance),
    }));
  }
}
