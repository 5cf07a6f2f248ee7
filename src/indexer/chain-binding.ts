import type { Database } from '../store/database.ts';
import { META } from './tables.ts';

/** Grows whenever an index of an older version can no longer be read; the remedy is to rebuild it from the journal. */
export const SCHEMA_VERSION = 1;

/** An index that this program, called like this, must not touch. */
export class IndexMismatch extends Error {
  override readonly name = 'IndexMismatch';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Writes chain id and schema version into a new index, and compares them in an old one.
 * @throws IndexMismatch
 */
export function bindChain(db: Database, chainId: number): Promise<void> {
  const wanted = { chain_id: hex(chainId), schema_version: String(SCHEMA_VERSION) };
  return db.write(async tx => {
    for (const [name, value] of Object.entries(wanted)) {
      const row = await tx.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', [name]);
      if (!row) await tx.upsertMany(META, [[name, value]]);
      else if (row.value !== value) throw mismatch(name, row.value, value);
    }
  });
}

const hex = (chainId: number): string => `0x${chainId.toString(16).padStart(8, '0')}`;

const mismatch = (name: string, found: string, wanted: string): IndexMismatch =>
  name === 'chain_id'
    ? new IndexMismatch(
        `this index holds chain ${found}, not ${wanted}`,
        `Use --chain-id ${found}, or another --data directory or --database.`,
      )
    : new IndexMismatch(
        `this index has schema version ${found}; this program needs ${wanted}`,
        'Delete the index (not the journal) and start again: it is rebuilt from the journal.',
      );
