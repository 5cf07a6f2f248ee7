import { readTransaction, type StoredTransaction } from '../../../index/transactions/stored.ts';

/** Characters of packed records that one request reads: a record may have megabytes, of a long source or of long arguments. */
const MOST_CHARACTERS = 4_000_000;
/** Records that are read first; then twice as many each time, as far as those before were small. */
const FIRST_ROWS = 20;

/**
 * Transactions from the newest down, as many as wanted, or fewer if they are large.
 * @param read returns a number of packed records of a list, the newest first, after an offset
 */
export async function newestTransactions(
  wanted: number,
  read: (passed: number, rows: number) => Promise<readonly { readonly record: string }[]>,
): Promise<StoredTransaction[]> {
  const transactions: StoredTransaction[] = [];
  let characters = 0;
  let rows = FIRST_ROWS;
  while (transactions.length < wanted && characters < MOST_CHARACTERS) {
    const asked = Math.min(rows, wanted - transactions.length);
    const found = await read(transactions.length, asked);
    for (const { record } of found) {
      characters += record.length;
      transactions.push(readTransaction(record));
    }
    if (found.length < asked) break;
    const room = (MOST_CHARACTERS - characters) / (characters / transactions.length);
    rows = Math.max(1, Math.min(2 * rows, Math.ceil(room)));
  }
  return transactions;
}
