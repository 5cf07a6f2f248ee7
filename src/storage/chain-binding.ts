import { chainIdText } from '../chain/witness.ts';
import { META } from '../indexer/tables.ts';
import type { Database, Queries } from '../store/database.ts';
import { type RowOf, upsertRows } from '../store/table.ts';

/**
 * Grows whenever an index of an older version can no longer be read, or would be made differently now; the remedy is to
 * build it anew from the journal.
 */
export const SCHEMA_VERSION = 18;

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
 * @param isRecognised the chain follows from a witness: the indexer writes it, together with the block of that witness (indexer/indexer.ts)
 * @throws IndexMismatch
 */
export function bindChain(db: Database, chainId: number, isRecognised = false): Promise<void> {
  const wanted = { chain_id: chainIdText(chainId), schema_version: String(SCHEMA_VERSION) };
  return db.write(async tx => {
    for (const [name, value] of Object.entries(wanted)) {
      const row = await tx.get<RowOf<typeof META, 'value'>>('SELECT value FROM meta WHERE name = ?', [name]);
      if (row && row.value !== value) throw mismatch(name, row.value, value);
      if (!row && !(isRecognised && name === 'chain_id')) await upsertRows(tx, META, [{ name, value }]);
    }
  });
}

/** What an index says of itself; undefined where it says nothing yet. */
export interface Binding {
  readonly chainId: number | undefined;
  readonly schemaVersion: number | undefined;
}

export async function readBinding(queries: Queries): Promise<Binding> {
  const numberOf = async (name: string) => {
    const row = await queries.get<RowOf<typeof META, 'value'>>('SELECT value FROM meta WHERE name = ?', [name]);
    return row && Number(row.value);
  };
  return { chainId: await numberOf('chain_id'), schemaVersion: await numberOf('schema_version') };
}

const mismatch = (name: string, found: string, wanted: string): IndexMismatch =>
  name === 'chain_id' ? wrongChain(Number(found), Number(wanted)) : wrongSchema(found);

/** For an index of another chain. */
export const wrongChain = (foundId: number, wantedId: number): IndexMismatch => {
  const [found, wanted] = [chainIdText(foundId), chainIdText(wantedId)];
  return new IndexMismatch(
    `this index holds chain ${found}, not ${wanted}`,
    `Use --chain-id ${found}, or another --data directory or --database. If the index is of the wrong network (stacks-index verify reports that), build it anew: stacks-index reindex --chain-id ${wanted}.`,
  );
};

/** For an index that another version of this program has made. */
export const wrongSchema = (found: number | string): IndexMismatch =>
  new IndexMismatch(
    `this index has schema version ${found}; this program needs ${SCHEMA_VERSION}`,
    Number(found) < SCHEMA_VERSION
      ? 'Run `stacks-index reindex` with the same --data or --database: it builds the index anew from the journal. The version before can go on serving meanwhile.'
      : 'Run a newer version of this program; or `stacks-index reindex`, which builds the index anew for this one.',
  );
