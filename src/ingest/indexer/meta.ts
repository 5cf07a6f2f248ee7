import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { META } from './tables.ts';

/** The value of an entry of META; undefined if META has no such entry. */
export async function readMeta(queries: Queries, name: string): Promise<string | undefined> {
  const row = await queries.get<RowOf<typeof META, 'value'>>('SELECT value FROM meta WHERE name = ?', [name]);
  return row?.value;
}

/** Removes an entry of META, if it is there. */
export async function deleteMeta(tx: DatabaseTransaction, name: string): Promise<void> {
  await tx.run('DELETE FROM meta WHERE name = ?', [name]);
}
