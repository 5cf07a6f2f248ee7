/** Hits of a search of version 3 by heights, hashes and addresses (docs/spec/search.md#results-of-version-3). */
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { LOCKING_TXS_OF_ADDRESS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import type { BURN_BLOCKS } from '../../../ingest/indexer/burn-graph.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import { spanOfBurnBlock } from '../blocks/burn-blocks.ts';
import { findBlock } from '../blocks/queries.ts';
import { type BlockV2, blockV2 } from '../blocks/record-v2.ts';
import { summariesV3 } from '../transactions/pages-v3.ts';
import { listedAt } from '../transactions/positions-v3.ts';
import { type Hit, hitsOf, MOST_EXAMINED, MOST_HITS } from './hits.ts';
import { endsWith, type SearchTerm } from './terms-v3.ts';

/** Canonical blocks of the height, block hash or index block hash, the highest first. */
export async function findBlocksV3(queries: Queries, term: SearchTerm): Promise<Hit[]> {
  const { height, hash, isWholeHash } = term;
  const atHeight = height === undefined ? undefined : await findBlock(queries, { height });
  const records: BlockV2[] = [];
  if (hash)
    for (const column of ['block_hash', 'index_block_hash']) {
      const [ends, ...end] = endsWith(`k.${column}`, term);
      const rows = await queries.all<BlockRecordRow>(
        `SELECT ${RECORD_FIELDS} FROM
           (SELECT arrival FROM known_blocks WHERE ${column} >= ? AND ${column} <= ? ORDER BY ${column} LIMIT ${MOST_EXAMINED}) AS near,
           ${CANONICAL} WHERE k.arrival = near.arrival AND b.seq = k.height - 1 AND ${ends}
          ORDER BY k.height DESC LIMIT ${MOST_HITS}`,
        [...hash, ...end],
      );
      records.push(...rows.map(blockV2));
    }
  const highestFirst = records.sort((a, b) => b.height - a.height);
  return [
    ...hitsOf('block', 'exact', atHeight ? [blockSummary(atHeight.record)] : []),
    ...hitsOf('block', isWholeHash ? 'exact' : 'beginning', highestFirst.map(blockSummary)),
  ];
}

const blockSummary = ({ height, hash, index_block_hash, block_time, block_time_iso }: BlockV2) => ({
  id: hash,
  result: { height, hash, index_hash: index_block_hash, time: block_time, time_iso: block_time_iso },
});

type BurnRow = RowOf<typeof BURN_BLOCKS, 'hash' | 'height'>;

/** Canonical Bitcoin blocks of the height or hash, the highest first. */
export async function findBitcoinBlocksV3(queries: Queries, term: SearchTerm): Promise<Hit[]> {
  const { height, hash, isWholeHash } = term;
  const atHeight = height === undefined ? undefined : await bitcoinBlockAt(queries, height);
  const announced = hash ? await announcedBlocks(queries, hash, term) : [];
  // A chain can begin with blocks whose Bitcoin blocks no node announced.
  const built =
    isWholeHash && hash && announced.length === 0 ? await builtUpon(queries, { hash: toHex(hash[0]) }) : undefined;
  const found = built ? [built] : announced;
  return [
    ...hitsOf('bitcoin_block', 'exact', atHeight ? [burnSummary(atHeight)] : []),
    ...hitsOf('bitcoin_block', isWholeHash ? 'exact' : 'beginning', found.map(burnSummary)),
  ];
}

const burnSummary = ({ height, hash }: BurnRow) => ({ id: toHex(hash), result: { height, hash: toHex(hash) } });

async function bitcoinBlockAt(queries: Queries, height: number): Promise<BurnRow | undefined> {
  const announced = await queries.get<BurnRow>(
    'SELECT hash, height FROM burn_blocks WHERE canonical = 1 AND height = ?',
    [height],
  );
  return announced ?? builtUpon(queries, { height });
}

/** The Bitcoin block of canonical Stacks blocks. */
async function builtUpon(
  queries: Queries,
  ref: { readonly height: number } | { readonly hash: string },
): Promise<BurnRow | undefined> {
  const span = await spanOfBurnBlock(queries, ref);
  const block = span && span.to > span.from ? await findBlock(queries, { height: span.to }) : undefined;
  return block && { height: block.record.burn_block_height, hash: hashBytes(block.record.burn_block_hash) };
}

const hashBytes = (hash: string): Uint8Array => Buffer.from(hash.slice(2), 'hex');

/**
 * The highest announced blocks whose hash begins like this. Hashes of Bitcoin begin with many zeros, so short beginnings match most blocks: if
 * more match than are examined, it examines the newest blocks, too.
 */
async function announcedBlocks(
  queries: Queries,
  range: readonly [Uint8Array, Uint8Array],
  term: SearchTerm,
): Promise<BurnRow[]> {
  const [ends, ...end] = endsWith('hash', term);
  const byHash = await queries.all<BurnRow>(
    `SELECT hash, height FROM
       (SELECT hash, height, canonical FROM burn_blocks WHERE hash >= ? AND hash <= ? ORDER BY hash LIMIT ${MOST_EXAMINED}) AS near
      WHERE canonical = 1 AND ${ends}`,
    [...range, ...end],
  );
  const newest =
    byHash.length < MOST_HITS
      ? []
      : await queries.all<BurnRow>(
          `SELECT hash, height FROM
             (SELECT hash, height FROM burn_blocks WHERE canonical = 1 ORDER BY height DESC LIMIT ${MOST_EXAMINED}) AS near
            WHERE hash >= ? AND hash <= ? AND ${ends}`,
          [...range, ...end],
        );
  const highestFirst = [...byHash, ...newest].sort((a, b) => b.height - a.height);
  return highestFirst.filter(({ height }, i) => highestFirst[i - 1]?.height !== height).slice(0, MOST_HITS);
}

/** Canonical transactions, the newest first; if the chain has one twice, the last. */
export async function findTransactionsV3(queries: Queries, term: SearchTerm): Promise<Hit[]> {
  const { hash, isWholeHash } = term;
  if (!hash) return [];
  const [ends, ...end] = endsWith('tx_id', term);
  const rows = await queries.all<{ seq: number }>(
    `SELECT seq FROM
       (SELECT max(seq) AS seq, tx_id FROM txs WHERE tx_id >= ? AND tx_id <= ? GROUP BY tx_id ORDER BY tx_id LIMIT ${MOST_EXAMINED}) AS near
      WHERE ${ends} ORDER BY seq DESC LIMIT ${MOST_HITS}`,
    [...hash, ...end],
  );
  const listed = await listedAt(
    queries,
    rows.map(({ seq }) => seq),
  );
  const summaries = await summariesV3(
    queries,
    listed.sort((a, b) => b.tx - a.tx),
  );
  return hitsOf(
    'transaction',
    isWholeHash ? 'exact' : 'beginning',
    summaries.map(result => ({ id: result.tx_id, result })),
  );
}

/** Standard addresses with canonical transactions: those with most of them first. */
export async function findAddressesV3(queries: Queries, { address: beginning }: SearchTerm): Promise<Hit[]> {
  if (beginning === undefined) return [];
  const addresses = await addressesBeginning(queries, beginning);
  const locking = await allIn<RowOf<typeof LISTS, 'name' | 'length'>>(
    queries,
    list => `SELECT name, length FROM lists WHERE kind = ${LOCKING_TXS_OF_ADDRESS.code} AND name IN ${list}`,
    addresses.map(({ name }) => name),
  );
  const more = new Map(locking.map(({ name, length }) => [name, length]));
  const counted = addresses.map(({ name, length }) => ({ name, count: length + (more.get(name) ?? 0) }));
  const ordered = counted.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const matchOf = (name: string) => (name === beginning ? 'exact' : 'beginning');
  return ordered.flatMap(({ name }) => hitsOf('address', matchOf(name), [{ id: name, result: { principal: name } }]));
}

/**
 * Addresses with lists of transactions. After each address it seeks behind the lists of its contracts, which sort between addresses: an
 * address can have any number of contracts.
 */
async function addressesBeginning(
  queries: Queries,
  beginning: string,
): Promise<readonly RowOf<typeof LISTS, 'name' | 'length'>[]> {
  const from = (bound: string): string =>
    `SELECT l.name FROM lists l WHERE l.kind = ${TXS_OF_ADDRESS.code} AND l.name >= ${bound} AND l.name < ?
      ORDER BY l.name LIMIT 1`;
  const end = `${beginning}~`;
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'length'>>(
    `WITH RECURSIVE hops (n, name) AS (
       SELECT CAST(1 AS bigint), (${from('?')})
       UNION ALL
       SELECT n + 1, (${from("hops.name || '/'")}) FROM hops WHERE name IS NOT NULL AND n < ${MOST_EXAMINED}
     )
     SELECT l.name, l.length FROM hops JOIN lists l ON l.kind = ${TXS_OF_ADDRESS.code} AND l.name = hops.name`,
    [beginning, end, end],
  );
  return rows.filter(({ name }) => !name.includes('.'));
}
