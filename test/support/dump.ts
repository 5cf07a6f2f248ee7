import type { Database, Row } from '../../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';

/**
 * Every row of every table of an index, as of one moment. Of the undo log only which units it takes back: how many of them share a record
 * follows from what was applied in one transaction.
 */
export function dumpIndex(db: Database): Promise<Record<string, Row[]>> {
  return db.read(async queries => {
    const tables: Record<string, Row[]> = {};
    for (const { name, key } of INDEX_SCHEMA.tables)
      tables[name] = await queries.all(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`);
    tables.undo_log = (tables.undo_log ?? []).flatMap(unitsOf);
    return tables;
  });
}

const unitsOf = ({ chain, depth, units }: Row): Row[] =>
  Array.from({ length: Number(units) }, (_, i) => ({
    chain: chain ?? null,
    depth: Number(depth) - Number(units) + 1 + i,
  }));
