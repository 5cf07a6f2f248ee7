/** Hits of a search of version 3 whose type the client must name (docs/spec/search.md#further-types). */
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CONTRACTS_BY_FUNCTION } from '../../../index/contracts/tables.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import { waitingTransactions } from '../mempool/queries.ts';
import { mempoolSummaryV3 } from '../transactions/record-v3.ts';
import { type Hit, hitsOf, type Match, MOST_EXAMINED, MOST_HITS } from './hits.ts';
import { endsWith, type SearchTerm } from './terms-v3.ts';

/** Pending transactions, in the order of their ids. */
export async function findPendingV3(queries: Queries, term: SearchTerm): Promise<Hit[]> {
  const { hash, isWholeHash } = term;
  if (!hash) return [];
  const [ends, ...end] = endsWith('tx_id', term);
  const rows = await queries.all<RowOf<typeof PENDING_TXS, 'tx_id'>>(
    `SELECT tx_id FROM
       (SELECT tx_id FROM pending_txs WHERE streamed = 0 AND tx_id >= ? AND tx_id <= ? ORDER BY tx_id LIMIT ${MOST_EXAMINED}) AS near
      WHERE ${ends} ORDER BY tx_id LIMIT ${MOST_HITS}`,
    [...hash, ...end],
  );
  const waiting = await waitingTransactions(
    queries,
    rows.map(({ tx_id }) => toHex(tx_id)),
  );
  return hitsOf(
    'pending_transaction',
    isWholeHash ? 'exact' : 'beginning',
    waiting.map(tx => ({ id: tx.txId, result: mempoolSummaryV3(tx) })),
  );
}

/** Functions of canonical contracts by the beginning of their name, with the number of contracts that have one. */
export async function findFunctionsV3(queries: Queries, { functionName }: SearchTerm): Promise<Hit[]> {
  if (functionName === undefined) return [];
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'length'>>(
    `SELECT name, length FROM lists WHERE kind = ${CONTRACTS_BY_FUNCTION.code} AND name >= ? AND name < ?
      ORDER BY name LIMIT ${MOST_HITS}`,
    [functionName, `${functionName}~`],
  );
  return rows.flatMap(({ name, length }) =>
    hitsOf('function', matchOf(name, functionName), [{ id: name, result: { function_name: name, contracts: length } }]),
  );
}

/** Look-ups of resources on the same floor: a limited number of ids that begin with a text, by their bytes. */
export interface FurtherSources {
  /** Listed names of BNS. */
  readonly names: BeginningOf;
  /** Listed names with the text further inside their label. */
  readonly namesWithin: BeginningOf;
  /** Namespaces of BNS. */
  readonly namespaces: BeginningOf;
  /** Bitcoin addresses that held reward slots or received rewards. */
  readonly bitcoinAddresses: BeginningOf;
}
type BeginningOf = (beginning: string, most: number) => Promise<readonly string[]>;

/** Names of BNS: those that begin with the text, then those with it inside. */
export async function findNamesV3({ bnsName }: SearchTerm, sources: FurtherSources): Promise<Hit[]> {
  if (bnsName === undefined) return [];
  const begun = await sources.names(bnsName, MOST_HITS);
  const within = begun.length < MOST_HITS ? await sources.namesWithin(bnsName, MOST_HITS) : [];
  const hit = (name: string) => [{ id: name, result: { name } }];
  return [
    ...begun.flatMap(name => hitsOf('name', matchOf(name, bnsName), hit(name))),
    ...within.flatMap(name => hitsOf('name', 'name', hit(name))),
  ];
}

/** Namespaces of BNS. */
export async function findNamespacesV3({ namespace }: SearchTerm, { namespaces }: FurtherSources): Promise<Hit[]> {
  if (namespace === undefined) return [];
  const found = await namespaces(namespace, MOST_HITS);
  return found.flatMap(each =>
    hitsOf('namespace', matchOf(each, namespace), [{ id: each, result: { namespace: each } }]),
  );
}

/** Bitcoin addresses. */
export async function findBitcoinAddressesV3(
  { bitcoinAddress }: SearchTerm,
  { bitcoinAddresses }: FurtherSources,
): Promise<Hit[]> {
  if (bitcoinAddress === undefined) return [];
  const found = await bitcoinAddresses(bitcoinAddress, MOST_HITS);
  return found.flatMap(address =>
    hitsOf('bitcoin_address', matchOf(address, bitcoinAddress), [{ id: address, result: { address } }]),
  );
}

const matchOf = (id: string, beginning: string): Match => (id === beginning ? 'exact' : 'beginning');
