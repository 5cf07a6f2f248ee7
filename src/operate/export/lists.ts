import type { ExportedList } from './exported-list.ts';
import { BALANCE_COLUMNS, balancePages } from './lists/balances.ts';
import { BLOCK_COLUMNS, blockPages } from './lists/blocks.ts';
import { EVENT_COLUMNS, eventPages } from './lists/events.ts';
import { TRANSACTION_COLUMNS, transactionPages } from './lists/transactions.ts';
import type { ExportedListName } from './names.ts';

/** Every list that can be exported. */
export const EXPORTED_LISTS: Readonly<Record<ExportedListName, ExportedList>> = {
  blocks: { columns: BLOCK_COLUMNS, pages: blockPages, isWhole: false },
  transactions: { columns: TRANSACTION_COLUMNS, pages: transactionPages, isWhole: false },
  events: { columns: EVENT_COLUMNS, pages: eventPages, isWhole: false },
  balances: { columns: BALANCE_COLUMNS, pages: balancePages, isWhole: true },
};
