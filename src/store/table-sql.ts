import type { Table } from './database.ts';
import { quoteName, quoteNames } from './ddl.ts';

/** `INSERT INTO "table" ("a", "b")`, with every column of the table in its order. */
export function insertIntoSql(table: Table): string {
  return `INSERT INTO ${quoteName(table.name)} (${quoteNames(Object.keys(table.columns))})`;
}

/** `ON CONFLICT (key) DO UPDATE SET` every other column; `DO NOTHING` when the key is the whole row. */
export function onConflictSql(table: Table): string {
  const others = Object.keys(table.columns).filter(name => !table.key.includes(name));
  const target = `ON CONFLICT (${quoteNames(table.key)})`;
  if (others.length === 0) return `${target} DO NOTHING`;
  return `${target} DO UPDATE SET ${others.map(name => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ')}`;
}
