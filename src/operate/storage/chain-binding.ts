import { AppError } from '../../base/lib/app-error.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import { upsertRows } from '../../base/store/table.ts';
import { type Witness, witnessIn } from '../../ingest/chain/witness.ts';
import { bindChainId, IndexMismatch, readChainId, requireChainId } from '../../ingest/indexer/chain-id.ts';
import { readMeta } from '../../ingest/indexer/meta.ts';
import { META } from '../../ingest/indexer/tables.ts';
import { checkEvent } from '../../ingest/node/events/parse.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import { markLate } from './late-indexes.ts';

/**
 * Raised whenever this program can no longer read an index of an older version, or would build it differently; the remedy is
 * to rebuild it from the journal.
 */
export const SCHEMA_VERSION = 22;

/**
 * Writes chain id and schema version into a new index, and compares them in an old one.
 * @param isRecognised the chain follows from a witness: the indexer writes it, together with the block of that witness (ingest/indexer/indexer.ts)
 * @param isFilled a new index gets some of its indexes at the end (late-indexes.ts). It is marked at once: readers open any index with a schema version and no mark
 * @throws IndexMismatch
 */
export function bindChain(
  db: Database,
  chainId: number,
  {
    isRecognised,
    isFilled,
  }: { readonly isRecognised?: boolean | undefined; readonly isFilled?: boolean | undefined } = {},
): Promise<void> {
  return db.write(async tx => {
    const { schemaVersion } = await readBinding(tx);
    if (schemaVersion !== undefined && schemaVersion !== SCHEMA_VERSION) throw wrongSchema(schemaVersion);
    await (isRecognised ? requireChainId(tx, chainId) : bindChainId(tx, chainId));
    if (schemaVersion !== undefined) return;
    await upsertRows(tx, META, [{ name: VERSION_ENTRY, value: String(SCHEMA_VERSION) }]);
    if (isFilled) await markLate(tx);
  });
}

/** Its name in META. */
export const VERSION_ENTRY = 'schema_version';

/** The chain and software that an index records for itself; fields are undefined until it is known. */
interface Binding {
  readonly chainId: number | undefined;
  readonly schemaVersion: number | undefined;
}

export async function readBinding(queries: Queries): Promise<Binding> {
  const version = await readMeta(queries, VERSION_ENTRY);
  return { chainId: await readChainId(queries), schemaVersion: version === undefined ? undefined : Number(version) };
}

/** For an index that another version of this program has made. */
export const wrongSchema = (found: number | string): IndexMismatch =>
  new IndexMismatch(
    `this index has schema version ${found}; this program needs ${SCHEMA_VERSION}`,
    Number(found) < SCHEMA_VERSION
      ? 'Start `stacks-index serve`, which builds the index anew from the journal and responds 503 meanwhile; or first run `stacks-index reindex` with the same --data or --database, while the version before serves.'
      : 'Run a newer version of this program; or `stacks-index reindex`, which builds the index anew for this one.',
  );

/**
 * The first witness in events, in their order.
 * @param isSought only witnesses of these chains count; by default of any
 */
export async function firstWitness(
  events: AsyncIterable<{ readonly path: string; readonly body: Uint8Array }>,
  isSought?: (chainId: number) => boolean,
): Promise<Witness | undefined> {
  for await (const event of events) {
    const witness = witnessOf(event, isSought);
    if (witness) return witness;
  }
  return undefined;
}

/** The first witness in an event. @param isSought see firstWitness */
export function witnessOf(
  { path, body }: { readonly path: string; readonly body: Uint8Array },
  isSought?: (chainId: number) => boolean,
): Witness | undefined {
  if (path !== '/new_block' && path !== REBUILT_PATH) return undefined;
  const event = checkEvent(path, body); // events are no witnesses
  return event.ok && event.value.path === '/new_block' ? witnessIn(event.value.block, isSought) : undefined;
}

/** No stored event identifies its network. */
export class NoChainYet extends AppError {
  override readonly name = 'NoChainYet';
  override readonly kind = 'operator';

  constructor() {
    super('no event identifies its network', {
      hint: 'Name the network: --chain-id 0x00000001 for mainnet, 0x80000000 for testnet.',
    });
  }
}
