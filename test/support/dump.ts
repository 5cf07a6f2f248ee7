import { INDEX_SCHEMA } from '../../src/index-schema.ts';
import type { Database, Row } from '../../src/store/database.ts';

/** Every row of every table of an index, as of one moment. */
export function dumpIndex(db: Database): Promise<Record<string, Row[]>> {
  return db.read(async queries => {
    const tables: Record<string, Row[]> = {};
    for (const { name, key } of INDEX_SCHEMA.tables)
      tables[name] = await queries.all(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`);
    return tables;
  });
}
