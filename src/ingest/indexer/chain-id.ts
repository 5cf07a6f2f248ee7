import { AppError } from '../../base/lib/app-error.ts';
import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { chainIdText } from '../chain/witness.ts';
import { readMeta } from './meta.ts';

/** The index does not fit this program or its options, which must not change it. */
export class IndexMismatch extends AppError {
  override readonly name = 'IndexMismatch';
  override readonly kind = 'operator';

  constructor(message: string, hint: string) {
    super(message, { hint });
  }
}

/** For an index of another chain. */
export const wrongChain = (foundId: number, wantedId: number): IndexMismatch => {
  const [found, wanted] = [chainIdText(foundId), chainIdText(wantedId)];
  return new IndexMismatch(
    `this index holds chain ${found}, not ${wanted}`,
    `Use --chain-id ${found}, or another --data directory or --database. If the index is of the wrong network (stacks-index verify reports that), build it anew: stacks-index reindex --chain-id ${wanted}.`,
  );
};

/** Its name in META. */
export const CHAIN_ID_ENTRY = 'chain_id';

/** The chain that an index names; undefined while it names none. */
export async function readChainId(queries: Queries): Promise<number | undefined> {
  const value = await readMeta(queries, CHAIN_ID_ENTRY);
  return value === undefined ? undefined : Number(value);
}

/**
 * Writes the chain id into an index that names none. Another process may write another chain id at the same moment: on PostgreSQL the insert waits
 * for its commit, and then finds its row.
 * @throws IndexMismatch when the index names another chain
 */
export async function bindChainId(tx: DatabaseTransaction, chainId: number): Promise<void> {
  await tx.run('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', [
    CHAIN_ID_ENTRY,
    chainIdText(chainId),
  ]);
  await requireChainId(tx, chainId);
}

/** @returns whether the index names the chain @throws IndexMismatch when it names another one */
export async function requireChainId(queries: Queries, chainId: number): Promise<boolean> {
  const found = await readChainId(queries);
  if (found !== undefined && found !== chainId) throw wrongChain(found, chainId);
  return found !== undefined;
}
