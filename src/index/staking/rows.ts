import type { Table } from '../../base/store/database.ts';
import type { KeyOf, RowOf } from '../../base/store/table.ts';

/** The rows that the rules of staking read and write: those of the index, or those that a check makes anew. */
export interface Rows {
  get<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<RowOf<T> | null>;
  put<T extends Table>(table: T, row: RowOf<NoInfer<T>>): Promise<void>;
  remove<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<void>;
}
