import type { Json, Recorded } from '../../test/support/recording.ts';
import { isStillPossible, type TxRecord, whatIsMined } from './recorded-pending.ts';

/**
 * Recorded searches that found something else, or nothing, by `include_metadata`, and such for index block hashes and heights, which
 * found nothing. They are compared with what the recording shows elsewhere of the same transaction or block, and left out where it shows
 * none: the record of an orphaned transaction, and the transactions of an orphaned block, which were never served. A transaction of a lost
 * block that another response shows as pending is compared as pending. A contract that is not deployed but has transactions, which was not found,
 * is left out.
 */

interface Found {
  readonly [key: string]: Json;
  readonly entity_id: string;
  readonly entity_type: string;
}

interface Search {
  readonly found: boolean;
  readonly result: Found;
}

interface BlockData {
  readonly canonical: boolean;
  readonly height: number;
  readonly hash: string;
  readonly index_block_hash: string;
}

const SEARCH = /^\/extended\/v1\/search\/([^?]*)(\?include_metadata=true)?$/;
const BY_BURN_BLOCK = /^\/extended\/v1\/block\/by_burn_block_hash\//;

/** The responses, with these corrected or left out. */
export function withOneSearch<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const searches = new Map(
    responses.filter(({ path }) => SEARCH.test(path)).map(response => [response.path, response]),
  );
  const blocks = blocksById(responses);
  const pending = pendingOf(responses);
  const holders = holdersIn(responses);
  let changed = 0;
  const corrected = responses.flatMap(response => {
    if (BY_BURN_BLOCK.test(response.path)) return isOrphan(response.body) ? leaveOut() : [response];
    const [, id = '', flag] = SEARCH.exec(response.path) ?? [];
    if (id === '') return [response];
    const { result } = response.body as unknown as Search;
    if (result?.entity_type === 'block_hash' && isOrphan(result.metadata)) return leaveOut();
    if (isMissed(response) && holders.has(id)) return leaveOut();
    const waiting = isOrphaned(response) ? pending.get(result.entity_id) : undefined;
    if (waiting !== undefined) return [change(response, found(waiting))];
    if (flag)
      return result?.entity_type !== 'tx_id' && !pending.has(result?.entity_id) && isOrphaned(searches.get(pathOf(id)))
        ? leaveOut()
        : foundBlock(response, id, flag);
    const withMetadata = searches.get(pathOf(id, '?include_metadata=true'));
    if (response.status === 404 && withMetadata?.status === 200)
      return [change(response, withoutMetadata(withMetadata))];
    return foundBlock(response, id, '');
  });
  return { responses: corrected, changed };

  function leaveOut(): A[] {
    changed++;
    return [];
  }

  function change(response: A, body: Json): A {
    changed++;
    return { ...response, status: 200, body };
  }

  /** A block that was not found by this hash or height, as it was by its block hash. */
  function foundBlock(response: A, id: string, flag: string): A[] {
    const hash = response.status === 404 ? blocks.get(decodeURIComponent(id).trim().toLowerCase()) : undefined;
    if (hash === undefined) return [response];
    const same = searches.get(pathOf(hash, flag));
    return same?.status === 200 ? [change(response, same.body)] : leaveOut();
  }
}

const isMissed = ({ status, body }: Recorded): boolean =>
  status === 404 && (body as unknown as Partial<Search>).result?.entity_type === 'contract_address';

/** Principals that a response shows to have transactions, as a contract that is not deployed may. */
function holdersIn(responses: readonly Recorded[]): Set<string> {
  const holders = new Set<string>();
  for (const { path, status, body } of responses) {
    const [, principal] = /^\/extended\/v2\/addresses\/([^/?]+)\/transactions(\?|$)/.exec(path) ?? [];
    const total = status === 200 ? (body as { total?: Json }).total : 0;
    if (principal !== undefined && Number(total) > 0) holders.add(principal);
  }
  return holders;
}

/** What the responses show as pending: in lists, and in the metadata of searches. */
function pendingOf(responses: readonly Recorded[]): Map<string, TxRecord> {
  const mined = whatIsMined(responses);
  const found = new Map<string, TxRecord>();
  const lists = responses.filter(
    ({ path, status }) => status === 200 && /^\/extended\/v1\/tx\/mempool\/?(\?|$)/.test(path),
  );
  const listed = lists.flatMap(({ body }) => (body as unknown as { results: TxRecord[] }).results);
  const searched = responses.flatMap(({ path, body }) => {
    const { result } = SEARCH.test(path) ? (body as unknown as Partial<Search>) : {};
    return result?.entity_type === 'mempool_tx_id' ? [result.metadata as unknown as TxRecord | undefined] : [];
  });
  for (const tx of [...listed, ...searched])
    if (tx?.tx_status === 'pending' && isStillPossible(tx, mined)) found.set(tx.tx_id, tx);
  return found;
}

const found = ({ tx_id, tx_type }: TxRecord): Json => ({
  found: true,
  result: { entity_id: tx_id, entity_type: 'mempool_tx_id', tx_data: { tx_type } },
});

const pathOf = (id: string, flag = ''): string => `/extended/v1/search/${id}${flag}`;

const isOrphan = (block: Json | undefined): boolean =>
  typeof block === 'object' && block !== null && !Array.isArray(block) && block.canonical === false;

function isOrphaned(search: Recorded | undefined): boolean {
  if (search?.status !== 200) return false;
  const { result } = search.body as unknown as Search;
  return result.entity_type === 'tx_id' && isOrphan(result.tx_data);
}

function withoutMetadata({ body }: Recorded): Json {
  const { found, result } = body as unknown as Search;
  const { metadata: _, ...rest } = result;
  return { found, result: rest as unknown as Json };
}

/** Block hashes by height, and by index block hash with and without 0x. */
function blocksById(responses: readonly Recorded[]): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const { canonical, height, hash, index_block_hash } = value as unknown as BlockData;
      if (canonical === true && index_block_hash !== undefined && hash !== undefined) {
        for (const id of [String(height), index_block_hash, index_block_hash.slice(2)]) found.set(id, hash);
      }
      Object.values(value).forEach(visit);
    }
  };
  for (const { path, body } of responses) if (path.startsWith('/extended/v2/blocks')) visit(body);
  return found;
}
