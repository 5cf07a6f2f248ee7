import type { Row } from '../../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { ChainName, ListKind } from '../../src/ingest/indexer/tables.ts';

/** Every row of some tables, by name, as an index dumps them. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

export const kindsOf = (chain: ChainName): ListKind[] => INDEX_SCHEMA.lists.filter(kind => kind.chain === chain);

/**
 * All that applying a unit of this chain writes and undoing it restores: lists, their directory, state tables and the
 * undo log itself.
 */
export function undoableTables(dump: Tables, chain: ChainName): Tables {
  const kinds = kindsOf(chain);
  const entries = [...new Set(kinds.map(kind => kind.entries.name))];
  const writers = chain === 'stacks' ? INDEX_SCHEMA.projections : INDEX_SCHEMA.burnProjections;
  const state = writers.flatMap(({ stateTables }) => stateTables.map(({ name }) => name));
  const codes = new Set(kinds.map(kind => kind.code));
  return {
    ...Object.fromEntries([...entries, ...state].map(name => [name, dump[name] ?? []])),
    lists: (dump.lists ?? []).filter(row => codes.has(Number(row.kind))),
    list_counters: (dump.list_counters ?? []).filter(row => entries.includes(String(row.entries))),
    undo_log: (dump.undo_log ?? []).filter(row => row.chain === chain),
  };
}
