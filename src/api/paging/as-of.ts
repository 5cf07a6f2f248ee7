import type { FastifyRequest } from 'fastify';
import { BLOCK_NAME_FORMS, BLOCK_NAME_PATTERN } from '../../base/lib/block-name.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { CANONICAL, greatestLateness, lastFinalBurnNumber } from '../../index/blocks/canonical-chain.ts';
import type { BLOCKS } from '../../index/blocks/tables.ts';
import { withHorizon } from '../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { ApiError, invalidParameter, notFound } from '../http/errors.ts';
import type { LongReads, RowBudget } from '../http/long-reads.ts';
import { otherStateOf, type ShownBlock, shows } from '../http/shown-block.ts';
import { Type } from '../http/type.ts';
import { textForm } from '../http/validation.ts';
import { forkHeight } from './fork-height.ts';

/** Reads as of a block (docs/past.md). */

const FORM =
  /^(?:(?<height>[0-9]{1,15})|0x(?<hash>[a-fA-F0-9]{64})|burn:(?<burn>[0-9]{1,15})|time:(?<time>[0-9]{1,15}))$/;

/** The parameter for reads as of a block; routes with it show nothing above that block. */
export const at = () =>
  Type.Optional(
    Type.String({
      ...textForm(BLOCK_NAME_PATTERN, BLOCK_NAME_FORMS),
      description:
        'Shows the chain as of a block, without microblocks on top of it: a height, an index block hash, `burn:` and a Bitcoin height, or ' +
        '`time:` and Unix seconds. A hash alone names the same block after a fork.',
      examples: ['156'],
    }),
  );

/** The parameters of routes that have no others. */
export const PAST_QUERY = Type.Object({ at: at() });

/** The part of a request's parameters that names the block. */
export interface PastQuery {
  readonly at?: string | undefined;
}

/**
 * Reads in one snapshot, as of the block that the request names in `at`; without it, the chain to its tip.
 * @throws ApiError 404 for a block that the index does not have (yet), 409 for one that is not canonical
 */
export function readAsOf<T>(
  db: Pick<Database, 'read'>,
  request: FastifyRequest & { readonly query: PastQuery },
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  if (request.query.at === undefined) return db.read(work);
  return db.read(async queries => work(await asOf(queries, request.query, request)));
}

/** As readAsOf, for reads that may examine more rows than a page has (see LongReads). */
export function readLongAsOf<T>(
  longReads: LongReads,
  request: FastifyRequest & { readonly query: PastQuery },
  work: (queries: Queries, budget: RowBudget) => Promise<T>,
): Promise<T> {
  return longReads.read(request, async (queries, budget) => work(await asOf(queries, request.query, request), budget));
}

/** As readAsOf, in an open snapshot. @param queries of that snapshot @returns queries as of the block */
export async function asOf(queries: Queries, { at }: PastQuery, request: FastifyRequest): Promise<Queries> {
  if (at === undefined) return queries;
  const other = otherStateOf(request);
  if (other !== undefined) throw invalidParameter(`querystring/at must not be given together with ${other}`);
  const block = await blockNamed(queries, at);
  shows(request, block);
  return withHorizon(queries, {
    height: block.height,
    burnHeight: block.burnBlockHeight,
    transactions: block.transactions,
  });
}

export interface NamedBlock extends ShownBlock {
  /** Number of transactions of the canonical chain up to this block. */
  readonly transactions: number;
}

/**
 * The canonical block that a text names (BLOCK_NAME_PATTERN).
 * @throws ApiError 404 for a block that the index does not have (yet), 409 for one that is not canonical
 */
export async function blockNamed(queries: Queries, at: string): Promise<NamedBlock> {
  const { hash, height, burn, time } = FORM.exec(at)?.groups ?? {};
  const row =
    (hash !== undefined && (await canonicalOfHash(queries, hash))) ||
    (await queries.get<BlockRow>(`SELECT ${BLOCK_FIELDS} FROM ${CANONICAL} WHERE b.seq = ?`, [
      await (hash !== undefined
        ? numberOfHash(queries, `0x${hash.toLowerCase()}`)
        : burn !== undefined
          ? lastOfBurnHeight(queries, Number(burn))
          : time !== undefined
            ? lastBefore(queries, Number(time))
            : Number(height) - 1),
    ]));
  if (!row) throw notFound(`The chain has no block for at=${at}: it is above the tip, or below the first block`);
  return {
    height: row.height,
    indexBlockHash: toHex(row.index_block_hash),
    burnBlockHeight: row.burn_block_height,
    isFinal: row.burn_number <= (await lastFinalBurnNumber(queries)),
    transactions: row.first_tx + row.tx_rows,
  };
}

type BlockRow = RowOf<typeof BLOCKS, 'first_tx' | 'tx_rows' | 'burn_number'> &
  RowOf<typeof KNOWN_BLOCKS, 'height' | 'index_block_hash' | 'burn_block_height'>;

const BLOCK_FIELDS = 'b.first_tx, b.tx_rows, b.burn_number, k.height, k.index_block_hash, k.burn_block_height';

/** The canonical block with this index block hash, in one statement, as links between pages name blocks by hash. */
const canonicalOfHash = (queries: Queries, hash: string): Promise<BlockRow | undefined> =>
  queries.get<BlockRow>(
    `SELECT ${BLOCK_FIELDS} FROM known_blocks k JOIN blocks b ON b.known = k.arrival AND b.seq = k.height - 1
      WHERE k.index_block_hash = ?`,
    [fromHex(hash) ?? null],
  );

/** The number of the canonical block with this index block hash; the block of height 1 has number 0. */
async function numberOfHash(queries: Queries, hash: string): Promise<number> {
  const known = await queries.get<RowOf<typeof KNOWN_BLOCKS, 'height'>>(
    'SELECT height FROM known_blocks WHERE index_block_hash = ?',
    [fromHex(hash) ?? null],
  );
  // A replica, or an index that is catching up, may have it soon.
  if (!known) throw new ApiError(404, `The index does not have the block ${hash}`, { retryAfter: 5 });
  const fork = await forkHeight(queries, hash);
  if (fork === undefined) return known.height - 1;
  const common = await queries.get<RowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>>(
    `SELECT k.index_block_hash FROM ${CANONICAL} WHERE b.seq = ?`,
    [fork - 1],
  );
  const from = common ? `at=${toHex(common.index_block_hash)}` : 'the first block';
  throw new ApiError(
    409,
    `The block ${hash} is not canonical: a fork left it above height ${fork}. Drop what is above that height, and continue from ${from}`,
    { code: 'NOT_CANONICAL' },
  );
}

/** The number of the highest block whose burn block is not above this height; undefined above the burn block of the tip. */
async function lastOfBurnHeight(queries: Queries, burnHeight: number): Promise<number | null> {
  const row = await queries.get<{ tip: number | null }>(
    `SELECT max(k.burn_block_height) AS tip FROM ${CANONICAL} WHERE b.seq = (SELECT max(seq) FROM blocks)`,
  );
  if (row?.tip == null || burnHeight > row.tip) return null;
  const last = await queries.get<RowOf<typeof BLOCKS, 'seq'>>(
    `SELECT b.seq FROM known_blocks k JOIN blocks b ON b.known = k.arrival AND b.seq = k.height - 1
      WHERE k.burn_block_height <= ? ORDER BY k.burn_block_height DESC, b.seq DESC LIMIT 1`,
    [burnHeight],
  );
  return last?.seq ?? null;
}

/** The number of the block below the first one that is later than this time (Unix seconds). */
async function lastBefore(queries: Queries, time: number): Promise<number | null> {
  const newest = await queries.get<RowOf<typeof BLOCKS, 'seq' | 'block_time'>>(
    'SELECT seq, block_time FROM blocks ORDER BY seq DESC LIMIT 1',
  );
  if (!newest || time > newest.block_time) return null;
  const first = await firstBlockAfter(queries, time);
  return first === undefined ? newest.seq : first - 1;
}

/** The number of the first canonical block that is later than this time (Unix seconds); undefined if no block is. Always searches the whole chain. */
export async function firstBlockAfter(queries: Queries, time: number): Promise<number | undefined> {
  // Block times sometimes fall, but never by more than this, which bounds the search.
  const lateness = await greatestLateness(queries);
  const later = await queries.get<{ first: number | null }>(
    `SELECT min(seq) AS first FROM blocks
      WHERE block_time > ? AND block_time <= ? + (SELECT min(block_time) FROM blocks WHERE block_time > ?)`,
    [time, lateness, time],
  );
  return later?.first ?? undefined;
}
