import { constants, DatabaseSync } from 'node:sqlite';
import type { Database, Queries } from '../../src/base/store/database.ts';

/** A database that notes the statements of its reads. */
export function notingStatements(db: Database, statements: Set<string>): Database {
  return {
    ...db,
    read: (work, sharing) => db.read(queries => work(noting(queries, statements)), sharing),
  };
}

const noting = (queries: Queries, statements: Set<string>): Queries => ({
  all: (sql, params) => {
    statements.add(sql);
    return queries.all(sql, params);
  },
  get: (sql, params) => {
    statements.add(sql);
    return queries.get(sql, params);
  },
});

/** The columns that statements read, as `table.column`. SQLite itself says which they are when it prepares a statement. */
export function columnsRead(file: string, statements: Iterable<string>): ReadonlySet<string> {
  const columns = new Set<string>();
  const database = new DatabaseSync(file, { readOnly: true });
  database.setAuthorizer((action, table, column) => {
    if (action === constants.SQLITE_READ) columns.add(`${table}.${column}`);
    return constants.SQLITE_OK;
  });
  for (const sql of statements) database.prepare(sql);
  database.close();
  return columns;
}
