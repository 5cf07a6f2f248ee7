import { isDeepStrictEqual } from 'node:util';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';

/**
 * Recorded responses that no index can give, and how they are checked all the same. docs/compatibility.md has the proofs.
 *
 * 1. The clock of the recording. The API that was recorded gave transactions of streamed microblocks the time of its own
 *    clock as `block_time`: later than any block of the chain. They are compared with the time of the chain instead.
 * 2. The order of equals. Boot transactions share their numbers with the first transactions of block 1, and
 *    getBlockByBurnBlockHashV1 lists them in the order in which a sort happened to leave them. Such lists are compared as sets of
 *    equal places; so are contracts of one block in getContractsByTraitV1, which is sorted by the height of the block alone.
 * 3. The orphaned row. A search without metadata takes any row of a transaction: of one that a fork has as well, perhaps
 *    that of the fork, though the transaction is canonical. The recording itself shows the canonical one with metadata.
 * 4. The lock that is a delegation. A search takes the newest PoX event of an address for its lock, also one that locks
 *    nothing. Where that is the recorded lock, the address is compared as one without a lock.
 * 5. The time 0, whose text is empty in the recordings: block 1 of some archives has it as that of the burn block of its parent.
 */

/** Nothing in the archives is as young; all recordings are. 20 November 2026, 00:00 UTC. */
const RECORDING_DAY = 1795132800;
const ANCHORED = 2147483647;

/** The responses with times of the chain in place of those of the recording's clock, and how many of them have changed. */
export function withoutClock<A extends Recorded>(recording: readonly A[]): { responses: A[]; changed: number } {
  let changed = 0;
  const responses = recording.map(recorded => {
    const body = atChainTime(recorded.body);
    if (isDeepStrictEqual(body, recorded.body)) return recorded;
    changed++;
    return { ...recorded, body };
  });
  return { responses, changed };
}

/** A recorded body with times of the chain in place of those of the recording's clock. */
export function atChainTime(value: Json): Json {
  if (Array.isArray(value)) return value.map(atChainTime);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, atChainTime(item)]));
  const { block_time, microblock_sequence } = copy;
  if (typeof block_time !== 'number' || block_time < RECORDING_DAY) return copy;
  if (typeof microblock_sequence !== 'number' || microblock_sequence === ANCHORED) return copy;
  const time = copy.is_unanchored === true ? copy.parent_burn_block_time : copy.burn_block_time;
  if (typeof time === 'number')
    Object.assign(copy, { block_time: time, block_time_iso: new Date(time * 1000).toISOString() });
  return copy;
}

/** A recorded body with the text of the time 0 where it has an empty one: the specification has a time in every `*_iso`. */
export function atEpoch(value: Json): Json {
  if (Array.isArray(value)) return value.map(atEpoch);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isOfZero = item === '' && key.endsWith('time_iso') && value[key.slice(0, -'_iso'.length)] === 0;
      return [key, isOfZero ? '1970-01-01T00:00:00.000Z' : atEpoch(item)];
    }),
  );
}

/** The responses with these texts, and how many of them have changed. */
export function withEpoch<A extends Recorded>(recording: readonly A[]): { responses: A[]; changed: number } {
  let changed = 0;
  const responses = recording.map(recorded => {
    const body = atEpoch(recorded.body);
    if (isDeepStrictEqual(body, recorded.body)) return recorded;
    changed++;
    return { ...recorded, body };
  });
  return { responses, changed };
}

/** Whether two lists of transaction ids differ only in the order of transactions with equal places. */
export function equalPlaces(
  recording: readonly Recorded[],
  recordedIds: readonly string[],
  ids: readonly string[],
): boolean {
  const places = placesOf(recording);
  const place = (id: string | undefined) => (id === undefined ? undefined : places.get(id));
  return (
    recordedIds.length === ids.length &&
    new Set([...recordedIds, ...ids]).size === ids.length &&
    recordedIds.every((id, i) => place(id) !== undefined && place(id) === place(ids[i]))
  );
}

/**
 * Whether two pages of contracts differ only in the order of those of one block, which is all that getContractsByTraitV1 sorts by. At the
 * edges of a page they may also go on beyond it.
 */
export function equalHeights(recorded: readonly ContractRecord[], response: readonly ContractRecord[]): boolean {
  const heights = (page: readonly ContractRecord[]) => page.map(({ block_height }) => block_height);
  const edges = new Set([recorded[0]?.block_height, recorded.at(-1)?.block_height]);
  const known = new Map(response.map(record => [record.tx_id, record]));
  return (
    isDeepStrictEqual(heights(recorded), heights(response)) &&
    recorded.every(record =>
      known.has(record.tx_id) ? isDeepStrictEqual(known.get(record.tx_id), record) : edges.has(record.block_height),
    )
  );
}

interface ContractRecord {
  readonly tx_id: string;
  readonly block_height: number;
}

/** Where each recorded transaction stands in its block. */
function placesOf(recording: readonly Recorded[]): Map<string, string> {
  const places = new Map<string, string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if (typeof value.tx_id === 'string' && 'tx_index' in value) {
        places.set(value.tx_id, `${value.block_height}/${value.microblock_sequence}/${value.tx_index}`);
      }
      Object.values(value).forEach(visit);
    }
  };
  for (const { body } of recording) visit(body);
  return places;
}

/** A place in the chain as a search tells it of a transaction, and as a block tells it of itself. */
interface Place {
  readonly block_hash: string;
  readonly burn_block_time: number;
  readonly block_height: number;
}

/** The response of a search that found a transaction; of another, `tx_data` may be missing. */
interface TxFound {
  readonly found?: boolean;
  readonly result?: {
    readonly entity_id: string;
    readonly tx_data?: Place & { readonly canonical?: boolean };
    readonly metadata?: unknown;
  };
}

/**
 * Whether a recorded search shows the row of an orphaned block where there is a canonical one: the response is what the
 * recording shows with metadata, which is another block, and the archive has the recorded block with the transaction in it.
 */
export async function isOrphanedRow(
  archive: string,
  recorded: unknown,
  recordedWithMetadata: unknown,
  response: unknown,
): Promise<boolean> {
  const orphan = (recorded as TxFound | undefined)?.result;
  const { metadata: _, ...canonical } = (recordedWithMetadata as TxFound | undefined)?.result ?? { entity_id: '' };
  if (orphan?.tx_data?.canonical !== false || canonical.tx_data?.canonical !== true) return false;
  if (!isDeepStrictEqual(response, { found: true, result: canonical })) return false;
  const place = placeOf(orphan.tx_data);
  const elsewhere = { ...canonical.tx_data, ...place, canonical: false };
  if (place.block_hash === canonical.tx_data.block_hash || !isDeepStrictEqual(orphan.tx_data, elsewhere)) return false;
  return (await placesInArchive(archive, orphan.entity_id)).some(found => isDeepStrictEqual(found, place));
}

const placeOf = ({ block_hash, burn_block_time, block_height }: Place): Place => ({
  block_hash,
  burn_block_time,
  block_height,
});

/** The places of a transaction in all blocks of an archive, canonical or not. */
async function placesInArchive(archive: string, txId: string): Promise<Place[]> {
  const places: Place[] = [];
  for await (const row of readArchive(archive)) {
    if (row.kind === 'bad' || row.path !== '/new_block') continue;
    const text = Buffer.from(row.body).toString();
    if (!text.includes(txId)) continue;
    const block = JSON.parse(text) as Place & { readonly transactions: readonly { readonly txid: string }[] };
    if (block.transactions.some(tx => tx.txid === txId)) places.push(placeOf(block));
  }
  return places;
}

interface AddressFound {
  readonly result?: { readonly metadata?: { readonly lock_tx_id?: string } };
}

const LOCKS_NOTHING = /^(delegate-stx|revoke-delegate-stx|stack-aggregation-(commit|commit-indexed|increase))$/;
const NOT_LOCKED = {
  lock_tx_id: '',
  locked: '0',
  lock_height: 0,
  burnchain_lock_height: 0,
  burnchain_unlock_height: 0,
};
const NOT_RECORDED = new Set(['estimated_balance', 'pending_balance_inbound', 'pending_balance_outbound']);

/** Whether a recorded search shows as lock a call that locks nothing, and the response is the recorded one without a lock. */
export function isDelegationAsLock(recording: readonly Recorded[], recorded: unknown, response: unknown): boolean {
  const metadata = (recorded as AddressFound | undefined)?.result?.metadata;
  const shown = (response as AddressFound).result?.metadata;
  if (!metadata?.lock_tx_id || !shown) return false;
  const { contract_id, function_name } = callOf(recording, metadata.lock_tx_id);
  if (!/\.pox-[234]$/.test(contract_id) || !LOCKS_NOTHING.test(function_name)) return false;
  const comparable = Object.fromEntries(Object.entries(shown).filter(([key]) => !NOT_RECORDED.has(key)));
  return isDeepStrictEqual(comparable, { ...metadata, ...NOT_LOCKED });
}

/** What a recorded transaction calls; empty for another, or for one that is not recorded. */
function callOf(recording: readonly Recorded[], txId: string): { contract_id: string; function_name: string } {
  let call = { contract_id: '', function_name: '' };
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if (value.tx_id === txId && value.contract_call) call = value.contract_call as typeof call;
      Object.values(value).forEach(visit);
    }
  };
  for (const { body } of recording) visit(body);
  return call;
}
