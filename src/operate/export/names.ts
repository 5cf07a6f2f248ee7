/** The names of exports for the command line. Every start loads this file, so it has nothing else. */

/** The lists that `stacks-index export --list` writes. */
export const EXPORTED_LIST_NAMES = ['blocks', 'transactions', 'events', 'balances'] as const;
export type ExportedListName = (typeof EXPORTED_LIST_NAMES)[number];

/** The formats of their files, which are also the ends of the names of these files. */
export const EXPORT_FORMATS = ['parquet', 'ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Transactions of a file, except that its last block is whole. */
export const TRANSACTIONS_IN_PART = 100_000;
